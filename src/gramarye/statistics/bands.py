"""Confidence bands around a mean that moves, generation by generation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.statistics.samples import check_share, load_scipy


def mean_band(
    values: ArrayLike,  # [runs, G]
    confidence: float = 0.95,
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """The mean of each column, of its finite values, and the ends of its interval by Student's t; one run has none."""
    check_share("confidence", confidence)
    numbers = np.asarray(values, np.float64)
    finite = np.isfinite(numbers)
    count = finite.sum(axis=0)
    with np.errstate(all="ignore"):  # squares of a run that exploded may overflow: then the band is infinite
        none = np.where((numbers == -np.inf).all(axis=0), -np.inf, np.inf)  # of a column without a finite value
        mean = np.where(count > 0, np.where(finite, numbers, 0.0).sum(axis=0) / np.maximum(count, 1), none)
        if len(numbers) < 2:
            return mean, None, None
        squares = np.where(finite, (numbers - mean) ** 2, 0.0).sum(axis=0)
        freedom = np.maximum(count - 1, 1)
        half = load_scipy().t.ppf((1 + confidence) / 2, freedom) * np.sqrt(squares / freedom / np.maximum(count, 1))
    half = np.where(count > 1, half, 0.0)
    return mean, mean - half, mean + half
