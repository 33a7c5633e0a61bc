"""The tokens of derivations, and how many edits there are between two texts."""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel, stays_apart


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
