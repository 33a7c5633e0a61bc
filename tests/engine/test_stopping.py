from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.engine.stopping import SHORTENING
from gramarye.methods import MethodBase
from tests.engine.test_front import PROBLEM
from tests.engine.test_state import same

METHODS: list[MethodBase] = [
    gm.TunedTrees(population=30, generations=15, max_size=12, max_evaluations=None, target=None),
    gm.PGE(population=30, generations=15),
]


def history(method: MethodBase, problem: Any = PROBLEM) -> dict[str, Any]:
    return gm.evolve(problem, method, seed=3).history


def is_prefix(short: dict[str, Any], long: dict[str, Any]) -> bool:
    n = len(short["best"])
    return all(same(short[name], long[name][:n].copy()) for name in long)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_a_run_ends_with_the_generation_that_reaches_the_evaluations(method: MethodBase) -> None:
    long = history(method)
    for at in (0, 4, 9):
        for limit in (int(long["evaluations"][at]), int(long["evaluations"][at]) - 1):
            short = history(replace(method, max_evaluations=limit))
            assert len(short["best"]) == at + 1
            assert is_prefix(short, long)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_a_run_ends_with_the_generation_that_reaches_the_target(method: MethodBase) -> None:
    long = history(method)
    for at in (0, 3, 14):
        target = float(long["best_so_far"][at])
        short = history(replace(method, target=target))
        assert len(short["best"]) == int(np.argmax(long["best_so_far"] <= target)) + 1
        assert is_prefix(short, long)


def test_the_target_of_what_is_maximised_is_reached_from_below() -> None:
    grammar = gm.Grammar.from_text("<s> ::= a<s> | b<s> | a | b")
    problem = gm.Objective(lambda text: float(text.count("a")), grammar, maximise=True)
    method = gm.GE(population=20, generations=15)
    long = history(method, problem)
    target = float(long["best_so_far"][5])
    short = history(replace(method, target=target), problem)
    assert len(short["best"]) == int(np.argmax(long["best_so_far"] >= target)) + 1
    assert is_prefix(short, long)
    assert len(history(replace(method, target=1e9), problem)["best"]) == 15


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_no_time_is_enough_for_the_first_generation(method: MethodBase) -> None:
    short = history(replace(method, max_time=0.0))
    assert len(short["best"]) == 1
    assert is_prefix(short, history(method))


def test_time_ends_a_run_between_generations(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(10**6))
    monkeypatch.setattr("gramarye.engine.evolution.time.perf_counter", lambda: float(next(ticks)))
    short = history(replace(METHODS[1], max_time=4.0))  # each generation takes one tick
    assert len(short["best"]) == 4
    assert is_prefix(short, history(METHODS[1]))


def test_the_first_of_several_limits_counts() -> None:
    long = history(METHODS[1])
    both = replace(METHODS[1], max_evaluations=10**9, max_time=1e9, target=-1.0)
    assert is_prefix(history(both), long)
    assert len(history(both)["best"]) == 15


def test_a_run_that_has_ended_continues_with_a_wider_limit() -> None:
    method = METHODS[1]
    stopped = gm.Evolution(PROBLEM, replace(method, max_evaluations=100), seed=3)
    for _ in stopped:
        pass
    assert stopped.state is not None
    resumed = gm.Evolution(PROBLEM, method, state=stopped.state)
    for _ in resumed:
        pass
    assert same(resumed.run.history["best"], history(method)["best"])
    assert resumed.run.generations == 15


@pytest.mark.parametrize("maximise", [True, False])
def test_tuned_trees_stop_at_an_exact_formula_only_where_that_is_known(maximise: bool) -> None:
    grammar = gm.Grammar.from_text("<e> ::= (<e> + <e>) | sin(<e>) | x | <const>")
    method = gm.TunedTrees(population=20, generations=4)
    sign = 1 if maximise else -1
    run = gm.evolve(gm.Objective(lambda text: sign * len(text), grammar, maximise=maximise), method, seed=1)
    assert (run.ended_by, run.generations) == ("generations", 4)
    x = np.linspace(0, 1, 30)
    for error, unit in (("rrse", 1.0), ("rmse", 1e-13), ("mae", 1e13)):
        problem = gm.Regression(x, unit * (np.exp(x) + np.sin(9 * x)), grammar, error=error)  # type: ignore[arg-type]
        assert gm.evolve(problem, method, seed=1).ended_by == "generations"
        exact = gm.Regression(x, unit * (3 * x + 2), grammar, error=error)  # type: ignore[arg-type]
        run = gm.evolve(exact, replace(method, generations=100), seed=1)
        assert run.ended_by == "target"
        assert run.generations == np.argmax(run.history["best_so_far"] <= exact.exact) + 1 + SHORTENING
    assert gm.evolve(exact, gm.CFGGP(population=20, generations=4), seed=1).ended_by == "generations"


def test_a_run_that_is_exact_has_some_generations_left_to_find_a_shorter_formula() -> None:
    X = np.random.default_rng(3).uniform(1, 3, (60, 3))
    problem = gm.Regression(X, X[:, 0] * (X[:, 1] - X[:, 2]) / X[:, 1], gm.Grammar.from_columns(X))
    found = []
    evolution = gm.Evolution(problem, gm.TunedTrees(), seed=4)
    for _ in evolution:
        sizes = [member.nodes for member in evolution.run.front if member.fitness <= problem.exact]
        found += [min(sizes)] if sizes else []
    assert len(found) == SHORTENING + 1
    assert found[-1] < found[0]
