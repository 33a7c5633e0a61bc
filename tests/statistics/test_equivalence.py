from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gramarye.errors import DataError, SettingsError
from gramarye.statistics import equivalence

# Two visits of 15 patients with each of two treatments, and what R's package equivalence makes of them, as statsmodels
# has both for its own tests (statsmodels/stats/tests/test_tost.py): tost(a - b, epsilon=0.6).
VISITS = {
    "first": (
        [2.84, 2.51, 2.41, 2.95, 3.14, 3.79, 4.14, 3.85, 3.02, 3.45, 5.37, 3.81, 4.19, 3.16, 3.84],
        [2.60, 2.82, 2.18, 3.46, 4.01, 3.04, 3.47, 4.06, 2.91, 3.59, 4.51, 3.16, 3.86, 3.31, 3.02],
    ),
    "second": (
        [4.00, 3.26, 4.14, 3.42, 3.25, 4.34, 4.97, 4.31, 3.11, 3.41, 5.02, 4.21, 4.59, 5.30, 4.32],
        [3.76, 3.66, 3.65, 3.60, 3.48, 2.87, 3.24, 3.92, 3.99, 4.21, 4.21, 3.31, 3.61, 2.97, 2.73],
    ),
}


@pytest.mark.parametrize(
    ("visit", "mean", "p", "ends"),
    [
        ("first", 0.1646666666666667, 0.003166881489265175, (-0.0744336620516462, 0.4037669953849797)),
        ("second", 0.5626666666666665, 0.4412034046017588, (0.1261653305099018, 0.999168002823431)),
    ],
)
def test_two_treatments_have_the_p_and_the_interval_of_r(
    visit: str, mean: float, p: float, ends: tuple[float, float]
) -> None:
    found = equivalence(np.subtract(*VISITS[visit]), (-0.6, 0.6))
    assert found.mean == pytest.approx(mean)
    assert found.p == found.p_high == pytest.approx(p)
    assert (found.low, found.high) == pytest.approx(ends)
    assert (found.confidence, found.note) == (pytest.approx(0.9), "")


def test_an_example_of_lakens_by_hand() -> None:
    # D. Lakens's package TOSTER, example of TOSTone: mean 0.54, standard deviation 1.2, n 100; margins 0.3 deviations
    # around 0.5. The error is 0.12: t is (0.04 + 0.36) / 0.12 = 3.33 and (0.04 - 0.36) / 0.12 = -2.67.
    spread = np.arange(100.0)
    sample = 0.54 + 1.2 * (spread - spread.mean()) / spread.std(ddof=1)
    found = equivalence(sample, (0.5 - 0.36, 0.5 + 0.36))
    assert found.p_low == pytest.approx(stats.t.sf(0.40 / 0.12, 99))
    assert found.p == found.p_high == pytest.approx(stats.t.sf(0.32 / 0.12, 99))


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


@pytest.mark.parametrize("margins", [(0.5, 0.5), (1, 0), (math.nan, 1), (0, math.inf), ("0", 1), 0.06, (1, 2, 3)])
def test_margins_are_two_numbers(margins: Any) -> None:
    with pytest.raises(DataError, match=r"the margins are .*: give two numbers, the smaller one first"):
        equivalence([1, 2, 3], margins)


@pytest.mark.parametrize("level", [0.5, 0.7])
def test_a_level_leaves_an_interval(level: float) -> None:
    with pytest.raises(SettingsError, match=rf"level is {level}: it must be below 0\.5"):
        equivalence([1, 2, 3], (0, 1), level=level)


def test_the_level_is_a_share() -> None:
    with pytest.raises(SettingsError, match="level is 5"):
        equivalence([1, 2, 3], (0, 1), level=5)
