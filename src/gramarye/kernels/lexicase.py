"""Lexicase selection: cases in random order, each of which leaves the best of those who are left.

Individuals that make the same errors are treated as one: they leave together, and of those who stay one is drawn.
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel
from gramarye.kernels.random import advance, below
from gramarye.kernels.tournaments import draws_of


@kernel
def left_by_cases(
    errors: np.ndarray,  # [C, G] of groups that make the same errors
    tolerance: np.ndarray,  # [C] how much worse than the best of those left one may be
    order: np.ndarray,  # [C] the numbers of all cases, reordered
    pool: np.ndarray,  # [G] written: the groups that are left come first
    state: np.uint64,
) -> tuple[int, np.uint64]:
    """How many groups are left when all cases have been looked at, or no choice is left; and the next state."""
    cases, left = errors.shape
    for g in range(left):
        pool[g] = g
    for drawn in range(cases):
        if left == 1:
            break
        state = advance(state)
        other = drawn + below(state, cases - drawn)
        order[drawn], order[other] = order[other], order[drawn]
        row = errors[order[drawn]]
        least = row[pool[0]]
        for k in range(1, left):
            least = min(least, row[pool[k]])
        limit = least + tolerance[order[drawn]]
        kept = 0
        for k in range(left):
            if row[pool[k]] <= limit:
                pool[kept] = pool[k]
                kept += 1
        left = kept
    return left, state


@kernel
def one_of(
    group: np.ndarray,  # [M] the group of each individual
    pool: np.ndarray,
    left: int,
    marked: np.ndarray,  # [G] False; left as it was
    state: np.uint64,
) -> tuple[int, np.uint64]:
    """One of the individuals whose group is left, all with the same chance; and the next state."""
    for k in range(left):
        marked[pool[k]] = True
    count = 0
    for i in range(len(group)):
        count += marked[group[i]]
    state = advance(state)
    wanted = below(state, count)
    winner = 0
    for i in range(len(group)):
        if marked[group[i]]:
            if wanted == 0:
                winner = i
                break
            wanted -= 1
    for k in range(left):
        marked[pool[k]] = False
    return winner, state


@kernel
def lexicase(
    errors: np.ndarray,  # [C, G]
    group: np.ndarray,  # [M]
    tolerance: np.ndarray,  # [C]
    n: int,
    seed: np.uint64,
    generation: int,
) -> np.ndarray:
    """Mothers [0] and fathers [1] of n children, as numbers of individuals [2, n]."""
    cases, groups = errors.shape
    order = np.empty(cases, np.int64)
    pool = np.empty(groups, np.int64)
    marked = np.zeros(groups, np.bool_)
    parents = np.empty((2, n), np.int64)
    for i in range(n):
        for c in range(cases):
            order[c] = c  # which case comes first must not depend on the children before
        state = draws_of(seed, generation, i)
        for who in range(2):
            left, state = left_by_cases(errors, tolerance, order, pool, state)
            parents[who, i], state = one_of(group, pool, left, marked, state)
    return parents


@kernel
def sample_cases(cases: int, n: int, state: np.uint64) -> np.ndarray:
    """Some of the cases [n], drawn without replacement, ascending."""
    order = np.arange(cases)
    for drawn in range(n):
        state = advance(state)
        other = drawn + below(state, cases - drawn)
        order[drawn], order[other] = order[other], order[drawn]
    return np.sort(order[:n])
