from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.derivations import Derivations, Status
from gramarye.errors import ObjectiveError, SettingsError
from gramarye.execution import Threads
from gramarye.grammar import Grammar
from gramarye.objectives import Evaluator
from gramarye.populations.evaluation import Evaluation

GRAMMAR = Grammar.from_text("<a> ::= hello | <b> <b>\n<b> ::= x | y")
METHOD = gm.GE(population=20, generations=3, codons=4)
HELLO, X_X, X_Y = [0], [1, 2, 2], [1, 2, 3]


def population(*rows: list[int]) -> Derivations:
    return Derivations.join([Derivations.of(np.array(row, np.int32)) for row in rows])


def evaluate(problem: gm.Objective, derivations: Derivations) -> list[float]:
    return problem.evaluator(np.uint64(1), Threads()).evaluate(derivations).fitness.tolist()


def test_any_function_of_the_text_is_a_fitness() -> None:
    assert evaluate(gm.Objective(len, GRAMMAR), population(HELLO, X_X, X_Y)) == [5.0, 3.0, 3.0]
    run = gm.evolve(gm.Objective(lambda text: text.count("x"), GRAMMAR), METHOD, seed=1)
    assert run.best.fitness == 0
    assert run.best.phenotype in ("hello", "y y")


def test_what_is_maximised_is_negated_inside() -> None:
    problem = gm.Objective(len, GRAMMAR, maximise=True)
    assert evaluate(problem, population(HELLO, X_X)) == [-5.0, -3.0]
    assert gm.evolve(problem, METHOD, seed=1).best.phenotype == "hello"


@pytest.mark.parametrize(("noisy", "calls"), [(False, ["hello", "x x"]), (True, ["hello", "x x", "hello"])])
def test_equal_texts_are_computed_once_unless_told_otherwise(noisy: bool, calls: list[str]) -> None:
    seen: list[str] = []

    def fitness(text: str) -> float:
        seen.append(text)
        return 1.0

    evaluator = gm.Objective(fitness, GRAMMAR, noisy=noisy).evaluator(np.uint64(1), Threads())
    evaluation = evaluator.evaluate(population(HELLO, X_X, HELLO))
    assert seen == calls
    assert evaluation.work.distinct == len(calls)
    again = evaluator.evaluate(population(X_X)).work.distinct
    assert again == (1 if noisy else 0)


def test_equal_texts_of_different_derivations_are_computed_once() -> None:
    seen: list[str] = []
    grammar = Grammar.from_text('<a> ::= xy | <b>y | ""\n<b> ::= x')
    problem = gm.Objective(lambda text: seen.append(text) or len(text), grammar)  # type: ignore[func-returns-value]
    evaluation = problem.evaluator(np.uint64(1), Threads()).evaluate(population([0], [1, 3], [2], [0]))
    assert seen == ["xy", ""]
    assert evaluation.fitness.tolist() == [2.0, 2.0, 0.0, 2.0]
    assert evaluation.size.tolist() == [1, 2, 0, 1]
    assert evaluation.work.distinct == 2


@pytest.mark.parametrize("noisy", [True, False])
def test_an_evaluation_tells_status_and_size(noisy: bool) -> None:
    nobody = Derivations(np.zeros(0, np.int32), np.zeros(2, np.int64), np.array([Status.OUT_OF_CODONS], np.int8))
    everyone = Derivations.join([population(HELLO), nobody, population(X_X, X_Y)])
    problem = gm.Objective(lambda text: math.nan if "y" in text else len(text), GRAMMAR, noisy=noisy)
    found = problem.evaluator(np.uint64(1), Threads()).evaluate(everyone)
    assert found.fitness.tolist() == [5.0, math.inf, 3.0, math.inf]
    assert found.status.tolist() == [Status.OK, Status.OUT_OF_CODONS, Status.OK, Status.NOT_FINITE]
    assert found.size.tolist() == [1, 0, 2, 2]  # white space is not counted
    assert found.weights is None


def test_any_character_reaches_the_function() -> None:
    odd = "a\0ß\ud800😀"
    seen: list[str] = []
    problem = gm.Objective(lambda text: float(seen.append(text) is None), Grammar.from_text(f'<a> ::= "{odd}" | ""'))  # type: ignore[func-returns-value]
    evaluate(problem, population([0], [1], [0]))
    assert seen == [odd, ""]


def test_invalid_individuals_never_reach_the_function() -> None:
    nobody = Derivations(np.zeros(0, np.int32), np.zeros(2, np.int64), np.array([1], np.int8))
    assert evaluate(gm.Objective(lambda _: 1 / 0, GRAMMAR), nobody) == [math.inf]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400])
