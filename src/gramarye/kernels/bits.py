"""Genotypes of bits: a non-terminal owns a slice, chooses by its ones, and shares it out among its children (WHGE)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import CROSS, INITIAL, MUTATE
from gramarye.kernels.compiler import kernel
from gramarye.kernels.flat import doubled
from gramarye.kernels.random import advance, below, scramble, stream, unit
from gramarye.kernels.reduction import lanes

_ONE, _BITS = np.uint64(1), 64


class Parts(NamedTuple):
    """What shares the bits of a production: its symbols, terminals too but no white space."""

    start: np.ndarray  # [R+1] int32
    symbols: np.ndarray  # int32, left to right: a non-terminal, or -1 for a terminal
    weights: np.ndarray  # int64, beside the symbols
    totals: np.ndarray  # [R] int64: the weights of each production added up


@kernel
def quotient(number: int, count: int) -> int:
    """What number // count is where neither is negative: a division without signs is quicker."""
    return int(np.int64(np.uint64(number) // np.uint64(count)))


@kernel
def chosen_part(ones: np.ndarray, start: int, length: int, count: int) -> int:
    """Cut a slice into `count` parts: the number of the one with the largest share of ones.

    Of t that are equal, the number (ones of the slice) mod t.
    """
    size = quotient(length, count)
    longer = length - size * count  # the first parts are one bit longer
    best_ones, best_size, ties = 0, 1, 0
    begin = start
    for k in range(count):
        width = size + 1 if k < longer else size
        found = ones[begin + width] - ones[begin]
        begin += width
        if ties == 0 or found * best_size > best_ones * width:
            best_ones, best_size, ties = found, width, 1
        elif found * best_size == best_ones * width:
            ties += 1
    left = (ones[start + length] - ones[start]) % ties + 1
    part, begin = -1, start
    while left > 0:
        part += 1
        width = size + 1 if part < longer else size
        if (ones[begin + width] - ones[begin]) * best_size == best_ones * width:
            left -= 1
        begin += width
    return part


@kernel
def chosen_shortest(grammar: GrammarArrays, symbol: int, count: int) -> int:
    """The production number (count mod how many there are) of those with the lowest trees."""
    first, last = grammar.rule_start[symbol], grammar.rule_start[symbol + 1]
    lowest = 0
    for q in range(first, last):
        if grammar.height[q] == grammar.nt_height[symbol]:
            lowest += 1
    left, q = count % lowest + 1, first - 1
    while left > 0:
        q += 1
        if grammar.height[q] == grammar.nt_height[symbol]:
            left -= 1
    return q


@kernel
def push_children(
    parts: Parts, q: int, start: int, length: int, stack: np.ndarray, begins: np.ndarray, sizes: np.ndarray, height: int
) -> int:
    """Share a slice out among the symbols of production q, and push its non-terminals; how high the stack is then."""
    first, last = parts.start[q], parts.start[q + 1]
    count = last - first
    times = 0  # bits for each unit of the rounded shares
    each, more = 0, 0  # of the rest: for every symbol, and for how many of the first ones another bit
    if count <= length:
        rounded = 0
        if parts.totals[q] > 0:
            for k in range(first, last):
                rounded += quotient(parts.weights[k] * length, parts.totals[q])
        times = quotient(length, rounded) if rounded > 0 else 0
        rest = length - times * rounded
        each = quotient(rest, count)
        more = rest - each * count
    end = start + length
    for k in range(last - 1, first - 1, -1):
        size = each + 1 if k - first < more else each
        if times > 0:
            size += quotient(parts.weights[k] * length, parts.totals[q]) * times
        end -= size
        if parts.symbols[k] >= 0:
            stack[height] = parts.symbols[k]
            begins[height] = end
            sizes[height] = size - 1 if size == length and length > 0 else size  # so that every mapping ends
            height += 1
    return height


@kernel
def map_bits(bits: np.ndarray, grammar: GrammarArrays, parts: Parts) -> tuple[np.ndarray, np.ndarray]:
    """Leftmost derivations of all individuals, valid all of them: productions (ragged), offsets [N+1]."""
    n, width = bits.shape
    productions = np.empty(16 * n + 64, np.int32)
    offsets = np.zeros(n + 1, np.int64)
    ones = np.zeros(width + 1, np.int64)  # of one individual: how many ones stand before each bit
    # The non-terminals that wait, where their slices begin, and how many bits they have
    stack, begins, sizes = np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64, np.int32)
    i = 0
    while i < n:
        for k in range(width):
            ones[k + 1] = ones[k] + bits[i, k]
        stack[0] = 0
        begins[0] = 0
        sizes[0] = width
        height = 1
        end = offsets[i]
        full = False
        while height > 0:
            height -= 1
            symbol, start, length = stack[height], begins[height], sizes[height]
            q = grammar.rule_start[symbol]
            count = grammar.rule_start[symbol + 1] - q
            if count > 1:
                if length >= count:
                    q += chosen_part(ones, start, length, count)
                elif length > 0:
                    q = chosen_shortest(grammar, symbol, int(ones[start + length] - ones[start]))
                else:
                    q = chosen_shortest(grammar, symbol, int(ones[width]))
            kids = grammar.kid_start[q + 1] - grammar.kid_start[q]
            full = end == len(productions) or height + kids > len(stack)
            if full:
                break
            productions[end] = q
            end += 1
            if kids > 0:
                height = push_children(parts, q, start, length, stack, begins, sizes, height)
        if full:  # once more, with more room
            productions, stack, begins, sizes = doubled(productions), doubled(stack), doubled(begins), doubled(sizes)
            continue
        offsets[i + 1] = end
        i += 1
    return productions[: offsets[n]].copy(), offsets


@kernel
def random_bits(n: int, width: int, seed: np.uint64, generation: int) -> np.ndarray:
    """[n, width] bits of a generation that is sampled; a draw gives 64, the lowest first."""
    bits = np.empty((n, width), np.uint8)
    for i in range(n):
        state = stream(seed, generation, INITIAL, i)
        word = np.uint64(0)
        for k in range(width):
            if k % _BITS == 0:
                state = advance(state)
                word = scramble(state)
            bits[i, k] = word & _ONE
            word >>= _ONE
    return bits


@kernel
def cross_bits(
    bits: np.ndarray, mothers: np.ndarray, fathers: np.ndarray, seed: np.uint64, generation: int
) -> np.ndarray:
    """One child per pair: the mother, with one segment replaced by one of the father's from any place.

    Its two ends are different and uniform in 0 … L, but never both ends of the genotype. Father -1: a copy.
    """
    width = bits.shape[1]
    children = np.empty((len(mothers), width), bits.dtype)
    for i in range(len(mothers)):
        mother, father = mothers[i], fathers[i]
        for k in lanes(width):
            children[i, k] = bits[mother, k]
        if father < 0 or width == 1:  # one bit is a whole genotype
            continue
        state = stream(seed, generation, CROSS, i)
        begin, end = np.int64(0), np.int64(width)
        while end - begin == width:
            state = advance(state)
            one = below(state, width + 1)
            state = advance(state)
            other = below(state, width)
            other = other + 1 if other >= one else other
            begin, end = min(one, other), max(one, other)
        state = advance(state)
        place = below(state, width - (end - begin) + 1)
        child, segment = children[i, begin:], bits[father, place:]
        for k in lanes(end - begin):
            child[k] = segment[k]
    return children


@kernel
def flip_bits(bits: np.ndarray, rate: float, seed: np.uint64, generation: int) -> None:
    """Flip each bit with probability `rate`; in place."""
    for i in range(len(bits)):
        state = stream(seed, generation, MUTATE, i)
        for k in range(bits.shape[1]):
            state = advance(state)
            if unit(state) < rate:
                bits[i, k] ^= 1
