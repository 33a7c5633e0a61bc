"""Structured genotypes: one list of production numbers for each non-terminal, growing on demand (dynamic SGE).

The lists of all individuals stand one after another: list a of individual i is `values[start[i*K+a] : start[i*K+a+1]]`.
"""

from __future__ import annotations

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import CROSS, HEIGHT, MUTATE, OK, SHORTEST
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.flat import doubled
from gramarye.kernels.random import advance, below, fork, stream, unit
from gramarye.kernels.reduction import lanes

NO_ROOM = -1  # a depth limit that every depth is beyond: with `SHORTEST`, the nearest way out


@kernel
def allowed(grammar: GrammarArrays, q: int, symbol: int, depth: int, limit: int, rule: int) -> bool:
    """Whether the depth rule permits production q for a non-terminal at this depth; some production always is."""
    if rule == HEIGHT:  # where nothing fits, the way out that is nearest
        return grammar.height[q] <= max(limit - depth, grammar.nt_height[symbol])
    if depth <= limit:
        return True
    if rule == SHORTEST:
        return grammar.height[q] == grammar.nt_height[symbol]
    return grammar.direct[q] == 0


@kernel
def permitted(grammar: GrammarArrays, symbol: int, depth: int, limit: int, rule: int, out: np.ndarray) -> int:
    """Write the production numbers (0 … j-1) that may be chosen here to `out`; how many there are."""
    stays_apart()
    first = grammar.rule_start[symbol]
    last = grammar.rule_start[symbol + 1]
    n = 0
    for q in range(first, last):
        if allowed(grammar, q, symbol, depth, limit, rule):
            out[n] = q - first
            n += 1
    return n


@kernel
def derive_lists(
    first: int,
    values: np.ndarray,
    start: np.ndarray,
    grammar: GrammarArrays,
    depth_limit: int,
    rule: int,
    step_limit: int,  # from then on only the shortest productions
    keys: np.ndarray,  # [N] where draws start
    productions: np.ndarray,
    offsets: np.ndarray,  # [N+1], and so are the arrays up to `depths` for all individuals
    status: np.ndarray,
    used: np.ndarray,
    depths: np.ndarray,
    stack: np.ndarray,
    levels: np.ndarray,
    options: np.ndarray,
    drawn: np.ndarray,  # missing entries of all individuals in the order in which they were drawn,
    owner: np.ndarray,  # whose they are,
    draws: np.ndarray,  # [N+1] and where those of each individual begin
) -> int:
    """Derivations from individual `first` on; the one at which an array was too small, or their number.

    All in one call: for a call, Numba counts the references of each array, which takes as long as a short derivation.
    """
    stays_apart()
    n, k_all = used.shape
    for i in range(first, n):
        for a in range(k_all):
            used[i, a] = 0
        end, draw = offsets[i], draws[i]
        stack[0] = 0
        levels[0] = 0
        height = 1
        deepest = 0
        status[i] = OK
        while height > 0:
            limit, how = depth_limit, rule
            if end - offsets[i] >= step_limit:
                limit, how = NO_ROOM, SHORTEST
            height -= 1
            symbol = stack[height]
            level = levels[height]
            deepest = max(deepest, level)
            position = used[i, symbol]
            used[i, symbol] = position + 1
            begin = grammar.rule_start[symbol]
            at = start[i * k_all + symbol] + position
            if at < start[i * k_all + symbol + 1]:
                choice = values[at]
                hard = how == HEIGHT or limit == NO_ROOM
                if hard and not allowed(grammar, begin + choice, symbol, level, limit, how):
                    n_options = permitted(grammar, symbol, level, limit, how, options)
                    choice = options[choice % n_options]
                    values[at] = choice
            else:
                if draw == len(drawn):
                    return i
                word = fork(fork(keys[i], symbol), position)
                if how != HEIGHT and level <= limit:  # every production is permitted
                    choice = np.int32(below(word, grammar.rule_start[symbol + 1] - begin))
                else:
                    choice = options[below(word, permitted(grammar, symbol, level, limit, how, options))]
                drawn[draw] = choice
                owner[draw] = symbol
                draw += 1
            q = begin + choice
            if end == len(productions) or height + grammar.kid_start[q + 1] - grammar.kid_start[q] > len(stack):
                return i
            productions[end] = q
            end += 1
            for k in range(grammar.kid_start[q], grammar.kid_start[q + 1]):
                stack[height] = grammar.kids[k]
                levels[height] = level + 1
                height += 1
        offsets[i + 1] = end
        draws[i + 1] = draw
        depths[i] = deepest + 1
    return n


