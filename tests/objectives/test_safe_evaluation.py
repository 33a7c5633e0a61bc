"""Objectives whose programs fail: what becomes of them, who is told, and that runs go on."""

from __future__ import annotations

import math
import os
import time
import warnings
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.derivations import Derivations, Status
from gramarye.errors import ObjectiveError, SettingsError
from gramarye.execution import HERE, InProcess, Threads, Workers
from gramarye.objectives import Evaluator

GRAMMAR = gm.Grammar.from_text("<e> ::= <e> + <e> | <e> * <e> | x | 1 | 1/0 | crash | hang | nan | fat\n")
METHOD = gm.GE(population=40, generations=5)
REASONS = ("not_finite", "timeout", "memory", "crash", "exception")


def dangerous(text: str) -> float:
    """The distance from 17 of an expression, if it has no accident before."""
    if "crash" in text:
        os._exit(3)
    if "hang" in text:
        time.sleep(60)
    if "fat" in text:
        return float(len(bytearray(10**9)))
    return abs(eval(text, {"x": 3, "nan": math.nan}) - 17)


def problem(**settings: Any) -> gm.Objective:
    limits: dict[str, Any] = {"timeout": 0.2, "memory": "300MB"}
    return gm.Objective(dangerous, GRAMMAR, **limits | settings)


def evolved(workers: Any = None, **settings: Any) -> gm.Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gm.evolve(problem(**settings), METHOD, seed=2, workers=workers)


def of(name: str, derivations: Derivations, **settings: Any) -> tuple[Evaluator, Any]:
    evaluator = problem(**settings).evaluator(np.uint64(1), Threads())
    return evaluator, evaluator.evaluate(derivations)


@pytest.fixture(scope="module")
def run() -> gm.Run:
    return evolved()


def test_a_run_goes_on_through_all_accidents_and_counts_them(run: gm.Run) -> None:
    assert run.generations == 5
    assert run.best.phenotype is not None
    counts = {reason: int(run.history[reason].sum()) for reason in REASONS}
    assert all(counts.values()), counts
    assert {failure.reason: failure.individuals for failure in run.failures} == counts
    assert run.table["crash"].dtype == np.int64


def test_the_first_program_of_each_kind_is_told(run: gm.Run) -> None:
    told = {failure.reason: str(failure) for failure in run.failures}
    assert "', the objective raised ZeroDivisionError: division by zero; such programs get" in told["exception"]
    assert "', the objective crashed (it ended with exit code 3); such programs get" in told["crash"]
    assert "', the objective ran out of memory; such programs get" in told["memory"]
    assert "', the objective returned nan; such programs get" in told["not_finite"]
    assert "', the objective took longer than 0.2 s; such programs get" in told["timeout"]
    assert told["timeout"].endswith("such programs get the worst fitness; the run may differ on another machine")


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 3])
def test_workers_change_nothing(run: gm.Run, workers: int) -> None:
    other = evolved(workers)
    assert other.best.phenotype == run.best.phenotype
    for name in run.history:
        np.testing.assert_array_equal(other.history[name], run.history[name])
    assert [str(failure) for failure in other.failures] == [str(failure) for failure in run.failures]


def test_evolve_warns_of_the_first_of_each_kind() -> None:
    simple = gm.Objective(lambda text: eval(text, {"x": 3}), gm.Grammar.from_text("<e> ::= x | 1/0 | x * <e>\n"))
    with pytest.warns(
        UserWarning, match="for the program '.*1/0', the objective raised ZeroDivisionError: division by zero"
    ) as told:
        gm.evolve(simple, METHOD, seed=1)
    assert len(told) == 1
    assert told[0].filename == __file__


def test_only_failures_of_the_function_count_as_such() -> None:
    evolution = gm.Evolution(gm.problems.load("quartic"), METHOD, seed=1)
    evolution.advance()
    assert {failure.reason for failure in evolution.failures} <= {"not_finite"}
    assert all(failure.first is None for failure in evolution.failures)


@pytest.mark.parametrize("value", [math.nan, [1.0, math.nan]])
def test_nan_stops_a_strict_run(value: Any) -> None:
    strict = gm.Objective(lambda _: value, GRAMMAR, on_error="raise")
    with pytest.raises(
        ObjectiveError, match=r"for the program '.*', the objective returned .*nan.*; set on_error to \"worst\""
    ):
        gm.evolve(strict, METHOD, seed=1)


def test_a_strict_run_survives_limits_but_no_exception() -> None:
    with pytest.raises(ObjectiveError, match="raised ZeroDivisionError") as caught:
        evolved(on_error="raise")
    assert "test_safe_evaluation.py" in caught.value.__notes__[0]


