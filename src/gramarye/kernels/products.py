"""Products of rows with each other, summed in lanes: what most of the time of tuning constants goes into.

Numba can't know that the rows and the sums are apart in memory, and would write every sum after each product. So the
innermost loop is given to LLVM directly, with its sums as vectors of LANES numbers: half the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gramarye.kernels.compiler import COMPILED, kernel, stays_apart
from gramarye.kernels.compiler_hooks import when_compiling
from gramarye.kernels.summing import LANES

LINE = 8  # numbers in a line of the cache; a vector that lies across two lines takes twice as long to read


@kernel
def rows_in_line(count: int, n: int) -> np.ndarray:
    """Memory for rows of n numbers, [count, n and up to LANES - 1 more]; every row begins at a line of the cache."""
    width = n + -n % LANES
    memory = np.empty(count * width + LINE)
    skipped = -(memory.ctypes.data // 8) % LINE
    return memory[skipped : skipped + count * width].reshape((count, width))


def multiply_pairs(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray, totals: np.ndarray) -> None:
    """The products of rows ac, ad, bc, bd; number i of a product goes to lane i mod LANES of totals [4, LANES].

    The length of rows is a multiple of LANES.
    """


if COMPILED:

    @kernel
    def add_products(memory: np.ndarray, rows: np.ndarray, c: int, n: int, gram: np.ndarray) -> None:
        """Add the products of c rows of the memory with each other to the upper triangle of gram [c, c]."""
        stays_apart()
        totals = np.empty((4, LANES))
        width = n + -n % LANES
        for p in range(c):  # a sum is never -0.0, so that 0.0 more does not change it
            for i in range(n, width):
                memory[rows[p], i] = 0.0
        for p in range(0, c, 2):
            a, b = memory[rows[p], :width], memory[rows[min(p + 1, c - 1)], :width]
            for q in range(p, c, 2):
                multiply_pairs(a, b, memory[rows[q], :width], memory[rows[min(q + 1, c - 1)], :width], totals)
                first = second = third = fourth = 0.0
                for lane in range(LANES):
                    first += totals[0, lane]
                    second += totals[1, lane]
                    third += totals[2, lane]
                    fourth += totals[3, lane]
                gram[p, q] += first
                if q + 1 < c:
                    gram[p, q + 1] += second
                if q > p:
                    gram[p + 1, q] += third
                if q + 1 < c:
                    gram[p + 1, q + 1] += fourth

else:

    @kernel
    def add_products(memory: np.ndarray, rows: np.ndarray, c: int, n: int, gram: np.ndarray) -> None:
        """Add the products of c rows of the memory with each other to the upper triangle of gram [c, c]."""
        pieces = memory[rows[:c], :n]
        for p in range(c):
            totals = np.zeros((c - p, LANES))
            for first in range(0, n, LANES):
                products = pieces[p, first : first + LANES] * pieces[p:, first : first + LANES]
                totals[:, : products.shape[1]] += products
            total = np.zeros(c - p)
            for lane in range(LANES):
                total += totals[:, lane]
            gram[p, p:] += total


@when_compiling
def _with_vectors() -> None:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import lower_builtin, type_callable

    vector = ir.VectorType(ir.DoubleType(), LANES)

    @type_callable(multiply_pairs)  # type: ignore[untyped-decorator]
    def _type(_context: Any) -> Any:
        return lambda _a, _b, _c, _d, _totals: types.none

    @lower_builtin(multiply_pairs, *[types.Array] * 5)  # type: ignore[untyped-decorator]
    def _generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = map(target.make_array, signature.args)
        arrays = [kind(target, builder, each) for kind, each in zip(kinds, arguments, strict=True)]
        *rows, totals = [array.data for array in arrays]
        length = builder.extract_value(arrays[0].shape, 0)
        begin, loop, body, end = builder.block, *(builder.append_basic_block(name) for name in ("loop", "body", "end"))

        def at(row: Any, index: Any) -> Any:
            return builder.bitcast(builder.gep(row, [index]), vector.as_pointer())

        builder.branch(loop)
        builder.position_at_end(loop)
        i, sums = builder.phi(length.type), [builder.phi(vector) for _ in range(4)]
        builder.cbranch(builder.icmp_signed("<", i, length), body, end)
        builder.position_at_end(body)
        a, b, c, d = [builder.load(at(row, i), align=8) for row in rows]
        products = [builder.fmul(one, other) for one, other in ((a, c), (a, d), (b, c), (b, d))]
        for total, product in zip(sums, products, strict=True):
            total.add_incoming(ir.Constant(vector, [0.0] * LANES), begin)
            total.add_incoming(builder.fadd(total, product), body)
        i.add_incoming(ir.Constant(length.type, 0), begin)
        i.add_incoming(builder.add(i, ir.Constant(length.type, LANES)), body)
        builder.branch(loop)
        builder.position_at_end(end)
        for k, total in enumerate(sums):
            builder.store(total, at(totals, ir.Constant(length.type, k * LANES)), align=8)
        return target.get_dummy_value()
