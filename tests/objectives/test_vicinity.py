from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import gramarye as gm
from gramarye.derivations import Derivations
from gramarye.execution import Threads
from gramarye.objectives.problem import AS_THEY_ARE, Tuning
from gramarye.objectives.table_evaluator import TableEvaluator

SEED = np.uint64(1)
RNG = np.random.default_rng(5)
LINE = np.linspace(-5.0, 5.0, 60)


def safe(formula: str, X: NDArray[np.float64], y: NDArray[np.float64], tuning: Tuning = AS_THEY_ARE) -> bool:
    """Whether the only program of a grammar is safe; it is valid in any case."""
    evaluator = gm.Regression(X, y, gm.Grammar.from_text(f"<e> ::= {formula}")).evaluator(SEED, Threads(), tuning)
    only = Derivations(np.zeros(1, np.int32), np.arange(2), np.zeros(1, np.int8))
    found = evaluator.evaluate(only)
    assert found.valid.all()
    assert isinstance(evaluator, TableEvaluator)
    return bool(evaluator.safe(only, found.weights)[0])


@pytest.mark.parametrize(
    ("formula", "is_safe"),
    [
        ("x + 1.0", True),
        ("1.0 / (x - 0.30001)", False),
        ("1.0 / (1.0 + 1.0/(x*x*x*x))", True),  # 1/x**4 is infinite at 0, the whole is not
        ("1.0 / (1.0 + 1.0/square(square(x)))", True),
        ("sin(1.0 / x)", True),
        ("tan(x)", False),
        ("x / x", True),
        ("exp(x * 1.3)", True),  # outside of the data it grows by more than the limit
        ("1.0 / (x - 5.5)", True),  # the pole is outside of the data, if near it
        ("sqrt(x + 5.1)", False),  # not a number outside of the data, but near it
        ("exp(x * 140.0) * 0.0", False),  # exp overflows outside of the data, and infinity times 0 is not a number
    ],
)
def test_programs_of_a_front_have_no_pole_in_the_data_and_are_finite_near_it(formula: str, is_safe: bool) -> None:
    assert safe(formula, LINE, np.sin(LINE)) == is_safe
    assert safe(formula, LINE, np.sin(LINE), Tuning(3, 0)) == (is_safe or formula == "exp(x * 140.0) * 0.0")


def test_a_pole_between_rows_is_found_in_any_direction() -> None:
    X = RNG.uniform(0, 1, (200, 3))
    y = X.sum(axis=1)
    assert not safe("x + 0.001 / (x + y - z - 0.5)", X, y)
    assert safe("x + 0.001 / (x + y + z + 0.5)", X, y)


def test_where_the_target_has_peaks_itself_poles_do_not_count() -> None:
    X = RNG.uniform(0, 1, (300, 2))
    law = 1.0 / (X[:, 0] - X[:, 1])
    assert safe("1.0 / (x - y)", X, law)
    assert not safe("1.0 / (x - y)", X, X[:, 0] - X[:, 1])


def test_a_target_that_is_constant_has_no_range_to_compare_with() -> None:
    problem = gm.Regression(LINE, np.ones(60), gm.Grammar.from_text("<e> ::= x"), error="mae")
    only = Derivations(np.zeros(1, np.int32), np.arange(2), np.zeros(1, np.int8))
    assert problem.evaluator(SEED, Threads()).safe(only, None).all()


def test_a_column_that_is_constant_has_no_line() -> None:
    X = np.stack([LINE, np.full(60, 3.0)], axis=1)
    assert safe("x * y", X, LINE)
    assert not safe("y / (x - 0.30001)", X, LINE)
