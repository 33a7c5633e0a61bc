"""How far apart derivations are: edits between their trees, and between their tokens.

A tree is held in pre-order: `label` and `size` of each node, and its `level`, the root at 0. A forest, that is some
neighbours with all that is below them, is then a range of nodes.
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel, stays_apart

TOO_LARGE = -1  # instead of a distance


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
    """The tree of a leftmost derivation; how many nodes it has, or TOO_LARGE where the arrays are too short."""
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
            if nodes + height + start[q + 1] - start[q] > len(label):
                return TOO_LARGE
            for k in range(start[q + 1] - 1, start[q] - 1, -1):
                stack[height], owner[height] = symbols[k], nodes - 1
                height += 1
    for i in range(nodes - 1, 0, -1):
        size[parent[i]] += size[i]
    return nodes


@kernel
def equal_trees(
    label_a: np.ndarray, size_a: np.ndarray, a: int, label_b: np.ndarray, size_b: np.ndarray, b: int
) -> bool:
    """Whether all below node a of one tree and node b of another is the same."""
    if size_a[a] != size_b[b]:
        return False
    for k in range(size_a[a]):
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
        while a < end_a and b < end_b and equal_trees(label_a, size_a, a, label_b, size_b, b):
            step = size_a[a]
            a += step
            b += step
        while a < end_a and b < end_b:
            last_a, last_b = last_root(size_a, a, end_a), last_root(size_b, b, end_b)
            if not equal_trees(label_a, size_a, last_a, label_b, size_b, last_b):
                break
            end_a, end_b = last_a, last_b
        if a == end_a or b == end_b or size_a[a] < end_a - a or size_b[b] < end_b - b or label_a[a] != label_b[b]:
            return a, end_a, b, end_b
        a += 1
        b += 1


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
def tree_distances(
    productions_a: np.ndarray,
    offsets_a: np.ndarray,
    productions_b: np.ndarray,
    offsets_b: np.ndarray,
    first: np.ndarray,  # [P] which derivation of a,
    second: np.ndarray,  # [P] and which of b
    start: np.ndarray,
    symbols: np.ndarray,
    most: int,
) -> np.ndarray:
    """The edits between the trees of each pair [P], TOO_LARGE where one has more than `most` nodes."""
    out = np.empty(len(first), np.int32)
    label_a, size_a, level_a = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int32)
    label_b, size_b, level_b = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int32)
    parent, stack, owner = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int32)
    post, left = np.empty((2, most + 1), np.int32), np.empty((2, most + 1), np.int32)
    roots, last = np.empty((2, most + 1), np.int32), np.empty(most + 1, np.int32)
    trees, forests = np.empty((most + 1, most + 1), np.int16), np.empty((most + 2, most + 2), np.int16)
    n_a = 0
    for p in range(len(first)):
        i, j = first[p], second[p]
        if p == 0 or i != first[p - 1]:
            n_a = grow(
                productions_a, offsets_a[i], start, symbols,
                label_a, size_a, level_a, parent, stack, owner,
            )  # fmt: skip
        n_b = grow(
            productions_b, offsets_b[j], start, symbols,
            label_b, size_b, level_b, parent, stack, owner,
        )  # fmt: skip
        if n_a == TOO_LARGE or n_b == TOO_LARGE:
            out[p] = TOO_LARGE
            continue
        a, end_a, b, end_b = trimmed(label_a, size_a, n_a, label_b, size_b, n_b)
        if a == end_a or b == end_b:
            out[p] = end_a - a + end_b - b
            continue
        mirrored, least = False, 0
        for side in range(2):  # seen in a mirror, trees that grow to the right are less work
            _, work_a = in_postorder(label_a, size_a, level_a, a, end_a, side == 1, post[0], left[0], roots[0], last)
            _, work_b = in_postorder(label_b, size_b, level_b, b, end_b, side == 1, post[1], left[1], roots[1], last)
            if side == 0 or work_a * work_b < least:
                mirrored, least = side == 1, work_a * work_b
        count_a, _ = in_postorder(label_a, size_a, level_a, a, end_a, mirrored, post[0], left[0], roots[0], last)
        count_b, _ = in_postorder(label_b, size_b, level_b, b, end_b, mirrored, post[1], left[1], roots[1], last)
        out[p] = zhang_shasha(
            post[0], left[0], roots[0, :count_a], post[1], left[1], roots[1, :count_b], trees, forests
        )
    return out


@kernel
def spell(
    productions: np.ndarray,
    offsets: np.ndarray,
    start: np.ndarray,
    symbols: np.ndarray,
    silent: int,  # the terminal that is no token: an empty text; -1 where there is none
) -> tuple[np.ndarray, np.ndarray]:
    """The terminals of all derivations (ragged), by their numbers; offsets [N+1]."""
    n = len(offsets) - 1
    ends = np.zeros(n + 1, np.int64)
    stack = np.empty(64, np.int32)
    tokens = np.empty(64, np.int32)
    end = 0
    for i in range(n):
        step, height = offsets[i], 0
        if offsets[i + 1] > offsets[i]:
            stack[0], height = 0, 1
        while height > 0:
            height -= 1
            symbol = stack[height]
            if symbol >= 0:
                q = productions[step]
                step += 1
                while height + start[q + 1] - start[q] > len(stack):
                    stack = longer(stack)
                for k in range(start[q + 1] - 1, start[q] - 1, -1):
                    stack[height] = symbols[k]
                    height += 1
            elif ~symbol != silent:
                if end == len(tokens):
                    tokens = longer(tokens)
                tokens[end] = ~symbol
                end += 1
        ends[i + 1] = end
    return tokens[:end].copy(), ends


@kernel
def longer(array: np.ndarray) -> np.ndarray:
    """A copy of an array with room for as many entries again."""
    stays_apart()
    larger = np.empty(2 * len(array), array.dtype)
    larger[: len(array)] = array
    return larger


@kernel
def token_distances(
    tokens_a: np.ndarray,
    ends_a: np.ndarray,
    tokens_b: np.ndarray,
    ends_b: np.ndarray,
    first: np.ndarray,  # [P] which text of a,
    second: np.ndarray,  # [P] and which of b
) -> np.ndarray:
    """The tokens to be inserted, deleted or replaced between the texts of each pair [P] (Levenshtein 1966)."""
    out = np.empty(len(first), np.int32)
    row = np.empty(64, np.int32)
    for p in range(len(first)):
        a, end_a = ends_a[first[p]], ends_a[first[p] + 1]
        b, end_b = ends_b[second[p]], ends_b[second[p] + 1]
        while a < end_a and b < end_b and tokens_a[a] == tokens_b[b]:
            a += 1
            b += 1
        while a < end_a and b < end_b and tokens_a[end_a - 1] == tokens_b[end_b - 1]:
            end_a -= 1
            end_b -= 1
        n = end_b - b
        while n + 1 > len(row):
            row = longer(row)
        for j in range(n + 1):
            row[j] = j
        for i in range(end_a - a):
            corner = row[0]
            row[0] = i + 1
            for j in range(n):
                replaced = corner + (tokens_a[a + i] != tokens_b[b + j])
                corner = row[j + 1]
                row[j + 1] = min(replaced, min(corner, row[j]) + 1)
        out[p] = row[n]
    return out
