from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.languages.arithmetic.kernels import pursuit

Floats = NDArray[Any]


def twin(library: Floats, target: Floats, weights: Floats, most: int) -> tuple[list[int], Floats, float]:
    """By NumPy's least squares, and without the early end."""
    roots = np.sqrt(weights)
    middle, centre = np.average(target, weights=weights), np.average(library, axis=0, weights=weights)
    columns, wanted = (library - centre) * roots[:, None], (target - middle) * roots
    rest, chosen = wanted, list[int]()
    coefficients: Floats = np.zeros(0)
    for _ in range(most):
        scores = (columns.T @ rest) ** 2 / (columns**2).sum(axis=0)
        chosen.append(int(np.argmax(scores)))
        coefficients = np.linalg.lstsq(columns[:, chosen], wanted, rcond=None)[0]
        rest = wanted - columns[:, chosen] @ coefficients
    return chosen, coefficients, middle - float(coefficients @ centre[chosen])


@given(st.integers(0, 10**6), st.integers(1, 3), st.booleans())
def test_the_kernel_does_what_its_twin_does(seed: int, most: int, is_weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    library, target = rng.normal(2.0, 1.0, (40, 30)), rng.normal(size=40)
    weights = rng.uniform(0, 2, 40) if is_weighted else np.ones(40)
    chosen, coefficients, intercept = pursuit.pursue(library, target, weights, most)
    expected = twin(library, target, weights, most)
    assert chosen.tolist() == expected[0]
    np.testing.assert_allclose(coefficients, expected[1], rtol=1e-8, atol=1e-10)
    assert intercept == pytest.approx(expected[2], rel=1e-8, abs=1e-10)


def test_a_sum_of_two_columns_is_found_and_no_third_one_added() -> None:
    library = np.random.default_rng(0).normal(size=(60, 20))
    target = 3.0 * library[:, 4] - 0.5 * library[:, 17] + 2.0
    chosen, coefficients, intercept = pursuit.pursue(library, target, np.ones(60), 3)
    assert chosen.tolist() == [4, 17]
    np.testing.assert_allclose([*coefficients, intercept], [3.0, -0.5, 2.0])


def test_rows_without_weight_do_not_count() -> None:
    library = np.random.default_rng(0).normal(size=(60, 20))
    target = library[:, 4].copy()
    target[:10] = 1e9
    chosen, coefficients, _ = pursuit.pursue(library, target, (np.arange(60) >= 10).astype(float), 1)
    assert chosen.tolist() == [4]
    assert coefficients[0] == pytest.approx(1.0)


def test_constant_columns_and_a_constant_target_give_no_sum() -> None:
    library, rng = np.full((20, 3), 7.0), np.random.default_rng(0)
    assert len(pursuit.pursue(library, rng.normal(size=20), np.ones(20), 2)[0]) == 0
    chosen, _, intercept = pursuit.pursue(rng.normal(size=(20, 3)), np.full(20, 5.0), np.ones(20), 2)
    assert len(chosen) == 0
    assert intercept == 5.0
