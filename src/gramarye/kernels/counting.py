"""How often a population used each production: what models are estimated from."""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel


@kernel
def count(
    productions: np.ndarray,  # [total]
    offsets: np.ndarray,  # [N+1]
    individuals: np.ndarray,  # [n] whom to count
    weights: np.ndarray,  # [n] float64, of one individual each
    left: np.ndarray,  # [R] non-terminal on the left of each production
    per_individual: bool,  # count shares of a non-terminal's uses: large trees weigh no more than small ones
) -> np.ndarray:
    """The weighted counts [R] of some individuals, added in their order."""
    counts = np.zeros(len(left))
    used = np.zeros(len(left), np.int64)
    of_symbol = np.zeros(len(left), np.int64)  # there are no more non-terminals than productions
    for k in range(len(individuals)):
        begin, end = offsets[individuals[k]], offsets[individuals[k] + 1]
        if not per_individual:
            for step in range(begin, end):
                counts[productions[step]] += weights[k]
            continue
        for step in range(begin, end):
            q = productions[step]
            used[q] += 1
            of_symbol[left[q]] += 1
        for step in range(begin, end):
            q = productions[step]
            if used[q] > 0:
                counts[q] += weights[k] * used[q] / of_symbol[left[q]]
                used[q] = 0
        for step in range(begin, end):
            of_symbol[left[productions[step]]] = 0
    return counts
