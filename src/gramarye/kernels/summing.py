"""Sums in a fixed number of lanes: a result depends on the data alone, not on the processor."""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import COMPILED, kernel

LANES = 16

if COMPILED:

    @kernel
    def add_lanes(totals: np.ndarray, terms: np.ndarray) -> None:
        """Add term i to lane i mod LANES."""
        n = len(terms)
        whole = n - n % LANES
        for first in range(0, whole, LANES):
            for lane in range(LANES):
                totals[lane] += terms[first + lane]
        for i in range(whole, n):
            totals[i - whole] += terms[i]

else:

    def add_lanes(totals: np.ndarray, terms: np.ndarray) -> None:
        """Add term i to lane i mod LANES."""
        for first in range(0, len(terms), LANES):
            piece = terms[first : first + LANES]
            totals[: len(piece)] += piece


@kernel
def total_of(totals: np.ndarray) -> float:
    """The sum of all lanes, always in the same order."""
    total = 0.0
    for lane in range(LANES):
        total += totals[lane]
    return total
