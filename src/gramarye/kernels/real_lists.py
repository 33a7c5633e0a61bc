"""Structured genotypes of reals: one list of codons for each non-terminal, read through probabilities (PSGE, Co-PSGE).

Lists stand one after another as in `lists`. `probabilities` has one row that all individuals share, or one for each.
"""

from __future__ import annotations

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import ENCODE, SHORTEST
from gramarye.kernels.compiler import kernel
from gramarye.kernels.flat import choose
from gramarye.kernels.lists import NO_ROOM, weigh
from gramarye.kernels.random import advance, stream, unit


@kernel
def encode_real_lists(
    productions: np.ndarray,
    offsets: np.ndarray,  # [N+1]
    grammar: GrammarArrays,
    probabilities: np.ndarray,  # [1, R] or [N, R]
    depth_limit: int,
    rule: int,
    step_limit: int,
    seed: np.uint64,
    generation: int,
) -> tuple[np.ndarray, np.ndarray]:
    """A codon for each step, uniform in the slice of its production; and which derivations [N] such codons map to."""
    n = len(offsets) - 1
    codons = np.zeros(len(productions))
    fits = np.empty(n, np.bool_)
    weights = np.empty(len(grammar.left))
    for i in range(n):
        row = probabilities[min(i, len(probabilities) - 1)]
        state = stream(seed, generation, ENCODE, i)
        fits[i] = offsets[i] < offsets[i + 1]
        levels = [0]
        for s in range(offsets[i], offsets[i + 1]):
            q = productions[s]
            symbol = grammar.left[q]
            level = levels.pop()
            first = grammar.rule_start[symbol]
            j = grammar.rule_start[symbol + 1] - first
            if s - offsets[i] < step_limit:
                weigh(grammar, row, symbol, level, depth_limit, rule, weights)
            else:
                weigh(grammar, row, symbol, level, NO_ROOM, SHORTEST, weights)
            low = 0.0
            for other in range(q - first):
                low += weights[other]
            high = low + weights[q - first]
            state = advance(state)
            codon = low + unit(state) * (high - low)
            codon = min(codon if codon < high else low, 1.0)  # rounding
            codons[s] = codon
            fits[i] = fits[i] and choose(weights, 0, j, codon) == q - first
            for _ in range(grammar.kid_start[q], grammar.kid_start[q + 1]):
                levels.append(level + 1)
    return codons, fits
