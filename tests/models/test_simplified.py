"""Formulas with simpler numbers, from noisy and exact data."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import gramarye as gm
from gramarye.engine.individual import Individual
from gramarye.models.joined import picked
from gramarye.models.simplified import simplified, with_simpler_numbers

Floats = NDArray[np.float64]

GRAMMAR = gm.Grammar.from_text(
    "<e> ::= <e> + <e> | <e> - <e> | <e> * <e> | exp(<e>) | cos(<e>) | log(<e>) | (<e>) | x | y | 0.123456 | <const>"
)
X = np.random.default_rng(1).uniform(1, 3, (400, 2))
x, y = X.T
NOISE = np.random.default_rng(2).normal(size=400)


def individual(problem: gm.Regression, text: str, weights: list[float] | None) -> Individual:
    """A program with weights as a search may have found it."""
    derivation = gm.parse(problem.grammar, text)
    given = None if weights is None else np.array(weights)
    error = problem.predict(derivation, given, problem.dataset.columns.T) - problem.dataset.target
    fitness = math.sqrt((error**2).sum() / problem.dataset.spread)
    return Individual(None, derivation, fitness, problem=problem, weights=given, nodes=len(text), seed=1)


def found(target: Floats, text: str, weights: list[float] | None, **given: Any) -> Individual:
    """What becomes of a formula."""
    problem = gm.Regression(X, target, given.pop("grammar", GRAMMAR), **given)
    return simplified((individual(problem, text, weights),), tuned=True)[0]


def test_with_noise_the_numbers_become_those_behind_the_data() -> None:
    target = x * np.exp(-0.3 * y) + 0.01 * NOISE
    member = found(target, "x * exp((-0.30214) * y)", [0.0021, 1.0013])
    assert member.formula == "x * exp(-0.3 * y)"
    assert member.weights is not None
    assert member.weights.tolist() == [0.0, 1.0]
    target = x - 0.5 * np.cos(1.7 * y) + 0.01 * NOISE
    assert found(target, "x + cos(1.702 * y)", [0.0021, 1.0013, -0.498]).formula == "x - 0.5 * cos(1.7 * y)"
    assert found(-x * y + 0.01 * NOISE, "x * y", [0.0021, -1.0013]).formula == "-x * y"
    member = found(-x * y + 3 * y + 0.01 * NOISE, "x * y + y", [0.0021, -1.0013, 2.998])
    assert member.formula == "-x * y + 3.0 * y"


def test_exact_data_support_all_digits() -> None:
    target = 0.5 * x * np.exp(-0.3 * y) + math.pi
    member = found(target, "x * exp((-0.3000000001) * y)", [3.1415926, 0.49999999])
    assert str(member.formula).endswith(" + 0.5 * (x * exp(-0.3 * y))")
    assert member.weights is not None
    assert member.weights[0] == pytest.approx(math.pi, abs=1e-11)
    assert member.fitness < 1e-12


def test_the_error_is_that_of_the_simpler_numbers() -> None:
    target = x * np.exp(-0.3 * y) + 0.1 * NOISE
    member = found(target, "x * exp((-0.3) * y) + log(x)", [0.1, 1.0, 0.1])
    assert member.problem is not None
    error = ((member.predict(X) - target) ** 2).sum() / ((target - target.mean()) ** 2).sum()
    assert member.fitness == pytest.approx(math.sqrt(error), rel=1e-12)


def test_numbers_of_the_grammar_stay_as_they_are() -> None:
    target = x * np.exp(0.123456 * y) + 0.1 * NOISE
    assert found(target, "x * exp(0.123456 * y)", [0.0, 1.01]).formula == "x * exp(0.123456 * y)"


def test_constants_without_weights_are_simplified_alone() -> None:
    target = x * np.exp(-0.3 * y) + 0.01 * NOISE
    member = found(target, "x * exp((-0.30214) * y)", None)
    assert member.formula == "x * exp(-0.3 * y)"
    assert member.weights is None


def test_constants_keep_within_their_bounds() -> None:
    grammar = gm.Grammar.from_text("<e> ::= <e> * <e> | exp(<e>) | x | y | <const:0.31..0.34>")
    target = x * np.exp(0.35 * y) + 0.01 * NOISE
    assert found(target, "x * exp(0.335 * y)", None, grammar=grammar).formula == "x * exp(0.34 * y)"
    target = x * np.exp(0.312 * y) + 0.3 * NOISE
    text = found(target, "x * exp(0.3121 * y)", None, grammar=grammar).formula
    assert text in ("x * exp(0.31 * y)", "x * exp(0.32 * y)")


@pytest.mark.parametrize(
    ("text", "weights", "formula"),
    [
        ("(-0.09) * exp(x)", [3.0, -22.2222, 0.0], "3.0 + 2.0 * exp(x)"),
        ("0.667 * y * x", [0.0, 3.0, 0.0], "2.0 * (y * x)"),
        ("0.09 * x * (0.7 * y)", None, "2.0 * x * y"),
        ("x * y * 3.3 + 0.7 * x * 9.1", None, "x * y * 2.0 + 3.0 * x"),
        ("0.09 * (x + y * 0.7)", [1.0, 17.0], "1.0 + 2.0 * (x + y * 0.7)"),
        ("0.123456 * x * 7.0", [0.0, 2.0, 0.0], "0.3456768 * x"),
    ],
)
def test_the_constant_factors_of_a_term_are_one_number(text: str, weights: list[float] | None, formula: str) -> None:
    names = {"x": x, "y": y, "exp": np.exp}
    target = eval(formula, names) + 1e-4 * NOISE
    member = found(target, text, weights)
    assert member.formula == formula
    assert member.predict(X) == pytest.approx(eval(formula, names), rel=1e-9)


@pytest.mark.parametrize(
    ("text", "weights", "formula"),
    [
        ("1.5 * x / (1.5 + y)", [20.0, 2.0, 0.0], "20.0 + 3.0 * x / (1.5 + y)"),
        ("0.667 / (x * x) * y", [0.0, 10.0, 0.0], "6.67 / (x * x) * y"),
        ("0.667 / x + y * (-0.09)", [1.0, -10.0, 22.2222], "1.0 - 6.67 / x - 2.0 * y"),
        ("x / 3.7 / y", [0.0, 7.4, 0.0], "2.0 * (x / y)"),
    ],
)
def test_one_number_stands_in_front_of_a_fraction(text: str, weights: list[float], formula: str) -> None:
    grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | <e> * <e> | <e> / <e> | (<e>) | x | y | <const>")
    names = {"x": x, "y": y}
    target = eval(formula, names)
    member = found(target, text, weights, grammar=grammar)
    assert member.formula == formula
    assert member.predict(X) == pytest.approx(eval(formula, names), rel=1e-9)
    assert str(member.latex(4)).count("667") == formula.count("667")


def test_a_factor_that_is_divided_by_zero_stays_where_it_is() -> None:
    table = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0], [4.0, 5.0], [8.0, 9.0]])
    grammar = gm.Grammar.from_text("<e> ::= <e> * <e> | <e> / <e> | x | y | <const>")
    target = [0.5, 12.0, 9.0, 7.5, 6.75]  # 0.5 * (12 * y / x), where x / 0 = 1
    problem = gm.Regression(table, target, grammar)
    (member,) = simplified((individual(problem, "12.0 * y / x", [0.0, 0.5, 0.0]),), tuned=True)
    assert member.formula == "0.5 * (12.0 * y / x)"
    assert member.predict(table) == pytest.approx(np.array(target))


def test_a_factor_with_bounds_becomes_1_if_it_may() -> None:
    for bounds, formula in (("0.1..0.9", "0.5 * x"), ("0.1..2", "0.5 * x")):
        grammar = gm.Grammar.from_text(f"<e> ::= <e> * <e> | x | <const:{bounds}>")
        member = found(0.5 * x, "0.4999 * x", [0.0, 1.0], grammar=grammar)
        assert member.formula == formula
        assert (member.derivation.phenotype == "1.0 * x") == (bounds == "0.1..2")


def test_numbers_that_can_replace_each_other_become_simple_together() -> None:
    member = found(2 * x + 0.01 * NOISE, "1.9834 * x", [0.0, 1.0083])
    assert member.formula == "2.0 * x"
    assert found(2 * x * y, "1.9834 * x * y", [0.0, 1.0083]).formula == "2.0 * (x * y)"


def test_without_weights_and_constants_nothing_changes() -> None:
    problem = gm.Regression(X, x + 0.1 * NOISE, gm.Grammar.from_text("<e> ::= <e> + <e> | x | 1.0003"))
    run = gm.evolve(problem, gm.GE(population=20, generations=3), seed=1)
    simpler = with_simpler_numbers(run)
    assert [member.formula for member in simpler.front] == [member.formula for member in run.front]
    assert simpler.picked.formula == run.picked.formula


def test_mean_absolute_errors_have_no_standard_errors_and_keep_their_numbers() -> None:
    member = found(x + 0.01 * NOISE, "x", [0.0021, 1.0013], error="mae")
    assert member.formula == "0.0021 + 1.0013 * x"


def test_rows_count_by_their_weights() -> None:
    weights = np.where(x > 2, 0.0, 2.0)
    target = np.where(x > 2, 7.0, 0.5 * x + 0.001 * NOISE)
    assert found(target, "x", [0.1, 0.4], sample_weight=weights).formula == "0.5 * x"


def test_a_formula_that_is_larger_and_no_better_leaves_the_front() -> None:
    problem = gm.Regression(X, x + 0.1 * NOISE, GRAMMAR)
    members = [individual(problem, text, [0.001, 0.999]) for text in ("x", "(x)")]
    assert [member.derivation.phenotype for member in simplified(members, tuned=True)] == ["x"]


def test_of_two_formulas_the_one_with_simple_numbers_is_picked_unless_the_other_is_clearly_better() -> None:
    problem = gm.Regression(X, x + 0.01 * NOISE, GRAMMAR)
    simple, other = (replace(individual(problem, "x", [0.0, 1.0]), nodes=n, digits=d) for n, d in ((1, 0), (3, 6)))
    worth = math.exp(-7 * math.log(len(x)) / (4 * len(x)))  # what two nodes and six for digits cost, 7/8 of it
    assert picked([simple, replace(other, fitness=simple.fitness * worth)]) is simple
    assert picked([simple, replace(other, fitness=simple.fitness * worth**2)]).digits == 6


def test_digits_count_like_nodes() -> None:
    member = found(0.52 * x - 1.2345 * y, "x + y", [0.00001, 0.52, -1.2345])
    assert (member.formula, member.digits) == ("0.52 * x - 1.2345 * y", 1 + 2)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000), noise=st.sampled_from([0.0, 1e-6, 0.1, 10.0]), rows=st.sampled_from([5, 20, 300]))
def test_the_least_error_grows_little_and_errors_fall_along_the_front_whatever_was_found(
    seed: int, noise: float, rows: int
) -> None:
    target = (x * np.exp(-y) + noise * NOISE)[:rows]
    problem = gm.Regression(X[:rows], target, gm.Grammar.from_columns(X))
    run = gm.evolve(problem, gm.TunedTrees(population=50, max_size=30, max_evaluations=1500), seed=seed)
    simpler = with_simpler_numbers(run)
    errors = [member.fitness for member in simpler.front]
    assert errors == sorted(errors, reverse=True)
    least = min(member.fitness for member in run.front)
    assert errors[-1] ** 2 <= max(least, 1e-12) ** 2 * math.exp(60 * math.log(rows) / rows)


def test_constants_that_are_not_tuned_are_kept() -> None:
    problem = gm.Regression(X, 2 * x * np.exp(-0.3 * y), GRAMMAR)
    members = (individual(problem, "x * exp((-0.3000000001) * y)", [1e-14, 1.99999999999999]),)
    (member,) = simplified(members, tuned=False)
    assert "exp(-0.3000000001 * y)" in str(member.formula)
    assert "exp(-0.3 * y)" in str(simplified(members, tuned=True)[0].formula)
