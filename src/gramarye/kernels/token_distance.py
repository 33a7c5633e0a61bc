"""How many edits there are between two texts."""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel
from gramarye.kernels.flat import doubled


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
            row = doubled(row)
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
