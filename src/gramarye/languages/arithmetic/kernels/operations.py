"""The operations of the postfix machine, each on whole rows of its memory."""

from __future__ import annotations

import numpy as np

from gramarye.kernels import vectormath
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.reduction import choose, lanes
from gramarye.languages.arithmetic.kernels import codes


@kernel
def unary(operation: int, memory: np.ndarray, out: int, a: int, n: int, extended: bool | None) -> None:
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
    elif extended is not None:
        other_unary(operation, memory, out, a, n)


@kernel
def other_unary(operation: int, memory: np.ndarray, out: int, a: int, n: int) -> None:
    """Operations with one operand that are not in the paper's grammar."""
    stays_apart()
    if operation == codes.TAN:
        vectormath.tan(memory[out, :n], memory[a, :n])
    elif operation == codes.TANH:
        vectormath.tanh(memory[out, :n], memory[a, :n])
    elif operation == codes.PROTECTED_EXP:  # 1 where it overflows
        vectormath.exp(memory[out, :n], memory[a, :n])
        for i in lanes(n):
            memory[out, i] = choose(memory[out, i] == np.inf, 1.0, memory[out, i])
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
def binary(operation: int, memory: np.ndarray, out: int, a: int, b: int, n: int, extended: bool | None) -> None:
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
    elif extended is not None:
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
