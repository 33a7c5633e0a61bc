"""Derivatives of programs by their constants, in reverse mode, and the sums from which constants and weights follow.

A program is a sum of *terms* (terms.py): what it predicts is an intercept plus weighted terms. For each block of rows
the machine runs the program once and keeps what every node gives (`forward`). Then it goes back from the root of each
term (`backward`): the derivative of a term by a node is that by its parent times one factor, for in a tree every node
has one parent. Only nodes above a constant are visited, and `+` hands its derivative on without touching it.

The columns [1, terms, derivatives by the constants, target] of a block are multiplied with each other, and the
products of all blocks are summed up: the Gram matrix, from which `solve` (least_squares.py) finds weights and a step.

Sums are of centred numbers, as far as that is cheap: of the target without its mean, of terms without their value in
the first row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.products import add_products, rows_in_line
from gramarye.kernels.reduction import lanes
from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.arithmetic.kernels.machine import TOGETHER, copy, measure_program, number_at
from gramarye.languages.arithmetic.kernels.operations import binary, unary
from gramarye.languages.arithmetic.kernels.slopes import by_first, by_only, by_second
from gramarye.languages.arithmetic.kernels.terms import Tree, read_tree, split_terms

BLOCK = 1024  # rows at a time; a multiple of the lanes of sums


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
def tape_for(words: np.ndarray, bounds: np.ndarray, which: np.ndarray, variables: int, rows: int, terms: int) -> Tape:
    """Memory in which each of some programs can run over a block of a table."""
    stays_apart()
    most = 1
    for k in range(len(which)):
        most = max(most, measure_program(words, bounds[which[k]], bounds[which[k] + 1])[0])
    memory = rows_in_line(variables + 2 * most + terms + 4, min(BLOCK, rows))
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
    parameters: np.ndarray,  # [P] by how many constants derivatives are wanted: by all of a program, or none
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
    scaled = rows_in_line(c, n)
    for k in range(c):
        for i in lanes(n):
            scaled[k, i] = memory[rows[k], i] * memory[weights, i]
    add_products(scaled, np.arange(c), c, n, gram)
