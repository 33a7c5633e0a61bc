"""The tree of a program, and the terms of the sum at its root."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.languages.arithmetic.kernels import codes


class Tree(NamedTuple):
    """The nodes of a program in postfix order."""

    word: np.ndarray  # [nodes]
    first: np.ndarray  # [nodes] the first operand of an operation with two
    second: np.ndarray  # [nodes] the second operand, or the only one


@kernel
def read_tree(words: np.ndarray, begin: int, stop: int, tree: Tree) -> int:
    """Note which nodes are the operands of which; the number of nodes."""
    stays_apart()
    word, first, second = tree
    k = 0
    w = begin
    while w < stop:
        word[k] = words[w]
        if word[k] <= codes.CONSTANT:
            w += 2
        elif word[k] < codes.VARIABLE:
            second[k] = k - 1
            if word[k] < codes.UNARY:
                first[k] = first_node(tree, k - 1) - 1
        w += 1
        k += 1
    return k


@kernel
def first_node(tree: Tree, k: int) -> int:
    """The leftmost leaf below a node: where its part of the program begins."""
    while codes.CONSTANT < tree.word[k] < codes.VARIABLE:
        k = tree.first[k] if tree.word[k] < codes.UNARY else tree.second[k]
    return k


@kernel
def split_terms(tree: Tree, nodes: int, roots: np.ndarray) -> int:
    """Split the sum at the root of a program at + and -, from the left, until there are len(roots); how many there are.

    The sign of a term belongs to its weight.
    """
    stays_apart()
    roots[0] = nodes - 1
    count = 1
    t = 0
    while t < count:
        k = roots[t]
        if (tree.word[k] == codes.ADD or tree.word[k] == codes.SUBTRACT) and count < len(roots):
            for u in range(count, t + 1, -1):
                roots[u] = roots[u - 1]
            roots[t], roots[t + 1] = tree.first[k], tree.second[k]
            count += 1
        else:
            t += 1
    return count


@kernel
def lay_out(
    words: np.ndarray,
    bounds: np.ndarray,  # [P+1]
    most: int,  # terms of a program
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of each program: how many terms [P] and tuned numbers [P] it has; where each term begins and ends [P, most, 2].

    And the term that each of these numbers is in, those of all programs one after another.
    """
    n = len(bounds) - 1
    longest = 1
    for p in range(n):
        longest = max(longest, bounds[p + 1] - bounds[p])
    tree = Tree(np.empty(longest, np.int32), np.empty(longest, np.int64), np.empty(longest, np.int64))
    at = np.empty(longest + 1, np.int64)  # where the word of each node is
    roots = np.empty(most, np.int64)
    terms, parameters = np.empty(n, np.int64), np.zeros(n, np.int64)
    spans = np.zeros((n, most, 2), np.int64)
    owners = np.empty((bounds[n] - bounds[0]) // 3, np.int64)
    total = 0
    for p in range(n):
        nodes = read_tree(words, bounds[p], bounds[p + 1], tree)
        terms[p] = split_terms(tree, nodes, roots) if nodes > 0 else 0
        at[0] = bounds[p]
        t = 0
        for k in range(nodes):
            at[k + 1] = at[k] + (3 if tree.word[k] <= codes.CONSTANT else 1)
            while t < terms[p] - 1 and k > roots[t]:
                t += 1
            if tree.word[k] < codes.CONSTANT:
                owners[total] = t
                parameters[p] += 1
                total += 1
        for t in range(terms[p]):
            spans[p, t, 0] = at[first_node(tree, roots[t])]
            spans[p, t, 1] = at[roots[t] + 1]
    return terms, parameters, spans, owners[:total]
