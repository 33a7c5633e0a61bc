"""The squared error near the numbers of a formula, against least squares by numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import gramarye as gm
from gramarye.data import Dataset
from gramarye.languages import Arithmetic
from gramarye.languages.arithmetic.quadratic import Quadratic, slopes_of

Floats = NDArray[np.float64]


def refitted(slopes: Floats, residuals: Floats, start: Floats, fixed: dict[int, float]) -> tuple[Floats, float]:
    """The twin: the numbers where the error is least while some of them are fixed, and that error."""
    moved = np.array([fixed.get(i, value) for i, value in enumerate(start)])
    left = residuals - slopes @ (moved - start)
    free = [i for i in range(len(start)) if i not in fixed]
    moved[free] += np.linalg.lstsq(slopes[:, free], left, rcond=None)[0]
    return moved, float(((residuals - slopes @ (moved - start)) ** 2).sum())


@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.data())
def test_numbers_fixed_in_turn_leave_the_error_of_refitting_the_others(n: int, seed: int, data: st.DataObject) -> None:
    rng = np.random.default_rng(seed)
    slopes, residuals, start = rng.normal(size=(40, n)), rng.normal(size=40), rng.normal(size=n)
    never = {i: start[i] for i in range(n) if data.draw(st.booleans())} if n > 1 else {}
    free = np.array([i not in never for i in range(n)])
    near = Quadratic.of(slopes.T @ slopes, slopes.T @ residuals, start, free)
    values, error = refitted(slopes, residuals, start, never)
    assert near.values == pytest.approx(values, abs=1e-7)
    assert near.gain == pytest.approx((residuals**2).sum() - error, abs=1e-7)
    assert near.free == np.flatnonzero(free).tolist()
    fixed = dict(never)
    for i in data.draw(st.permutations(near.free)):
        fixed[i] = float(rng.normal())
        increase = near.increase(i, fixed[i])
        near = near.fixed(i, fixed[i])
        values, after = refitted(slopes, residuals, start, fixed)
        assert increase == pytest.approx(after - error, rel=1e-6, abs=1e-7)
        assert near.values == pytest.approx(values, abs=1e-6)
        assert near.values[i] == fixed[i]
        error = after
    assert near.free == []


def test_a_number_that_others_can_replace_costs_nothing_and_they_replace_it() -> None:
    slopes = np.random.default_rng(1).normal(size=(30, 2))
    slopes = np.column_stack([slopes, 2 * slopes[:, 0]])
    near = Quadratic.of(slopes.T @ slopes, np.zeros(3), np.ones(3), np.ones(3, np.bool_))
    assert near.increase(0, 5.0) == near.increase(2, 5.0) == 0.0
    assert near.increase(1, 5.0) > 1.0
    assert near.fixed(0, 2.0).values == pytest.approx([2.0, 1.0, 0.5], rel=1e-6)
    assert near.fixed(0, 2.0).increase(2, 1.0) > 0.1


def test_a_number_that_changes_no_prediction_costs_nothing_and_moves_no_other() -> None:
    slopes = np.column_stack([np.random.default_rng(1).normal(size=(30, 2)), np.zeros(30)])
    near = Quadratic.of(slopes.T @ slopes, np.zeros(3), np.ones(3), np.ones(3, np.bool_))
    assert near.increase(2, 1e9) < 1e-200
    assert near.fixed(2, 1e9).values.tolist() == [1.0, 1.0, 1e9]
    assert near.fixed(2, 1e9).free == [0, 1]


def test_a_number_far_beyond_its_square_costs_more_than_any_error() -> None:
    """A constant in a formula that hardly depends on it."""
    near = Quadratic.of(np.eye(1), np.zeros(1), np.array([1e200]), np.ones(1, np.bool_))
    assert near.increase(0, 9e199) == np.inf


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("terms", [1, 2, 4])
def test_derivatives_are_those_by_intercept_weights_and_constants(weighted: bool, terms: int) -> None:
    rng = np.random.default_rng(3)
    X = rng.uniform(1, 2, (1500, 2))
    counts = rng.integers(1, 4, 1500).astype(float) if weighted else np.zeros(0)
    data = Dataset(np.ascontiguousarray(X.T), rng.normal(5, 1, 1500), None, counts)
    grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | <e> - <e> | <e> * <e> | sin(<e>) | x | y | 2 | <const>")
    language = Arithmetic(grammar, 2)
    numbers = np.array([0.7, 1.3, -0.4])

    def predicted(values: Floats) -> Floats:
        text = "sin({} * x) + y * {} - x * 2 * sin(y + {})".format(
            *(f"({value!r})" if value < 0 else repr(float(value)) for value in values[-3:].tolist())
        )
        programs = language.programs(gm.parse(grammar, text).alone)
        weights = np.zeros(1 + terms)
        weights[: len(values) - 3] = values[:-3]
        return np.asarray(language.predictions(programs, data.columns, weights[None])[0])

    used = min(terms, 3)
    values = np.concatenate([rng.normal(size=1 + used), numbers])
    step = 1e-6
    slopes = np.array(
        [
            (predicted(values + step * unit) - predicted(values - step * unit)) / (2 * step)
            for unit in np.eye(len(values))
        ]
    ).T
    roots = np.sqrt(counts)[:, None] if weighted else 1.0
    residuals = roots * (data.target - predicted(values))[:, None]
    slopes = roots * slopes
    weights = np.zeros(1 + terms)
    weights[: 1 + used] = values[:-3]
    text = "sin(0.7 * x) + y * 1.3 - x * 2 * sin(y + (-0.4))"
    gram, products = slopes_of(language.programs(gm.parse(grammar, text).alone), data, weights)
    assert gram == pytest.approx(slopes.T @ slopes, rel=1e-6, abs=1e-6)
    assert products == pytest.approx((slopes.T @ residuals)[:, 0], rel=1e-5, abs=1e-4)
