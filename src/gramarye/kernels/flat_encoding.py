"""The way back for flat genotypes: rows of codons that derive given programs, drawn uniformly among all such rows."""

from __future__ import annotations

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import ENCODE
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.flat import choose
from gramarye.kernels.random import advance, below, stream, unit


@kernel
def codon_of(
    grammar: GrammarArrays, probabilities: np.ndarray, modulo: bool, codon_max: int, q: int, share: float
) -> float:
    """The codon at a share (in [0, 1)) of all those that choose production q; -1.0 where there is none."""
    stays_apart()
    a = grammar.left[q]
    first, last = grammar.rule_start[a], grammar.rule_start[a + 1]
    if modulo:
        choices = (codon_max - (q - first)) // (last - first) + 1
        return float(q - first + (last - first) * np.int64(share * choices)) if choices > 0 else -1.0
    low = 0.0
    for p in range(first, q):  # added as `choose` does, to the last bit
        low += probabilities[p]
    high = low + probabilities[q]
    codon = low + share * (min(high, 1.0) - low)
    if codon >= high:  # rounded up to the end, which is the next production's
        codon = max(low, np.nextafter(high, 0.0))
    if codon <= 1.0 and choose(probabilities, first, last, codon) == q:
        return codon
    # Too small to have a slice of its own, it may still be the last one that is possible at all.
    return 1.0 if probabilities[q] > 0.0 and choose(probabilities, first, last, 1.0) == q else -1.0


@kernel
def codons_needed(productions: np.ndarray, grammar: GrammarArrays, consume_single: bool) -> int:
    """How many codons a derivation reads."""
    needed = 0
    for q in productions:
        a = grammar.left[q]
        if consume_single or grammar.rule_start[a + 1] - grammar.rule_start[a] > 1:
            needed += 1
    return needed


@kernel
def encode_flat(
    productions: np.ndarray,
    offsets: np.ndarray,  # [N+1]
    grammar: GrammarArrays,
    probabilities: np.ndarray,  # [R]
    consume_single: bool,
    modulo: bool,
    codon_max: int,
    least: int,
    codons: np.ndarray,  # [N, W] zeros, to be written to
    seed: np.uint64,
    generation: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codons [N, W], lengths [N] of at least `least`, and whether each derivation fits [N]; the rest is random."""
    n = len(codons)
    length = np.empty(n, np.int32)
    fits = np.zeros(n, np.bool_)
    for i in range(n):
        steps = productions[offsets[i] : offsets[i + 1]]
        needed = codons_needed(steps, grammar, consume_single)
        fits[i] = len(steps) > 0 and needed <= codons.shape[1]
        length[i] = max(needed, least) if fits[i] else least
        state = stream(seed, generation, ENCODE, i)
        k = 0
        for s in range(len(steps) if fits[i] else 0):
            a = grammar.left[steps[s]]
            if consume_single or grammar.rule_start[a + 1] - grammar.rule_start[a] > 1:
                state = advance(state)
                codon = codon_of(grammar, probabilities, modulo, codon_max, steps[s], unit(state))
                fits[i] = fits[i] and codon >= 0.0
                codons[i, k] = max(codon, 0.0)
                k += 1
        for rest in range(k, length[i]):
            state = advance(state)
            codons[i, rest] = below(state, codon_max + 1) if modulo else unit(state)
    return codons, length, fits
