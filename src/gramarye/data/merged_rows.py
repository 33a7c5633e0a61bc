"""The rows that a search sees: the same whatever their order, repeated or weighted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye.errors import DataError

MOST_ROWS = 2.0**53  # as a weight: above it, all floats are whole numbers


class Rows(NamedTuple):
    """Rows in order, no two alike."""

    X: NDArray[np.float64]  # [rows, V]
    y: NDArray[np.float64]  # [rows]
    weights: NDArray[np.float64] | None  # [rows]; None where all are 1


def numbers_of_rows(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many rows each row stands for: whole numbers are counts; of other weights, only the ratios matter.

    These are divided by their mean over the rows that count, so that all of these count as many as they are.
    """
    largest = weights.max()
    if largest <= MOST_ROWS and (weights == np.floor(weights)).all():
        return weights
    ratios = weights / largest  # their sum cannot overflow, and those of equal weights are exactly 1
    found = ratios / ratios[ratios > 0].mean()
    return weights if np.allclose(found, weights) else found


def merged(X: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]) -> Rows:
    """The rows that count, sorted; equal ones are one that counts as much as all of them.

    So a weight of 2 gives the same model as a row that is there twice.
    """
    counted = weights != 0
    if not counted.any():
        raise DataError("sample_weight is 0 in every row: at least two rows must count")
    X, y, weights = X[counted] + 0.0, y[counted] + 0.0, weights[counted]  # no negative zeros
    order = np.lexsort([weights, y, *X.T[::-1]])
    X, y, weights = X[order], y[order], weights[order]
    new = np.concatenate([[True], (X[1:] != X[:-1]).any(axis=1) | (y[1:] != y[:-1])])
    first = np.flatnonzero(new)
    if len(first) < 2:
        what = "only one row counts" if counted.sum() == 1 else "all rows that count are the same"
        raise DataError(f"{what}: there is nothing to learn")
    weights = np.add.reduceat(weights, first)
    return Rows(X[first], y[first], None if (weights == 1).all() else weights)
