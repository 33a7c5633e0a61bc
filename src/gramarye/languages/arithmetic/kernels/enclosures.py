"""Interval arithmetic over programs: between which numbers their predictions lie in a box, or along a line."""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.arithmetic.kernels.interval_operations import add, binary, magnitude, multiply, unary
from gramarye.languages.arithmetic.kernels.machine import number_at
from gramarye.languages.arithmetic.kernels.terms import lay_out

ROUNDS = 36  # how often a stretch of a line is halved at most
SPARE = 500  # stretches of a program that are looked at, besides whole lines; then it gets the benefit of the doubt


@kernel
def exceed(
    words: np.ndarray,
    bounds: np.ndarray,  # [P+1]
    weights: np.ndarray,  # [P, 1 + terms]
    starts: np.ndarray,  # [lines, V]
    ends: np.ndarray,  # [lines, V]
    least: float,
    most: float,
) -> np.ndarray:
    """[P] which programs are beyond the limits on a whole stretch of a line.

    Stretches where enclosures leave it open are halved, those that come first before the others.
    """
    found = np.zeros(len(bounds) - 1, np.bool_)
    _, _, spans, _ = lay_out(words, bounds, weights.shape[1] - 1)
    stack, columns = _room(bounds)
    begins, rounds = np.empty(ROUNDS + 2), np.empty(ROUNDS + 2, np.int64)
    for p in range(len(found)):
        left = len(starts) + SPARE
        for line in range(len(starts)):
            begins[0], rounds[0] = 0.0, 0
            height = 1
            while height > 0 and left > 0 and not found[p]:
                height -= 1
                left -= 1
                first, halved = begins[height], rounds[height]
                width = 0.5**halved
                stretch = starts[line], ends[line], first, first + width
                low, high = enclose(words, spans[p], weights[p], *stretch, False, stack, columns)
                found[p] = low > most or high < least
                if not (least <= low and high <= most) and halved < ROUNDS:
                    begins[height], rounds[height] = first + 0.5 * width, halved + 1
                    begins[height + 1], rounds[height + 1] = first, halved + 1
                    height += 2
    return found


@kernel
def enclosures(
    words: np.ndarray,
    bounds: np.ndarray,  # [P+1]
    weights: np.ndarray,  # [P, 1 + terms]
    low: np.ndarray,  # [V]
    high: np.ndarray,  # [V]
) -> np.ndarray:
    """The enclosures [P, 2] of weighted programs over a box."""
    found = np.empty((len(bounds) - 1, 2))
    _, _, spans, _ = lay_out(words, bounds, weights.shape[1] - 1)
    stack, columns = _room(bounds)
    for p in range(len(found)):
        found[p, 0], found[p, 1] = enclose(words, spans[p], weights[p], low, high, 0.0, 1.0, True, stack, columns)
    return found


@kernel
def _room(bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Enclosures that wait, with two rows for functions; and the columns that they are."""
    longest = 1
    for p in range(len(bounds) - 1):
        longest = max(longest, bounds[p + 1] - bounds[p])
    return np.empty((longest + 2, 4)), np.empty(longest, np.int64)


@kernel
def enclose(
    words: np.ndarray,
    spans: np.ndarray,  # [terms, 2]
    weights: np.ndarray,  # [1 + terms]
    start: np.ndarray,  # [V]
    end: np.ndarray,  # [V]
    first: float,
    last: float,
    strict: bool,
    stack: np.ndarray,
    columns: np.ndarray,
) -> tuple[float, float]:
    """The enclosure of a weighted sum over the box between two points of a line.

    If not strict, single points where an operation does not yield a number, as the sine of infinity, do not count.
    """
    stays_apart()
    low = high = weights[0]
    for t in range(len(spans)):
        weight = weights[t + 1]
        if weight == 0.0:
            continue
        a, b = _term(words, spans[t, 0], spans[t, 1], start, end, first, last, strict, stack, columns)
        a, b = multiply(weight, weight, a, b)
        low, high = add(low, high, a, b)
    return low, high


@kernel
def _term(
    words: np.ndarray,
    begin: int,
    stop: int,
    start: np.ndarray,  # [V]
    end: np.ndarray,  # [V]
    first: float,
    last: float,
    strict: bool,
    stack: np.ndarray,
    columns: np.ndarray,
) -> tuple[float, float]:
    stays_apart()
    if begin == stop:
        return np.nan, np.nan
    height = 0
    w = begin
    while w < stop:
        word = words[w]
        w += 1
        column = -1
        if word >= codes.VARIABLE:
            column = word - codes.VARIABLE
            one = start[column] * (1.0 - first) + end[column] * first
            other = start[column] * (1.0 - last) + end[column] * last
            low, high = min(one, other), max(one, other)
        elif word <= codes.CONSTANT:
            low = high = number_at(words, w)
            w += 2
        elif word >= codes.UNARY:
            height -= 1
            low, high = unary(word, stack[height, 0], stack[height, 1], stack[-1], stack[-2])
        else:
            height -= 2
            a, b, c, d = stack[height, 0], stack[height, 1], stack[height + 1, 0], stack[height + 1, 1]
            if word == codes.MULTIPLY and columns[height] >= 0 and columns[height] == columns[height + 1]:
                low, high = magnitude(a, b)
                low, high = low * low, high * high
            else:
                low, high = binary(word, a, b, c, d, stack[-1], stack[-2])
        if not low <= high:
            if strict:
                return np.nan, np.nan
            low, high = (-1.0, 1.0) if word == codes.SIN or word == codes.COS else (-np.inf, np.inf)
        stack[height, 0], stack[height, 1], columns[height] = low, high, column
        height += 1
    return stack[0, 0], stack[0, 1]
