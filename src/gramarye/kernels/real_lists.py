"""Structured genotypes of reals: one list of codons for each non-terminal, read through probabilities (PSGE, Co-PSGE).

Lists stand one after another as in `lists`. `probabilities` has one row that all individuals share, or one for each.
"""

from __future__ import annotations

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import ENCODE, HEIGHT, OK, SHORTEST
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.flat import choose, doubled
from gramarye.kernels.lists import NO_ROOM, allowed
from gramarye.kernels.random import advance, fork, stream, unit


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
def fresh(key: np.uint64, symbol: int, position: int) -> float:
    """The codon that is appended where the list of a non-terminal ends: a matter of its place alone."""
    return unit(fork(fork(key, symbol), position))


@kernel
def derive_real_lists(
    first: int,
    values: np.ndarray,
    start: np.ndarray,
    grammar: GrammarArrays,
    probabilities: np.ndarray,  # [1, R] or [N, R]
    room: np.ndarray,  # [K] the rule forbids nothing to a non-terminal up to this depth
    depth_limit: int,
    rule: int,
    step_limit: int,  # from then on only the shortest productions
    keys: np.ndarray,  # [N] where draws start
    productions: np.ndarray,
    offsets: np.ndarray,  # [N+1]
    status: np.ndarray,  # [N]
    used: np.ndarray,  # [N, K]
    stack: np.ndarray,
    levels: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Derivations from individual `first` on; the one at which an array was too small, or their number."""
    stays_apart()
    n, k_all = used.shape
    for i in range(first, n):
        row = probabilities[min(i, len(probabilities) - 1)]
        for a in range(k_all):
            used[i, a] = 0
        end = offsets[i]
        stack[0] = 0
        levels[0] = 0
        height = 1
        status[i] = OK
        while height > 0:
            height -= 1
            symbol = stack[height]
            level = levels[height]
            position = used[i, symbol]
            used[i, symbol] = position + 1
            q = grammar.rule_start[symbol]
            last = grammar.rule_start[symbol + 1]
            if last - q > 1:
                at = start[i * k_all + symbol] + position
                codon = values[at] if at < start[i * k_all + symbol + 1] else fresh(keys[i], symbol, position)
                if end - offsets[i] >= step_limit:
                    weigh(grammar, row, symbol, level, NO_ROOM, SHORTEST, weights)
                    q = np.int32(q + choose(weights, 0, last - q, codon))
                elif level <= room[symbol]:
                    q = np.int32(choose(row, q, last, codon))
                else:
                    weigh(grammar, row, symbol, level, depth_limit, rule, weights)
                    q = np.int32(q + choose(weights, 0, last - q, codon))
            if end == len(productions) or height + grammar.kid_start[q + 1] - grammar.kid_start[q] > len(stack):
                return i
            productions[end] = q
            end += 1
            for k in range(grammar.kid_start[q], grammar.kid_start[q + 1]):
                stack[height] = grammar.kids[k]
                levels[height] = level + 1
                height += 1
        offsets[i + 1] = end
    return n


@kernel
def map_real_lists(
    values: np.ndarray,
    start: np.ndarray,  # [N*K+1]
    grammar: GrammarArrays,
    probabilities: np.ndarray,  # [1, R] or [N, R]
    depth_limit: int,
    rule: int,
    step_limit: int,
    seed: np.uint64,
    generation: int,
    purpose: int,
    individual: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Leftmost derivations of all individuals, and their genotypes with every missing codon drawn and appended.

    The first one is number `individual` of its population. Gives values, start; productions, offsets [N+1], status [N],
    codons used [N, K].
    """
    k_all = len(grammar.rule_start) - 1
    n = (len(start) - 1) // k_all
    keys = np.empty(n, np.uint64)
    for i in range(n):
        keys[i] = stream(seed, generation, purpose, individual + i)
    room = np.full(k_all, depth_limit)
    if rule == HEIGHT:
        room -= highest(grammar)
    productions = np.empty(16 * n + 64, np.int32)
    offsets = np.zeros(n + 1, np.int64)
    status = np.empty(n, np.int8)
    used = np.empty((n, k_all), np.int32)
    weights = np.empty(len(grammar.left))
    stack, levels = np.empty(64, np.int32), np.empty(64, np.int32)
    done = 0
    while True:
        done = derive_real_lists(
            done, values, start, grammar, probabilities, room, depth_limit, rule, step_limit, keys,
            productions, offsets, status, used, stack, levels, weights,
        )  # fmt: skip
        if done == n:
            break
        productions, stack, levels = doubled(productions), doubled(stack), doubled(levels)
    new_values, new_start = extended(values, start, used, keys)
    return new_values, new_start, productions[: offsets[n]].copy(), offsets, status, used


@kernel
def extended(
    values: np.ndarray, start: np.ndarray, used: np.ndarray, keys: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The lists of all individuals, each as long as it was read at least."""
    stays_apart()
    n, k_all = used.shape
    new_start = np.zeros(len(start), np.int64)
    for s in range(n * k_all):
        new_start[s + 1] = new_start[s] + max(start[s + 1] - start[s], used[s // k_all, s % k_all])
    new_values = np.empty(new_start[-1])
    for s in range(n * k_all):
        old, begin = start[s + 1] - start[s], new_start[s]
        for e in range(old):
            new_values[begin + e] = values[start[s] + e]
        for e in range(old, new_start[s + 1] - begin):
            new_values[begin + e] = fresh(keys[s // k_all], s % k_all, e)
    return new_values, new_start


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
