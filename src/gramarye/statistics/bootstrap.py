"""Percentile bootstrap intervals (Efron & Tibshirani 1993, chapter 13) of a mean, a median and A12.

The percentile interval, not BCa: BCa's correction comes from a jackknife, which does not work for a median and is
undefined where A12 is 0 or 1. The percentiles always exist, never leave the range of the statistic, and differ little
from BCa's with the thirty or more runs that are usual.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.statistics.description import between, mean_of, quantile
from gramarye.statistics.effects import a12_of_places, places
from gramarye.statistics.samples import (
    as_sample,
    check_share,
    check_whole,
    constant,
    joined,
    ranked_infinities,
    scaled,
    without_infinities,
)

FEW_RUNS = 10
TOGETHER = 64  # resamples at a time: memory stays small
RESAMPLES = 2000  # another seed moves the ends by about a sixtieth of the width


@dataclass(frozen=True)
class Interval:
    """An estimate with the ends of its interval; the ends are None where there is none."""

    estimate: float | None
    low: float | None
    high: float | None
    confidence: float
    note: str


def mean_interval(
    sample: ArrayLike, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """The mean of the finite values and its interval; the same seed gives the same ends."""
    rng = _checked(confidence, resamples, seed)
    values, note = without_infinities(np.sort(as_sample(sample, "the sample")), "the mean")
    estimate = mean_of(values) if len(values) else None
    if len(values) < 2 or constant(values):
        return _degenerate(estimate, values, confidence, note)
    small, scale = scaled(values)
    means = small[_drawn(rng, len(values), resamples)].mean(1) * scale
    return _interval(estimate, means, confidence, joined(note, _few(values)))


def median_interval(
    sample: ArrayLike, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """The median and its interval, infinity taken as the largest value; the same seed gives the same ends."""
    rng = _checked(confidence, resamples, seed)
    values = np.sort(as_sample(sample, "the sample"))
    estimate = quantile(values, 0.5) if len(values) else None
    if len(values) < 2 or constant(values):
        return _degenerate(estimate, values, confidence, ranked_infinities(values))
    n = len(values)
    middle = (n - 1) // 2, n // 2
    places = np.partition(_drawn(rng, n, resamples), middle, axis=1)  # of the sorted values: infinity needs no care
    medians = between(values[places[:, middle[0]]], values[places[:, middle[1]]], 0.5)
    return _interval(estimate, medians, confidence, joined(ranked_infinities(values), _few(values)))


def a12_interval(
    a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """A12 and its interval, above 0.5 where `a` is better, that is smaller; the same seed gives the same ends."""
    rng = _checked(confidence, resamples, seed)
    first, second = np.sort(as_sample(a, "a")), np.sort(as_sample(b, "b"))
    m, n = len(first), len(second)
    if not m or not n:
        return Interval(None, None, None, confidence, f"no runs in {'b' if m else 'a'}: no A12")
    below, until = places(first, second)
    estimate = a12_of_places(below, until, n)
    if min(m, n) == 1:
        which = "each" if m == n else "in a" if m == 1 else "in b"
        return Interval(estimate, None, None, confidence, f"one run {which}: no interval")
    drawn = _a12s(_counted(rng, m, resamples), _counted(rng, n, resamples), below, until)
    apart = "the samples don't overlap: the interval has no width" if estimate in (0, 1) else ""
    same = "all values are the same: the interval has no width" if constant(first, second) else ""
    few = "" if apart or same else _few(min(first, second, key=len))
    note = joined(apart, same, ranked_infinities(first, second), few)
    return _interval(estimate, drawn, confidence, note)


def _a12s(
    mine: NDArray[np.uint32],  # [resamples, m] how often each run was drawn
    theirs: NDArray[np.uint32],  # [resamples, n]
    below: NDArray[np.int64],  # [m] how many of the other sample are smaller than each run,
    until: NDArray[np.int64],  # [m] and how many are smaller or equal
) -> NDArray[np.float64]:
    """A12 of each resample, some at a time: from running sums, not from all pairs, of which there may be millions."""
    m, n = mine.shape[1], theirs.shape[1]
    found: NDArray[np.float64] = np.empty(len(mine))
    for i in range(0, len(mine), TOGETHER):
        sums = np.zeros((len(theirs[i : i + TOGETHER]), n + 1))
        np.cumsum(theirs[i : i + TOGETHER], axis=1, out=sums[:, 1:])
        won = n - (sums[:, below] + sums[:, until]) / 2
        found[i : i + TOGETHER] = (mine[i : i + TOGETHER] * won).sum(axis=1)
    found /= m * n
    return found


def _checked(confidence: float, resamples: int, seed: int) -> np.random.Generator:
    check_share("confidence", confidence)
    check_whole("resamples", resamples, 1)
    check_whole("seed", seed, 0)
    return np.random.default_rng(seed)


def _drawn(rng: np.random.Generator, n: int, resamples: int) -> NDArray[np.int64]:
    return rng.integers(n, size=(resamples, n))


def _counted(rng: np.random.Generator, n: int, resamples: int) -> NDArray[np.uint32]:
    """How often each of n runs was drawn, [resamples, n]."""
    counts = np.empty((resamples, n), np.uint32)
    for i in range(0, resamples, TOGETHER):
        drawn = _drawn(rng, n, min(TOGETHER, resamples - i))
        rows = n * np.arange(len(drawn))[:, None]
        counts[i : i + TOGETHER] = np.bincount((drawn + rows).ravel(), minlength=drawn.size).reshape(drawn.shape)
    return counts


def _interval(estimate: float | None, resampled: NDArray[np.float64], confidence: float, note: str) -> Interval:
    resampled.sort()
    tail = (1 - confidence) / 2
    return Interval(estimate, quantile(resampled, tail), quantile(resampled, 1 - tail), confidence, note)


def _degenerate(estimate: float | None, values: NDArray[np.float64], confidence: float, note: str) -> Interval:
    if len(values) < 2:
        reason = "one value: no interval" if len(values) else "no values: no interval"
        return Interval(estimate, None, None, confidence, joined(note, reason))
    note = joined("all values are the same: the interval has no width", note)
    return Interval(estimate, estimate, estimate, confidence, note)


def _few(values: NDArray[np.float64]) -> str:
    return f"fewer than {FEW_RUNS} values: the interval is likely too narrow" if len(values) < FEW_RUNS else ""
