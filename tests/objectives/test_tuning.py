from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gramarye as gm
from gramarye.derivations import Derivation, Derivations, Status
from gramarye.derivations.constants import with_values
from gramarye.derivations.random_trees import random_trees
from gramarye.execution import Threads
from gramarye.objectives import cache
from gramarye.objectives.problem import Tuning
from gramarye.objectives.table_evaluator import TableEvaluator
from gramarye.populations.evaluation import Evaluation

SUMS = "(<e> + <e>) | (<e> - <e>) | (<e> * <e>) | (<e> / <e>)"
GRAMMAR = gm.Grammar.from_text(f"<e> ::= {SUMS} | sin(<e>) | sqrt(<e>) | x | y | <const> | <const:-1..1>")
RNG = np.random.default_rng(7)
X = RNG.uniform(-2, 2, (80, 2))
Y = np.sin(1.7 * X[:, 0]) + X[:, 1] ** 2 - 0.4
WEIGHTS = RNG.uniform(0.1, 2, 80)
SEED = np.uint64(3)
TUNINGS = [Tuning(0, 0), Tuning(1, 0), Tuning(0, 4), Tuning(1, 4), Tuning(6, 0), Tuning(6, 4)]


def population(n: int = 300, seed: int = 1) -> Derivations:
    trees = random_trees(GRAMMAR, "ramped", np.arange(n), np.uint64(seed), depth=7)
    return with_values(GRAMMAR, trees, np.uint64(seed), 0)


def evaluator(tuning: Tuning, threads: int = 1, **settings: Any) -> TableEvaluator:
    return gm.Regression(X, Y, GRAMMAR, **settings).evaluator(SEED, Threads(threads), tuning)


def same(one: Evaluation, other: Evaluation) -> bool:
    """Whether all that is found out is the same to the last bit, but for the work."""
    weights = [each.weights if each.weights is not None else np.zeros(0) for each in (one, other)]
    arrays: list[tuple[NDArray[Any], NDArray[Any]]] = [
        (one.fitness, other.fitness),
        (one.status, other.status),
        (one.size, other.size),
        (one.derivations.values, other.derivations.values),
        (weights[0], weights[1]),
    ]
    return all(a.tobytes() == b.tobytes() for a, b in arrays) and one.work.passes == other.work.passes


