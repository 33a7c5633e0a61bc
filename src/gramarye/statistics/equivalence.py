"""Equivalence by two one-sided tests: that an effect is small, which a large p of a test for a difference doesn't show.

D. J. Schuirmann. A Comparison of the Two One-Sided Tests Procedure and the Power Approach for Assessing the Equivalence
of Average Bioavailability. Journal of Pharmacokinetics and Biopharmaceutics 15(6), 1987.

The tests are Student's, on the mean, as Schuirmann has them: the margins are limits of a mean effect, and the test then
says the same as the interval of the mean, which is reported with it. Tests on signed ranks would be about the middle of
a symmetric distribution, which effects on different tasks need not have.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from gramarye.errors import DataError, SettingsError
from gramarye.statistics.description import describe
from gramarye.statistics.samples import as_sample, check_share, is_number, joined, load_scipy


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests of a mean; p is the larger of theirs: below the level, the mean lies within the margins."""

    mean: float | None
    p: float | None
    p_low: float | None  # that the mean is no more than the lower margin
    p_high: float | None  # that the mean is no less than the upper margin
    low: float | None  # the interval of the mean: within the margins where p is below the level
    high: float | None
    confidence: float
    note: str


def equivalence(sample: ArrayLike, margins: tuple[float, float], *, level: float = 0.05) -> Equivalence:
    """Whether the mean of the finite values lies within two margins; the interval leaves `level` on either side."""
    check_share("level", level)
    if level >= 0.5:
        raise SettingsError(f"level is {level!r}: it must be below 0.5, as 0.05 is, for an interval to be left")
    low, high = _checked(margins)
    confidence = 1 - 2 * level
    described = describe(as_sample(sample, "the sample"))
    n, mean, deviation = described.n - described.not_finite, described.mean, described.standard_deviation
    if mean is None or deviation is None or not deviation:
        reason = "fewer than two values: no test" if n < 2 else "no test"
        return Equivalence(mean, None, None, None, None, None, confidence, joined(described.note, reason))
    t = load_scipy().t
    error = deviation / math.sqrt(n)
    p_low, p_high = float(t.sf((mean - low) / error, n - 1)), float(t.cdf((mean - high) / error, n - 1))
    half = float(t.ppf(1 - level, n - 1)) * error
    return Equivalence(mean, max(p_low, p_high), p_low, p_high, mean - half, mean + half, confidence, described.note)


def _checked(margins: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = margins
    except (TypeError, ValueError):
        low = high = math.nan
    if not (is_number(low) and is_number(high) and -math.inf < low < high < math.inf):
        raise DataError(f"the margins are {margins!r}: give two numbers, the smaller one first, such as (0.44, 0.56)")
    return low, high
