"""How many edits there are between derivation trees (Zhang and Shasha 1989)."""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.forest_distance import grow, one_edit, trimmed

FAR = -1  # instead of a distance: above 1, but the trees differ in too many nodes to be measured


@kernel
def in_postorder(
    label: np.ndarray,
    size: np.ndarray,
    level: np.ndarray,
    begin: int,
    end: int,
    mirrored: bool,
    out: np.ndarray,  # labels
    left: np.ndarray,  # the leftmost leaf below each node
    roots: np.ndarray,
    last: np.ndarray,  # room to work in
) -> tuple[int, int]:
    """A forest below a root of its own, in post-order, perhaps seen in a mirror; its key roots, and their work.

    Key roots are the nodes with a neighbour to the left, and the root: what Zhang and Shasha solve one by one.
    """
    stays_apart()
    n = end - begin
    for i in range(n):
        node = begin + i
        if mirrored:
            at, leaf = n - 1 - i, n - i - size[node]
        else:
            leaf = i - (level[node] - level[begin])
            at = leaf + size[node] - 1
        out[at], left[at] = label[node], leaf
    out[n], left[n] = np.iinfo(np.int32).max, 0
    for i in range(n + 1):
        last[left[i]] = i
    count, work = 0, 0
    for i in range(n + 1):  # the last node with a certain leftmost leaf is a key root
        if last[left[i]] == i:
            roots[count] = i
            count += 1
            work += i - left[i] + 1
    return count, work


@kernel
def zhang_shasha(
    label_a: np.ndarray,
    left_a: np.ndarray,
    roots_a: np.ndarray,
    label_b: np.ndarray,
    left_b: np.ndarray,
    roots_b: np.ndarray,
    trees: np.ndarray,  # distances of trees,
    forests: np.ndarray,  # and of forests: both as large as the trees, and one more
) -> int:
    """The tree edit distance by unit costs (Zhang and Shasha 1989); the last nodes are the roots."""
    stays_apart()
    for x in roots_a:
        for y in roots_b:
            first, begin = left_a[x], left_b[y]
            for i in range(x - first + 2):
                forests[i, 0] = i
            for j in range(y - begin + 2):
                forests[0, j] = j
            leftmost = left_b[begin : y + 1]
            for a in range(first, x + 1):
                i = a - first + 1
                above, row, part = forests[i - 1], forests[i, 1:], forests[left_a[a] - first]
                kept = trees[a, begin:]
                best = i
                if left_a[a] != first:  # never a whole tree: most rows, so they have a loop of their own
                    for j in range(y - begin + 1):
                        best = min(min(above[j + 1], best) + 1, part[leftmost[j] - begin] + kept[j])
                        row[j] = best
                    continue
                for j in range(y - begin + 1):
                    best = min(above[j + 1], best) + 1
                    if leftmost[j] == begin:
                        best = min(best, above[j] + (label_a[a] != label_b[begin + j]))
                        kept[j] = best
                    else:
                        best = min(best, part[leftmost[j] - begin] + kept[j])
                    row[j] = best
    return trees[roots_a[-1], roots_b[-1]]


@kernel
def solved(
    label: np.ndarray,  # [2, room], and so are the next two
    size: np.ndarray,
    level: np.ndarray,
    a: int,
    end_a: int,
    b: int,
    end_b: int,
    post: np.ndarray,
    left: np.ndarray,
    roots: np.ndarray,
    last: np.ndarray,
    trees: np.ndarray,
    forests: np.ndarray,
) -> int:
    """The edits between two forests; seen in a mirror, trees that grow to the right are less work."""
    stays_apart()
    mirrored, least = False, 0
    for side in range(2):
        seen = side == 1
        _, work_a = in_postorder(label[0], size[0], level[0], a, end_a, seen, post[0], left[0], roots[0], last)
        _, work_b = in_postorder(label[1], size[1], level[1], b, end_b, seen, post[1], left[1], roots[1], last)
        if side == 0 or work_a * work_b < least:
            mirrored, least = seen, work_a * work_b
    count_a, _ = in_postorder(label[0], size[0], level[0], a, end_a, mirrored, post[0], left[0], roots[0], last)
    count_b, _ = in_postorder(label[1], size[1], level[1], b, end_b, mirrored, post[1], left[1], roots[1], last)
    return zhang_shasha(post[0], left[0], roots[0, :count_a], post[1], left[1], roots[1, :count_b], trees, forests)


@kernel
def tree_distances(
    productions_a: np.ndarray,
    offsets_a: np.ndarray,
    productions_b: np.ndarray,
    offsets_b: np.ndarray,
    first: np.ndarray,  # [P] which derivation of a,
    second: np.ndarray,  # [P] and which of b
    start: np.ndarray,
    symbols: np.ndarray,
    room: int,  # for the largest tree
    most: int,  # nodes that are left of either tree without what both share
) -> np.ndarray:
    """The edits between the trees of each pair [P], FAR where more than `most` nodes are left, and above 1."""
    out = np.empty(len(first), np.int32)
    label, size, level = np.empty((2, room), np.int32), np.empty((2, room), np.int32), np.empty((2, room), np.int32)
    parent, stack, owner = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    post, left = np.empty((2, most + 1), np.int32), np.empty((2, most + 1), np.int32)
    roots, last = np.empty((2, most + 1), np.int32), np.empty(most + 1, np.int32)
    trees, forests = np.empty((most + 1, most + 1), np.int16), np.empty((most + 2, most + 2), np.int16)
    n_a = 0
    for p in range(len(first)):
        i, j = first[p], second[p]
        if p == 0 or i != first[p - 1]:
            n_a = grow(productions_a, offsets_a[i], start, symbols, label[0], size[0], level[0], parent, stack, owner)
        n_b = grow(productions_b, offsets_b[j], start, symbols, label[1], size[1], level[1], parent, stack, owner)
        a, end_a, b, end_b = trimmed(label[0], size[0], n_a, label[1], size[1], n_b)
        if a == end_a or b == end_b:
            out[p] = end_a - a + end_b - b
            continue
        if one_edit(label[0], size[0], a, end_a, label[1], size[1], b, end_b):
            out[p] = 1
            continue
        if max(end_a - a, end_b - b) > most:
            out[p] = FAR
            continue
        out[p] = solved(label, size, level, a, end_a, b, end_b, post, left, roots, last, trees, forests)
    return out
