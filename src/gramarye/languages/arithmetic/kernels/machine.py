"""The postfix machine: runs programs over blocks of rows, and sums up how far they are from a target.

Its memory is one table: first the variables of a block of rows, then their functions, then slots for what operations
leave behind. An operation works on whole rows of it, in loops that LLVM vectorises, and writes to a slot that it does
not read. (Rows are passed by number: a view of an array costs Numba more than the operation on a hundred numbers.) Sums
run in a fixed number of lanes, so a result depends on the data alone, not on the processor.

Two things save work and change no result: a function of a variable is computed once for all programs, and a program
that is not finite in one of a few rows, tried first, is not run over the others.
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import COMPILED, kernel, stays_apart
from gramarye.kernels.reduction import lanes
from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.arithmetic.kernels.operations import binary, unary

BLOCK = 688  # rows at a time: a few slots of them stay in the first-level cache
LANES = 16  # divides BLOCK
TOGETHER = 64  # programs that run over one block before the next block is loaded
KEPT = 32  # variables whose functions are kept
FUNCTIONS = codes.KEEP - codes.UNARY  # how many functions there are
TRIED = 12  # rows to try at even distances, besides the extremes of every column
LARGE = 16  # nodes; smaller programs are hardly ever invalid

# The functions of the paper's grammar, a bit for each
_BASIC = np.int32(sum(1 << function for function in (codes.SIN, codes.COS, codes.EXP, codes.LOG, codes.INVERSE)))

# What `run` sums up, besides Σe²: nothing more, Σ|e|, or the moments that linear scaling needs as well.
SQUARES, ABSOLUTES, MOMENTS = 0, 1, 2
# The columns of its result.
SQUARED, ABSOLUTE, PIVOT, SUM, SUM_SQUARED, SUM_PRODUCT, FINITE = range(7)


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
def sizes(words: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """The nodes of each program [P]; the bounds are P + 1."""
    out = np.empty(len(bounds) - 1, np.int64)
    for p in range(len(out)):
        out[p], _ = measure_program(words, bounds[p], bounds[p + 1])
    return out


@kernel
def is_basic(words: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> bool:
    """Whether all operations of some programs are those of the paper's grammar."""
    other = False
    for p in range(len(starts)):
        for w in range(starts[p], stops[p]):  # no branch: this is done for all words, those of constants included
            word = words[w]
            other = other | ((word > codes.DIVIDE) & (word < codes.UNARY + 16) & ((_BASIC >> (word & 31)) & 1 == 0))
    return not other or all_basic(words, starts, stops)


