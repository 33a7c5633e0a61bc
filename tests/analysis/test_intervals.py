from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.analysis.intervals import Resampled, of_two_means, share

EVERYONE = np.ones(400, np.bool_)


def test_a_median_is_one_of_the_values_and_its_interval_holds_it() -> None:
    values = np.random.default_rng(1).lognormal(size=400)
    found = Resampled(40, 1).median(np.arange(400) // 10, values, EVERYONE)
    assert found.estimate == np.sort(values)[199]
    assert found.estimate is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.estimate < found.high < 2
    assert Resampled(40, 1).median(np.arange(400) // 10, values, ~EVERYONE).note == "nothing to measure"


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9))
def test_with_one_base_there_is_nothing_to_resample(values: list[int]) -> None:
    known = np.array(values, np.float64)
    found = Resampled(1, 0).median(np.zeros(len(values), np.int64), known, np.ones(len(values), np.bool_))
    assert found.low == found.high == found.estimate == sorted(values)[(len(values) - 1) // 2]


def test_a_correlation_has_an_interval_over_bases() -> None:
    rng = np.random.default_rng(2)
    a = rng.normal(size=400)
    b = 0.6 * a + 0.8 * rng.normal(size=400)
    found = Resampled(400, 1).correlation(np.arange(400), a, b)
    assert found.estimate == pytest.approx(np.corrcoef(a, b)[0, 1])
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low == pytest.approx(2 * 1.96 * (1 - 0.36) / 20, rel=0.25)  # by normal theory


def test_shares_and_ratios_have_intervals() -> None:
    half = share(50, 100, 1)
    assert (half.estimate, half.low, half.high) == pytest.approx((0.5, 0.4, 0.6), abs=0.03)
    ratio = of_two_means(np.full(50, 2.0), np.full(40, 4.0), 1)
    assert (ratio.estimate, ratio.low, ratio.high) == (0.5, 0.5, 0.5)