def test_where_all_individuals_fail_the_run_stops_with_the_first() -> None:
    def never(text: str) -> float:
        raise ValueError("no such\n  thing")

    evolution = gm.Evolution(gm.Objective(never, GRAMMAR), METHOD, seed=1)
    told = "all individuals of a generation failed; the first: for .*, the objective raised ValueError: no such thing"
    with pytest.raises(ObjectiveError, match=told) as caught:
        evolution.advance()
    (note,) = caught.value.__notes__
    assert "in never" in note
    assert "outcomes.py" not in note  # our own part of the traceback says nothing to the user
    assert evolution.state is None


def test_a_program_that_is_infinitely_bad_has_not_failed() -> None:
    run = gm.evolve(gm.Objective(lambda _: math.inf, GRAMMAR), METHOD, seed=1)
    assert run.history["not_finite"].tolist() == [40, 36, 36, 36, 36]  # the elites are not evaluated again
    assert run.failures[0].first is None


def test_statuses_say_what_happened() -> None:
    productions = {p.text: p.id for p in GRAMMAR.productions}
    rows = [np.array([productions[text]], np.int32) for text in ("x", "1/0", "crash", "nan")]
    evaluator, evaluation = of("all", Derivations.join([Derivations.of(row) for row in rows]))
    assert evaluation.status.tolist() == [Status.OK, Status.EXCEPTION, Status.CRASH, Status.NOT_FINITE]
    assert evaluation.fitness.tolist() == [14.0, math.inf, math.inf, math.inf]
    assert set(evaluator.failures) == {Status.EXCEPTION, Status.CRASH, Status.NOT_FINITE}
    evaluator.close()


# Where programs are evaluated


def test_without_limits_and_workers_programs_are_evaluated_in_this_process() -> None:
    pids: set[int] = set()

    def here(text: str) -> float:
        pids.add(os.getpid())
        return float(len(text))

    gm.evolve(gm.Objective(here, GRAMMAR), METHOD, seed=1)
    assert pids == {os.getpid()}
    pids.clear()
    gm.evolve(gm.Objective(here, GRAMMAR), METHOD, seed=1, workers=1)
    assert pids == set()


@pytest.mark.parametrize("workers", [None, 1, 2])
def test_each_distinct_program_is_evaluated_once(tmp_path: Any, workers: int | None) -> None:
    def noted(text: str) -> float:
        with (tmp_path / "calls").open("a") as file:
            file.write(f"{text}\n")
        return float(len(text))

    run = gm.evolve(gm.Objective(noted, GRAMMAR), METHOD, seed=2, workers=workers)
    calls = (tmp_path / "calls").read_text().splitlines()
    assert len(calls) == len(set(calls)) == run.distinct < run.evaluations


def a_while(text: str) -> float:
    time.sleep(0.001)
    return 1.0


def test_time_in_the_function_is_measured() -> None:
    run = gm.evolve(gm.Objective(a_while, GRAMMAR), METHOD, seed=1, workers=2)
    assert run.objective_share is not None
    assert 0.001 * run.distinct <= run.objective_share * 2 * run.seconds
    assert 0 < run.objective_share <= 1
    assert gm.evolve(gm.problems.load("quartic"), METHOD, seed=1).objective_share is None


def test_the_engine_needs_no_workers() -> None:
    for settings, told in (({"workers": 2}, "workers is 2"), ({"executor": InProcess()}, "executor")):
        with pytest.raises(
            SettingsError, match=f"^{told}: the engine itself evaluates programs of quartic; use threads"
        ):
            gm.evolve(gm.problems.load("quartic"), METHOD, seed=1, **settings)


@pytest.mark.parametrize("workers", [0, -1, 1.5, "2", True])
def test_a_number_of_workers_that_is_none_is_refused(workers: Any) -> None:
    with pytest.raises(SettingsError, match=r"workers is .*: it must be an integer ≥ 1"):
        gm.evolve(problem(), METHOD, seed=2, workers=workers)


def test_an_executor_must_be_one_and_the_only_one() -> None:
    with pytest.raises(SettingsError, match="give workers or an executor, not both"):
        Workers(2, InProcess())
    with pytest.raises(SettingsError, match=r"executor is 3: it must be a concurrent\.futures\.Executor"):
        Workers(executor=3)  # type: ignore[arg-type]
    assert Workers() == HERE


# Limits


@pytest.mark.parametrize("timeout", [0, -1, math.nan, math.inf, "1", True])
def test_a_timeout_that_is_none_is_refused(timeout: Any) -> None:
    with pytest.raises(SettingsError, match=r"timeout is .*: it must be a number of seconds > 0"):
        problem(timeout=timeout)


@pytest.mark.parametrize("memory", [0, -1, 512, "", "much", "0MB", "12", "12 PB", "-3MB", 1.5, True, "1e3MB"])
def test_a_memory_limit_that_is_none_is_refused(memory: Any) -> None:
    with pytest.raises(
        SettingsError, match=r"memory is .*: it must be a size of at least 1MB, such as '512MB' \(units: KB, MB, GB,"
    ):
        problem(memory=memory)


