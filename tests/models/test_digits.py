"""Which numbers become simpler, and what that may cost."""

from __future__ import annotations

import numpy as np
import pytest

from gramarye.languages.arithmetic.quadratic import Quadratic
from gramarye.models.digits import HARMLESS, Fix, Precision
from gramarye.objectives.worth import price

ROWS = 100
PRECISION = Precision(ROWS, 1e-24, 1.0)


def near(values: list[float], errors: list[float]) -> Quadratic:
    """Numbers with these standard errors, none of which depends on another, where the squared error is ROWS."""
    gram = np.diag(1 / np.square(errors))
    return Quadratic.of(gram, np.zeros(len(values)), np.array(values), np.ones(len(values), np.bool_))


def simpler(value: float, error: float, *, number: int = 2, digits: range = range(16)) -> float | None:
    """What becomes of one number of a formula with an intercept and one term."""
    values, errors = [1e9] * 3, [1e-12] * 3
    values[number], errors[number] = value, error
    fixes = PRECISION.simpler(near(values, errors), ROWS, 1, digits)
    return next((fix.value for fix in fixes if fix.number == number), None)


@pytest.mark.parametrize(
    ("value", "error", "wanted"),
    [
        (0.30060, 0.001, 0.3),
        (0.30060, 0.0001, 0.3006),
        (-1.70001, 0.001, -1.7),
        (9.8104, 0.01, 9.8),
        (9.8102, 0.001, 9.81),
        (2.0000000000000004, 1e-13, 2.0),
        (0.96, 0.02, 1.0),
        (0.15, 0.1, 0.15),  # one digit is too far away, whatever the error
        (123456.0, 1e-9, 123456.0),
    ],
)
def test_a_constant_gets_the_digits_that_its_standard_error_supports(value: float, error: float, wanted: float) -> None:
    assert simpler(value, error) == wanted


def test_an_intercept_becomes_0_where_it_is_small_and_not_clearly_different() -> None:
    assert simpler(0.0034, 0.003, number=0) == 0.0
    assert simpler(0.0034, 0.0003, number=0) == 0.0034
    assert simpler(0.06, 0.1, number=0) == 0.06  # more than 5 % of the target's standard deviation


def test_only_weights_become_1_before_they_lose_digits() -> None:
    none = range(1)
    assert simpler(0.9985, 0.001, number=1, digits=none) == 1.0
    assert simpler(-0.9985, 0.001, number=1, digits=none) == -1.0
    assert simpler(0.9985, 0.0001, number=1, digits=none) is None
    assert simpler(0.9985, 0.001, number=2, digits=none) is None


def test_what_a_number_may_cost_falls_with_its_digits() -> None:
    prices = [PRECISION.price(digits) for digits in range(6)]
    one, two = price([1, 2], ROWS)
    assert prices == pytest.approx([two, two, one, HARMLESS, HARMLESS, HARMLESS])


def test_errors_below_the_floor_cost_nothing() -> None:
    exact = near([1e9, 0.49999999999999, 3.0], [1e-30] * 3)
    assert Fix(1, 0.5, PRECISION.price(1)) in Precision(ROWS, 1e60, 1.0).simpler(exact, 1e-30, 1, range(3))
    assert PRECISION.cost(1e-30, 1e-40) == 0


def test_the_cheapest_of_equally_simple_numbers_is_fixed_first() -> None:
    fixes = PRECISION.simpler(near([1e9, 2.01, 3.001], [1.0, 0.01, 0.01]), ROWS, 1, [1])
    assert [fix[:2] for fix in fixes] == [(0, 1e9), (2, 3.0), (1, 2.0)]
