"""Bootstrap intervals, against the bootstrap distribution with all its resamples."""

from __future__ import annotations

import itertools
import math
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.errors import DataError, SettingsError
from gramarye.statistics import Interval, a12, a12_interval, mean_interval, median_interval

INF = math.inf
SAME = "all values are the same: the interval has no width"
FEW = "fewer than 10 values: the interval is likely too narrow"

finite = st.floats(-1e6, 1e6)


def resamples_of(sample: list[float]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Every resample of a sample, [nⁿ, n]."""
    return np.array(list(itertools.product(sample, repeat=len(sample))), np.float64)


def wins(a: list[float], b: list[float]) -> float:
    share = a12(a, b)
    assert share is not None
    return share


class TestAgainstAllResamples:
    """A 60 % interval: its ends are far enough from the steps of the small distribution to be met exactly."""

    def test_mean(self) -> None:
        sample = [0.0, 1.0, 3.0, 10.0, 20.0]
        means = resamples_of(sample).mean(1)
        result = mean_interval(sample, confidence=0.6, resamples=50_000)
        assert result.estimate == np.mean(sample)
        assert [result.low, result.high] == pytest.approx(np.quantile(means, [0.2, 0.8]), abs=0.21)

    def test_median(self) -> None:
        sample = [0.0, 1.0, 3.0, 10.0, 20.0]
        result = median_interval(sample, confidence=0.6)
        ends = np.quantile(np.median(resamples_of(sample), axis=1), [0.2, 0.8])
        assert (result.estimate, result.low, result.high) == (3.0, *ends)

    def test_median_of_an_even_number(self) -> None:
        sample = [0.0, 1.0, 3.0, 10.0]
        result = median_interval(sample, confidence=0.6)
        ends = np.quantile(np.median(resamples_of(sample), axis=1), [0.2, 0.8])
        assert (result.estimate, result.low, result.high) == (2.0, *ends)

    def test_a12(self) -> None:
        a, b = [1.0, 3.0, 5.0], [2.0, 3.0, 6.0, 7.0]
        drawn = [wins(list(x), list(y)) for x in resamples_of(a) for y in resamples_of(b)]
        result = a12_interval(a, b, confidence=0.6, resamples=50_000)
        assert result.estimate == a12(a, b)
        assert [result.low, result.high] == pytest.approx(np.quantile(drawn, [0.2, 0.8]), abs=1e-9)


def test_the_interval_of_a_mean_is_that_of_the_normal_distribution_for_many_runs() -> None:
    sample = np.random.default_rng(3).normal(5, 2, 1000)
    result = mean_interval(sample)
    half = 1.96 * sample.std(ddof=1) / math.sqrt(1000)
    assert [result.low, result.high] == pytest.approx([sample.mean() - half, sample.mean() + half], abs=0.1 * half)
    assert (result.confidence, result.note) == (0.95, "")


def test_an_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    pairs = [(rng.normal(0, 1, 40), rng.normal(0.5, 1, 40)) for _ in range(200)]
    intervals = [a12_interval(a, b, confidence=0.9, resamples=400) for a, b in pairs]
    truth = 0.5 * math.erfc(-0.5 / 2)  # Φ(0.5 / √2)
    covered = np.mean([(i.low or 0) <= truth <= (i.high or 0) for i in intervals])
    assert 0.83 < covered < 0.96


@given(st.lists(finite, min_size=2, max_size=15), finite)
def test_the_interval_of_symmetric_data_contains_the_centre(half: list[float], centre: float) -> None:
    sample = [centre + x for x in half] + [centre - x for x in half]
    slack = 1e-9 * (1 + max(map(abs, sample)))
    for interval in (mean_interval(sample), median_interval(sample)):
        assert interval.low is not None
        assert interval.high is not None
        assert interval.low - slack <= centre <= interval.high + slack
        assert interval.estimate == pytest.approx(centre, abs=slack)


@given(st.lists(finite, min_size=2, max_size=15), st.randoms())
def test_neither_the_order_of_the_runs_nor_chance_matters(sample: list[float], random: Random) -> None:
    shuffled = list(sample)
    random.shuffle(shuffled)
    other = [x + 1 for x in sample]
    assert mean_interval(sample) == mean_interval(shuffled)
    assert median_interval(sample) == median_interval(shuffled)
    assert a12_interval(sample, other) == a12_interval(shuffled, other)


@given(
    st.lists(finite | st.just(INF), min_size=2, max_size=15), st.lists(finite | st.just(INF), min_size=2, max_size=15)
)
def test_ends_are_ordered_and_stay_in_the_range_of_the_statistic(a: list[float], b: list[float]) -> None:
    share, median = a12_interval(a, b), median_interval(a)
    assert None not in (share.low, share.high, median.low, median.high)
    assert 0 <= share.low <= share.high <= 1  # type: ignore[operator]
    assert min(a) <= median.low <= median.high <= max(a)  # type: ignore[operator]


def test_another_seed_gives_other_ends_and_more_confidence_wider_ones() -> None:
    sample = np.random.default_rng(1).normal(size=30)
    assert mean_interval(sample, seed=1) != mean_interval(sample, seed=2)
    narrow, wide = mean_interval(sample, confidence=0.5), mean_interval(sample, confidence=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high  # type: ignore[operator]


def test_infinite_values_are_left_out_of_a_mean_but_not_of_a_median() -> None:
    sample = [1.0, 2.0, 3.0, INF]
    mean, median = mean_interval(sample), median_interval(sample)
    assert (mean.estimate, mean.low, mean.high) == (2.0, mean_interval([1, 2, 3]).low, mean_interval([1, 2, 3]).high)
    assert mean.note == f"infinite values (1 of 4) are left out of the mean; {FEW}"
    assert (median.estimate, median.high) == (2.5, INF)
    assert median.note == f"infinite values (1) are tied as the worst; {FEW}"


def test_a_median_between_both_infinities_is_the_larger() -> None:
    result = median_interval([-INF, INF])
    assert (result.estimate, result.low, result.high) == (INF, -INF, INF)
    assert median_interval([-INF, 1.0]).estimate == -INF


def test_large_and_small_values_keep_their_digits() -> None:
    sample = np.array([1.0, 2.0, 4.0, 7.0, 11.0])
    plain = mean_interval(sample)
    for scale in (2.0**1020, 2.0**-1040):
        result = mean_interval(sample * scale)
        assert (result.estimate, result.low, result.high) == (
            (plain.estimate or 0) * scale,
            (plain.low or 0) * scale,
            (plain.high or 0) * scale,
        )


@pytest.mark.parametrize("interval", [mean_interval, median_interval])
@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        ([], (None, None, None, "no values: no interval")),
        ([3], (3, None, None, "one value: no interval")),
        ([0.1, 0.1, 0.1], (0.1, 0.1, 0.1, SAME)),
    ],
)
def test_degenerate_samples(interval: Any, sample: list[float], expected: tuple[Any, ...]) -> None:
    estimate, low, high, note = expected
    assert interval(sample) == Interval(estimate, low, high, 0.95, note)


def test_nothing_but_infinities_has_a_median_and_no_mean() -> None:
    left_out = "infinite values (2 of 2) are left out of the mean; no values: no interval"
    assert mean_interval([INF, INF]) == Interval(None, None, None, 0.95, left_out)
    tied = f"{SAME}; infinite values (2) are tied as the worst"
    assert median_interval([INF, INF]) == Interval(INF, INF, INF, 0.95, tied)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([], [1], (None, None, None, "no runs in a: no A12")),
        ([1], [], (None, None, None, "no runs in b: no A12")),
        ([1], [2], (1.0, None, None, "one run each: no interval")),
        ([1], [1, 2], (0.75, None, None, "one run in a: no interval")),
        ([1, 2], [1], (0.25, None, None, "one run in b: no interval")),
        ([1, 1], [1, 1, 1], (0.5, 0.5, 0.5, SAME)),
        ([1, 2], [3, 4], (1.0, 1.0, 1.0, "the samples don't overlap: the interval has no width")),
        ([INF] * 2, [INF] * 2, (0.5, 0.5, 0.5, f"{SAME}; infinite values (4) are tied as the worst")),
        ([0, 0], [0, 1], (0.75, 0.5, 1.0, FEW)),
    ],
)
def test_degenerate_samples_of_a12(a: list[float], b: list[float], expected: tuple[Any, ...]) -> None:
    estimate, low, high, note = expected
    assert a12_interval(a, b) == Interval(estimate, low, high, 0.95, note)


@pytest.mark.parametrize("interval", [mean_interval, median_interval, lambda a, **rest: a12_interval(a, a, **rest)])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"confidence": 95}, "confidence is 95: it must lie between 0 and 1"),
        ({"confidence": math.nan}, "confidence is nan: it must lie between 0 and 1"),
        ({"resamples": 0}, "resamples is 0: it must be an integer, 1 or more"),
        ({"resamples": 10.5}, "resamples is 10.5: it must be an integer"),
        ({"seed": -1}, "seed is -1: it must be an integer, 0 or more"),
        ({"seed": None}, "seed is None: it must be an integer"),
    ],
)
def test_settings_out_of_range_are_refused(interval: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        interval([1.0, 2.0], **settings)


def test_nan_is_refused() -> None:
    with pytest.raises(DataError, match="run 2 of the sample is NaN"):
        mean_interval([1, math.nan])