@kernel
def all_basic(words: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> bool:
    """The same, word by word."""
    stays_apart()
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
    memory: np.ndarray,  # [variables + kept + slots + 1, BLOCK]
    n: int,
    stack: np.ndarray,  # [slots] the rows that wait
    free: np.ndarray,  # [slots] the slots that hold nothing
    single: np.ndarray,  # [variables + kept + slots] whether a row holds one number that stands for all
    known: np.ndarray,  # [FUNCTIONS, variables, or KEPT of them] whether a function of a variable is kept already
    others: bool | None,
) -> int:
    """Run a program over n rows of data; where in the memory its result is.

    A constant is one number, and so is what constants alone lead to: it is spread over all rows only where it meets a
    variable.
    """
    stays_apart()
    functions, arguments = known.shape
    slots = variables + functions * arguments
    for s in range(len(free)):
        free[s] = slots + s
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
        if word >= codes.UNARY and stack[height - 1] < arguments:
            a = stack[height - 1]
            f = word - codes.UNARY
            out = variables + f * arguments + a
            if not known[f, a]:
                unary(word, memory, out, a, n, others)
                known[f, a] = True
            stack[height - 1] = out
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
            if a >= slots:
                free[n_free] = a
                n_free += 1
            if b >= slots and b != a:
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
def rows_to_try(columns: np.ndarray) -> np.ndarray:
    """Rows in which a program that fails anywhere probably fails; none where there are too few to save any work."""
    variables, rows = columns.shape
    extremes = 2 * min(variables, KEPT)
    n = extremes + TRIED
    n += -n % LANES
    if rows < 8 * n:
        return np.empty(0, np.int64)
    found = np.empty(n, np.int64)
    for v in range(extremes // 2):
        least = most = 0
        for i in range(rows):
            least = i if columns[v, i] < columns[v, least] else least
            most = i if columns[v, i] > columns[v, most] else most
        found[2 * v], found[2 * v + 1] = least, most
    for k in range(extremes, n):
        found[k] = (rows - 1) * (k - extremes) // (n - extremes - 1)
    return found


@kernel
def try_rows(
    words: np.ndarray,
    starts: np.ndarray,
    stops: np.ndarray,
    columns: np.ndarray,
    nodes: np.ndarray,  # [P]
    failed: np.ndarray,  # [P], written
    sums: np.ndarray,  # [P, 7], written for those
    memory: np.ndarray,
    stack: np.ndarray,
    free: np.ndarray,
    single: np.ndarray,
    known: np.ndarray,
    others: bool | None,
) -> int:
    """Note which programs are not finite in the rows to try: they are done with. How many node·rows that took."""
    stays_apart()
    work = 0
    tried = rows_to_try(columns)
    n = len(tried)
    for v in range(len(columns)):
        for i in range(n):
            memory[v, i] = columns[v, tried[i]]
    for p in range(len(starts)):
        if n == 0 or nodes[p] < LARGE:
            continue
        f = compute(words, starts[p], stops[p], len(columns), memory, n, stack, free, single, known, others)
        work += nodes[p] * n
        for i in range(n):
            if not abs(memory[f, i]) < np.inf:
                failed[p] = True
        if failed[p]:
            for column in range(FINITE):
                sums[p, column] = np.nan
            sums[p, FINITE] = 0.0
    return work


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
    sums: np.ndarray,  # [P, 7], written; NaN, but for FINITE, where a program was found out early
    others: bool | None = True,
) -> int:
    """Run programs over all rows and sum up their errors; how many node·rows that took.

    `others` is None where all operations are those of the paper's grammar: Numba then leaves out what stands under
    `others is not None`, and compiles in less time.
    """
    variables, rows = columns.shape
    nodes = np.empty(len(starts), np.int64)
    most = 1
    for p in range(len(starts)):
        nodes[p], waiting = measure_program(words, starts[p], stops[p])
        most = max(most, waiting)
    known = np.zeros((FUNCTIONS, min(variables, KEPT)), np.bool_)
    slots = variables + known.size
    memory = np.empty((slots + most + 2, min(BLOCK, rows)))
    stack = np.empty(most + 1, np.int64)
    free = np.empty(most + 1, np.int64)
    single = np.zeros(slots + most + 1, np.bool_)
    failed = np.zeros(len(starts), np.bool_)
    work = 0
    if len(predictions) == 0:
        work = try_rows(
            words, starts, stops, columns, nodes, failed, sums, memory, stack, free, single, known, others
        )  # fmt: skip
    together = TOGETHER if rows > BLOCK else max(1, len(starts))
    for group in range(0, len(starts), together):
        size = min(together, len(starts) - group)
        totals = np.zeros((size, 6, LANES))
        for first in range(0, rows, BLOCK):
            n = min(BLOCK, rows - first)
            for v in range(variables):
                copy(memory[v], columns[v, first : first + n])
            for f in range(FUNCTIONS):
                for v in range(known.shape[1]):
                    known[f, v] = False
            y, z = target[first : first + n], centred[first : first + n]
            for k in range(size):
                p = group + k
                if failed[p]:
                    continue
                f = compute(words, starts[p], stops[p], variables, memory, n, stack, free, single, known, others)
                work += nodes[p] * n
                if len(predictions) > 0:
                    copy(predictions[p, first:], memory[f, :n])
                if first == 0:
                    sums[p, PIVOT] = memory[f, 0]
                sum_up(memory, f, y, z, wanted, sums[p, PIVOT], totals[k])
        for k in range(size):
            if not failed[group + k]:
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
