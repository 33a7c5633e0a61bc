"""Flat genotypes: reading a row of codons through a grammar, varying such rows, and rows that derive given programs.

Integers (GE: codon mod number of productions) go up to the `largest`; for reals (PGE: codon against cumulative
probabilities) that is None.
"""

from __future__ import annotations

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import CROSS, ENCODE, INITIAL, MUTATE, OK, OUT_OF_CODONS
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.random import advance, below, stream, unit
from gramarye.kernels.reduction import lanes


@kernel
def choose(probabilities: np.ndarray, first: int, last: int, codon: float) -> int:
    """The production of first … last-1 whose slice of [0, 1] holds the codon."""
    total = 0.0
    for q in range(first, last):  # Alg. 1, lines 8 to 13 (Mégane et al. 2021)
        total += probabilities[q]
        if codon < total:
            return q
    for q in range(last - 1, first, -1):  # rounding, or a codon of 1.0: the last one that is possible at all
        if probabilities[q] > 0.0:
            return q
    return first


@kernel
def doubled(array: np.ndarray) -> np.ndarray:
    """A copy of an array with room for as many entries again."""
    stays_apart()
    larger = np.empty(2 * len(array), array.dtype)
    for i in range(len(array)):
        larger[i] = array[i]
    return larger


@kernel
def map_flat(
    codons: np.ndarray,  # [N, W]
    length: np.ndarray,  # [N]
    grammar: GrammarArrays,
    probabilities: np.ndarray,  # [R]
    least: np.ndarray,  # [K] least number of codons that finishes a non-terminal
    wraps: int,
    consume_single: bool,
    modulo: bool,  # integers
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Leftmost derivations of all rows: productions (ragged), offsets [N+1], status [N], codons used [N]."""
    n = len(codons)
    productions = np.empty(16 * n + 64, np.int32)
    offsets = np.zeros(n + 1, np.int64)
    status = np.empty(n, np.int8)
    used = np.empty(n, np.int32)
    stack = np.empty(64, np.int32)
    i = 0
    while i < n:
        reads = np.int64(length[i]) * (wraps + 1)
        end = offsets[i]
        position = at = 0
        stack[0] = 0
        height = 1
        need = np.int64(least[0])
        full = False
        while height > 0 and need <= reads - position:
            height -= 1
            symbol = stack[height]
            need -= least[symbol]
            q = grammar.rule_start[symbol]
            last = grammar.rule_start[symbol + 1]
            if last - q > 1 or consume_single:
                codon = codons[i, at]
                position += 1
                at += 1
                if at == length[i]:
                    at = 0
                q = q + np.int32(codon) % (last - q) if modulo else choose(probabilities, q, last, codon)
            full = end == len(productions) or height + grammar.kid_start[q + 1] - grammar.kid_start[q] > len(stack)
            if full:
                break
            productions[end] = q
            end += 1
            for k in range(grammar.kid_start[q], grammar.kid_start[q + 1]):
                stack[height] = grammar.kids[k]
                need += least[grammar.kids[k]]
                height += 1
        if full:  # once more, with more room
            productions, stack = doubled(productions), doubled(stack)
            continue
        done = height == 0
        status[i] = OK if done else OUT_OF_CODONS
        used[i] = position if done else reads
        offsets[i + 1] = end if done else offsets[i]
        i += 1
    return productions[: offsets[n]].copy(), offsets, status, used


@kernel
def drawn(largest: int | None, state: np.uint64) -> float | np.int64:
    """A random codon: an integer in 0 … largest, or with None a real in [0, 1)."""
    if largest is None:
        return unit(state)
    return below(state, largest + 1)


@kernel
def draw_codons(codons: np.ndarray, width: int, largest: int | None, seed: np.uint64, generation: int) -> None:
    """Draw the first `width` codons of all rows [N, W] of a generation that is sampled; in place."""
    for i in range(len(codons)):
        state = stream(seed, generation, INITIAL, i)
        for k in range(width):
            state = advance(state)
            codons[i, k] = drawn(largest, state)


@kernel
def cross_fixed(
    codons: np.ndarray,
    limit: np.ndarray,
    mothers: np.ndarray,
    fathers: np.ndarray,
    seed: np.uint64,
    generation: int,
) -> np.ndarray:
    """One child per pair: the father's codons before one shared cut, the mother's from there; father -1: a copy.

    The cut is uniform in 0 … the smaller `limit` of the two, less one.
    """
    children = np.empty((len(mothers), codons.shape[1]), codons.dtype)
    for i in range(len(mothers)):
        mother, father = mothers[i], fathers[i]
        for k in lanes(codons.shape[1]):
            children[i, k] = codons[mother, k]
        if father >= 0:
            state = advance(stream(seed, generation, CROSS, i))
            for k in lanes(below(state, max(1, min(limit[mother], limit[father])))):
                children[i, k] = codons[father, k]
    return children


@kernel
def cross_variable(
    codons: np.ndarray,
    length: np.ndarray,
    limit: np.ndarray,
    mothers: np.ndarray,
    fathers: np.ndarray,
    seed: np.uint64,
    generation: int,
) -> tuple[np.ndarray, np.ndarray]:
    """One child per pair, each parent cut at its own place in 1 … its `limit`: the mother's head, the father's tail.

    A child longer than the arrays are wide loses its end.
    """
    width = codons.shape[1]
    children = np.zeros((len(mothers), width), codons.dtype)
    lengths = np.empty(len(mothers), np.int32)
    for i in range(len(mothers)):
        mother, father = mothers[i], fathers[i]
        for k in lanes(width):
            children[i, k] = codons[mother, k]
        lengths[i] = length[mother]
        if father >= 0:
            state = advance(stream(seed, generation, CROSS, i))
            head = 1 + below(state, max(1, limit[mother]))
            state = advance(state)
            skipped = 1 + below(state, max(1, limit[father]))
            tail = min(length[father] - skipped, width - head)
            child, rest = children[i, head:], codons[father, skipped:]
            for k in lanes(tail):
                child[k] = rest[k]
            lengths[i] = head + tail
    return children, lengths


@kernel
def mutate_codons(
    codons: np.ndarray, length: np.ndarray, rate: float, largest: int | None, seed: np.uint64, generation: int
) -> None:
    """Replace each codon, with probability `rate`, by a fresh one; in place."""
    for i in range(len(codons)):
        state = stream(seed, generation, MUTATE, i)
        for k in range(length[i]):
            state = advance(state)
            if unit(state) < rate:
                state = advance(state)
                codons[i, k] = drawn(largest, state)


# The way back


@kernel
def codon_of(grammar: GrammarArrays, probabilities: np.ndarray, largest: int | None, q: int, share: float) -> float:
    """The codon at a share (in [0, 1)) of all those that choose production q; -1.0 where there is none."""
    stays_apart()
    a = grammar.left[q]
    first, last = grammar.rule_start[a], grammar.rule_start[a + 1]
    if largest is not None:
        choices = (largest - (q - first)) // (last - first) + 1
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
    largest: int | None,
    least: int,
    codons: np.ndarray,  # [N, W] zeros, to be written to
    seed: np.uint64,
    generation: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codons [N, W], lengths [N] of at least `least`, and whether each derivation fits [N]; the rest is random.

    They are drawn uniformly among all such rows.
    """
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
                codon = codon_of(grammar, probabilities, largest, steps[s], unit(state))
                fits[i] = fits[i] and codon >= 0.0
                codons[i, k] = max(codon, 0.0)
                k += 1
        for rest in range(k, length[i]):
            state = advance(state)
            codons[i, rest] = drawn(largest, state)
    return codons, length, fits
