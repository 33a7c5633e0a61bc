"""Trees varied by a mix of operators (tree_operators.py).

A child is made in a buffer, operator by operator. One that is too large or too deep, or whose derivation is that of an
individual already there (parents, or children made before it; their constants don't count), is made again from the
start, a few times; then it is a copy of its mother.
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels.codes import VARY
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.flat import doubled
from gramarye.kernels.interning import hash_words
from gramarye.kernels.random import advance, fork, stream, unit
from gramarye.kernels.tree_operators import Buffer, Growing, change, cross, hoist, insert, measure, regrow

TRIES = 8  # to make a child within limits that is not there yet
REGROW, INSERT, CHANGE, HOIST = range(4)


@kernel
def mutate(
    tree: Buffer, n: int, growing: Growing, rates: np.ndarray, limit: int, state: np.uint64, out: Buffer,
    stack: np.ndarray, depths: np.ndarray,
) -> int:  # fmt: skip
    """One mutation, drawn by its rate; where it can't be carried out, a new subtree."""
    stays_apart()
    state = advance(state)
    kind, threshold, total = REGROW, unit(state), 0.0
    for k in range(len(rates)):
        total += rates[k]
        if threshold < total:
            kind = k
            break
    end = -1
    if kind == INSERT:
        end = insert(tree, n, growing, limit, fork(state, INSERT), out, stack, depths)
    elif kind == CHANGE:
        end = change(tree, n, growing, fork(state, CHANGE), out)
    elif kind == HOIST:
        end = hoist(tree, n, growing.grammar.left, fork(state, HOIST), out)
    return end if end >= 0 else regrow(tree, n, growing, limit, fork(state, REGROW), out, stack, depths)


@kernel
def vary_trees(
    productions: np.ndarray,
    values: np.ndarray,  # of constants, as many as productions, or [0]: there are none
    offsets: np.ndarray,  # [N+1]
    growing: Growing,
    mothers: np.ndarray,
    fathers: np.ndarray,  # -1: the child is only mutated
    rate: float,  # of mutation, of children of two parents; 0: nobody is mutated
    rates: np.ndarray,  # [4] of the mutations
    most: int,  # nodes of a program
    limit: int,  # of the depth of a derivation
    longest: int,  # steps of a derivation
    seed: np.uint64,
    generation: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One child per pair: productions, values (NaN where they are to be drawn), offsets."""
    count = len(mothers)
    mother, father, first, second = new_buffer(longest), new_buffer(longest), new_buffer(longest), new_buffer(longest)
    stack, depths = np.empty(longest + 1, np.int32), np.empty(longest + 1, np.int32)
    children, child_values = np.empty(64 + 2 * len(productions), np.int32), np.empty(64 + 2 * len(productions))
    child_offsets = np.zeros(count + 1, np.int64)
    there = those_there(productions, offsets, count)
    for i in range(count):
        n = loaded(productions, values, offsets, mothers[i], mother)
        measure(mother, n, growing, stack)
        m = 0
        if fathers[i] >= 0:
            m = loaded(productions, values, offsets, fathers[i], father)
            measure(father, m, growing, stack)
        start = stream(seed, generation, VARY, i)
        length, child = n, mother
        for attempt in range(TRIES):
            state = fork(start, attempt)
            length, child = n, mother
            also = rate > 0.0
            if m > 0:
                length, state = cross(mother, n, father, m, growing.grammar.left, state, first)
                child = first
                state = advance(state)
                also = unit(state) < rate
                if length > 0:
                    measure(first, length, growing, stack)
            if also and length > 0:
                length = mutate(child, length, growing, rates, limit, fork(state, 1), second, stack, depths)
                child = second
                if length > 0:
                    measure(second, length, growing, stack)
            fits = length > 0 and child.nodes[0] <= most and child.height[0] <= limit
            if fits and enter(there, hash_words(child.steps, 0, length)):
                break
            length, child = n, mother
        end = child_offsets[i]
        while end + length > len(children):
            children, child_values = doubled(children), doubled(child_values)
        for step in range(length):
            children[end + step] = child.steps[step]
            child_values[end + step] = child.values[step]
        child_offsets[i + 1] = end + length
    total = child_offsets[count]
    found = values if len(values) == 0 else child_values[:total].copy()
    return children[:total].copy(), found, child_offsets


@kernel
def those_there(productions: np.ndarray, offsets: np.ndarray, more: int) -> np.ndarray:
    """The hashes of all derivations of a population, in a table with room for some more."""
    stays_apart()
    n = len(offsets) - 1
    size = 2
    while size < 2 * (n + more):
        size *= 2
    there = np.zeros(size, np.uint64)
    for i in range(n):
        enter(there, hash_words(productions, offsets[i], offsets[i + 1]))
    return there


@kernel
def enter(table: np.ndarray, key: np.uint64) -> bool:
    """Enter a hash into a table; whether it was not there. Two derivations with one hash are taken for the same."""
    mask = np.int64(len(table) - 1)
    slot = np.int64(key >> np.uint64(32)) & mask
    key |= np.uint64(1)  # 0 is a free place
    while table[slot] != np.uint64(0):
        if table[slot] == key:
            return False
        slot = (slot + 1) & mask
    table[slot] = key
    return True


@kernel
def new_buffer(longest: int) -> Buffer:
    """Room for a tree."""
    return Buffer(
        np.empty(longest, np.int32), np.empty(longest), np.empty(longest, np.int32), np.empty(longest, np.int32),
        np.empty(longest, np.int32),
    )  # fmt: skip


@kernel
def loaded(productions: np.ndarray, values: np.ndarray, offsets: np.ndarray, i: int, buffer: Buffer) -> int:
    """Put a tree of the population into a buffer; how many steps it has."""
    begin, n = offsets[i], offsets[i + 1] - offsets[i]
    for step in range(n):
        buffer.steps[step] = productions[begin + step]
        buffer.values[step] = values[begin + step] if len(values) > 0 else 0.0
    return n
