"""Random trees: grown from the left (grow, full), or at random places (position-independent grow, PTC2).

Every individual draws from a stream of its own, so that it is the same alone as in a batch of any size.
"""

from __future__ import annotations

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import TREES
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.flat import doubled
from gramarye.kernels.random import advance, below, fork, stream, unit


@kernel
def pick(
    grammar: GrammarArrays,
    symbol: int,
    costs: np.ndarray,  # [R] heights, or least numbers of expansions below
    lowest: int,  # the smallest cost of this non-terminal
    room: int,
    recursive: np.ndarray,  # [R] whether a non-terminal on the right can derive itself
    weights: np.ndarray,  # [R] how likely productions are, or [0]: all alike
    prefer: bool,
    state: np.uint64,
) -> int:
    """A production that costs at most `room`, one of the cheapest where none does.

    With `prefer`, one of the recursive productions that cost at most `room`, where there are any. Where all of these
    have the weight 0, they are alike.
    """
    first, last = grammar.rule_start[symbol], grammar.rule_start[symbol + 1]
    n = 0
    if prefer:
        for q in range(first, last):
            if recursive[q] != 0 and costs[q] <= room:
                n += 1
    only_recursive = n > 0
    if not only_recursive:
        room = max(room, lowest)
        for q in range(first, last):
            if costs[q] <= room:
                n += 1
    if len(weights) > 0:
        total = 0.0
        chosen = first - 1
        for q in range(first, last):
            if costs[q] <= room and (recursive[q] != 0 or not only_recursive):
                total += weights[q]
        threshold = unit(state) * total
        total = 0.0
        for q in range(first, last):
            if costs[q] <= room and (recursive[q] != 0 or not only_recursive) and weights[q] > 0.0:
                chosen = q
                total += weights[q]
                if threshold < total:
                    break
        if chosen >= first:
            return chosen
    left = below(state, n)
    q = first - 1
    while left >= 0:
        q += 1
        if costs[q] <= room and (recursive[q] != 0 or not only_recursive):
            left -= 1
    return q


@kernel
def grow_tree(
    grammar: GrammarArrays,
    recursive: np.ndarray,
    weights: np.ndarray,
    full: bool,
    symbol: int,
    depth: int,  # of the root of this tree, which may be a part of another one
    limit: int,
    most: int,  # from so many expansions on, the lowest productions end the tree
    state: np.uint64,
    productions: np.ndarray,
    end: int,
    stack: np.ndarray,
    levels: np.ndarray,
) -> int:
    """Write a tree that is no deeper than `limit` to productions[end:]; its end, or -1: an array is too small."""
    stays_apart()
    begin = end
    stack[0] = symbol
    levels[0] = depth
    height = 1
    while height > 0:
        room = -1 if end - begin + height >= most else limit - levels[height - 1]
        height -= 1
        symbol = stack[height]
        level = levels[height]
        state = advance(state)
        q = pick(grammar, symbol, grammar.height, grammar.nt_height[symbol], room, recursive, weights, full, state)
        if end == len(productions) or height + grammar.kid_start[q + 1] - grammar.kid_start[q] > len(stack):
            return -1
        productions[end] = q
        end += 1
        for k in range(grammar.kid_start[q], grammar.kid_start[q + 1]):
            stack[height] = grammar.kids[k]
            levels[height] = level + 1
            height += 1
    return end