@pytest.mark.parametrize(
    ("memory", "size"),
    [("512MB", 512_000_000), (" 1.5 gb ", 1_500_000_000), ("2MiB", 2**21), (4_000_000, 4_000_000), (None, None)],
)
def test_a_memory_limit_is_a_size(memory: Any, size: int | None) -> None:
    assert problem(memory=memory).limits.memory == size


def test_a_run_with_other_limits_is_another_run() -> None:
    state = gm.engine.start(gm.engine.Setup(gm.Objective(len, GRAMMAR, timeout=1), METHOD, 1))
    with pytest.raises(SettingsError, match="the problem's timeout was 1 and is now 2"):
        gm.Evolution(gm.Objective(len, GRAMMAR, timeout=2), METHOD, state=state)


# Functions for testing, functions for batches


def unseen(text: str) -> float:
    if text.startswith("1"):
        raise ValueError
    return 100.0 + len(text)


@pytest.mark.parametrize("workers", [None, 1])
def test_a_second_function_tests_the_best(workers: int | None) -> None:
    grammar = gm.Grammar.from_text("<e> ::= a | a<e> | b<e>\n")
    run = gm.evolve(gm.Objective(len, grammar, maximise=True, test=unseen), METHOD, seed=2, workers=workers)
    assert run.best.test_fitness == 100 + run.best.fitness
    assert run.history["test"].tolist() == (100 + run.history["best_so_far"]).tolist()


def test_a_test_that_fails_is_the_worst() -> None:
    problem = gm.Objective(len, gm.Grammar.from_text("<e> ::= 1 | 1<e>\n"), test=unseen)
    with pytest.warns(UserWarning, match="for the program '1+', the test function raised ValueError; such .* in test"):
        run = gm.evolve(problem, METHOD, seed=1)
    assert run.best.test_fitness == math.inf


def test_a_test_that_fails_ends_a_strict_run() -> None:
    strict = gm.Objective(len, GRAMMAR, test=lambda _: math.nan, on_error="raise")
    with pytest.raises(ObjectiveError, match="the test function returned nan; set on_error"):
        gm.evolve(strict, METHOD, seed=1)


def test_a_batch_function_that_raises_ends_the_run_and_says_where() -> None:
    def service(programs: list[str]) -> list[float]:
        raise ConnectionError("no answer")

    with pytest.raises(ObjectiveError, match="the batch function raised ConnectionError: no answer") as caught:
        gm.evolve(gm.Objective(service, GRAMMAR, batch=True), METHOD, seed=1)
    assert "in service" in caught.value.__notes__[0]


def test_the_rate_of_a_resumed_run_counts_its_own_evaluations() -> None:
    problem = gm.Objective(len, GRAMMAR)
    first = gm.Evolution(problem, METHOD, seed=1)
    first.advance()
    resumed = gm.Evolution(problem, METHOD, state=first.state)
    assert resumed.run.rate is None
    made = resumed.advance().record["evaluations"] - first.run.evaluations
    assert resumed.run.rate == made / resumed.run.seconds


def test_a_batch_function_gets_all_new_programs_of_a_generation_at_once() -> None:
    seen: list[list[str]] = []

    def lengths(programs: list[str]) -> list[float]:
        seen.append(programs)
        return [float(len(program)) for program in programs]

    batch = gm.evolve(gm.Objective(lengths, GRAMMAR, batch=True), METHOD, seed=1)
    single = gm.evolve(gm.Objective(len, GRAMMAR), METHOD, seed=1)
    assert batch.history["best"].tolist() == single.history["best"].tolist()
    assert len(seen) <= 5
    everything = [program for programs in seen for program in programs]
    assert len(everything) == len(set(everything)) == batch.distinct


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda programs: [1.0], "returned 1 value for .* programs: it must return one for each, in the same order"),
        (lambda programs: 3, "the batch function returned 3: it must return a list"),
        (lambda programs: [None] * len(programs), "all individuals of a generation failed; .* returned None, which is"),
    ],
)
def test_a_batch_function_must_return_as_many(function: Any, told: str) -> None:
    with pytest.raises(ObjectiveError, match=told):
        gm.evolve(gm.Objective(function, GRAMMAR, batch=True), METHOD, seed=1)


def test_a_batch_function_has_no_limits() -> None:
    with pytest.raises(SettingsError, match="a batch function runs in this process, without limits; leave timeout and"):
        gm.Objective(lambda programs: [1.0], GRAMMAR, batch=True, timeout=1)


@pytest.mark.parametrize("name", ["maximise", "noisy", "batch"])
def test_a_flag_is_true_or_false(name: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} is 'yes': it must be True or False"):
        gm.Objective(len, GRAMMAR, **{name: "yes"})  # type: ignore[arg-type]


def test_a_test_function_must_be_one() -> None:
    with pytest.raises(SettingsError, match="test is 3: it must be a function from a text"):
        gm.Objective(len, GRAMMAR, test=3)  # type: ignore[arg-type]