def error_of(measure: str, predicted: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """By the definitions."""
    spread = (weights * (Y - np.average(Y, weights=weights)) ** 2).sum()
    squares, distance = weights * (predicted - Y) ** 2, weights * np.abs(predicted - Y)
    errors = {
        "rrse": np.sqrt(squares.sum() / spread),
        "rmse": np.sqrt(squares.sum() / weights.sum()),
        "mae": distance.sum() / weights.sum(),
        "1-r2": squares.sum() / spread,
    }
    return float(errors[measure])


@pytest.mark.parametrize("tuning", TUNINGS, ids=str)
@pytest.mark.parametrize("measure", ["rrse", "rmse", "mae", "1-r2"])
@pytest.mark.parametrize("weighted", [False, True])
def test_fitness_is_the_error_of_what_the_tuned_program_predicts(tuning: Tuning, measure: str, weighted: bool) -> None:
    weights = WEIGHTS if weighted else None
    problem = gm.Regression(X, Y, GRAMMAR, error=measure, sample_weight=weights)  # type: ignore[arg-type]
    found = problem.evaluator(SEED, Threads(), tuning).evaluate(population())
    assert found.valid.sum() > 30
    for i in np.flatnonzero(found.valid).tolist():
        one = None if found.weights is None else found.weights[i]
        predicted = problem.predict(Derivation.first_of(GRAMMAR, found.derivations.take(np.array([i]))), one, X)
        wanted = error_of(measure, predicted, np.ones(80) if weights is None else weights)
        assert found.fitness[i] == pytest.approx(wanted, rel=1e-7, abs=1e-12)
    assert (found.fitness[~found.valid] == np.inf).all()


@pytest.mark.parametrize("tuning", TUNINGS, ids=str)
def test_threads_and_slices_change_nothing(tuning: Tuning) -> None:
    everyone = population(200)
    whole = evaluator(tuning).evaluate(everyone)
    assert same(evaluator(tuning, threads=3).evaluate(everyone), whole)
    parts = [evaluator(tuning).evaluate(everyone.take(np.arange(first, first + 50))) for first in range(0, 200, 50)]
    assert same(Evaluation.join(parts), whole)


@pytest.mark.parametrize("tuning", TUNINGS, ids=str)
def test_emptied_tables_change_time_only(tuning: Tuning, monkeypatch: pytest.MonkeyPatch) -> None:
    generations = [population(80, seed) for seed in (1, 2, 1, 3, 1)]
    remembering = evaluator(tuning)
    wanted = [remembering.evaluate(each) for each in generations]
    assert wanted[2].work.distinct == wanted[4].work.distinct == 0
    monkeypatch.setattr(cache.Cache, "bytes", property(lambda self: 2**60))
    forgetful = evaluator(tuning)
    found = [forgetful.evaluate(each) for each in generations]
    assert all(same(a, b) for a, b in zip(found, wanted, strict=True))
    assert found[2].work.distinct == found[0].work.distinct


def test_passes_are_counted_for_every_individual_whether_it_was_remembered_or_not() -> None:
    remembering = evaluator(Tuning(6, 4))
    first, second = remembering.evaluate(population()), remembering.evaluate(population())
    assert first.work.passes == second.work.passes > 300
    assert second.work.node_rows == 0
    assert evaluator(Tuning(0, 0)).evaluate(population()).work.passes == 300


def test_tuned_constants_come_back_within_their_bounds_and_are_tuned_again_from_there() -> None:
    tuning = evaluator(Tuning(1, 6))
    first = tuning.evaluate(population())
    bounded = first.derivations.productions == GRAMMAR.spans["<const:-1..1>"].start
    assert bounded.any()
    assert (np.abs(first.derivations.values[bounded]) <= 1).all()
    assert (first.derivations.values != population().values).any()
    assert not first.derivations.values[~GRAMMAR.constants[first.derivations.productions]].any()
    second = tuning.evaluate(first.derivations)
    valid = first.valid
    assert (second.fitness[valid] <= first.fitness[valid] * (1 + 1e-9) + 1e-12).all()


def test_without_iterations_constants_stay_as_they_were_drawn() -> None:
    for tuning in (Tuning(0, 0), Tuning(1, 0), Tuning(6, 0)):
        found = evaluator(tuning).evaluate(population())
        assert found.derivations.values.tobytes() == population().values.tobytes()


def test_one_term_is_linear_scaling() -> None:
    scaled = gm.Regression(X, Y, GRAMMAR, linear_scaling=True).evaluator(SEED, Threads()).evaluate(population())
    fitted = evaluator(Tuning(1, 0)).evaluate(population())
    assert scaled.weights is not None
    assert fitted.weights is not None
    varying = scaled.valid & (np.abs(scaled.weights).max(axis=1, initial=0) < 1e9)  # some are constant but for rounding
    assert varying.sum() > 30
    assert fitted.fitness[varying] == pytest.approx(scaled.fitness[varying], rel=1e-6, abs=1e-9)
    assert fitted.weights[varying] == pytest.approx(scaled.weights[varying], rel=1e-5, abs=1e-7)
    assert (fitted.status == scaled.status).all()


def test_linear_scaling_goes_together_with_tuning() -> None:
    problem = gm.Regression(X, Y, GRAMMAR, linear_scaling=True)
    found = problem.evaluator(SEED, Threads(), Tuning(0, 4)).evaluate(population())
    assert same(found, evaluator(Tuning(1, 4)).evaluate(population()))


def test_more_terms_never_fit_worse() -> None:
    errors = [evaluator(Tuning(terms, 0)).evaluate(population()).fitness for terms in (0, 1, 2, 6)]
    for fewer, more in pairwise(errors):
        both = np.isfinite(fewer) & np.isfinite(more)
        assert (more[both] <= fewer[both] * (1 + 1e-6)).all()


def test_a_grammar_without_constants_is_fitted_too() -> None:
    problem = gm.Regression(X, X[:, 0] * 3 - 2 * X[:, 1] + 5, gm.Grammar.from_text("<e> ::= <e> + <e> | x | y"))
    trees = random_trees(problem.grammar, "ramped", np.arange(30), SEED, depth=4)
    found = problem.evaluator(SEED, Threads(), Tuning(6, 8)).evaluate(trees)
    assert found.fitness.min() < 1e-14
    assert found.derivations is trees
    assert found.work.passes == 30


def test_small_errors_are_computed_from_predictions() -> None:
    target = X[:, 0] + 1e-9 * X[:, 1]
    grammar = gm.Grammar.from_text("<e> ::= x")
    problem = gm.Regression(X, target, grammar)
    found = problem.evaluator(SEED, Threads(), Tuning(1, 0)).evaluate(random_trees(grammar, "grow", np.arange(1), SEED))
    line = np.polynomial.Polynomial.fit(X[:, 0], 1e-9 * X[:, 1], 1)
    left = ((1e-9 * X[:, 1] - line(X[:, 0])) ** 2).sum()
    wanted = np.sqrt(left / ((target - target.mean()) ** 2).sum())
    assert wanted**2 < 1e-17
    assert found.fitness[0] == pytest.approx(wanted, rel=1e-5)


def test_a_program_that_fails_says_so_and_keeps_its_constants() -> None:
    found = evaluator(Tuning(6, 4)).evaluate(population(300))
    failed = np.flatnonzero(~found.valid)
    assert len(failed) > 3
    assert set(found.status[failed].tolist()) == {Status.NOT_FINITE}
    before = population(300)
    for i in failed.tolist():
        first, last = before.offsets[i], before.offsets[i + 1]
        assert np.isfinite(found.derivations.values[first:last]).all()
    assert found.weights is not None
    assert np.isnan(found.weights[failed]).all()


def test_rows_of_weight_2_count_like_two_rows() -> None:
    twice = np.ones(80)
    twice[:10] = 2.0
    one = gm.Regression(X, Y, GRAMMAR, sample_weight=twice, error="rmse")
    other = gm.Regression(np.concatenate([X, X[:10]]), np.concatenate([Y, Y[:10]]), GRAMMAR, error="rmse")
    found = [each.evaluator(SEED, Threads(), Tuning(3, 0)).evaluate(population()) for each in (one, other)]
    valid = found[0].valid
    assert found[0].fitness[valid] == pytest.approx(found[1].fitness[valid], rel=1e-6)


def test_programs_near_the_data_are_looked_at_before_they_are_called_safe() -> None:
    X = np.linspace(1.0, 2.0, 40)[:, None]
    grammar = gm.Grammar.from_text("<e> ::= sqrt(x - 0.9) | x | exp(x*500.0)")
    evaluator = gm.Regression(X, X[:, 0], grammar).evaluator(SEED, Threads(), Tuning(1, 0))
    everyone = Derivations(np.arange(3, dtype=np.int32), np.arange(4), np.zeros(3, np.int8))
    found = evaluator.evaluate(everyone)
    assert found.valid.tolist() == [True, True, False]
    assert evaluator.safe(everyone, found.weights).tolist() == [False, True, False]


def test_programs_near_the_data_stay_on_the_side_of_zero_where_a_column_is() -> None:
    area = np.linspace(0, 10, 60)
    grammar = gm.Grammar.from_text("<e> ::= sqrt(x) + <e> | sqrt(x)")
    problem = gm.Regression(area, 3 * np.sqrt(area) + 1, grammar)
    run = gm.evolve(problem, gm.TunedTrees(population=10, generations=2), seed=1)
    assert [member.phenotype for member in run.front] == ["sqrt(x)"]
    either = gm.Regression(area - 1e-3, area, gm.Grammar.from_text("<e> ::= sqrt(x + 0.01) + <e> | sqrt(x + 0.01)"))
    assert gm.evolve(either, gm.TunedTrees(population=10, generations=2), seed=1).front == ()


def test_a_clipped_prediction_is_always_a_number() -> None:
    x = np.linspace(0, 2, 30)
    grammar = gm.Grammar.from_text("<e> ::= exp(x) - exp(x * x)")
    problem = gm.Regression(x, np.exp(x) - np.exp(x * x), grammar, clip=True)
    found = gm.evolve(problem, gm.CFGGP(population=5, generations=1), seed=1).best.predict([[1.0], [30.0], [1000.0]])
    assert np.isfinite(found).all()
    assert found[0] == pytest.approx(0.0, abs=1e-12)


def test_few_rows_are_enough_for_as_many_numbers() -> None:
    x = np.linspace(0, 3, 8)
    y = 3 * np.exp(-0.7 * x) + 2 * np.sin(2.2 * x)
    grammar = gm.Grammar.from_text("<e> ::= exp(<const>*x) + sin(<const>*x)")
    for terms in (2, 6, 100):
        method = gm.TunedTrees(population=20, generations=6, terms=terms)
        assert gm.evolve(gm.Regression(x, y, grammar), method, seed=1).best.fitness < 1e-9
    line = gm.Grammar.from_text("<e> ::= <const> + <const>*x")
    three = gm.Regression([1.0, 2.0, 3.0], [7.0, 9.0, 11.0], line)
    assert gm.evolve(three, gm.CFGGP(population=10, generations=5), seed=1).best.fitness < 1e-9


@pytest.mark.parametrize("measure", ["rmse", "mae"])
def test_a_constant_target_is_met_by_tuned_trees(measure: Any) -> None:
    value = 0.8497836136184508  # 39 times this has a mean that is another number
    problem = gm.Regression(RNG.uniform(-2, 2, (39, 2)), np.full(39, value), GRAMMAR, error=measure)
    run = gm.evolve(problem, gm.TunedTrees(population=20, generations=50), seed=1)
    assert (run.best.fitness, run.best.formula, run.ended_by) == (0.0, repr(value), "target")
