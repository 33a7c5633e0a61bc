"""Derivation trees as arrays, and what is left of two of them without what they share.

A tree is held in pre-order: `label` and `size` of each node, and its `level`, the root at 0. A forest, that is some
neighbours with all that is below them, is then a range of nodes.
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel, stays_apart


@kernel
def grow(
    productions: np.ndarray,
    step: int,  # where the derivation begins
    start: np.ndarray,  # [R+1] where the symbols of a production begin
    symbols: np.ndarray,  # what is a node in the tree: >= 0 non-terminal, < 0 ~terminal
    label: np.ndarray,
    size: np.ndarray,
    level: np.ndarray,
    parent: np.ndarray,
    stack: np.ndarray,
    owner: np.ndarray,
) -> int:
    """The tree of a leftmost derivation, in arrays that are large enough for it; how many nodes it has."""
    stays_apart()
    nodes, height = 0, 1
    stack[0], owner[0] = 0, -1
    while height > 0:
        height -= 1
        symbol = stack[height]
        label[nodes], size[nodes], parent[nodes] = symbol, 1, owner[height]
        level[nodes] = level[owner[height]] + 1 if owner[height] >= 0 else 0
        nodes += 1
        if symbol >= 0:
            q = productions[step]
            step += 1
            for k in range(start[q + 1] - 1, start[q] - 1, -1):
                stack[height], owner[height] = symbols[k], nodes - 1
                height += 1
    for i in range(nodes - 1, 0, -1):
        size[parent[i]] += size[i]
    return nodes


@kernel
def equal_nodes(
    label_a: np.ndarray, size_a: np.ndarray, a: int, label_b: np.ndarray, size_b: np.ndarray, b: int, count: int
) -> bool:
    """Whether so many nodes from a on of one tree, and from b on of another, are the same."""
    for k in range(count):
        if label_a[a + k] != label_b[b + k] or size_a[a + k] != size_b[b + k]:
            return False
    return True


@kernel
def last_root(size: np.ndarray, begin: int, end: int) -> int:
    """The root of the last tree in a forest."""
    root = begin
    while root + size[root] < end:
        root += size[root]
    return root


@kernel
def trimmed(
    label_a: np.ndarray, size_a: np.ndarray, n_a: int, label_b: np.ndarray, size_b: np.ndarray, n_b: int
) -> tuple[int, int, int, int]:
    """The forests that are left of two trees without what both share at their tops and sides.

    The distance stays the same. Equal roots may be matched: whatever either was matched with instead, matching them
    with one another costs no more. So may equal first trees of two forests: as matches keep the order, only one of them
    can be matched with anything beyond the other, and all of it together gains no more than matching it with itself.
    """
    stays_apart()
    a, end_a, b, end_b = 0, n_a, 0, n_b
    while True:
        while a < end_a and b < end_b and equal_nodes(label_a, size_a, a, label_b, size_b, b, size_a[a]):
            step = size_a[a]
            a += step
            b += step
        while a < end_a and b < end_b:
            last_a, last_b = last_root(size_a, a, end_a), last_root(size_b, b, end_b)
            if not equal_nodes(label_a, size_a, last_a, label_b, size_b, last_b, size_a[last_a]):
                break
            end_a, end_b = last_a, last_b
        if a == end_a or b == end_b or size_a[a] < end_a - a or size_b[b] < end_b - b or label_a[a] != label_b[b]:
            return a, end_a, b, end_b
        a += 1
        b += 1


@kernel
def one_edit(
    label_a: np.ndarray,
    size_a: np.ndarray,
    a: int,
    end_a: int,
    label_b: np.ndarray,
    size_b: np.ndarray,
    b: int,
    end_b: int,
) -> bool:
    """Whether forests that were trimmed, neither of them empty, differ in one node.

    Then it is the root of all that is left: below another one, or beside a tree, there would be more to trim.
    """
    if end_a - a == end_b - b:  # another label
        a += 1
        b += 1
    elif end_a - a == end_b - b + 1 and size_a[a] == end_a - a:  # a root more
        a += 1
    elif end_b - b == end_a - a + 1 and size_b[b] == end_b - b:
        b += 1
    else:
        return False
    return equal_nodes(label_a, size_a, a, label_b, size_b, b, end_a - a)
