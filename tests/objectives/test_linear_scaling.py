"""Predictions that are intercept + slope * formula: errors, test rows, cases, predictions, formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.derivations import Derivation, Derivations, Status
from gramarye.errors import DataError, SettingsError
from gramarye.execution import Threads
from gramarye.languages import Arithmetic, Programs
from gramarye.objectives.table_evaluator import ERROR_MEASURES

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 2)) + 5
Y = 3 * X[:, 0] * X[:, 1] - 8 + 0.1 * RNG.normal(size=60)
W = RNG.uniform(0, 3, size=60)
FORMULAS = {
    "x * y": X[:, 0] * X[:, 1],
    "x": X[:, 0],
    "1.5": np.full(60, 1.5),
    "sin(x) - y": np.sin(X[:, 0]) - X[:, 1],
}
GRAMMAR = gm.Grammar.from_text("<a> ::= " + " | ".join(FORMULAS) + " | exp(exp(x * y)) | x + | exp(400 + x)")
VALID = range(len(FORMULAS))


def population(*productions: int) -> Derivations:
    return Derivations.join([Derivations.of(np.array([q], np.int32)) for q in productions])


def derivation(production: int) -> Derivation:
    return Derivation(GRAMMAR, np.array([production], np.int32))


def error(measure: str, y: np.ndarray, f: np.ndarray, w: np.ndarray) -> float:
    mean = np.average(y, weights=w)
    squared = (w * (y - f) ** 2).sum()
    relative = squared / (w * (y - mean) ** 2).sum()
    found = {"rrse": relative**0.5, "1-r2": relative, "rmse": (squared / w.sum()) ** 0.5}
    return float(found[measure]) if measure in found else float((w * np.abs(y - f)).sum() / w.sum())


@pytest.mark.parametrize("measure", ERROR_MEASURES)
@pytest.mark.parametrize("weights", [None, W])
def test_errors_are_those_of_the_fitted_line(measure: Any, weights: np.ndarray | None) -> None:
    problem = gm.Regression(X, Y, GRAMMAR, error=measure, sample_weight=weights, linear_scaling=True)
    found = problem.evaluator(np.uint64(1), Threads()).evaluate(population(*VALID))
    assert found.weights is not None
    w = np.ones(60) if weights is None else weights
    for k, f in enumerate(FORMULAS.values()):
        slope, intercept = np.polyfit(f, Y, 1, w=np.sqrt(w)) if f.std() else (0.0, np.average(Y, weights=w))
        assert found.weights[k].tolist() == pytest.approx([intercept, slope], rel=1e-9)
        assert found.fitness[k] == pytest.approx(error(measure, Y, intercept + slope * f, w), rel=1e-9)


def test_a_relative_error_is_at_most_one_and_never_worse_than_without_scaling() -> None:
    plain, scaled = (
        gm.Regression(X, Y, GRAMMAR, linear_scaling=on).evaluator(np.uint64(1), Threads()).evaluate(population(*VALID))
        for on in (False, True)
    )
    assert plain.weights is None
    assert (scaled.fitness <= np.minimum(plain.fitness, 1 + 1e-12)).all()
    assert scaled.size.tolist() == plain.size.tolist()
    assert scaled.work == plain.work


def test_what_has_no_line_is_invalid() -> None:
    evaluator = gm.Regression(X, Y, GRAMMAR, linear_scaling=True).evaluator(np.uint64(1), Threads())
    found = evaluator.evaluate(population(0, 4, 5, 6))
    assert found.status.tolist() == [Status.OK, Status.NOT_FINITE, Status.SYNTAX, Status.NOT_FINITE]
    assert found.weights is not None
    assert np.isnan(found.weights).all(axis=1).tolist() == np.isinf(found.fitness).tolist() == [False, True, True, True]


def test_repeats_have_the_same_line() -> None:
    evaluator = gm.Regression(X, Y, GRAMMAR, linear_scaling=True).evaluator(np.uint64(1), Threads())
    first, second = (evaluator.evaluate(population(*order)) for order in ((0, 1, 2), (2, 5, 0)))
    assert second.work.distinct == 0
    assert first.weights is not None
    assert second.weights is not None
    assert second.weights[0].tolist() == first.weights[2].tolist()
    assert second.weights[2].tolist() == first.weights[0].tolist()


@pytest.mark.parametrize(("together", "workers"), [(1, 1), (100, 1), (2**20, 3)])
def test_memory_and_threads_change_nothing(together: int, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = gm.Grammar.from_text("<a> ::= sin(x * <n>)\n<n> ::= GE_RANGE:300")
    problem = gm.Regression(X, Y, numbers, linear_scaling=True)
    many = Derivations.join([Derivations.of(np.array([0, 1 + k], np.int32)) for k in range(300)])
    expected = problem.evaluator(np.uint64(1), Threads()).evaluate(many)
    monkeypatch.setattr("gramarye.objectives.table_evaluator.TOGETHER", together)
    found = problem.evaluator(np.uint64(1), Threads(workers)).evaluate(many)
    assert found.fitness.tobytes() == expected.fitness.tobytes()
    assert found.weights is not None
    assert expected.weights is not None
    assert found.weights.tobytes() == expected.weights.tobytes()


@pytest.mark.parametrize("weights", [None, W])
def test_test_rows_are_scaled_by_the_line_of_the_training_rows(weights: np.ndarray | None) -> None:
    problem = gm.Regression(X, Y, GRAMMAR, test_rows=15, sample_weight=weights, linear_scaling=True)
    evaluator = problem.evaluator(np.uint64(1), Threads())
    _, test = problem.split(np.uint64(1))
    assert test is not None
    found = evaluator.evaluate(population(*VALID)).weights
    assert found is not None
    for k in VALID:
        f = problem.predict(derivation(k), found[k], test.columns.T)
        w = test.weights if weights is not None else np.ones(15)
        expected = error("rrse", test.target, f, w)
        assert evaluator.test(population(k), found[[k]]) == pytest.approx(expected, rel=1e-12)
        assert evaluator.test(population(k)) == evaluator.test(population(k), found[[k]])
    assert evaluator.test(population(0), np.array([[0.0, 1.0]])) > evaluator.test(population(0))


@pytest.mark.parametrize("weights", [None, W])
@pytest.mark.parametrize("scaling", [True, False])
def test_cases_are_the_errors_of_rows(weights: np.ndarray | None, scaling: bool) -> None:
    problem = gm.Regression(X, Y, GRAMMAR, error="mae", sample_weight=weights, linear_scaling=scaling)
    evaluator = problem.evaluator(np.uint64(1), Threads())
    everyone = population(0, 5, 1, 4, 3)
    evaluation = evaluator.evaluate(everyone)
    cases = evaluator.cases(everyone, evaluation.weights)
    assert cases.shape == (5, 60)
    assert (cases == np.inf).all(axis=1).tolist() == [False, True, False, True, False]
    assert np.average(cases[[0, 2, 4]], axis=1, weights=weights) == pytest.approx(evaluation.fitness[[0, 2, 4]])
    assert evaluator.cases(everyone).tobytes() == cases.tobytes()


def test_an_error_that_overflows_only_when_squared_is_infinite_in_all_cases() -> None:
    huge = gm.Grammar.from_text("<a> ::= x * 1e200 | x")
    evaluator = gm.Regression(X, Y, huge).evaluator(np.uint64(1), Threads())
    assert np.isinf(evaluator.cases(population(0, 1))).all(axis=1).tolist() == [True, False]


def test_a_run_with_linear_scaling_finds_the_formula() -> None:
    grammar = gm.Grammar.from_text("<e> ::= <e> <o> <e> | x | y\n<o> ::= + | *")
    problem = gm.Regression(X, Y, grammar, linear_scaling=True)
    assert gm.evolve(problem, gm.GE(population=50, generations=5), seed=1).best.phenotype in ("x * y", "y * x")
    assert problem.identity != gm.Regression(X, Y, grammar).identity
    with pytest.raises(SettingsError, match="linear_scaling is 'yes': it must be True or False"):
        gm.Regression(X, Y, grammar, linear_scaling="yes")  # type: ignore[arg-type]


# Predictions


NAMED = gm.Regression(pd.DataFrame(X, columns=["size", "age"]), Y, gm.Grammar.from_text("<a> ::= size - 2 * age"))
ONE = Derivation(NAMED.grammar, np.zeros(1, np.int32))


@pytest.mark.parametrize(
    "rows",
    [
        [[3.0, 1.0], [5.0, 9.0]],
        pd.DataFrame({"age": [1.0, 9.0], "other": [0.0, 0.0], "size": [3.0, 5.0]}),
        pl.DataFrame({"age": [1.0, 9.0], "size": [3.0, 5.0]}),
    ],
)
def test_predictions_for_other_rows(rows: Any) -> None:
    assert NAMED.predict(ONE, None, rows).tolist() == [1.0, -13.0]
    assert NAMED.predict(ONE, np.array([10.0, 2.0]), rows).tolist() == [12.0, -16.0]


def test_a_missing_column_is_named() -> None:
    with pytest.raises(DataError, match=r"X has no column 'size'; did you mean sizes\?"):
        NAMED.predict(ONE, None, pd.DataFrame({"sizes": [1.0], "age": [2.0]}))
    with pytest.raises(DataError, match="X has 3 columns, but the formula was fitted to 2"):
        NAMED.predict(ONE, None, np.ones((4, 3)))


def test_a_prediction_need_not_be_finite() -> None:
    problem = gm.Regression([1.0, 2.0], [1.0, 2.0], gm.Grammar.from_text("<a> ::= sqrt(x)"))
    found = problem.predict(Derivation(problem.grammar, np.zeros(1, np.int32)), None, [4.0, -1.0])
    assert found[0] == 2.0
    assert math.isnan(found[1])


def test_what_is_no_program_predicts_nothing() -> None:
    with pytest.raises(SettingsError, match=r"'x \+' is not an arithmetic expression: it predicts nothing"):
        gm.Regression(X, Y, GRAMMAR).predict(derivation(5), None, X)
    objective = gm.Objective(len, GRAMMAR, name="shortest")
    with pytest.raises(SettingsError, match="shortest has no data, so its programs predict nothing"):
        objective.predict(derivation(0), None, X)
    assert objective.formula(derivation(0), None) == "x * y"


# Formulas


@pytest.mark.parametrize(
    ("weights", "production", "wanted"),
    [
        (None, 0, "x * y"),
        ([0.0, 1.0], 0, "x * y"),
        ([1.5, 0.25], 0, "1.5 + 0.25 * (x * y)"),
        ([1.5, -0.25], 0, "1.5 - 0.25 * (x * y)"),
        ([-2.0, -0.3], 0, "-0.3 * (x * y) - 2.0"),
        ([-2.0, 0.3], 1, "0.3 * x - 2.0"),
        ([0.0, -0.3], 1, "-0.3 * x"),
        ([-0.0, 2.0], 1, "2.0 * x"),
        ([0.0, -1.0], 0, "-(x * y)"),
        ([2.0, 1.0], 1, "2.0 + x"),
        ([2.0, -1.0], 1, "2.0 - x"),
        ([-2.0, -1.0], 1, "-x - 2.0"),
        ([1e-20, 1e22], 1, "1e-20 + 1e+22 * x"),
        ([7.25, 0.0], 0, "7.25"),
        ([-7.25, 0.0], 0, "-7.25"),
        ([1.0, 2.0], 3, "1.0 + 2.0 * (sin(x) - y)"),
        ([1.0, 2.0], 4, "1.0 + 2.0 * exp(exp(x * y))"),
    ],
)
def test_a_formula_is_written_as_a_person_would(weights: list[float] | None, production: int, wanted: str) -> None:
    problem = gm.Regression(X, Y, GRAMMAR)
    assert problem.formula(derivation(production), None if weights is None else np.array(weights)) == wanted


NUMBERS = st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e-300, -1e200])
TEXTS = [
    "x",
    "x*y",
    "(x + y)",
    "(x) * (y)",
    "sin(x)",
    "sin (x)",
    "sin(x)*cos(y)",
    "-x",
    "x[0]",
    "x[:, 1] - 1",
    " x ",
    "2 ** x",
]


@given(NUMBERS, NUMBERS, st.sampled_from(TEXTS))
def test_a_formula_means_what_is_predicted(intercept: float, slope: float, text: str) -> None:
    grammar = gm.Grammar.from_text(f"<a> ::= {text!r} | x")
    problem = gm.Regression(X, Y, grammar)
    one, weights = Derivation(grammar, np.zeros(1, np.int32)), np.array([intercept, slope])
    status, words = Arithmetic(grammar, 2).program(problem.formula(one, weights))
    assert status == Status.OK
    program = Programs(words, np.array([0, len(words)]), np.zeros(1, np.int8))
    meant = problem.language.outputs(program, problem.dataset.columns)[0]
    assert meant.tolist() == problem.predict(one, weights, X).tolist()
