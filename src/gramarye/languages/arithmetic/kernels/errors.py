"""How far programs are from a target: the machine runs them, and what they give is summed up at once.

A program that is not finite in one of a few rows, tried first, is not run over the others, which changes time only.
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.reduction import lanes
from gramarye.kernels.summing import LANES, add_lanes, total_of
from gramarye.languages.arithmetic.kernels import machine
from gramarye.languages.arithmetic.kernels.machine import BLOCK, TOGETHER, Scratch, compute, load

TRIED = 12  # rows to try at even distances, besides the extremes of every column
LARGE = 16  # nodes; smaller programs are hardly ever invalid


@kernel
def add_errors(
    memory: np.ndarray, f: int, target: np.ndarray, weights: np.ndarray, absolute: bool, totals: np.ndarray
) -> None:
    """Add what row f of the memory is away from the target, squared or not, to the totals [LANES]."""
    stays_apart()
    n = len(target)
    terms = memory[len(memory) - 1, :n]
    if absolute:
        for i in lanes(n):
            terms[i] = np.abs(memory[f, i] - target[i])
    else:
        for i in lanes(n):
            terms[i] = (memory[f, i] - target[i]) * (memory[f, i] - target[i])
    if len(weights) > 0:
        for i in lanes(n):
            terms[i] = terms[i] * weights[i]
    add_lanes(totals, terms)


@kernel
def rows_to_try(columns: np.ndarray) -> np.ndarray:
    """Rows in which a program that fails anywhere probably fails; none where there are too few to save any work."""
    variables, rows = columns.shape
    extremes = 2 * min(variables, machine.KEPT)
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
    bounds: np.ndarray,
    columns: np.ndarray,
    nodes: np.ndarray,  # [P]
    failed: np.ndarray,  # [P], written
    scratch: Scratch,
    extended: bool | None,
) -> int:
    """Note which programs are not finite in the rows to try: they are done with. How many node·rows that took."""
    stays_apart()
    work = 0
    tried = rows_to_try(columns)
    n = len(tried)
    for v in range(len(columns)):
        for i in range(n):
            scratch.memory[v, i] = columns[v, tried[i]]
    for p in range(len(nodes)):
        if n == 0 or nodes[p] < LARGE:
            continue
        f = compute(words, bounds[p], bounds[p + 1], len(columns), scratch, n, extended)
        work += nodes[p] * n
        for i in range(n):
            if not abs(scratch.memory[f, i]) < np.inf:
                failed[p] = True
    return work


@kernel
def sum_errors(
    words: np.ndarray,
    bounds: np.ndarray,  # [P+1]
    columns: np.ndarray,  # [V, rows]
    target: np.ndarray,  # [rows]
    weights: np.ndarray,  # [rows], or [0]: all rows count alike
    absolute: bool,  # Σ|e|, else Σe²
    sums: np.ndarray,  # [P], written; NaN where there is no program or where it was found out early
    extended: bool | None = True,
) -> int:
    """Run programs over all rows and sum up their errors; how many node·rows that took."""
    variables, rows = columns.shape
    nodes = machine.sizes(words, bounds)
    scratch = machine.scratch_for(words, bounds, variables, rows)
    failed = np.empty(len(nodes), np.bool_)  # no `nodes == 0`: Numba takes longer to compile that than this loop
    for p in range(len(nodes)):
        failed[p] = nodes[p] == 0
    work = try_rows(words, bounds, columns, nodes, failed, scratch, extended)
    together = TOGETHER if rows > BLOCK else max(1, len(nodes))
    for group in range(0, len(nodes), together):
        size = min(together, len(nodes) - group)
        totals = np.zeros((size, LANES))
        for first in range(0, rows, BLOCK):
            n = min(BLOCK, rows - first)
            load(scratch, columns, first, n)
            y, w = target[first : first + n], weights[first : first + n]
            for k in range(size):
                p = group + k
                if not failed[p]:
                    f = compute(words, bounds[p], bounds[p + 1], variables, scratch, n, extended)
                    work += nodes[p] * n
                    add_errors(scratch.memory, f, y, w, absolute, totals[k])
        for k in range(size):
            sums[group + k] = np.nan if failed[group + k] else total_of(totals[k])
    return work