@pytest.mark.parametrize("maximise", [True, False])
def test_what_is_not_finite_is_the_worst(value: float, maximise: bool) -> None:
    assert evaluate(gm.Objective(lambda _: value, GRAMMAR, maximise=maximise), population(HELLO)) == [math.inf]


@pytest.mark.parametrize("value", [np.float32(2), True, 3, np.int64(4), np.array(1.5)])
def test_whatever_python_takes_for_a_number_is_one(value: Any) -> None:
    assert evaluate(gm.Objective(lambda _: value, GRAMMAR), population(HELLO)) == [float(value)]


@pytest.mark.parametrize(
    "value", [None, "bad", "1", 1j, object(), [], ["1"], [1, None], [[1, 2]], [[1], [1, 2]], np.ones((2, 2)), {1: 2}]
)
def test_a_result_that_is_no_number_is_an_error(value: Any) -> None:
    message = (
        r"for the program 'hello', the objective returned [\s\S]*, which is neither a number nor a list of at least"
    )
    with pytest.raises(ObjectiveError, match=message):
        evaluate(gm.Objective(lambda _: value, GRAMMAR, on_error="raise"), population(HELLO))
    assert evaluate(gm.Objective(lambda _: value, GRAMMAR), population(HELLO)) == [math.inf]


# Errors per case


def letters(text: str) -> list[float]:
    return [text.count("x"), text.count("y"), len(text) - 3]


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda errors: np.array(errors, np.float32)])
def test_a_list_of_errors_counts_by_its_mean(kind: Any) -> None:
    evaluator = gm.Objective(lambda text: kind(letters(text)), GRAMMAR).evaluator(np.uint64(1), Threads())
    everyone = population(X_X, X_Y, HELLO)
    assert evaluator.evaluate(everyone).fitness.tolist() == pytest.approx([2 / 3, 2 / 3, 2 / 3])
    assert evaluator.cases(everyone).tolist() == [[2, 0, 0], [1, 1, 0], [0, 0, 2]]


def test_what_is_maximised_is_negated_in_every_case() -> None:
    evaluator = gm.Objective(letters, GRAMMAR, maximise=True).evaluator(np.uint64(1), Threads())
    assert evaluator.evaluate(population(X_X)).fitness.tolist() == pytest.approx([-2 / 3])
    assert evaluator.cases(population(X_X)).tolist() == [[-2, 0, 0]]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 10**400])
def test_an_error_that_is_not_finite_makes_an_individual_invalid(bad: float) -> None:
    problem = gm.Objective(lambda text: [1.0, bad if "y" in text else 2.0], GRAMMAR)
    evaluator = problem.evaluator(np.uint64(1), Threads())
    nobody = Derivations(np.zeros(0, np.int32), np.zeros(2, np.int64), np.array([Status.STEP_LIMIT], np.int8))
    everyone = Derivations.join([population(X_Y, HELLO), nobody])
    assert evaluator.evaluate(everyone).status.tolist() == [Status.NOT_FINITE, Status.OK, Status.STEP_LIMIT]
    assert evaluator.cases(everyone).tolist() == [[math.inf, math.inf], [1.0, 2.0], [math.inf, math.inf]]


def test_a_mean_beyond_all_floats_is_invalid() -> None:
    assert evaluate(gm.Objective(lambda _: [1.7e308, 1.7e308], GRAMMAR), population(HELLO)) == [math.inf]


def test_another_number_of_errors_is_an_error() -> None:
    problem = gm.Objective(lambda text: [1.0] * len(text), GRAMMAR)
    with pytest.raises(
        ObjectiveError, match="for the program 'x x', the objective returned 3 errors, but 5 errors before"
    ):
        evaluate(problem, population(HELLO, X_X))
    mixed = gm.Objective(lambda text: [1.0] if "x" in text else 1.0, GRAMMAR)
    with pytest.raises(
        ObjectiveError, match="for the program 'x x', the objective returned 1 error, but a single number before"
    ):
        evaluate(mixed, population(HELLO, X_X))


def test_single_numbers_are_no_errors_per_case() -> None:
    evaluator = gm.Objective(len, GRAMMAR).evaluator(np.uint64(1), Threads())
    evaluator.evaluate(population(HELLO))
    with pytest.raises(SettingsError, match="lexicase selection needs errors per case: return a list of errors from"):
        evaluator.cases(population(HELLO))


@pytest.mark.parametrize("noisy", [True, False])
def test_cases_of_texts_seen_are_remembered(noisy: bool) -> None:
    seen: list[str] = []

    def errors(text: str) -> list[float]:
        seen.append(text)
        return [1.0, 2.0]

    evaluator = gm.Objective(errors, GRAMMAR, noisy=noisy).evaluator(np.uint64(1), Threads())
    evaluator.evaluate(population(HELLO))
    assert evaluator.cases(population(HELLO)).tolist() == [[1.0, 2.0]]
    assert len(seen) == 1
    evaluator.evaluate(population(HELLO))
    assert len(seen) == (2 if noisy else 1)


