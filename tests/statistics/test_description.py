from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.errors import DataError
from gramarye.statistics import Description, describe

INF = math.inf
LEFT_OUT = "are left out of the mean and the standard deviation"


def test_numbers_by_hand() -> None:
    assert describe([4, 1, 3, 2]) == Description(
        n=4,
        mean=2.5,
        standard_deviation=pytest.approx(math.sqrt(5 / 3)),  # type: ignore[arg-type]
        median=2.5,
        lower_quartile=1.75,
        upper_quartile=3.25,
        minimum=1.0,
        maximum=4.0,
        not_finite=0,
        note="",
    )


# NIST Statistical Reference Datasets, univariate summary statistics, with certified values.
@pytest.mark.parametrize(
    ("sample", "mean", "deviation"),
    [
        ([10000001, 10000003, 10000002], 10000002, 1),  # NumAcc1
        ([1.2] + [1.1, 1.3] * 500, 1.2, 0.1),  # NumAcc2
        ([1000000.2] + [1000000.1, 1000000.3] * 500, 1000000.2, 0.1),  # NumAcc3
        ([10000000.2] + [10000000.1, 10000000.3] * 500, 10000000.2, 0.1),  # NumAcc4
    ],
)
def test_the_numerical_accuracy_sets_of_nist(sample: list[float], mean: float, deviation: float) -> None:
    found = describe(sample)
    assert found.mean == pytest.approx(mean, rel=1e-13)
    assert found.standard_deviation == pytest.approx(deviation, rel=1e-7)


@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=30))
def test_numpy_and_pythons_own_statistics_agree(sample: list[float]) -> None:
    found = describe(sample)
    quartiles = [found.lower_quartile, found.median, found.upper_quartile]
    assert quartiles == pytest.approx(np.quantile(sample, [0.25, 0.5, 0.75]), rel=1e-12, abs=1e-12)
    assert found.mean == pytest.approx(statistics.fmean(sample), rel=1e-9, abs=1e-6)
    assert found.standard_deviation == pytest.approx(statistics.stdev(sample), rel=1e-6, abs=1e-6)
    assert (found.n, found.minimum, found.maximum) == (len(sample), min(sample), max(sample))


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=12))
def test_whatever_the_sample_no_number_is_nan_and_they_are_in_order(sample: list[float]) -> None:
    found = describe(sample)
    order: list[Any] = [found.minimum, found.lower_quartile, found.median, found.upper_quartile, found.maximum]
    assert order == sorted(order)
    assert not any(math.isnan(x) for x in (*order, found.mean or 0, found.standard_deviation or 0))
    assert found.not_finite == sum(map(math.isinf, sample))


def test_infinity_is_the_largest_value_and_left_out_of_the_mean() -> None:
    found = describe([INF, 1, 2, 3, INF])
    assert (found.n, found.not_finite) == (5, 2)
    assert (found.mean, found.standard_deviation) == (2.0, 1.0)
    assert (found.lower_quartile, found.median, found.upper_quartile, found.maximum) == (2.0, 3.0, INF, INF)
    assert found.note == f"infinite values (2 of 5) {LEFT_OUT}"


def test_squares_of_large_and_small_values_neither_overflow_nor_vanish() -> None:
    for scale in (1e300, 1e-300):
        found = describe([1 * scale, 2 * scale, 3 * scale])
        assert (found.mean, found.standard_deviation) == (pytest.approx(2 * scale), pytest.approx(scale))


@pytest.mark.parametrize(
    ("sample", "mean", "deviation", "median", "note"),
    [
        ([], None, None, None, "no runs"),
        ([3], 3.0, None, 3.0, "one finite value: no standard deviation"),
        ([0.1] * 3, 0.1, 0.0, 0.1, "all values are the same"),
        (
            [INF, 1],
            1.0,
            None,
            INF,
            f"infinite values (1 of 2) {LEFT_OUT}; one finite value: no standard deviation",
        ),
        (
            [INF],
            None,
            None,
            INF,
            f"infinite values (1 of 1) {LEFT_OUT}; no finite value: no mean",
        ),
    ],
)
def test_degenerate_samples(
    sample: list[float], mean: float | None, deviation: float | None, median: float | None, note: str
) -> None:
    found = describe(sample)
    assert (found.mean, found.standard_deviation, found.median, found.note) == (mean, deviation, median, note)


def test_nan_is_refused() -> None:
    with pytest.raises(DataError, match="run 1 of the sample is NaN"):
        describe([math.nan])
