"""Derivatives of the machine's operations by their operands, each on whole rows of its memory.

Where an operation is protected, or has no derivative, the derivative is 0; that of abs at 0 is 1, and where the
operands of a minimum or maximum are equal, the first one counts.
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels import vectormath
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.reduction import choose, lanes
from gramarye.languages.arithmetic.kernels import codes


@kernel
def by_first(operation: int, memory: np.ndarray, out: int, by: int, value: int, a: int, b: int, n: int) -> None:
    """Row `by` times the derivative of an operation by its first operand."""
    stays_apart()
    if operation == codes.MULTIPLY:
        for i in lanes(n):
            memory[out, i] = memory[by, i] * memory[b, i]
    elif operation == codes.DIVIDE:
        for i in lanes(n):
            memory[out, i] = choose(memory[b, i] == 0.0, 0.0, memory[by, i] / memory[b, i])
    elif operation == codes.POWER:
        for i in lanes(n):
            memory[out, i] = memory[b, i] - 1.0
        vectormath.power(memory[len(memory) - 1, :n], memory[a, :n], memory[out, :n])
        for i in lanes(n):
            slope = memory[b, i] * memory[len(memory) - 1, i]
            memory[out, i] = memory[by, i] * choose(memory[b, i] == 0.0, 0.0, slope)
    else:  # the minimum or the maximum
        for i in lanes(n):
            memory[out, i] = choose(memory[value, i] == memory[a, i], memory[by, i], 0.0)


@kernel
def by_second(operation: int, memory: np.ndarray, out: int, by: int, value: int, a: int, b: int, n: int) -> None:
    """Row `by` times the derivative of an operation by its second operand."""
    stays_apart()
    if operation == codes.SUBTRACT:
        for i in lanes(n):
            memory[out, i] = -memory[by, i]
    elif operation == codes.MULTIPLY:
        for i in lanes(n):
            memory[out, i] = memory[by, i] * memory[a, i]
    elif operation == codes.DIVIDE:
        for i in lanes(n):
            slope = -memory[by, i] * (memory[value, i] / memory[b, i])
            memory[out, i] = choose(memory[b, i] == 0.0, 0.0, slope)
    elif operation == codes.POWER:
        vectormath.protected_log(memory[out, :n], memory[a, :n])  # 0 where a <= 0, where exponents hardly vary
        for i in lanes(n):
            memory[out, i] = memory[by, i] * memory[value, i] * memory[out, i]
    else:  # the minimum or the maximum
        for i in lanes(n):
            memory[out, i] = choose(memory[value, i] == memory[a, i], 0.0, memory[by, i])


@kernel
def by_only(operation: int, memory: np.ndarray, out: int, by: int, value: int, a: int, n: int) -> None:
    """Row `by` times the derivative of an operation by its only operand."""
    stays_apart()
    if operation == codes.SIN:
        vectormath.cos(memory[out, :n], memory[a, :n])
        for i in lanes(n):
            memory[out, i] = memory[by, i] * memory[out, i]
    elif operation == codes.COS:
        vectormath.sin(memory[out, :n], memory[a, :n])
        for i in lanes(n):
            memory[out, i] = -memory[by, i] * memory[out, i]
    elif operation == codes.TAN:
        for i in lanes(n):
            memory[out, i] = memory[by, i] * (1.0 + memory[value, i] * memory[value, i])
    elif operation == codes.EXP:
        for i in lanes(n):
            memory[out, i] = memory[by, i] * memory[value, i]
    elif operation == codes.PROTECTED_EXP:  # 1 where it overflows
        for i in lanes(n):
            overflows = (memory[a, i] > 1.0) & (memory[value, i] == 1.0)
            memory[out, i] = choose(overflows, 0.0, memory[by, i] * memory[value, i])
    elif operation == codes.LOG:  # protected: 0 up to 0
        for i in lanes(n):
            memory[out, i] = choose(memory[a, i] <= 0.0, 0.0, memory[by, i] / memory[a, i])
    elif operation == codes.SQRT or operation == codes.ROOT_ABS:
        for i in lanes(n):
            slope = 0.5 * memory[by, i] / memory[value, i]
            slope = choose(memory[a, i] < 0.0, -slope, slope)
            memory[out, i] = choose(memory[a, i] == 0.0, 0.0, slope)
    elif operation == codes.ABS:
        for i in lanes(n):
            memory[out, i] = choose(memory[a, i] < 0.0, -memory[by, i], memory[by, i])
    elif operation == codes.INVERSE:  # protected: inv(0) is 1
        for i in lanes(n):
            slope = -memory[by, i] * memory[value, i] * memory[value, i]
            memory[out, i] = choose(memory[a, i] == 0.0, 0.0, slope)
    elif operation == codes.SQUARE:
        for i in lanes(n):
            memory[out, i] = memory[by, i] * (2.0 * memory[a, i])
    elif operation == codes.CUBE:
        for i in lanes(n):
            memory[out, i] = memory[by, i] * (3.0 * memory[a, i] * memory[a, i])
    elif operation == codes.TANH:
        for i in lanes(n):
            memory[out, i] = memory[by, i] * (1.0 - memory[value, i] * memory[value, i])
    else:  # the negative
        for i in lanes(n):
            memory[out, i] = -memory[by, i]
