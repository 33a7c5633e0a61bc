"""The postfix machine: runs programs over blocks of rows.

Its memory is one table: first the variables of a block of rows, then their functions, then slots for what operations
leave behind. An operation works on whole rows of it, in loops that LLVM vectorises, and writes to a slot that it does
not read. (Rows are passed by number: a view of an array costs Numba more than the operation on a hundred numbers.)
A function of a variable is computed once for all programs, which changes time only.

Programs stand one after another: program p has the words from bounds[p] to bounds[p + 1]. An empty one is none.
`extended` is None where all operations are those of the paper's grammar: Numba then leaves out what stands under
`extended is not None`, and compiles in less time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.reduction import lanes
from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.arithmetic.kernels.operations import binary, unary

BLOCK = 688  # rows at a time: a few slots of them stay in the first-level cache; a multiple of the lanes of sums
TOGETHER = 64  # programs that run over one block before the next block is loaded
KEPT = 32  # variables whose functions are kept
FUNCTIONS = codes.KEEP - codes.UNARY  # how many functions there are

# The functions of the paper's grammar, a bit for each
_BASIC = np.int32(sum(1 << function for function in (codes.SIN, codes.COS, codes.EXP, codes.LOG, codes.INVERSE)))


class Scratch(NamedTuple):
    """The memory of the machine, with room for the programs at hand, and what it notes about it."""

    memory: np.ndarray  # [variables + kept + slots + 1, BLOCK]; the last row is free for those who read results
    stack: np.ndarray  # [slots] the rows that wait
    free: np.ndarray  # [slots] the slots that hold nothing
    single: np.ndarray  # [variables + kept + slots] whether a row holds one number that stands for all
    known: np.ndarray  # [FUNCTIONS, variables, or KEPT of them] whether a function of a variable is kept already


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
        if word <= codes.CONSTANT:
            w += 2
        if word <= codes.CONSTANT or word >= codes.VARIABLE:
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
def is_basic(words: np.ndarray, bounds: np.ndarray) -> bool:
    """Whether all operations of some programs are those of the paper's grammar.

    The bits of a number may look like another operation: then the whole machine runs, with the same results.
    """
    other = False
    for w in range(bounds[0], bounds[-1]):  # no branch: this is done for all words, those of constants included
        word = words[w]
        other = other | ((word > codes.DIVIDE) & (word < codes.UNARY + 16) & ((_BASIC >> (word & 31)) & 1 == 0))
    return not other


@kernel
def scratch_for(words: np.ndarray, bounds: np.ndarray, variables: int, rows: int) -> Scratch:
    """Memory in which each of some programs can run over a block of a table."""
    stays_apart()
    most = 1
    for p in range(len(bounds) - 1):
        most = max(most, measure_program(words, bounds[p], bounds[p + 1])[1])
    known = np.zeros((FUNCTIONS, min(variables, KEPT)), np.bool_)
    slots = variables + known.size
    return Scratch(
        np.empty((slots + most + 2, min(BLOCK, rows))),
        np.empty(most + 1, np.int64),
        np.empty(most + 1, np.int64),
        np.zeros(slots + most + 1, np.bool_),
        known,
    )


@kernel
def load(scratch: Scratch, columns: np.ndarray, first: int, n: int) -> None:
    """The variables become those of n rows from `first` on; their functions are unknown again."""
    stays_apart()
    for v in range(len(columns)):
        copy(scratch.memory[v], columns[v, first : first + n])
    for f in range(FUNCTIONS):
        for v in range(scratch.known.shape[1]):
            scratch.known[f, v] = False


@kernel
def compute(
    words: np.ndarray,
    begin: int,
    stop: int,
    variables: int,
    scratch: Scratch,
    n: int,
    extended: bool | None,
) -> int:
    """Run a program over n rows of data; where in the memory its result is.

    A constant is one number, and so is what constants alone lead to: it is spread over all rows only where it meets a
    variable.
    """
    stays_apart()
    memory, stack, free, single, known = scratch
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
                unary(word, memory, out, a, n, extended)
                known[f, a] = True
            stack[height - 1] = out
            continue
        n_free -= 1
        out = free[n_free]
        if word <= codes.CONSTANT:
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
                binary(word, memory, out, a, b, rows, extended)
            else:
                unary(word, memory, out, b, rows, extended)
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
    """Spread the first number of a row over the extended."""
    stays_apart()
    value = memory[row, 0]
    for i in lanes(n):
        memory[row, i] = value


@kernel
def run(
    words: np.ndarray,
    bounds: np.ndarray,  # [P+1]
    columns: np.ndarray,  # [V, rows]
    outputs: np.ndarray,  # [P, rows], written; NaN where there is no program
    extended: bool | None = True,
) -> None:
    """Run programs over all rows."""
    variables, rows = columns.shape
    scratch = scratch_for(words, bounds, variables, rows)
    for group in range(0, len(outputs), TOGETHER):
        for first in range(0, rows, BLOCK):
            n = min(BLOCK, rows - first)
            load(scratch, columns, first, n)
            for p in range(group, min(group + TOGETHER, len(outputs))):
                if bounds[p] == bounds[p + 1]:
                    outputs[p, first : first + n] = np.nan
                    continue
                f = compute(words, bounds[p], bounds[p + 1], variables, scratch, n, extended)
                copy(outputs[p, first:], scratch.memory[f, :n])
