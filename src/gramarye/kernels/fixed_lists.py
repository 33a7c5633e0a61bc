"""Structured genotypes of fixed size: lists long enough for any program, laid out as in `lists` (static SGE)."""

from __future__ import annotations

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import MUTATE
from gramarye.kernels.compiler import kernel
from gramarye.kernels.random import advance, below, stream, unit


@kernel
def random_lists(
    n: int, sizes: np.ndarray, grammar: GrammarArrays, seed: np.uint64, generation: int, purpose: int
) -> np.ndarray:
    """Random entries of n individuals whose lists have these sizes [K]."""
    values = np.zeros(n * sizes.sum(), np.int32)
    at = 0
    for i in range(n):
        state = stream(seed, generation, purpose, i)
        for a in range(len(sizes)):
            count = grammar.rule_start[a + 1] - grammar.rule_start[a]
            if count > 1:
                for k in range(sizes[a]):
                    state = advance(state)
                    values[at + k] = below(state, count)
            at += sizes[a]
    return values


@kernel
def mutate_one_each(
    values: np.ndarray,
    start: np.ndarray,  # [N*K+1]
    used: np.ndarray,  # [N, K]
    grammar: GrammarArrays,
    rate: float,
    seed: np.uint64,
    generation: int,
) -> None:
    """In each list with a choice, with probability `rate`, change one used entry to a different production; in place.

    Where none is used, the first entry.
    """
    n, k_all = used.shape
    for i in range(n):
        state = stream(seed, generation, MUTATE, i)
        for a in range(k_all):
            count = grammar.rule_start[a + 1] - grammar.rule_start[a]
            begin = start[i * k_all + a]
            if count == 1 or begin == start[i * k_all + a + 1]:
                continue
            state = advance(state)
            if unit(state) >= rate:
                continue
            state = advance(state)
            at = begin + below(state, max(1, used[i, a]))
            state = advance(state)
            other = below(state, count - 1)
            values[at] = other if other < values[at] else other + 1