def test_a_text_that_fails_is_computed_once() -> None:
    seen: list[str] = []

    def errors(text: str) -> list[float]:
        seen.append(text)
        raise ValueError

    evaluator = gm.Objective(errors, GRAMMAR).evaluator(np.uint64(1), Threads())
    everyone = population(HELLO, HELLO, X_X)
    evaluator.evaluate(everyone)
    assert np.isinf(evaluator.cases(everyone)).all()
    assert len(seen) == 2


def test_a_number_that_is_not_finite_means_invalid_where_lists_are_expected() -> None:
    def errors(text: str) -> Any:
        return math.inf if text.startswith("x") else [1.0, 2.0]

    evaluator = gm.Objective(errors, GRAMMAR).evaluator(np.uint64(1), Threads())
    everyone = population(X_X, HELLO, X_Y)
    assert evaluator.evaluate(everyone).fitness.tolist() == [math.inf, 1.5, math.inf]
    assert evaluator.cases(everyone).tolist() == [[math.inf] * 2, [1.0, 2.0], [math.inf] * 2]


def test_too_many_cases_are_forgotten_and_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gramarye.objectives.text_evaluator._MOST", 300)
    evaluator = gm.Objective(letters, GRAMMAR).evaluator(np.uint64(1), Threads())
    everyone = population(X_X, X_Y, HELLO)
    evaluator.evaluate(everyone)
    assert len(evaluator._seen) == 1  # type: ignore[attr-defined]
    assert evaluator.cases(everyone).tolist() == [[2, 0, 0], [1, 1, 0], [0, 0, 2]]


def test_where_nothing_was_returned_all_cases_are_infinite() -> None:
    evaluator = gm.Objective(lambda _: 1 / 0, GRAMMAR).evaluator(np.uint64(1), Threads())
    assert evaluator.cases(population(HELLO, X_X)).tolist() == [[math.inf], [math.inf]]


class Unhelpful(Evaluator):
    def evaluate(self, derivations: Derivations) -> Evaluation:
        raise NotImplementedError


def test_an_evaluator_need_not_have_cases() -> None:
    with pytest.raises(SettingsError, match="Unhelpful has no errors per case"):
        Unhelpful().cases(population(HELLO))
    assert math.isnan(Unhelpful().test(population(HELLO)))


def explode(text: str) -> float:
    if "x" in text:
        raise KeyError(text)
    return 1.0


def test_a_function_that_raises_stops_the_run_and_names_the_program() -> None:
    with pytest.raises(
        ObjectiveError, match="for the program 'x x', the objective raised KeyError: 'x x'; set on_error to \"worst\""
    ) as caught:
        evaluate(gm.Objective(explode, GRAMMAR, on_error="raise"), population(HELLO, X_X))
    assert "test_function.py" in caught.value.__notes__[0]


def test_a_function_that_raises_gives_the_worst_fitness_unless_told_otherwise() -> None:
    assert evaluate(gm.Objective(explode, GRAMMAR), population(HELLO, X_X)) == [1.0, math.inf]


def test_an_interruption_is_no_error_of_the_function() -> None:
    def interrupted(text: str) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(gm.Objective(interrupted, GRAMMAR), population(HELLO))


def test_what_is_no_objective_is_refused() -> None:
    with pytest.raises(SettingsError, match="the objective is 3: it must be a function from a text to"):
        gm.Objective(3, GRAMMAR)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="on_error is 'ignore': it must be 'worst' or 'raise'"):
        gm.Objective(len, GRAMMAR, on_error="ignore")  # type: ignore[arg-type]


def test_an_objective_has_a_name_and_no_test_error() -> None:
    problem = gm.Objective(len, GRAMMAR, name="shortest")
    assert problem.name == "shortest"
    assert math.isnan(problem.evaluator(np.uint64(1), Threads()).test(population(HELLO)))


def test_a_run_in_which_nothing_is_valid_ends_without_a_program() -> None:
    run = gm.evolve(gm.Objective(lambda _: math.inf, GRAMMAR), METHOD, seed=1)
    assert run.best.fitness == math.inf
    assert run.best.phenotype is None
    assert run.history["invalid"].tolist() == [20, 20, 20]
    assert run.history["mean"].tolist() == run.history["median"].tolist() == [math.inf] * 3


def test_fitness_near_the_largest_float_makes_no_noise() -> None:
    run = gm.evolve(gm.Objective(lambda _: 1.7e308, GRAMMAR), METHOD, seed=1)
    assert run.history["median"].tolist() == [math.inf] * 3
    assert run.best.fitness == 1.7e308
