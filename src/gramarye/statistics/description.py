"""A sample in a few numbers, infinite values included; and the mean of runs, generation by generation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.statistics.samples import as_sample, check_share, constant, joined, load_scipy, scaled, without_infinities


@dataclass(frozen=True)
class Description:
    """A sample in a few numbers. Mean and deviation are of the finite values; for the rest infinity is the largest."""

    n: int
    mean: float | None
    standard_deviation: float | None  # with n − 1
    median: float | None
    lower_quartile: float | None  # interpolated between its neighbours, as NumPy does
    upper_quartile: float | None
    minimum: float | None
    maximum: float | None
    not_finite: int
    note: str


def describe(sample: ArrayLike) -> Description:
    """Describe a sample; a number that it is too small for is None."""
    values = np.sort(as_sample(sample, "the sample"))
    if not len(values):
        return Description(0, None, None, None, None, None, None, None, 0, "no runs")
    finite, note = without_infinities(values, "the mean and the standard deviation")
    few = ("no finite value: no mean", "one finite value: no standard deviation", "")[min(len(finite), 2)]
    same = "all values are the same" if len(values) > 1 and constant(values) else ""
    return Description(
        n=len(values),
        mean=mean_of(finite) if len(finite) else None,
        standard_deviation=_deviation_of(finite) if len(finite) > 1 else None,
        median=quantile(values, 0.5),
        lower_quartile=quantile(values, 0.25),
        upper_quartile=quantile(values, 0.75),
        minimum=float(values[0]),
        maximum=float(values[-1]),
        not_finite=len(values) - len(finite),
        note=joined(same, note, few),
    )


def mean_of(finite: NDArray[np.float64]) -> float:
    """The mean, exact for a constant sample, and without overflow for large values."""
    if constant(finite):
        return float(finite[0])
    small, scale = scaled(finite)
    return float(small.mean()) * scale


def _deviation_of(finite: NDArray[np.float64]) -> float:
    if constant(finite):
        return 0.0
    small, scale = scaled(finite)
    return float(small.std(ddof=1)) * scale


def quantile(ordered: NDArray[np.float64], share: float) -> float:
    """The value at that share of a sorted sample, between its neighbours where there is none."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return float(between(ordered[[below]], ordered[[above]], place - below)[0])


def between(low: NDArray[np.float64], high: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """The value at that share of the way, without overflow; next to infinity it is infinite."""
    result = np.where((high == np.inf) & (share > 0), high, low)
    inner = np.isfinite(low) & np.isfinite(high)
    low, high = low[inner], high[inner]
    result[inner] = np.clip(low * (1 - share) + high * share, low, high)  # rounding must not leave the neighbours
    return result


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
