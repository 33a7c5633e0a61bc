"""Derivatives of programs by their constants, in reverse mode, and the sums from which constants and weights follow.

A program is a sum of *terms* (terms.py): what it predicts is an intercept plus weighted terms. For each block of rows
the machine runs the program once and keeps what every node gives (`forward`). Then it goes back from the root of each
term (`backward`): the derivative of a term by a node is that by its parent times one factor, for in a tree every node
has one parent. Only nodes above a constant are visited, and `+` hands its derivative on without touching it.

The columns [1, terms, derivatives by the constants, target] of a block are multiplied with each other, and the
products of all blocks are summed up: the Gram matrix, from which `solve` (least_squares.py) finds weights and a step.

Sums are of centred numbers, as far as that is cheap: of the target without its mean, of terms without their value in the
first row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gramarye.kernels import vectormath
from gramarye.kernels.compiler import COMPILED, kernel, stays_apart
from gramarye.kernels.reduction import choose, lanes
from gramarye.kernels.summing import LANES, total_of
from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.arithmetic.kernels.machine import TOGETHER, copy, measure_program, number_at
from gramarye.languages.arithmetic.kernels.operations import binary, unary
from gramarye.languages.arithmetic.kernels.terms import Tree, read_tree, split_terms

BLOCK = 1024  # rows at a time; a multiple of four times the lanes of sums


class Tape(NamedTuple):
    """What running a program leaves behind, and the memory that it is in."""

    memory: np.ndarray  # [variables + 2 nodes + terms + 4, BLOCK] variables, nodes, derivatives, columns
    tree: Tree  # of one program
    active: np.ndarray  # [nodes] whether a node lies above a constant, or is one
    row: np.ndarray  # [nodes] where in the memory what a node gives is
    adjoint: np.ndarray  # [nodes] where in the memory the derivative of its term by a node is; -1: nowhere
    columns: np.ndarray  # [nodes + terms + 2] the rows of the columns to multiply


@kernel
def fill(memory: np.ndarray, row: int, value: float, n: int) -> None:
    """One number in the first n places of a row."""
    for i in lanes(n):
        memory[row, i] = value


@kernel
def forward(words: np.ndarray, begin: int, stop: int, variables: int, tape: Tape, n: int) -> int:
    """Run a program over n rows of data and keep what every node gives; the number of nodes."""
    stays_apart()
    memory, tree, active, row = tape.memory, tape.tree, tape.active, tape.row
    nodes = read_tree(words, begin, stop, tree)
    w = begin
    for k in range(nodes):
        word = words[w]
        w += 1
        active[k] = word < codes.CONSTANT
        row[k] = variables + k
        if word >= codes.VARIABLE:
            row[k] = word - codes.VARIABLE
        elif word <= codes.CONSTANT:
            fill(memory, row[k], number_at(words, w), n)
            w += 2
        elif word < codes.UNARY:
            a, b = tree.first[k], tree.second[k]
            binary(word, memory, row[k], row[a], row[b], n, True)
            active[k] = active[a] or active[b]
        else:
            unary(word, memory, row[k], row[tree.second[k]], n, True)
            active[k] = active[tree.second[k]]
    return nodes


@kernel
def backward(tape: Tape, nodes: int, variables: int, most: int, n: int) -> None:
    """The derivatives of terms by their nodes; the derivative by the root of a term is noted already."""
    stays_apart()
    memory, tree, active, row, adjoint = tape.memory, tape.tree, tape.active, tape.row, tape.adjoint
    for k in range(nodes - 1, -1, -1):
        word = tree.word[k]
        if adjoint[k] < 0 or not active[k] or word < codes.CONSTANT:
            continue
        a, b = tree.first[k], tree.second[k]
        if active[b]:
            adjoint[b] = variables + most + b
            if word == codes.ADD:
                adjoint[b] = adjoint[k]
            elif word < codes.UNARY:
                by_second(word, memory, adjoint[b], adjoint[k], row[k], row[a], row[b], n)
            else:
                by_only(word, memory, adjoint[b], adjoint[k], row[k], row[b], n)
        if word < codes.UNARY and active[a]:
            adjoint[a] = variables + most + a
            if word == codes.ADD or word == codes.SUBTRACT:
                adjoint[a] = adjoint[k]
            else:
                by_first(word, memory, adjoint[a], adjoint[k], row[k], row[a], row[b], n)


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


if COMPILED:

    @kernel
    def add_products(memory: np.ndarray, rows: np.ndarray, c: int, n: int, gram: np.ndarray) -> None:
        """Add the products of c rows of the memory with each other to the upper triangle of gram [c, c].

        Product i of a sum goes to lane i mod LANES. Four columns and four products a lane at a time: what is read is
        used four times, and what is written is written once.
        """
        stays_apart()
        totals = np.empty((4, LANES))
        four = n - n % (4 * LANES)
        for p in range(c):
            a = memory[rows[p]]
            for q in range(p, c, 4):
                b0, b1 = memory[rows[q]], memory[rows[min(q + 1, c - 1)]]
                b2, b3 = memory[rows[min(q + 2, c - 1)]], memory[rows[min(q + 3, c - 1)]]
                for k in range(4):
                    for lane in range(LANES):
                        totals[k, lane] = 0.0
                for first in range(0, four, 4 * LANES):
                    for lane in range(LANES):
                        i, j = first + lane, first + LANES + lane
                        k, m = first + 2 * LANES + lane, first + 3 * LANES + lane
                        totals[0, lane] = (((totals[0, lane] + a[i] * b0[i]) + a[j] * b0[j]) + a[k] * b0[k]) + a[m] * b0[m]
                        totals[1, lane] = (((totals[1, lane] + a[i] * b1[i]) + a[j] * b1[j]) + a[k] * b1[k]) + a[m] * b1[m]
                        totals[2, lane] = (((totals[2, lane] + a[i] * b2[i]) + a[j] * b2[j]) + a[k] * b2[k]) + a[m] * b2[m]
                        totals[3, lane] = (((totals[3, lane] + a[i] * b3[i]) + a[j] * b3[j]) + a[k] * b3[k]) + a[m] * b3[m]
                for first in range(four, n, LANES):
                    for lane in range(min(LANES, n - first)):
                        i = first + lane
                        totals[0, lane] += a[i] * b0[i]
                        totals[1, lane] += a[i] * b1[i]
                        totals[2, lane] += a[i] * b2[i]
                        totals[3, lane] += a[i] * b3[i]
                for k in range(min(4, c - q)):
                    gram[p, q + k] += total_of(totals[k])

else:

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


@kernel
def tape_for(words: np.ndarray, bounds: np.ndarray, which: np.ndarray, variables: int, rows: int, terms: int) -> Tape:
    """Memory in which each of some programs can run over a block of a table."""
    stays_apart()
    most = 1
    for k in range(len(which)):
        most = max(most, measure_program(words, bounds[which[k]], bounds[which[k] + 1])[0])
    memory = np.empty((variables + 2 * most + terms + 4, min(BLOCK, rows)))
    tree = Tree(np.empty(most, np.int32), np.empty(most, np.int64), np.empty(most, np.int64))
    active, row, adjoint = np.empty(most, np.bool_), np.empty(most, np.int64), np.empty(most, np.int64)
    return Tape(memory, tree, active, row, adjoint, np.empty(most + terms + 2, np.int64))


@kernel
def gram_matrices(
    words: np.ndarray,
    bounds: np.ndarray,  # [P+1]
    which: np.ndarray,  # the programs that are meant; none of them is empty
    columns: np.ndarray,  # [V, rows]
    target: np.ndarray,  # [rows], without its mean
    weights: np.ndarray,  # [rows] the square root of what each row counts, or [0]: all count alike
    terms: int,  # how many a program has at most
    parameters: np.ndarray,  # [P] how many constants are tuned, by which derivatives are wanted: all of a program, or none
    starts: np.ndarray,  # [P+1] where the matrix of each program begins
    grams: np.ndarray,  # written, one [C, C] after another: 1, terms, derivatives, target; the upper triangles
    pivots: np.ndarray,  # [P, terms], written: what was taken from each term
) -> int:
    """The Gram matrices of some programs; how many node·rows that took."""
    variables, rows = columns.shape
    tape = tape_for(words, bounds, which, variables, rows, terms)
    memory, adjoint, listed = tape.memory, tape.adjoint, tape.columns
    most = len(tape.row)
    ones = variables + 2 * most
    roots = np.empty(terms, np.int64)
    work = 0
    for group in range(0, len(which), TOGETHER):
        for first in range(0, rows, BLOCK):
            n = min(BLOCK, rows - first)
            for v in range(variables):
                copy(memory[v], columns[v, first : first + n])
            fill(memory, ones, 1.0, n)
            copy(memory[ones + 1], target[first : first + n])
            if len(weights) > 0:
                copy(memory[ones + 2 + terms], weights[first : first + n])
            for p in which[group : group + TOGETHER]:
                nodes = forward(words, bounds[p], bounds[p + 1], variables, tape, n)
                work += nodes * n
                count = split_terms(tape.tree, nodes, roots)
                for k in range(nodes):
                    adjoint[k] = -1
                listed[0] = ones
                c = 1
                for t in range(count):
                    if first == 0:
                        pivots[p, t] = memory[tape.row[roots[t]], 0]
                    shift(memory, ones + 2 + t, tape.row[roots[t]], pivots[p, t], n)
                    adjoint[roots[t]] = ones
                    listed[c] = ones + 2 + t
                    c += 1
                if parameters[p] > 0:
                    backward(tape, nodes, variables, most, n)
                    work += nodes * n
                    for k in range(nodes):
                        if tape.tree.word[k] < codes.CONSTANT:
                            listed[c] = adjoint[k]
                            c += 1
                listed[c] = ones + 1
                c += 1
                gram = grams[starts[p] : starts[p] + c * c].reshape((c, c))
                if first == 0:
                    gram[:] = 0.0
                if len(weights) > 0:
                    add_weighted(memory, listed, c, ones + 2 + terms, n, gram)
                else:
                    add_products(memory, listed, c, n, gram)
    return work


@kernel
def shift(memory: np.ndarray, out: int, a: int, pivot: float, n: int) -> None:
    """A row without a number."""
    for i in lanes(n):
        memory[out, i] = memory[a, i] - pivot


@kernel
def add_weighted(memory: np.ndarray, rows: np.ndarray, c: int, weights: int, n: int, gram: np.ndarray) -> None:
    """Add the products of c rows, each multiplied by the row of weights first."""
    stays_apart()
    scaled = np.empty((c, n))
    places = np.arange(c)
    for k in range(c):
        for i in lanes(n):
            scaled[k, i] = memory[rows[k], i] * memory[weights, i]
    add_products(scaled, places, c, n, gram)
