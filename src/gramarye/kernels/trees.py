"""Trees as genotypes: derivations in leftmost order, in which every subtree is a slice (CFG-GP)."""

from __future__ import annotations

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import CROSS, MUTATE
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.flat import doubled
from gramarye.kernels.initial_trees import grow_tree
from gramarye.kernels.lists import copied
from gramarye.kernels.random import advance, below, stream, unit


@kernel
def measured(productions: np.ndarray, offsets: np.ndarray, grammar: GrammarArrays) -> tuple[np.ndarray, np.ndarray]:
    """Of the subtree that begins at each step: how many steps it takes, and its height (that of a leaf is 1)."""
    stays_apart()
    size, height = np.empty(len(productions), np.int32), np.empty(len(productions), np.int32)
    stack = np.empty(64, np.int32)  # roots of the subtrees to the right that have no parent yet
    for i in range(len(offsets) - 1):
        top = 0
        for step in range(offsets[i + 1] - 1, offsets[i] - 1, -1):
            q = productions[step]
            steps, below_it = 1, 0
            for _ in range(grammar.kid_start[q + 1] - grammar.kid_start[q]):
                top -= 1
                steps += size[stack[top]]
                below_it = max(below_it, height[stack[top]])
            size[step] = steps
            height[step] = below_it + 1
            if top == len(stack):
                stack = doubled(stack)
            stack[top] = step
            top += 1
    return size, height


@kernel
def depth_of(size: np.ndarray, root: int, step: int) -> int:
    """The depth of a step in the tree that begins at `root`."""
    depth = 0
    while root != step:
        root += 1
        depth += 1
        while root + size[root] <= step:  # not in this child
            root += size[root]
    return depth


@kernel
def shared_point(
    productions: np.ndarray,
    size: np.ndarray,
    height: np.ndarray,
    left: np.ndarray,
    mother: int,  # where the trees begin
    father: int,
    limit: int,
    most: int,
    tries: int,
    state: np.uint64,
    counts: np.ndarray,  # [K] for the father's nodes
) -> tuple[int, int]:
    """A step of the mother and one of the father with the same non-terminal; -1: no try gave a child within limits.

    The mother's is uniform over the nodes whose non-terminal both have, the father's over those with that one.
    """
    stays_apart()
    for a in range(len(counts)):
        counts[a] = 0
    for step in range(father, father + size[father]):
        counts[left[productions[step]]] += 1
    nodes = 0
    for step in range(mother, mother + size[mother]):
        nodes += counts[left[productions[step]]] > 0
    for _ in range(tries):
        state = advance(state)
        ahead = below(state, nodes)
        cut = mother - 1
        while ahead >= 0:
            cut += 1
            ahead -= counts[left[productions[cut]]] > 0
        symbol = left[productions[cut]]
        state = advance(state)
        ahead = below(state, counts[symbol])
        graft = father - 1
        while ahead >= 0:
            graft += 1
            ahead -= left[productions[graft]] == symbol
        fits = depth_of(size, mother, cut) + height[graft] <= limit
        if fits and size[mother] - size[cut] + size[graft] <= most:
            return cut, graft
    return -1, -1


