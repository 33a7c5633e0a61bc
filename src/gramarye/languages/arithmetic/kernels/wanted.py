"""What a node of a program would have to give, so that the program gave the target: operations undone from the root.

T. P. Pawlak, B. Wieloch, K. Krawiec. Semantic backpropagation for designing search operators in genetic programming.
IEEE Trans. Evol. Comput. 19(3), 2015, 326-340. doi 10.1109/TEVC.2014.2321259
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels import vectormath
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.reduction import choose, lanes
from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.arithmetic.kernels.gradients import forward, tape_for
from gramarye.languages.arithmetic.kernels.machine import copy
from gramarye.languages.arithmetic.kernels.terms import first_node, split_terms


@kernel
def wanted(
    words: np.ndarray,  # of one program
    end: int,  # where the words of the node end
    columns: np.ndarray,  # [V, rows], few rows
    target: np.ndarray,  # [rows]
    weights: np.ndarray,  # [1 + T] the intercept, and the weights of the terms
) -> tuple[np.ndarray, np.ndarray]:
    """[rows] what a node would have to give in each row, and the slope of the program by it there.

    The slope is 0 where nothing would do, which is everywhere if an operation on the way can't be undone.
    """
    variables, rows = columns.shape
    tape = tape_for(words, np.array([0, len(words)]), np.zeros(1, np.int64), variables, rows, len(weights) - 1)
    tree, memory = tape.tree, tape.memory
    for v in range(variables):
        copy(memory[v], columns[v])
    nodes = forward(words, 0, len(words), variables, tape, rows)
    roots = np.empty(len(weights) - 1, np.int64)
    count = split_terms(tree, nodes, roots)
    node, w = -1, 0
    while w < end:
        w += 3 if words[w] <= codes.CONSTANT else 1
        node += 1
    value, slope = np.empty(rows), np.zeros(rows)
    copy(value, target)
    t = 0
    while t < count and roots[t] < node:
        t += 1
    if t == count or first_node(tree, roots[t]) > node or weights[1 + t] == 0.0:
        return value, slope  # it is not in a term that counts
    own = weights[1 + t]
    for i in lanes(rows):
        value[i] -= weights[0]
        slope[i] = abs(own)
    for u in range(count):
        if u != t:
            other = tape.row[roots[u]]
            for i in lanes(rows):
                value[i] -= weights[1 + u] * memory[other, i]
    for i in lanes(rows):
        value[i] /= own
    k = roots[t]
    while k != node:
        word = tree.word[k]
        if word >= codes.UNARY:
            kid = tree.second[k]
            undo_unary(word, value, slope, memory[tape.row[kid], :rows])
        else:
            first = node <= tree.first[k]
            kid, other = (tree.first[k], tree.second[k]) if first else (tree.second[k], tree.first[k])
            undo_binary(word, first, value, slope, memory[tape.row[other], :rows])
        k = kid
    for i in lanes(rows):
        known = (abs(value[i]) < np.inf) & (slope[i] < np.inf)  # false for NaN
        value[i] = choose(known, value[i], 0.0)
        slope[i] = choose(known, slope[i], 0.0)
    return value, slope


@kernel
def undo_binary(operation: int, first: bool, value: np.ndarray, slope: np.ndarray, other: np.ndarray) -> None:
    """What the first or the second operand would have to be, for an operation to give some values."""
    stays_apart()
    rows = len(value)
    if operation == codes.ADD:
        for i in lanes(rows):
            value[i] -= other[i]
    elif operation == codes.SUBTRACT and first:
        for i in lanes(rows):
            value[i] += other[i]
    elif operation == codes.SUBTRACT:
        for i in lanes(rows):
            value[i] = other[i] - value[i]
    elif operation == codes.MULTIPLY:
        for i in lanes(rows):
            value[i] /= other[i]
            slope[i] *= abs(other[i])
    elif operation == codes.DIVIDE and first:
        for i in lanes(rows):
            value[i] *= other[i]
            slope[i] /= abs(other[i])
    elif operation == codes.DIVIDE:
        for i in lanes(rows):
            slope[i] *= value[i] * value[i] / abs(other[i])
            value[i] = other[i] / value[i]
    else:
        give_up(slope)


@kernel
def undo_unary(operation: int, value: np.ndarray, slope: np.ndarray, now: np.ndarray) -> None:
    """What the operand, which is now something else, would have to be; of two solutions, that with its sign."""
    stays_apart()
    rows = len(value)
    if operation == codes.NEGATE:
        for i in lanes(rows):
            value[i] = -value[i]
    elif operation == codes.EXP or operation == codes.PROTECTED_EXP:
        for i in lanes(rows):
            slope[i] *= value[i]
            value[i] = choose(value[i] > 0.0, value[i], np.nan)
        vectormath.log(value, value.copy())
    elif operation == codes.LOG:
        vectormath.exp(value, value.copy())
        for i in lanes(rows):
            slope[i] /= value[i]
    elif operation == codes.SQRT or operation == codes.ROOT_ABS:
        for i in lanes(rows):
            slope[i] /= 2.0 * value[i]
            value[i] = choose(value[i] < 0.0, np.nan, value[i] * value[i])
            value[i] = choose(now[i] < 0.0, -value[i], value[i])
    elif operation == codes.SQUARE:
        for i in lanes(rows):
            value[i] = np.sqrt(choose(value[i] < 0.0, np.nan, value[i]))
            slope[i] *= 2.0 * value[i]
            value[i] = choose(now[i] < 0.0, -value[i], value[i])
    elif operation == codes.ABS:
        for i in lanes(rows):
            value[i] = choose(value[i] < 0.0, np.nan, value[i])
            value[i] = choose(now[i] < 0.0, -value[i], value[i])
    elif operation == codes.INVERSE:
        for i in lanes(rows):
            slope[i] *= value[i] * value[i]
            value[i] = 1.0 / value[i]
    elif operation == codes.TANH:
        for i in lanes(rows):
            slope[i] *= 1.0 - value[i] * value[i]
            value[i] = choose(abs(value[i]) < 1.0, (1.0 + value[i]) / (1.0 - value[i]), np.nan)
        vectormath.log(value, value.copy())
        for i in lanes(rows):
            value[i] *= 0.5
    else:  # a function without an inverse
        give_up(slope)


@kernel
def give_up(slope: np.ndarray) -> None:
    """Nothing would do."""
    for i in lanes(len(slope)):
        slope[i] = 0.0