@kernel
def map_lists(
    values: np.ndarray,  # changed where an entry is forbidden
    start: np.ndarray,  # [N*K+1]
    grammar: GrammarArrays,
    depth_limit: int,
    rule: int,
    step_limit: int,
    seed: np.uint64,
    generation: int,
    purpose: int,
    individual: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Leftmost derivations of all individuals, and their genotypes with every missing entry drawn and appended.

    The first one is number `individual` of its population. Gives values, start; productions, offsets [N+1], status [N],
    entries used [N, K], depth [N].
    """
    k_all = len(grammar.rule_start) - 1
    n = (len(start) - 1) // k_all
    keys = np.empty(n, np.uint64)
    for i in range(n):
        keys[i] = stream(seed, generation, purpose, individual + i)
    productions = np.empty(16 * n + 64, np.int32)
    offsets, draws = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    status = np.empty(n, np.int8)
    used = np.empty((n, k_all), np.int32)
    depths = np.empty(n, np.int32)
    options = np.empty(len(grammar.left), np.int32)
    stack, levels = np.empty(64, np.int32), np.empty(64, np.int32)
    drawn, owner = np.empty(16 * n + 64, np.int32), np.empty(16 * n + 64, np.int32)
    done = 0
    while True:
        done = derive_lists(
            done, values, start, grammar, depth_limit, rule, step_limit, keys,
            productions, offsets, status, used, depths, stack, levels, options, drawn, owner, draws,
        )  # fmt: skip
        if done == n:
            break
        productions, stack, levels = doubled(productions), doubled(stack), doubled(levels)
        drawn, owner = doubled(drawn), doubled(owner)
    if draws[n] > 0:
        values, start = extended(values, start, k_all, drawn, owner, draws)
    return values, start, productions[: offsets[n]].copy(), offsets, status, used, depths


@kernel
def extended(
    values: np.ndarray, start: np.ndarray, k_all: int, drawn: np.ndarray, owner: np.ndarray, draws: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The lists of all individuals, each followed by what was drawn for it."""
    stays_apart()
    new_values = np.empty(start[-1] - start[0] + draws[-1], np.int32)
    new_start = np.zeros(len(start), np.int64)
    added = np.empty(k_all, np.int64)
    for i in range(len(draws) - 1):
        for a in range(k_all):
            added[a] = 0
        for d in range(draws[i], draws[i + 1]):
            added[owner[d]] += 1
        for a in range(k_all):
            s = i * k_all + a
            old = start[s + 1] - start[s]
            begin = new_start[s]
            new_start[s + 1] = begin + old + added[a]
            for e in range(old):
                new_values[begin + e] = values[start[s] + e]
            added[a] = begin + old  # from here on: where the next drawn entry goes
        for d in range(draws[i], draws[i + 1]):
            new_values[added[owner[d]]] = drawn[d]
            added[owner[d]] += 1
    return new_values, new_start


@kernel
def list_parents(mothers: np.ndarray, fathers: np.ndarray, k_all: int, seed: np.uint64, generation: int) -> np.ndarray:
    """[N, K] whose each list of a child is: the one parent's or the other's, by a random bit; father -1: a copy."""
    parents = np.empty((len(mothers), k_all), np.int64)
    for i in range(len(mothers)):
        state = stream(seed, generation, CROSS, i)
        for a in range(k_all):
            state = advance(state)
            parents[i, a] = mothers[i] if fathers[i] < 0 or unit(state) < 0.5 else fathers[i]
    return parents


@kernel
def copied(source: np.ndarray, begin: int, stop: int, target: np.ndarray, end: int) -> int:
    """Copy source[begin:stop] to target[end:]; where the copy ends."""
    old, new = source[begin:stop], target[end : end + stop - begin]
    for s in lanes(stop - begin):
        new[s] = old[s]
    return end + stop - begin


@kernel
def gather_lists(values: np.ndarray, start: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lists copied from their parents [N, K]."""
    n, k_all = parents.shape
    source, new_start = np.empty(n * k_all, np.int64), np.zeros(n * k_all + 1, np.int64)
    for i in range(n):
        for a in range(k_all):
            at, s = parents[i, a] * k_all + a, i * k_all + a
            source[s] = start[at]
            new_start[s + 1] = new_start[s] + start[at + 1] - start[at]
    new_values = np.empty(new_start[-1], values.dtype)
    for s in range(n * k_all):
        copied(values, source[s], source[s] + new_start[s + 1] - new_start[s], new_values, new_start[s])
    return new_values, new_start


@kernel
def mutate_lists(
    values: np.ndarray,
    start: np.ndarray,
    used: np.ndarray,  # [N, K]
    depth: np.ndarray,  # [N]
    grammar: GrammarArrays,
    depth_limit: int,
    rule: int,
    rate: float,
    seed: np.uint64,
    generation: int,
) -> None:
    """Change each used entry, with probability `rate`, to a different production; in place.

    Under the two soft rules, in a tree that has reached the depth limit it becomes a shortest production instead.
    """
    options = np.empty(len(grammar.left), np.int32)
    for i in range(len(used)):
        state = stream(seed, generation, MUTATE, i)
        for a in range(used.shape[1]):
            j = grammar.rule_start[a + 1] - grammar.rule_start[a]
            if j == 1:
                continue
            first = start[i * used.shape[1] + a]
            for at in range(first, first + used[i, a]):
                state = advance(state)
                if unit(state) >= rate:
                    continue
                state = advance(state)
                if rule != HEIGHT and depth[i] >= depth_limit:
                    n_options = permitted(grammar, a, depth_limit + 1, depth_limit, SHORTEST, options)
                    values[at] = options[below(state, n_options)]
                else:
                    other = below(state, j - 1)
                    values[at] = other if other < values[at] else other + 1
