"""The postfix machine: runs programs over blocks of rows, and sums up how far they are from a target.

Its memory is one table: first the variables of a block of rows, then slots for what operations leave behind. An
operation works on whole rows of it, in loops that LLVM vectorises, and writes to a slot that it does not read. (Rows
are passed by number: a view of an array costs Numba more than the operation on a hundred numbers.) Sums run in a fixed
number of lanes, so a result depends on the data alone, not on the processor.
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels import codes, vectormath
from gramarye.kernels.compiler import COMPILED, kernel, stays_apart
from gramarye.kernels.reduction import choose, lanes

BLOCK = 688  # rows at a time: a few slots of them stay in the first-level cache
LANES = 16  # divides BLOCK
TOGETHER = 64  # programs that run over one block before the next block is loaded

# What `run` sums up, besides Σe²: nothing more, Σ|e|, or the moments that linear scaling needs as well.
SQUARES, ABSOLUTES, MOMENTS = 0, 1, 2
# The columns of its result.
SQUARED, ABSOLUTE, PIVOT, SUM, SUM_SQUARED, SUM_PRODUCT, FINITE = range(7)


@kernel
def unary(operation: int, memory: np.ndarray, out: int, a: int, n: int, others: bool | None) -> None:
    """One operation with one operand: row `out` of the memory from row a."""
    stays_apart()
    if operation == codes.SIN:
        vectormath.sin(memory[out, :n], memory[a, :n])
    elif operation == codes.COS:
        vectormath.cos(memory[out, :n], memory[a, :n])
    elif operation == codes.EXP:
        vectormath.exp(memory[out, :n], memory[a, :n])
    elif operation == codes.LOG:
        vectormath.protected_log(memory[out, :n], memory[a, :n])
    elif operation == codes.INVERSE:  # protected: inv(0) is 1
        for i in lanes(n):
            memory[out, i] = choose(memory[a, i] == 0.0, 1.0, 1.0 / memory[a, i])
    elif others is not None:
        other_unary(operation, memory, out, a, n)


@kernel
def other_unary(operation: int, memory: np.ndarray, out: int, a: int, n: int) -> None:
    """Operations with one operand that are not in the paper's grammar."""
    stays_apart()
    if operation == codes.TAN:
        vectormath.tan(memory[out, :n], memory[a, :n])
    elif operation == codes.TANH:
        vectormath.tanh(memory[out, :n], memory[a, :n])
    elif operation == codes.NEGATE:
        for i in lanes(n):
            memory[out, i] = -memory[a, i]
    elif operation == codes.SQRT:
        for i in lanes(n):
            memory[out, i] = np.sqrt(memory[a, i])
    elif operation == codes.ROOT_ABS:
        for i in lanes(n):
            memory[out, i] = np.sqrt(np.abs(memory[a, i]))
    elif operation == codes.ABS:
        for i in lanes(n):
            memory[out, i] = np.abs(memory[a, i])
    elif operation == codes.SQUARE:
        for i in lanes(n):
            memory[out, i] = memory[a, i] * memory[a, i]
    else:  # the cube
        for i in lanes(n):
            memory[out, i] = memory[a, i] * memory[a, i] * memory[a, i]


@kernel
def binary(operation: int, memory: np.ndarray, out: int, a: int, b: int, n: int, others: bool | None) -> None:
    """One operation with two operands: row `out` of the memory from rows a and b."""
    stays_apart()
    if operation == codes.ADD:
        for i in lanes(n):
            memory[out, i] = memory[a, i] + memory[b, i]
    elif operation == codes.SUBTRACT:
        for i in lanes(n):
            memory[out, i] = memory[a, i] - memory[b, i]
    elif operation == codes.MULTIPLY:
        for i in lanes(n):
            memory[out, i] = memory[a, i] * memory[b, i]
    elif operation == codes.DIVIDE:  # protected: a / 0 is 1
        for i in lanes(n):
            memory[out, i] = choose(memory[b, i] == 0.0, 1.0, memory[a, i] / memory[b, i])
    elif others is not None:
        other_binary(operation, memory, out, a, b, n)


