"""Confidence bands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from gramarye.errors import SettingsError
from gramarye.statistics import mean_band

RNG = np.random.default_rng(1)


def test_a_band_is_students_interval_of_each_column() -> None:
    values = RNG.normal(size=(12, 5))
    mean, low, high = mean_band(values, 0.9)
    assert low is not None
    assert high is not None
    for g in range(5):
        column = values[:, g]
        ends = stats.t.interval(0.9, 11, column.mean(), stats.sem(column))
        assert (low[g], high[g]) == pytest.approx(ends)
        assert mean[g] == pytest.approx(column.mean())


def test_what_is_not_finite_is_left_out() -> None:
    values = RNG.normal(size=(6, 3))
    values[0, 1] = np.inf
    values[:, 2] = np.inf
    values[5, 2] = 2.0
    mean, low, high = mean_band(values)
    alone: Any = mean_band(values[1:, 1:2])
    assert low is not None
    assert high is not None
    assert (mean[1], low[1], high[1]) == pytest.approx([part[0] for part in alone])
    assert (mean[2], low[2], high[2]) == (2.0, 2.0, 2.0)


def test_a_column_without_a_finite_value_has_an_infinite_mean() -> None:
    mean, _, _ = mean_band([[np.inf, -np.inf], [np.inf, -np.inf]])
    assert mean.tolist() == [np.inf, -np.inf]


def test_one_run_has_no_band() -> None:
    mean, low, high = mean_band([[1.0, 2.0]])
    assert mean.tolist() == [1.0, 2.0]
    assert (low, high) == (None, None)


def test_a_run_that_exploded_gives_no_warning() -> None:
    mean, low, high = mean_band([[1e300], [1.0], [1e308]])
    assert low is not None
    assert high is not None
    assert mean[0] > 1e300
    assert not low[0] > -np.inf
    assert not high[0] < np.inf


def test_a_confidence_beyond_one_is_refused() -> None:
    with pytest.raises(SettingsError, match="confidence"):
        mean_band([[1.0], [2.0]], 1.5)
