"""The postfix machine: runs programs over blocks of rows, and sums up how far they are from a target.

An operation works on whole blocks, in loops that LLVM vectorises; its result goes to a slot of its own, never to one
that it reads. Sums run in a fixed number of lanes, so a result depends on the data alone, not on the processor.
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels import codes, vectormath
from gramarye.kernels.compiler import COMPILED, kernel
from gramarye.kernels.reduction import choose, lanes

BLOCK = 688  # rows at a time: a few slots of them stay in the first-level cache
LANES = 16  # divides BLOCK

# What `run` sums up, besides Σe²: nothing more, Σ|e|, or the moments that linear scaling needs as well.
SQUARES, ABSOLUTES, MOMENTS = 0, 1, 2
# The columns of its result.
SQUARED, ABSOLUTE, PIVOT, SUM, SUM_SQUARED, SUM_PRODUCT, FINITE = range(7)


@kernel
def add(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """The sum."""
    for i in lanes(len(out)):
        out[i] = a[i] + b[i]


@kernel
def subtract(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """The difference."""
    for i in lanes(len(out)):
        out[i] = a[i] - b[i]


@kernel
def multiply(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """The product."""
    for i in lanes(len(out)):
        out[i] = a[i] * b[i]


@kernel
def divide(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """The quotient, protected: a / 0 is 1."""
    for i in lanes(len(out)):
        out[i] = choose(b[i] == 0.0, 1.0, a[i] / b[i])


@kernel
def minimum(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """The smaller one; NaN if either is."""
    for i in lanes(len(out)):
        out[i] = choose((b[i] < a[i]) | (b[i] != b[i]), b[i], a[i])


@kernel
def maximum(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """The larger one; NaN if either is."""
    for i in lanes(len(out)):
        out[i] = choose((b[i] > a[i]) | (b[i] != b[i]), b[i], a[i])


@kernel
def negate(out: np.ndarray, a: np.ndarray) -> None:
    """The opposite."""
    for i in lanes(len(out)):
        out[i] = -a[i]


@kernel
def root(out: np.ndarray, a: np.ndarray) -> None:
    """The square root; NaN below 0."""
    for i in lanes(len(out)):
        out[i] = np.sqrt(a[i])


@kernel
def root_abs(out: np.ndarray, a: np.ndarray) -> None:
    """The square root of the absolute value."""
    for i in lanes(len(out)):
        out[i] = np.sqrt(np.abs(a[i]))


@kernel
def absolute(out: np.ndarray, a: np.ndarray) -> None:
    """The absolute value."""
    for i in lanes(len(out)):
        out[i] = np.abs(a[i])


@kernel
def invert(out: np.ndarray, a: np.ndarray) -> None:
    """The reciprocal, protected: inv(0) is 1."""
    for i in lanes(len(out)):
        out[i] = choose(a[i] == 0.0, 1.0, 1.0 / a[i])


@kernel
def square(out: np.ndarray, a: np.ndarray) -> None:
    """The square."""
    for i in lanes(len(out)):
        out[i] = a[i] * a[i]


@kernel
def cube(out: np.ndarray, a: np.ndarray) -> None:
    """The cube."""
    for i in lanes(len(out)):
        out[i] = a[i] * a[i] * a[i]


@kernel
def mask_log(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """From b = log a the protected logarithm: 0 where a <= 0."""
    for i in lanes(len(out)):
        out[i] = choose(a[i] <= 0.0, 0.0, b[i])


@kernel
def distance_squared(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """The square of the difference."""
    for i in lanes(len(out)):
        out[i] = (a[i] - b[i]) * (a[i] - b[i])


@kernel
def distance(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """The absolute value of the difference."""
    for i in lanes(len(out)):
        out[i] = np.abs(a[i] - b[i])


@kernel
def unary(operation: int, out: np.ndarray, a: np.ndarray, scratch: np.ndarray) -> None:
    """One operation with one operand."""
    if operation == codes.SIN:
        vectormath.sin(out, a)
    elif operation == codes.COS:
        vectormath.cos(out, a)
    elif operation == codes.EXP:
        vectormath.exp(out, a)
    elif operation == codes.LOG:
        vectormath.log(scratch, a)
        mask_log(out, a, scratch)
    elif operation == codes.INVERSE:
        invert(out, a)
    elif operation == codes.NEGATE:
        negate(out, a)
    elif operation == codes.TAN:
        vectormath.tan(out, a)
    elif operation == codes.TANH:
        vectormath.tanh(out, a)
    elif operation == codes.SQRT:
        root(out, a)
    elif operation == codes.ROOT_ABS:
        root_abs(out, a)
    elif operation == codes.ABS:
        absolute(out, a)
    elif operation == codes.SQUARE:
        square(out, a)
    else:
        cube(out, a)


@kernel
def binary(operation: int, out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """One operation with two operands."""
    if operation == codes.ADD:
        add(out, a, b)
    elif operation == codes.SUBTRACT:
        subtract(out, a, b)
    elif operation == codes.MULTIPLY:
        multiply(out, a, b)
    elif operation == codes.DIVIDE:
        divide(out, a, b)
    elif operation == codes.POWER:
        vectormath.power(out, a, b)
    elif operation == codes.MINIMUM:
        minimum(out, a, b)
    else:
        maximum(out, a, b)


@kernel
def number_at(words: np.ndarray, at: int) -> float:
    """The float64 whose bits stand in two words."""
    low = np.int64(words[at]) & np.int64(0xFFFFFFFF)
    bits = (np.int64(words[at + 1]) << np.int64(32)) | low
    return np.int64(bits).view(np.float64)


@kernel
def measure_program(words: np.ndarray, begin: int, stop: int) -> tuple[int, int]:
    """Nodes of a program, and the most operands that wait at a time."""
    nodes = waiting = most = 0
    w = begin
    while w < stop:
        word = words[w]
        nodes += 1
        if word == codes.CONSTANT:
            w += 2
        if word == codes.CONSTANT or word >= codes.VARIABLE:
            waiting += 1
        elif word < codes.UNARY:
            waiting -= 1
        most = max(most, waiting)
        w += 1
    return nodes, most


@kernel
def compute(
    words: np.ndarray,
    begin: int,
    stop: int,
    columns: np.ndarray,  # [V, rows]
    first: int,
    last: int,
    slots: np.ndarray,  # [most + 2, BLOCK]; the last one is scratch
    stack: np.ndarray,  # [most + 1] what waits: a slot, or ~variable
    free: np.ndarray,  # [most + 1] slots that hold nothing
) -> np.ndarray:
    """What a program gives for rows first … last-1."""
    n = last - first
    for s in range(len(free)):
        free[s] = s
    n_free = len(free)
    height = 0
    w = begin
    while w < stop:
        word = words[w]
        w += 1
        if word >= codes.VARIABLE:
            stack[height] = ~(word - codes.VARIABLE)
            height += 1
            continue
        n_free -= 1
        target = free[n_free]
        out = slots[target, :n]
        if word == codes.CONSTANT:
            out[:] = number_at(words, w)
            w += 2
        else:
            height -= 1
            right = stack[height]
            b = slots[right, :n] if right >= 0 else columns[~right, first:last]
            if word < codes.UNARY:
                height -= 1
                left = stack[height]
                a = slots[left, :n] if left >= 0 else columns[~left, first:last]
                binary(word, out, a, b)
                if left >= 0:
                    free[n_free] = left
                    n_free += 1
            else:
                unary(word, out, b, slots[len(slots) - 1, :n])
            if right >= 0:
                free[n_free] = right
                n_free += 1
        stack[height] = target
        height += 1
    top = stack[0]
    return slots[top, :n] if top >= 0 else columns[~top, first:last]


@kernel
def fold(totals: np.ndarray) -> float:
    """The sum over the lanes, always in the same order."""
    total = 0.0
    for lane in range(LANES):
        total += totals[lane]
    return total


if COMPILED:

    @kernel
    def add_lanes(totals: np.ndarray, terms: np.ndarray) -> None:
        """Add term i to lane i mod LANES."""
        n = len(terms)
        whole = n - n % LANES
        for first in range(0, whole, LANES):
            for lane in range(LANES):
                totals[lane] += terms[first + lane]
        for i in range(whole, n):
            totals[i - whole] += terms[i]

else:

    def add_lanes(totals: np.ndarray, terms: np.ndarray) -> None:
        """Add term i to lane i mod LANES."""
        for first in range(0, len(terms), LANES):
            piece = terms[first : first + LANES]
            totals[: len(piece)] += piece


@kernel
def run(
    words: np.ndarray,
    starts: np.ndarray,  # [P]
    stops: np.ndarray,  # [P]
    columns: np.ndarray,  # [V, rows]
    target: np.ndarray,  # [rows]
    centred: np.ndarray,  # [rows] the target less its mean
    wanted: int,
    predictions: np.ndarray,  # [P, rows], or [0, 0]: not asked for
    sums: np.ndarray,  # [P, 7], written
) -> int:
    """Run programs over all rows and sum up their errors; how many node·rows that took."""
    rows = len(target)
    work = 0
    most = 0
    for p in range(len(starts)):
        most = max(most, measure_program(words, starts[p], stops[p])[1])
    slots = np.empty((most + 2, min(BLOCK, rows)))
    scratch = np.empty(min(BLOCK, rows))
    stack = np.empty(most + 1, np.int64)
    free = np.empty(most + 1, np.int64)
    totals = np.empty((6, LANES))
    for p in range(len(starts)):
        totals[:] = 0.0
        pivot = 0.0
        for first in range(0, rows, BLOCK):
            last = min(first + BLOCK, rows)
            f = compute(words, starts[p], stops[p], columns, first, last, slots, stack, free)
            if len(predictions) > 0:
                predictions[p, first:last] = f
            terms = scratch[: last - first]
            distance_squared(terms, f, target[first:last])
            add_lanes(totals[SQUARED], terms)
            if wanted >= ABSOLUTES:
                distance(terms, f, target[first:last])
                add_lanes(totals[ABSOLUTE], terms)
            if wanted == MOMENTS:
                if first == 0:
                    pivot = f[0]  # sums of f less one of its values lose far fewer digits than sums of f
                shifted = slots[len(slots) - 1, : last - first]
                np.subtract(f, pivot, shifted)
                add_lanes(totals[SUM], shifted)
                multiply(terms, shifted, shifted)
                add_lanes(totals[SUM_SQUARED], terms)
                multiply(terms, shifted, centred[first:last])
                add_lanes(totals[SUM_PRODUCT], terms)
        for column in range(6):
            sums[p, column] = fold(totals[column])
        sums[p, PIVOT] = pivot
        finite = sums[p, SQUARED] if wanted == SQUARES else sums[p, ABSOLUTE] + sums[p, SUM]
        sums[p, FINITE] = 1.0 if np.isfinite(finite) else 0.0
        work += measure_program(words, starts[p], stops[p])[0] * rows
    return work
