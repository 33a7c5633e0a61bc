from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.errors import DataError, SettingsError
from gramarye.statistics import equivalence

# Hours of sleep that ten patients gained by two drugs (A. R. Cushny and A. R. Peebles 1905; Student 1908).
FIRST = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


def test_the_two_drugs_of_student_are_not_equivalent_by_half_an_hour() -> None:
    # A. Caldwell, "An Introduction to t_TOST" (TOSTER): t(9) is -2.78 and -5.35, the interval [-2.293, -0.867].
    found = equivalence(np.subtract(FIRST, SECOND), (-0.5, 0.5))
    assert found.mean == pytest.approx(-1.58)
    assert found.p_low == pytest.approx(0.989, abs=5e-4)
    assert found.p_high == pytest.approx(0.0002, abs=5e-5)
    assert found.p == found.p_low
    assert (found.low, found.high) == (pytest.approx(-2.293, abs=5e-4), pytest.approx(-0.867, abs=5e-4))
    assert (found.confidence, found.note) == (pytest.approx(0.9), "")


def test_a_sample_of_lakens_s_package_is_equivalent() -> None:
    # D. Lakens, TOSTER, example of TOSTone: mean 0.54, standard deviation 1.2, n 100; margins of 0.3 deviations around
    # 0.5 give t(99) 3.33 and -2.67, p 0.0006 and 0.004, and the interval [-0.159, 0.239] of the difference from 0.5.
    spread = np.arange(100.0)
    sample = 0.54 + 1.2 * (spread - spread.mean()) / spread.std(ddof=1)
    found = equivalence(sample, (0.5 - 0.36, 0.5 + 0.36))
    assert found.p_low == pytest.approx(0.0006, abs=5e-5)
    assert found.p == found.p_high == pytest.approx(0.004, abs=5e-4)
    assert found.low == pytest.approx(0.5 - 0.159, abs=5e-4)
    assert found.high == pytest.approx(0.5 + 0.239, abs=5e-4)


@given(
    st.lists(st.integers(-9, 9), min_size=3, max_size=9).filter(lambda values: len(set(values)) > 1),
    st.tuples(st.integers(-9, 0), st.integers(1, 9)),
    st.sampled_from([0.01, 0.05, 0.2]),
)
def test_p_is_below_the_level_where_the_interval_lies_within_the_margins(
    sample: list[int], margins: tuple[int, int], level: float
) -> None:
    found = equivalence(sample, margins, level=level)
    assert found.p is not None
    assert found.low is not None
    assert found.high is not None
    gap = min(found.low - margins[0], margins[1] - found.high)
    if abs(gap) > 1e-9:
        assert (found.p < level) == (gap > 0)


def test_without_spread_there_is_no_test() -> None:
    assert equivalence([], (-1, 1)).note == "no runs; fewer than two values: no test"
    assert equivalence([0.5], (0, 1)).p is None
    same = equivalence([0.5, 0.5], (0, 1))
    assert (same.mean, same.p, same.note) == (0.5, None, "all values are the same; no test")


def test_infinite_values_are_left_out_and_noted() -> None:
    found = equivalence([0.4, 0.5, 0.6, math.inf], (0.0, 1.0))
    assert found.mean == pytest.approx(0.5)
    assert "(1 of 4)" in found.note


@pytest.mark.parametrize("margins", [(0.5, 0.5), (1, 0), (math.nan, 1), (0, math.inf), ("0", 1)])
def test_margins_are_two_numbers(margins: tuple[float, float]) -> None:
    with pytest.raises(DataError, match="the margins are"):
        equivalence([1, 2, 3], margins)


def test_the_level_is_a_share() -> None:
    with pytest.raises(SettingsError, match="level is 5"):
        equivalence([1, 2, 3], (0, 1), level=5)
