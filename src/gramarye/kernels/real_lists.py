"""Structured genotypes of reals: codons that derive given programs, and how lists and what else evolves are varied.

Lists stand one after another as in `lists`. An individual may have mutation rates and probabilities of its own, which
are varied too (PSGE, Co-PSGE).
"""

from __future__ import annotations

import math

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import ENCODE, GRAMMAR, MUTATE, SHORTEST
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.flat import choose
from gramarye.kernels.lists import NO_ROOM, weigh
from gramarye.kernels.random import advance, fork, stream, unit
from gramarye.kernels.vectormath import cos, log

# Adaptive facilitated mutation: how often a rate changes, and how much (Carvalho, Mégane, Lourenço, Machado 2023)
RATE_CHANGES, RATE_SIGMA = 0.3, 0.01
_TURN = 2.0 * math.pi


@kernel
def normals(states: np.ndarray) -> np.ndarray:
    """A number of the standard normal distribution for each state, from its next two draws (Box and Muller 1958).

    It has the same bits on every machine.
    """
    stays_apart()
    n = len(states)
    share, angle = np.empty(n), np.empty(n)
    for i in range(n):
        first = advance(states[i])
        share[i] = 1.0 - unit(first)  # in (0, 1], where the logarithm is finite
        angle[i] = _TURN * unit(advance(first))
    logarithm, cosine = np.empty(n), np.empty(n)
    log(logarithm, share)
    cos(cosine, angle)
    for i in range(n):
        share[i] = np.sqrt(-2.0 * logarithm[i]) * cosine[i]
    return share


@kernel
def bounded(codon: float, reflect: bool) -> float:
    """A codon that was moved, back in [0, 1]: folded at the borders, or clipped."""
    if not reflect:
        return min(max(codon, 0.0), 1.0)
    codon = abs(codon)
    codon -= 2.0 * np.floor(0.5 * codon)
    return 2.0 - codon if codon > 1.0 else codon


@kernel
def mutate_real_lists(
    values: np.ndarray,
    start: np.ndarray,
    used: np.ndarray,  # [N, K]
    grammar: GrammarArrays,
    rates: np.ndarray,  # [N, K]
    sigma: float,
    reflect: bool,
    seed: np.uint64,
    generation: int,
) -> None:
    """Move each used codon that has a choice, at the rate of its list, by a normal number; in place."""
    n, k_all = used.shape
    places = np.empty(used.sum(), np.int64)
    states = np.empty(len(places), np.uint64)
    hits = 0
    for i in range(n):
        state = stream(seed, generation, MUTATE, i)
        for a in range(k_all):
            if grammar.rule_start[a + 1] - grammar.rule_start[a] == 1:
                continue
            begin = start[i * k_all + a]
            for at in range(begin, begin + used[i, a]):
                state = advance(state)
                if unit(state) < rates[i, a]:
                    places[hits] = at
                    states[hits] = state
                    hits += 1
                    state = advance(advance(state))  # the two draws of a normal number
    steps = normals(states[:hits])
    for h in range(hits):
        values[places[h]] = bounded(values[places[h]] + sigma * steps[h], reflect)


@kernel
def change_rates(rates: np.ndarray, seed: np.uint64, generation: int) -> None:
    """Change some mutation rates [N, K] a little; in place."""
    n, k_all = rates.shape
    states = np.empty(n * k_all, np.uint64)
    for i in range(n):
        key = stream(seed, generation, MUTATE, i)
        for a in range(k_all):
            states[i * k_all + a] = advance(fork(key, a))  # apart from the draws of the codons
    steps = normals(states)
    for i in range(n):
        for a in range(k_all):
            if unit(states[i * k_all + a]) < RATE_CHANGES:
                rates[i, a] = min(max(rates[i, a] + RATE_SIGMA * steps[i * k_all + a], 0.0), 1.0)


@kernel
def shift(row: np.ndarray, hit: int, step: float) -> None:
    """Add a step to one probability and take equal shares from the others; none below 0, the sum 1; in place."""
    total = 0.0
    for q in range(len(row)):
        row[q] = max(row[q] + step if q == hit else row[q] - step / (len(row) - 1), 0.0)
        total += row[q]
    for q in range(len(row)):
        row[q] /= total


@kernel
def mutate_probabilities(
    probabilities: np.ndarray,  # [N, R]
    grammar: GrammarArrays,
    rate: float,
    sigma: float,
    seed: np.uint64,
    generation: int,
) -> None:
    """Shift, for each non-terminal, the first production that is hit (each is with probability `rate`); in place."""
    one = np.empty(1, np.uint64)
    for i in range(len(probabilities)):
        state = stream(seed, generation, GRAMMAR, i)
        for a in range(len(grammar.rule_start) - 1):
            row = probabilities[i, grammar.rule_start[a] : grammar.rule_start[a + 1]]
            for hit in range(len(row) if len(row) > 1 else 0):
                state = advance(state)
                if unit(state) < rate:
                    one[0] = state
                    shift(row, hit, sigma * normals(one)[0])
                    state = advance(advance(state))  # the two draws of a normal number
                    break


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