@kernel
def other_binary(operation: int, memory: np.ndarray, out: int, a: int, b: int, n: int) -> None:
    """Operations with two operands that are not in the paper's grammar."""
    stays_apart()
    if operation == codes.POWER:
        vectormath.power(memory[out, :n], memory[a, :n], memory[b, :n])
    elif operation == codes.MINIMUM:  # NaN if either is
        for i in lanes(n):
            second = (memory[b, i] < memory[a, i]) | (memory[b, i] != memory[b, i])
            memory[out, i] = choose(second, memory[b, i], memory[a, i])
    else:  # the maximum
        for i in lanes(n):
            second = (memory[b, i] > memory[a, i]) | (memory[b, i] != memory[b, i])
            memory[out, i] = choose(second, memory[b, i], memory[a, i])


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
def is_basic(words: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> bool:
    """Whether all operations of some programs are those of the paper's grammar."""
    for p in range(len(starts)):
        w = starts[p]
        while w < stops[p]:
            word = words[w]
            w += 3 if word == codes.CONSTANT else 1
            binary = codes.CONSTANT <= word <= codes.DIVIDE
            function = codes.SIN <= word <= codes.LOG and word != codes.TAN
            if not binary and not function and word != codes.INVERSE and word < codes.VARIABLE:
                return False
    return True


@kernel
def compute(
    words: np.ndarray,
    begin: int,
    stop: int,
    variables: int,
    memory: np.ndarray,  # [variables + slots + 1, BLOCK]
    n: int,
    stack: np.ndarray,  # [slots] the rows that wait
    free: np.ndarray,  # [slots] the slots that hold nothing
    single: np.ndarray,  # [variables + slots] whether a row holds one number that stands for all
    others: bool | None,
) -> int:
    """Run a program over n rows of data; where in the memory its result is.

    A constant is one number, and so is what constants alone lead to: it is spread over all rows only where it meets a
    variable.
    """
    stays_apart()
    for s in range(len(free)):
        free[s] = variables + s
    n_free = len(free)
    height = 0
    w = begin
    while w < stop:
        word = words[w]
        w += 1
        if word >= codes.VARIABLE:
            stack[height] = word - codes.VARIABLE
            height += 1
            continue
        n_free -= 1
        out = free[n_free]
        if word == codes.CONSTANT:
            memory[out, 0] = number_at(words, w)
            single[out] = True
            w += 2
        else:
            height -= 1
            b = stack[height]
            a = b
            if word < codes.UNARY:
                height -= 1
                a = stack[height]
            alone = single[a] and single[b]
            single[out] = alone
            if not alone and single[a]:
                broadcast(memory, a, n)
            if not alone and single[b]:
                broadcast(memory, b, n)
            rows = 1 if alone else n
            if word < codes.UNARY:
                binary(word, memory, out, a, b, rows, others)
            else:
                unary(word, memory, out, b, rows, others)
            if a >= variables:
                free[n_free] = a
                n_free += 1
            if b >= variables and b != a:
                free[n_free] = b
                n_free += 1
        stack[height] = out
        height += 1
    if single[stack[0]]:
        broadcast(memory, stack[0], n)
    return stack[0]


@kernel
def copy(out: np.ndarray, a: np.ndarray) -> None:
    """The beginning of one row becomes another row."""
    stays_apart()
    for i in lanes(len(a)):
        out[i] = a[i]


@kernel
def broadcast(memory: np.ndarray, row: int, n: int) -> None:
    """Spread the first number of a row over the others."""
    stays_apart()
    value = memory[row, 0]
    for i in lanes(n):
        memory[row, i] = value


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
def sum_up(
    memory: np.ndarray, f: int, target: np.ndarray, centred: np.ndarray, wanted: int, pivot: float, totals: np.ndarray
) -> None:
    """Add what row f of the memory is away from the target to the totals [6, LANES]."""
    stays_apart()
    n = len(target)
    terms = memory[len(memory) - 1, :n]
    for i in lanes(n):
        terms[i] = (memory[f, i] - target[i]) * (memory[f, i] - target[i])
    add_lanes(totals[SQUARED], terms)
    if wanted >= ABSOLUTES:
        for i in lanes(n):
            terms[i] = np.abs(memory[f, i] - target[i])
        add_lanes(totals[ABSOLUTE], terms)
    if wanted == MOMENTS:  # sums of f less one of its values lose far fewer digits than sums of f
        for i in lanes(n):
            terms[i] = memory[f, i] - pivot
        add_lanes(totals[SUM], terms)
        for i in lanes(n):
            terms[i] = (memory[f, i] - pivot) * (memory[f, i] - pivot)
        add_lanes(totals[SUM_SQUARED], terms)
        for i in lanes(n):
            terms[i] = (memory[f, i] - pivot) * centred[i]
        add_lanes(totals[SUM_PRODUCT], terms)


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
    others: bool | None = True,
) -> int:
    """Run programs over all rows and sum up their errors; how many node·rows that took.

    `others` is None where all operations are those of the paper's grammar: Numba then leaves out what stands under
    `others is not None`, and compiles in less time.
    """
    variables, rows = columns.shape
    work = 0
    most = 1
    for p in range(len(starts)):
        nodes, waiting = measure_program(words, starts[p], stops[p])
        work += nodes * rows
        most = max(most, waiting)
    memory = np.empty((variables + most + 2, min(BLOCK, rows)))
    stack = np.empty(most + 1, np.int64)
    free = np.empty(most + 1, np.int64)
    single = np.zeros(variables + most + 1, np.bool_)
    for group in range(0, len(starts), TOGETHER):
        size = min(TOGETHER, len(starts) - group)
        totals = np.zeros((size, 6, LANES))
        for first in range(0, rows, BLOCK):
            n = min(BLOCK, rows - first)
            for v in range(variables):
                copy(memory[v], columns[v, first : first + n])
            for k in range(size):
                p = group + k
                f = compute(words, starts[p], stops[p], variables, memory, n, stack, free, single, others)
                if len(predictions) > 0:
                    copy(predictions[p, first:], memory[f, :n])
                if first == 0:
                    sums[p, PIVOT] = memory[f, 0]
                y, z = target[first : first + n], centred[first : first + n]
                sum_up(memory, f, y, z, wanted, sums[p, PIVOT], totals[k])
        for k in range(size):
            finish(sums[group + k], totals[k], wanted)
    return work


@kernel
def finish(sums: np.ndarray, totals: np.ndarray, wanted: int) -> None:
    """Add up the lanes of one program, always in the same order."""
    stays_apart()
    for column in range(6):
        if column != PIVOT:
            total = 0.0
            for lane in range(LANES):
                total += totals[column, lane]
            sums[column] = total
    finite = sums[SQUARED] if wanted == SQUARES else sums[ABSOLUTE] + sums[SUM]
    sums[FINITE] = 1.0 if np.isfinite(finite) else 0.0