@kernel
def grow_trees(
    grammar: GrammarArrays,
    recursive: np.ndarray,
    weights: np.ndarray,  # [R] how likely productions are, or [0]: all alike
    full: np.ndarray,  # bool[N] whether recursive productions are preferred
    limits: np.ndarray,  # [N]
    individuals: np.ndarray,  # [N] their numbers
    attempt: int,
    most: int,
    seed: np.uint64,
    generation: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Trees of the axiom, each no deeper than its limit: productions (ragged), offsets [N+1]."""
    n = len(individuals)
    productions = np.empty(16 * n + 64, np.int32)
    offsets = np.zeros(n + 1, np.int64)
    stack, levels = np.empty(64, np.int32), np.empty(64, np.int32)
    for i in range(n):
        state = fork(stream(seed, generation, TREES, individuals[i]), attempt)
        while True:
            end = grow_tree(
                grammar, recursive, weights, full[i], 0, 0, limits[i], most, state,
                productions, offsets[i], stack, levels,
            )  # fmt: skip
            if end >= 0:
                break
            productions, stack, levels = doubled(productions), doubled(stack), doubled(levels)
        offsets[i + 1] = end
    return productions[: offsets[n]].copy(), offsets


@kernel
def scatter_tree(
    grammar: GrammarArrays,
    recursive: np.ndarray,
    weights: np.ndarray,
    eager: np.ndarray,  # [K] whether a non-terminal has a recursive production
    expansions: np.ndarray,  # [R] least number of expansions below a production
    least: np.ndarray,  # [K] least number of expansions that finish a non-terminal
    by_size: bool,
    limit: int,  # of expansions, or of depth
    most: int,
    state: np.uint64,
    chosen: np.ndarray,  # of each node: its non-terminal, and its production from when it is expanded
    kid: np.ndarray,  # of each node: the first of its children, which is the last one in the text
    level: np.ndarray,
    pending: np.ndarray,
) -> int:
    """Expand pending nodes in random order; the number of nodes, or -1: the arrays are too small."""
    stays_apart()
    chosen[0] = level[0] = pending[0] = 0
    nodes = height = 1
    deepest = 0
    needed = np.int64(least[0])  # expansions that finish all that is pending
    waiting = np.int64(eager[0])  # pending nodes with a recursive production
    while height > 0:
        state = advance(state)
        at = below(state, height)
        height -= 1
        node = pending[at]
        pending[at] = pending[height]
        symbol = chosen[node]
        needed -= least[symbol]
        waiting -= eager[symbol]
        state = advance(state)
        if by_size:  # PTC2: what is left of the budget when all others take the least they need
            room = limit - (nodes - height) - needed
            q = pick(grammar, symbol, expansions, least[symbol] - 1, room, recursive, weights, True, state)
        else:  # until one branch has reached the limit, the last node that may recurse does
            room = -1 if nodes >= most else limit - level[node]
            prefer = deepest < limit and waiting == 0
            lowest = grammar.nt_height[symbol]
            q = pick(grammar, symbol, grammar.height, lowest, room, recursive, weights, prefer, state)
        if nodes + grammar.kid_start[q + 1] - grammar.kid_start[q] > len(chosen):
            return -1
        chosen[node] = q
        kid[node] = nodes
        deepest = max(deepest, level[node] + 1)
        for k in range(grammar.kid_start[q], grammar.kid_start[q + 1]):
            symbol = grammar.kids[k]
            chosen[nodes] = symbol
            level[nodes] = level[node] + 1
            pending[height] = nodes
            needed += least[symbol]
            waiting += eager[symbol]
            nodes += 1
            height += 1
    return nodes


@kernel
def write_leftmost(
    grammar: GrammarArrays,
    chosen: np.ndarray,
    kid: np.ndarray,
    productions: np.ndarray,
    end: int,
    stack: np.ndarray,
) -> int:
    """Write a tree of nodes to productions[end:] in leftmost order; its end."""
    stays_apart()
    stack[0] = 0
    height = 1
    while height > 0:
        height -= 1
        node = stack[height]
        q = chosen[node]
        productions[end] = q
        end += 1
        for k in range(grammar.kid_start[q + 1] - grammar.kid_start[q]):
            stack[height] = kid[node] + k
            height += 1
    return end


@kernel
def scatter_trees(
    grammar: GrammarArrays,
    recursive: np.ndarray,
    weights: np.ndarray,  # [R] how likely productions are, or [0]: all alike
    eager: np.ndarray,
    expansions: np.ndarray,
    least: np.ndarray,
    by_size: bool,
    limits: np.ndarray,  # [N]
    individuals: np.ndarray,  # [N] their numbers
    attempt: int,
    most: int,
    seed: np.uint64,
    generation: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Trees of the axiom whose nodes are expanded in random order: productions (ragged, leftmost), offsets [N+1]."""
    n = len(individuals)
    productions = np.empty(16 * n + 64, np.int32)
    offsets = np.zeros(n + 1, np.int64)
    chosen, kid = np.empty(64, np.int32), np.empty(64, np.int32)
    level, pending = np.empty(64, np.int32), np.empty(64, np.int32)
    for i in range(n):
        state = fork(stream(seed, generation, TREES, individuals[i]), attempt)
        while True:
            nodes = scatter_tree(
                grammar, recursive, weights, eager, expansions, least, by_size, limits[i], most, state,
                chosen, kid, level, pending,
            )  # fmt: skip
            if nodes >= 0:
                break
            chosen, kid, level, pending = doubled(chosen), doubled(kid), doubled(level), doubled(pending)
        while offsets[i] + nodes > len(productions):
            productions = doubled(productions)
        offsets[i + 1] = write_leftmost(grammar, chosen, kid, productions, offsets[i], pending)
    return productions[: offsets[n]].copy(), offsets
