"""Structured genotypes of fixed size: a list of production numbers for each non-terminal, long enough for any program.

List a of individual i is `entries[i, start[a] : start[a+1]]` (static SGE).
"""

from __future__ import annotations

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import CROSS, ENCODE, FILL, INITIAL, MUTATE, OK
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.flat import doubled
from gramarye.kernels.random import advance, below, fork, stream, unit
from gramarye.kernels.reduction import lanes


@kernel
def derive_fixed(
    first: int,
    entries: np.ndarray,
    start: np.ndarray,
    grammar: GrammarArrays,
    productions: np.ndarray,
    offsets: np.ndarray,
    used: np.ndarray,
    stack: np.ndarray,
) -> int:
    """Derivations from individual `first` on; the one at which an array was too small, or their number."""
    stays_apart()
    n, k_all = used.shape
    for i in range(first, n):
        for a in range(k_all):
            used[i, a] = 0
        end = offsets[i]
        stack[0] = 0
        height = 1
        while height > 0:
            height -= 1
            symbol = stack[height]
            q = grammar.rule_start[symbol] + entries[i, start[symbol] + used[i, symbol]]
            used[i, symbol] += 1
            if end == len(productions) or height + grammar.kid_start[q + 1] - grammar.kid_start[q] > len(stack):
                return i
            productions[end] = q
            end += 1
            for k in range(grammar.kid_start[q], grammar.kid_start[q + 1]):
                stack[height] = grammar.kids[k]
                height += 1
        offsets[i + 1] = end
    return n


@kernel
def map_fixed(
    entries: np.ndarray,  # [N, start[K]]
    start: np.ndarray,  # [K+1]
    grammar: GrammarArrays,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Leftmost derivations of all individuals, valid all of them: productions, offsets [N+1], entries used [N, K]."""
    n, k_all = len(entries), len(start) - 1
    productions = np.empty(16 * n + 64, np.int32)
    offsets = np.zeros(n + 1, np.int64)
    used = np.empty((n, k_all), np.int32)
    stack = np.empty(64, np.int32)
    done = 0
    while True:
        done = derive_fixed(done, entries, start, grammar, productions, offsets, used, stack)
        if done == n:
            break
        productions, stack = doubled(productions), doubled(stack)
    return productions[: offsets[n]].copy(), offsets, used


@kernel
def draw_row(row: np.ndarray, start: np.ndarray, grammar: GrammarArrays, state: np.uint64) -> np.uint64:
    """Fill the lists of one individual with random entries; the state after that."""
    for a in range(len(start) - 1):
        count = grammar.rule_start[a + 1] - grammar.rule_start[a]
        for at in range(start[a], start[a + 1]):
            row[at] = 0
            if count > 1:
                state = advance(state)
                row[at] = below(state, count)
    return state


@kernel
def random_lists(n: int, start: np.ndarray, grammar: GrammarArrays, seed: np.uint64, generation: int) -> np.ndarray:
    """[n, start[K]] random entries of a generation that is drawn anew."""
    entries = np.empty((n, start[-1]), np.int32)
    for i in range(n):
        draw_row(entries[i], start, grammar, stream(seed, generation, INITIAL, i))
    return entries


@kernel
def fill_lists(entries: np.ndarray, start: np.ndarray, grammar: GrammarArrays, seed: np.uint64) -> None:
    """Draw each entry that is negative, by non-terminal and position alone; in place."""
    for i in range(len(entries)):
        key = stream(seed, 0, FILL, i)
        for a in range(len(start) - 1):
            count = grammar.rule_start[a + 1] - grammar.rule_start[a]
            for at in range(start[a], start[a + 1]):
                if entries[i, at] < 0:
                    entries[i, at] = below(fork(fork(key, a), at - start[a]), count)


@kernel
def cross_lists(
    entries: np.ndarray,
    used: np.ndarray,  # [N, K]
    start: np.ndarray,
    mothers: np.ndarray,
    fathers: np.ndarray,
    seed: np.uint64,
    generation: int,
) -> tuple[np.ndarray, np.ndarray]:
    """One child per pair: each list whole from one parent or the other, by a random bit; father -1: a copy.

    With them, of each list the larger number of entries that one of the parents used.
    """
    n, k_all = len(mothers), len(start) - 1
    children = np.empty((n, entries.shape[1]), np.int32)
    children_used = np.empty((n, k_all), np.int32)
    for i in range(n):
        state = stream(seed, generation, CROSS, i)
        mother = mothers[i]
        father = fathers[i] if fathers[i] >= 0 else mother
        for a in range(k_all):
            state = advance(state)
            parent = mother if unit(state) < 0.5 else father
            child, chosen = children[i, start[a] : start[a + 1]], entries[parent, start[a] : start[a + 1]]
            for k in lanes(start[a + 1] - start[a]):
                child[k] = chosen[k]
            children_used[i, a] = max(used[mother, a], used[father, a])
    return children, children_used


@kernel
def mutate_one_each(
    entries: np.ndarray,
    used: np.ndarray,
    start: np.ndarray,
    grammar: GrammarArrays,
    rate: float,
    seed: np.uint64,
    generation: int,
) -> None:
    """In each list with a choice, with probability `rate`, change one used entry to a different production; in place.

    Where none is used, the first entry.
    """
    for i in range(len(entries)):
        state = stream(seed, generation, MUTATE, i)
        for a in range(len(start) - 1):
            count = grammar.rule_start[a + 1] - grammar.rule_start[a]
            if count == 1 or start[a] == start[a + 1]:
                continue
            state = advance(state)
            if unit(state) >= rate:
                continue
            state = advance(state)
            at = start[a] + below(state, max(1, used[i, a]))
            state = advance(state)
            other = below(state, count - 1)
            entries[i, at] = other if other < entries[i, at] else other + 1


@kernel
def encode_lists(
    productions: np.ndarray,
    offsets: np.ndarray,
    status: np.ndarray,
    start: np.ndarray,
    grammar: GrammarArrays,
    seed: np.uint64,
    generation: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Entries [N, start[K]] in the order in which a derivation needs them, the rest random; and which fit."""
    n, k_all = len(status), len(start) - 1
    entries = np.empty((n, start[-1]), np.int32)
    fits = np.empty(n, np.bool_)
    used = np.empty(k_all, np.int64)
    for i in range(n):
        draw_row(entries[i], start, grammar, stream(seed, generation, ENCODE, i))
        fits[i] = status[i] == OK
        for a in range(k_all):
            used[a] = 0
        for step in range(offsets[i], offsets[i + 1]):
            q = productions[step]
            symbol = grammar.left[q]
            at = start[symbol] + used[symbol]
            if at == start[symbol + 1]:
                fits[i] = False
                break
            entries[i, at] = q - grammar.rule_start[symbol]
            used[symbol] += 1
    return entries, fits
