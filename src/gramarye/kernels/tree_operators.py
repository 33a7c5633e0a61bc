"""Operators on trees: crossover, and mutations that regrow, insert, change or hoist.

Each reads trees from buffers and writes one into another; it returns where that ends, or -1 where it can't be carried
out. Programs are measured by their nodes, derivations by their steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.initial_trees import grow_tree
from gramarye.kernels.random import advance, below, fork, unit

PICKS = 10  # of a step, before a leaf is taken all the same
LEAF = 0.3  # how likely a leaf is taken, beside a larger subtree
LEVELS = 4  # that a new subtree has at most, beyond the least


class Growing(NamedTuple):
    """What growing and measuring trees needs to know."""

    grammar: GrammarArrays
    recursive: np.ndarray  # [R] whether a non-terminal on the right can derive itself
    weights: np.ndarray  # [R] how likely productions are, or [0]: all alike
    nodes: np.ndarray  # [R] of the program, that a production adds


class Buffer(NamedTuple):
    """A tree that is being made."""

    steps: np.ndarray  # productions
    values: np.ndarray  # of constants; NaN: to be drawn
    size: np.ndarray  # steps of the subtree at each step
    nodes: np.ndarray  # of its program
    height: np.ndarray


@kernel
def measure(buffer: Buffer, n: int, growing: Growing, stack: np.ndarray) -> None:
    """Measure the subtrees of a tree of n steps."""
    stays_apart()
    start = growing.grammar.kid_start
    top = 0
    for step in range(n - 1, -1, -1):
        q = buffer.steps[step]
        size, nodes, height = 1, growing.nodes[q], 0
        for _ in range(start[q + 1] - start[q]):
            top -= 1
            kid = stack[top]
            size += buffer.size[kid]
            nodes += buffer.nodes[kid]
            height = max(height, buffer.height[kid])
        buffer.size[step], buffer.nodes[step], buffer.height[step] = size, nodes, height + 1
        stack[top] = step
        top += 1


@kernel
def put(source: Buffer, begin: int, stop: int, target: Buffer, end: int) -> int:
    """Copy some steps; where the copy ends."""
    for step in range(begin, stop):
        target.steps[end] = source.steps[step]
        target.values[end] = source.values[step]
        end += 1
    return end


@kernel
def pick_step(buffer: Buffer, first: int, stop: int, state: np.uint64) -> tuple[int, np.uint64]:
    """A step from `first` to `stop` at random, rather not a leaf; and the next state."""
    step = first
    for _ in range(PICKS):
        state = advance(state)
        step = first + int(below(state, stop - first))
        state = advance(state)
        if buffer.nodes[step] > 1 or unit(state) < LEAF:
            break
    return step, state


@kernel
def depth_in(buffer: Buffer, step: int) -> int:
    """The depth of a step."""
    root = depth = 0
    while root != step:
        root += 1
        depth += 1
        while root + buffer.size[root] <= step:  # not in this child
            root += buffer.size[root]
    return depth


@kernel
def grow(
    growing: Growing, symbol: int, depth: int, levels: int, limit: int, state: np.uint64, target: Buffer, end: int,
    stack: np.ndarray, depths: np.ndarray,
) -> int:  # fmt: skip
    """Write a new tree of a non-terminal, as low as it can be or up to so many levels higher; its end, or -1."""
    stays_apart()
    lowest = depth + growing.grammar.nt_height[symbol]
    room = len(target.steps) - end
    grown = grow_tree(
        growing.grammar, growing.recursive, growing.weights, False, symbol, depth,
        min(max(limit, lowest), lowest + levels), room // 2, state, target.steps, end, stack, depths,
    )  # fmt: skip
    for step in range(end, grown):
        target.values[step] = np.nan
    return grown


@kernel
def cross(
    mother: Buffer, n: int, father: Buffer, m: int, left: np.ndarray, state: np.uint64, out: Buffer
) -> tuple[int, np.uint64]:
    """A subtree of the father's in place of one of the mother's with the same non-terminal; -1: none was found."""
    stays_apart()
    for _ in range(PICKS):
        cut, state = pick_step(mother, 0, n, state)
        symbol = left[mother.steps[cut]]
        for _ in range(PICKS):
            graft, state = pick_step(father, 0, m, state)
            if left[father.steps[graft]] == symbol:
                if n - mother.size[cut] + father.size[graft] > len(out.steps):
                    return -1, state
                end = put(mother, 0, cut, out, 0)
                end = put(father, graft, graft + father.size[graft], out, end)
                return put(mother, cut + mother.size[cut], n, out, end), state
    return -1, state


@kernel
def regrow(
    tree: Buffer, n: int, growing: Growing, limit: int, state: np.uint64, out: Buffer, stack: np.ndarray,
    depths: np.ndarray,
) -> int:  # fmt: skip
    """A new subtree in place of one."""
    stays_apart()
    cut, state = pick_step(tree, 0, n, state)
    end = put(tree, 0, cut, out, 0)
    state = advance(state)
    symbol, levels = growing.grammar.left[tree.steps[cut]], int(below(state, LEVELS))
    end = grow(growing, symbol, depth_in(tree, cut), levels, limit, fork(state, 1), out, end, stack, depths)
    if end < 0 or end + n - cut - tree.size[cut] > len(out.steps):
        return -1
    return put(tree, cut + tree.size[cut], n, out, end)


@kernel
def insert(
    tree: Buffer, n: int, growing: Growing, limit: int, state: np.uint64, out: Buffer, stack: np.ndarray,
    depths: np.ndarray,
) -> int:  # fmt: skip
    """A production above a subtree that holds its non-terminal again; what else it holds is new and low."""
    stays_apart()
    grammar = growing.grammar
    cut, state = pick_step(tree, 0, n, state)
    symbol = grammar.left[tree.steps[cut]]
    total = 0.0
    for q in range(grammar.rule_start[symbol], grammar.rule_start[symbol + 1]):
        if grammar.direct[q] != 0:
            total += growing.weights[q] if len(growing.weights) > 0 else 1.0
    if total == 0.0:
        return -1
    state = advance(state)
    threshold = unit(state) * total
    chosen, total = -1, 0.0
    for q in range(grammar.rule_start[symbol], grammar.rule_start[symbol + 1]):
        weight = growing.weights[q] if len(growing.weights) > 0 else 1.0
        if grammar.direct[q] != 0 and weight > 0.0 and total <= threshold:
            chosen = q
            total += weight
    first, last = grammar.kid_start[chosen], grammar.kid_start[chosen + 1]
    places = 0
    for k in range(first, last):
        places += grammar.kids[k] == symbol
    state = advance(state)
    place = below(state, places)
    end = put(tree, 0, cut, out, 0)
    if end == len(out.steps):
        return -1
    out.steps[end], out.values[end] = chosen, np.nan
    end += 1
    depth = depth_in(tree, cut) + 1
    for k in range(last - 1, first - 1, -1):  # kids are stored last one first
        here = False
        if grammar.kids[k] == symbol:
            here = place == 0
            place -= 1
        if here and end + tree.size[cut] > len(out.steps):
            return -1
        if here:
            end = put(tree, cut, cut + tree.size[cut], out, end)
            continue
        state = advance(state)
        levels = int(below(state, 2))
        end = grow(growing, grammar.kids[k], depth, levels, limit, fork(state, k), out, end, stack, depths)
        if end < 0:
            return -1
    if end + n - cut - tree.size[cut] > len(out.steps):
        return -1
    return put(tree, cut + tree.size[cut], n, out, end)


@kernel
def change(tree: Buffer, n: int, growing: Growing, state: np.uint64, out: Buffer) -> int:
    """Another production of the same non-terminal with the same children in place of one."""
    stays_apart()
    grammar = growing.grammar
    for _ in range(PICKS):
        state = advance(state)
        step = below(state, n)
        old = tree.steps[step]
        first, last = grammar.rule_start[grammar.left[old]], grammar.rule_start[grammar.left[old] + 1]
        alike = 0
        for q in range(first, last):
            alike += q != old and same_kids(grammar, old, q)
        if alike == 0:
            continue
        state = advance(state)
        ahead = below(state, alike)
        q = first - 1
        while ahead >= 0:
            q += 1
            ahead -= q != old and same_kids(grammar, old, q)
        put(tree, 0, n, out, 0)
        out.steps[step] = q
        return n
    return -1


@kernel
def same_kids(grammar: GrammarArrays, one: int, other: int) -> bool:
    """Whether two productions have the same non-terminals in the same order."""
    begin, length = grammar.kid_start[one], grammar.kid_start[one + 1] - grammar.kid_start[one]
    start = grammar.kid_start[other]
    if grammar.kid_start[other + 1] - start != length:
        return False
    for k in range(length):
        if grammar.kids[begin + k] != grammar.kids[start + k]:
            return False
    return True


@kernel
def hoist(tree: Buffer, n: int, left: np.ndarray, state: np.uint64, out: Buffer) -> int:
    """A part of a subtree in its place."""
    stays_apart()
    for _ in range(PICKS):
        cut, state = pick_step(tree, 0, n, state)
        if tree.size[cut] < 2:
            continue
        inner, state = pick_step(tree, cut + 1, cut + tree.size[cut], state)
        if left[tree.steps[inner]] == left[tree.steps[cut]]:
            end = put(tree, 0, cut, out, 0)
            end = put(tree, inner, inner + tree.size[inner], out, end)
            return put(tree, cut + tree.size[cut], n, out, end)
    return -1
