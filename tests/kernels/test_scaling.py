from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.kernels import scaling
from tests import twins

Floats = NDArray[np.float64]


def fit(output: Floats, target: Floats, weights: Floats | None = None) -> tuple[float, float]:
    weights = np.zeros(0) if weights is None else weights
    w = weights if len(weights) else np.ones(len(target))
    lines = np.empty((1, 2))
    mean = math.fsum(w * target) / math.fsum(w)
    scaling.fit_lines(output[None].copy(), target, weights, math.fsum(w), mean, lines)
    return lines[0, 0], lines[0, 1]


POINTS = st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50), st.floats(0.1, 5)), min_size=3, max_size=40)


@given(POINTS, st.booleans(), st.sampled_from([0.0, 1e4, -1e7]))
def test_a_line_is_that_of_the_twin(points: list[tuple[float, float, float]], weighted: bool, offset: float) -> None:
    f, y, w = np.array(points).T.copy()
    f = f + offset
    w = w if weighted else np.ones(len(w))
    if f.std() < 1e-3:  # the slope itself is as uncertain as the outputs are
        return
    intercept, slope = fit(f, y, w if weighted else None)
    expected = twins.fit_line(f.tolist(), y.tolist(), w.tolist())
    predicted, wanted = intercept + slope * f, expected[0] + expected[1] * f
    size = 1 + abs(expected[1]) * (1 + abs(offset))
    assert np.abs(predicted - wanted).max() < 1e-9 * size
    assert slope == pytest.approx(expected[1], rel=1e-6, abs=1e-6)


@given(POINTS, st.booleans())
def test_a_line_is_that_of_polyfit(points: list[tuple[float, float, float]], weighted: bool) -> None:
    f, y, w = np.array(points).T.copy()
    if f.std() < 1e-2:
        return
    slope, intercept = np.polyfit(f, y, 1, w=np.sqrt(w) if weighted else None)
    found = fit(f, y, w if weighted else None)
    assert found[0] + found[1] * f == pytest.approx(intercept + slope * f, rel=1e-6, abs=1e-6)


def test_a_line_is_recovered_far_from_zero() -> None:
    """Sums of outputs themselves would have lost all digits of their variance."""
    steps = np.arange(200.0)
    intercept, slope = fit(1e9 + steps, 3.0 * steps - 7.0, 1 + steps % 3)
    assert slope == pytest.approx(3.0, rel=1e-12)
    assert slope * 1e9 + intercept == pytest.approx(-7.0, abs=1e-5)
    assert fit(np.r_[1e12, 1e9 + steps], np.r_[3e12, 3e9 + 3 * steps])[1] == pytest.approx(3.0, rel=1e-12)


def test_a_constant_has_the_slope_0_and_the_mean_as_intercept() -> None:
    y = np.array([1.0, 2.0, 6.0])
    assert fit(np.full(3, 0.1), y) == (3.0, 0.0)
    assert fit(np.full(3, 0.1), y, np.array([2.0, 1.0, 1.0])) == (2.5, 0.0)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e200])
def test_what_is_not_finite_has_no_line(bad: float) -> None:
    for place in range(3):
        output = np.array([1.0, 2.0, 3.0])
        output[place] = bad
        assert np.isnan(fit(output, np.array([1.0, 2.0, 6.0]))).all()


@given(POINTS, st.booleans(), st.booleans())
def test_errors_of_predictions_are_added_up_in_sixteen_lanes(
    points: list[tuple[float, float, float]], weighted: bool, absolute: bool
) -> None:
    f, y, w = np.array(points).T.copy()
    sums = np.empty(2)
    scaling.sum_apart(np.stack([f, np.full(len(f), math.nan)]), y, w if weighted else np.zeros(0), absolute, sums)
    terms = np.abs(f - y) if absolute else (f - y) * (f - y)
    assert sums[0] == twins.add_in_lanes((terms * w if weighted else terms).tolist())
    assert math.isnan(sums[1])
