"""How many rows a weight stands for."""

from __future__ import annotations

import numpy as np
import pytest

from gramarye.data.merged_rows import numbers_of_rows


@pytest.mark.parametrize("weights", [[1, 1, 1], [2, 2, 2], [0, 3, 1], [1e6, 2e6, 0], [0, 0, 0]])
def test_whole_numbers_are_counts(weights: list[float]) -> None:
    assert numbers_of_rows(np.array(weights, float)).tolist() == weights


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 0.005, 0.3, 1.5, 1e200, 1e308])
def test_equal_weights_that_are_not_counts_are_those_of_single_rows(scale: float) -> None:
    assert numbers_of_rows(np.full(7, scale)).tolist() == [1.0] * 7


@pytest.mark.parametrize("scale", [1e-300, 0.2, 2.5, 1e200])
def test_of_other_weights_only_the_ratios_matter(scale: float) -> None:
    weights = np.array([0.0, 0.5, 1.25, 3.0, 1.0])
    found = numbers_of_rows(scale * weights)
    np.testing.assert_allclose(found, weights / weights[1:].mean(), rtol=1e-15)
    assert found.sum() == pytest.approx(4)


def test_weights_of_mean_1_stay_as_they_are() -> None:
    weights = np.random.default_rng(1).uniform(0.1, 2, 50)
    weights /= weights.mean()
    assert numbers_of_rows(weights).tolist() == weights.tolist()
