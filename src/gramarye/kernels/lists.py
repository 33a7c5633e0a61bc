"""Structured genotypes: a list for each non-terminal, growing on demand, of production numbers or codons (SGE, PSGE).

The lists of all individuals stand one after another: list a of individual i is `values[start[i*K+a] : start[i*K+a+1]]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import CROSS, HEIGHT, MUTATE, OK, SHORTEST
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.flat import choose, doubled
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
def weigh(
    grammar: GrammarArrays, row: np.ndarray, symbol: int, depth: int, limit: int, rule: int, out: np.ndarray
) -> bool:
    """Write to `out` what the depth rule leaves of a non-terminal's probabilities; whether it forbids any production.

    Those that are left are divided by their sum; where that is 0, they are equally likely.
    """
    stays_apart()
    first = grammar.rule_start[symbol]
    last = grammar.rule_start[symbol + 1]
    left = 0
    total = 0.0
    for q in range(first, last):
        out[q - first] = row[q]
        if allowed(grammar, q, symbol, depth, limit, rule):
            left += 1
            total += row[q]
    if left == last - first:
        return False
    for q in range(first, last):
        if not allowed(grammar, q, symbol, depth, limit, rule):
            out[q - first] = 0.0  # `choose` never takes it
        elif total > 0.0:
            out[q - first] = row[q] / total
        else:
            out[q - first] = 1.0 / left
    return True


@kernel
def highest(grammar: GrammarArrays) -> np.ndarray:
    """[K] the largest height of a non-terminal's productions: where there is room for it, the rule forbids nothing."""
    found = np.zeros(len(grammar.rule_start) - 1, np.int32)
    for q in range(len(grammar.left)):
        found[grammar.left[q]] = max(found[grammar.left[q]], grammar.height[q])
    return found


@kernel
def map_lists(
    values: np.ndarray,
    start: np.ndarray,  # [N*K+1]
    grammar: GrammarArrays,
    probabilities: np.ndarray | None,  # [1, R] or [N, R], through which codons are read; None: production numbers
    weights: np.ndarray,  # [R] how likely missing production numbers are, or [0]: all alike
    depth_limit: int,
    rule: int,
    step_limit: int,  # from then on only the shortest productions
    seed: np.uint64,
    generation: int,
    purpose: int,
    individual: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Leftmost derivations of all individuals, and their genotypes with every missing entry drawn and appended.

    A production number that is forbidden is replaced. The first individual is number `individual` of its population.
    Gives values, start; productions, offsets [N+1], status [N], entries used [N, K], depth [N].
    """
    k_all = len(grammar.rule_start) - 1
    n = (len(start) - 1) // k_all
    productions = np.empty(16 * n + 64, np.int32)
    entries = np.empty(len(productions), values.dtype)  # what was read, or drawn, for each of them
    offsets = np.zeros(n + 1, np.int64)
    used = np.empty((n, k_all), np.int32)
    depths = np.empty(n, np.int32)
    stack, levels = np.empty(64, np.int32), np.empty(64, np.int32)
    options = np.empty(len(grammar.left), values.dtype)
    shares = np.empty(len(weights))
    room = np.full(k_all, depth_limit)  # the rule forbids nothing to a non-terminal up to this depth
    if rule == HEIGHT:
        room -= highest(grammar)
    changed = False
    i = 0
    while i < n:
        key = stream(seed, generation, purpose, individual + i)
        if probabilities is not None:
            row = probabilities[min(i, len(probabilities) - 1)]
        for a in range(k_all):
            used[i, a] = 0
        end = offsets[i]
        stack[0] = 0
        levels[0] = 0
        height = 1
        deepest = 0
        full = False
        while height > 0:
            height -= 1
            symbol, level = stack[height], levels[height]
            deepest = max(deepest, level)
            late = end - offsets[i] >= step_limit
            limit, how = (NO_ROOM, SHORTEST) if late else (depth_limit, rule)
            free = not late and level <= room[symbol]
            position = used[i, symbol]
            used[i, symbol] = position + 1
            q = grammar.rule_start[symbol]
            count = grammar.rule_start[symbol + 1] - q
            at = start[i * k_all + symbol] + position
            missing = at >= start[i * k_all + symbol + 1]
            word = fork(fork(key, symbol), position) if missing else np.uint64(0)
            if probabilities is None:
                number = np.int32(below(word, count)) if missing else np.int32(values[at])
                if missing and len(weights) > 0:
                    weigh(grammar, weights, symbol, level, limit, how, shares)
                    number = np.int32(choose(shares, 0, count, unit(word)))
                elif missing and not free:
                    number = np.int32(options[below(word, permitted(grammar, symbol, level, limit, how, options))])
                elif (late or how == HEIGHT) and not allowed(grammar, q + number, symbol, level, limit, how):
                    number = np.int32(options[number % permitted(grammar, symbol, level, limit, how, options)])
                    changed = True
                q += number
                entry: Any = number
            else:
                entry = unit(word) if missing else values[at]
                if count > 1 and free:
                    q = np.int32(choose(row, q, q + count, entry))
                elif count > 1:
                    weigh(grammar, row, symbol, level, limit, how, options)
                    q += np.int32(choose(options, 0, count, entry))
            changed = changed or missing
            full = end == len(productions) or height + grammar.kid_start[q + 1] - grammar.kid_start[q] > len(stack)
            if full:
                break
            productions[end], entries[end] = q, entry
            end += 1
            for k in range(grammar.kid_start[q], grammar.kid_start[q + 1]):
                stack[height] = grammar.kids[k]
                levels[height] = level + 1
                height += 1
        if full:  # once more, with more room
            productions, entries = doubled(productions), doubled(entries)
            stack, levels = doubled(stack), doubled(levels)
            continue
        offsets[i + 1] = end
        depths[i] = deepest + 1
        i += 1
    productions = productions[: offsets[n]].copy()
    if changed:
        values, start = extended(values, start, used, grammar.left[productions], entries, offsets)
    return values, start, productions, offsets, np.full(n, OK, np.int8), used, depths


@kernel
def extended(
    values: np.ndarray, start: np.ndarray, used: np.ndarray, owner: np.ndarray, entries: np.ndarray, offsets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The lists of all individuals, with the entries of each step in the list of its owner, in their order."""
    stays_apart()
    n, k_all = used.shape
    new_start = np.zeros(len(start), np.int64)
    for s in range(n * k_all):
        new_start[s + 1] = new_start[s] + max(start[s + 1] - start[s], used[s // k_all, s % k_all])
    new_values = np.empty(new_start[-1], values.dtype)
    for s in range(n * k_all):
        copied(values, start[s], start[s + 1], new_values, new_start[s])
    places = new_start.copy()  # where the next entry of each list goes
    for i in range(n):
        for step in range(offsets[i], offsets[i + 1]):
            s = i * k_all + owner[step]
            new_values[places[s]] = entries[step]
            places[s] += 1
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