@kernel
def cross_trees(
    productions: np.ndarray,
    values: np.ndarray,  # of constants, as many as productions, or [0]: there are none
    offsets: np.ndarray,  # [N+1]
    grammar: GrammarArrays,
    mothers: np.ndarray,
    fathers: np.ndarray,
    limit: int,  # of a child's depth
    most: int,  # of its steps
    tries: int,
    seed: np.uint64,
    generation: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One child per pair: the mother with a subtree of the father's in place of one of hers; father -1: a copy.

    Where no try keeps to the limits, a copy too. Gives productions, values, offsets.
    """
    n = len(mothers)
    size, height = measured(productions, offsets, grammar)
    counts = np.empty(len(grammar.nt_height), np.int32)
    cuts, grafts = np.empty(n, np.int64), np.empty(n, np.int64)
    new_offsets = np.zeros(n + 1, np.int64)
    for i in range(n):
        mother = offsets[mothers[i]]
        cut, graft = -1, -1
        steps = offsets[mothers[i] + 1] - mother
        if fathers[i] >= 0:
            cut, graft = shared_point(
                productions, size, height, grammar.left, mother, offsets[fathers[i]], limit, most, tries,
                stream(seed, generation, CROSS, i), counts,
            )  # fmt: skip
            if cut >= 0:
                steps += size[graft] - size[cut]
        cuts[i], grafts[i] = cut, graft
        new_offsets[i + 1] = new_offsets[i] + steps
    children = np.empty(new_offsets[n], np.int32)
    new_values = np.empty(new_offsets[n] if len(values) > 0 else 0)
    for i in range(n):
        begin, stop = offsets[mothers[i]], offsets[mothers[i] + 1]
        end = new_offsets[i]
        if cuts[i] >= 0:
            end = copied_both(productions, values, begin, cuts[i], children, new_values, end)
            graft = grafts[i]
            end = copied_both(productions, values, graft, graft + size[graft], children, new_values, end)
            begin = cuts[i] + size[cuts[i]]
        copied_both(productions, values, begin, stop, children, new_values, end)
    return children, new_values, new_offsets


@kernel
def copied_both(
    productions: np.ndarray,
    values: np.ndarray,
    begin: int,
    stop: int,
    out: np.ndarray,
    new_values: np.ndarray,
    end: int,
) -> int:
    """Copy a slice of productions, and of values where there are any; where the copy ends."""
    if len(values) > 0:
        copied(values, begin, stop, new_values, end)
    return copied(productions, begin, stop, out, end)


@kernel
def mutate_trees(
    productions: np.ndarray,
    values: np.ndarray,  # of constants, as many as productions, or [0]: there are none
    offsets: np.ndarray,  # [N+1]
    grammar: GrammarArrays,
    recursive: np.ndarray,
    weights: np.ndarray,  # [R] of productions to grow, or [0]: all alike
    limit: int,
    most: int,
    rate: float,
    seed: np.uint64,
    generation: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each tree, with probability `rate`, with one of its subtrees regrown; every node is as likely as another.

    Gives productions, values (NaN where they are to be drawn), offsets.
    """
    n = len(offsets) - 1
    size, _ = measured(productions, offsets, grammar)
    mutants = np.empty(2 * len(productions) + 64, np.int32)
    new_values = np.empty(len(mutants) if len(values) > 0 else 0)
    new_offsets = np.zeros(n + 1, np.int64)
    stack, levels = np.empty(64, np.int32), np.empty(64, np.int32)
    for i in range(n):
        begin, stop = offsets[i], offsets[i + 1]
        end = new_offsets[i]
        while end + stop - begin > len(mutants):
            mutants, new_values = doubled(mutants), doubled(new_values)
        state = advance(stream(seed, generation, MUTATE, i))
        if unit(state) < rate:
            state = advance(state)
            cut = begin + below(state, stop - begin)
            end = copied_both(productions, values, begin, cut, mutants, new_values, end)
            rest = stop - cut - size[cut]
            while True:
                grown = grow_tree(
                    grammar, recursive, weights, False, grammar.left[productions[cut]], depth_of(size, begin, cut),
                    limit, most - (stop - begin - size[cut]), state, mutants, end, stack, levels,
                )  # fmt: skip
                if grown >= 0 and grown + rest <= len(mutants):
                    break
                mutants, stack, levels = doubled(mutants), doubled(stack), doubled(levels)
                new_values = doubled(new_values)
            if len(values) > 0:
                for step in range(end, grown):
                    new_values[step] = np.nan
            begin, end = cut + size[cut], np.int64(grown)
        new_offsets[i + 1] = copied_both(productions, values, begin, stop, mutants, new_values, end)
    return mutants[: new_offsets[n]].copy(), new_values[: new_offsets[n]].copy(), new_offsets
