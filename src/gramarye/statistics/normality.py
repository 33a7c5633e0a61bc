"""Tests about normal distributions: Welch's, for means that a paper prints, and Shapiro and Wilk's."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gramarye.errors import DataError
from gramarye.statistics.samples import (
    as_sample,
    check_share,
    check_whole,
    constant,
    is_number,
    joined,
    load_scipy,
    scaled,
    without_infinities,
)

MOST_VALUES = 5000  # Royston's approximation of p (1995) is made for no more
LARGEST = 1e300  # beyond, a difference or the ends of its interval overflow


@dataclass(frozen=True)
class Welch:
    """A two-sided test of Welch: t, its degrees of freedom, p, and mean1 − mean2 with its interval."""

    statistic: float | None
    p: float | None
    degrees_of_freedom: float | None
    difference: float
    low: float | None
    high: float | None
    confidence: float
    note: str


def welch(mean1: float, sd1: float, n1: int, mean2: float, sd2: float, n2: int, *, confidence: float = 0.95) -> Welch:
    """Whether two means differ, from the numbers that papers print (Welch 1947); sd with n − 1."""
    check_share("confidence", confidence)
    _check_numbers(mean1, sd1, n1, "1")
    _check_numbers(mean2, sd2, n2, "2")
    difference = float(mean1) - float(mean2)
    if min(n1, n2) < 2:
        return Welch(None, None, None, difference, None, None, confidence, "one run: no test")
    largest = float(max(sd1, sd2))
    if not largest:
        return Welch(None, None, None, difference, None, None, confidence, "both deviations are 0: no test")
    # In units of the larger deviation: its square is 1, neither 0 nor infinite.
    sd1, sd2 = float(sd1) / largest, float(sd2) / largest
    stats = load_scipy()
    result = stats.ttest_ind_from_stats(difference / largest, sd1, n1, 0.0, sd2, n2, equal_var=False)
    v1, v2 = sd1**2 / n1, sd2**2 / n2
    freedom = (v1 + v2) ** 2 / (v1**2 / (n1 - 1) + v2**2 / (n2 - 1))
    error = math.sqrt(v1 + v2) * largest
    half = float(stats.t.ppf((1 + confidence) / 2, freedom)) * error
    low, high = difference - half, difference + half
    return Welch(float(result.statistic), float(result.pvalue), freedom, difference, low, high, confidence, "")


def _check_numbers(mean: float, sd: float, n: int, which: str) -> None:
    if not (is_number(mean) and abs(mean) < LARGEST):
        raise DataError(f"mean{which} is {mean!r}: it must be a number between -{LARGEST:g} and {LARGEST:g}")
    if not (is_number(sd) and 0 <= sd < LARGEST):
        raise DataError(f"sd{which} is {sd!r}: it must be a number between 0 and {LARGEST:g}")
    check_whole(f"n{which}", n, 1)


@dataclass(frozen=True)
class Shapiro:
    """A Shapiro–Wilk test: W, near 1 for a normal distribution, and p; None where no test is possible."""

    statistic: float | None
    p: float | None
    note: str


def shapiro(sample: ArrayLike) -> Shapiro:
    """Whether a sample may come from a normal distribution (Shapiro & Wilk 1965; p by Royston 1995)."""
    values, note = without_infinities(as_sample(sample, "the sample"), "the test")
    if len(values) < 3:
        return Shapiro(None, None, joined(note, f"fewer than three values ({len(values)}): no test"))
    if constant(values):
        return Shapiro(None, None, joined("all values are the same: no test", note))
    if len(values) > MOST_VALUES:
        return Shapiro(None, None, joined(note, f"more than {MOST_VALUES} values: no test, p would be unreliable"))
    # W knows no scale, but SciPy takes a range below 1e-19 for zero.
    small = np.sort(scaled(values)[0])
    result = load_scipy().shapiro((small - small[0]) / (small[-1] - small[0]))
    return Shapiro(float(result.statistic), float(result.pvalue), note)
