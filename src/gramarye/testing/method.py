"""The laws of methods."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from gramarye import methods, problems
from gramarye.engine.evolution import Evolution
from gramarye.engine.setup import Setup
from gramarye.engine.state import State
from gramarye.errors import GramaryeError
from gramarye.execution import Threads
from gramarye.methods.base import MethodBase
from gramarye.objectives.problem import Problem
from gramarye.populations.history import RECORDED
from gramarye.testing.laws import SEEDS, Case, complaint, same

INDIVIDUALS, GENERATIONS = 130, 5  # enough individuals for two slices, which two threads share
COSTS = ("distinct", "node_rows")  # what was computed, not what was found: a resumed run forgets what it has seen


def check_method(method: MethodBase, problem: Problem | None = None) -> None:
    """An AssertionError where short runs of a method break a law, on a problem or on the quartic polynomial.

    Its representation, learner and selection have checks of their own.
    """
    problem = problems.load("quartic") if problem is None else problem
    small = _small(methods.check_method(method))
    for number in SEEDS:
        case = Case(repr(method), problem.name, number)
        for name, value in method.settings.items():
            told = re.search(r" at 0x[0-9A-Fa-f]+>", repr(value)) is None
            case.require(told, "settings are told by their repr: a saved run is known by it", f"{name} is {value!r}")
        try:
            state = _run(problem, small, number)
        except GramaryeError as error:
            raise case.broken("a run ends without an error", f"{type(error).__name__}: {error}") from error
        _check_history(case, problem, small, state)
        setup = Setup(problem, small, number)
        _check_probabilities(case, setup, state)
        _check_best(case, setup, state)
        _check_repeated(case, problem, small, state)


def _small(method: MethodBase) -> MethodBase:
    """The same method with a small population and few generations."""
    population = min(method.population, INDIVIDUALS)
    few: dict[str, Any] = {"population": population, "generations": GENERATIONS}
    if "elitism" in method.settings and population < method.population:
        few["elitism"] = method.elites / method.population
    return replace(method, **few)


def _run(problem: Problem, method: MethodBase, number: int, threads: int = 1, state: State | None = None) -> State:
    """The last state of a run."""
    with Evolution(problem, method, number, threads=threads, state=state) as evolution:
        for _ in evolution:
            pass
        return cast(State, evolution.state)


def _check_history(case: Case, problem: Problem, method: MethodBase, state: State) -> None:
    column = dict(zip(RECORDED, state.history.T, strict=True))
    best, so_far, invalid = column["best"], column["best_so_far"], column["invalid"]
    case.require(len(best) == GENERATIONS, "every generation leaves a record", f"{len(best)} of {GENERATIONS} did")
    case.require(_falls(so_far), "the best of the run never gets worse", f"{so_far}")
    case.require(same(so_far, np.minimum.accumulate(best)), "the best of the run is the best of its generations")
    if method.elites and not method.learner.remap_elites:
        law = "where elites are kept unchanged, the best of a population never gets worse"
        case.require(_falls(best), law, f"{best}")
    case.require(((invalid >= 0) & (invalid <= method.population)).all(), "individuals are valid or not", f"{invalid}")
    for name in ("best", "mean", "median"):
        finite = np.isfinite(column[name]) == (invalid < method.population)
        case.require(finite.all(), f"{name} is finite where somebody is valid", f"{column[name]}")
    made = method.population - (0 if method.learner.remap_elites else method.elites)
    least = (method.population + made * np.arange(GENERATIONS)).astype(np.float64)
    evaluations, tuned = column["evaluations"], problem.grammar.has_constants and method.tuning_iterations > 0
    law = "evaluations are individuals given a fitness, elites only if they are mapped again"
    case.require((evaluations >= least).all() if tuned else same(evaluations, least), law, f"{evaluations}")
    for name in COSTS:
        case.require(_falls(-column[name]), f"{name} counts up to each generation", f"{column[name]}")


def _falls(column: NDArray[np.float64]) -> bool:
    return bool((column[1:] <= column[:-1]).all())


def _check_probabilities(case: Case, setup: Setup, state: State) -> None:
    for generation, row in enumerate(state.probability_history):
        why = complaint(setup.grammar, row)
        case.require(why is None, "probabilities stay probabilities", f"generation {generation}: {why}")
    if setup.method.wording is None:
        first = state.probability_history[:1]
        law = "who records nothing leaves probabilities as they are"
        case.require((state.probability_history == first).all(), law)


def _check_best(case: Case, setup: Setup, state: State) -> None:
    size = len(state.fitness)
    case.require(size == setup.method.population, "populations keep their size", f"{size} members")
    if not state.best_of_run.valid:
        return
    derivations = setup.rewriting.translate(state.best_of_run.derivations)
    tuning = setup.method.tuning._replace(iterations=0)  # its constants are tuned already
    evaluator = setup.problem.evaluator(case.seed, Threads(), tuning._replace(rows=None))
    fitness = float(evaluator.evaluate(derivations).fitness[0])
    law = "the best of the run has the fitness that was recorded"
    case.require(fitness == state.best_of_run.fitness, law, f"{fitness}, not {state.best_of_run.fitness}")


def _check_repeated(case: Case, problem: Problem, method: MethodBase, state: State) -> None:
    again = _run(problem, method, case.number)
    case.require(same(state, again), "the same seed gives the same run")
    threads = _run(problem, method, case.number, threads=3)
    case.require(_found_the_same(state, threads), "any number of threads finds the same")
    half = _run(problem, replace(method, generations=GENERATIONS // 2), case.number)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "half.npz"
        try:
            half.save(path)
            loaded = State.load(path)
        except GramaryeError as error:
            raise case.broken("a state is saved and read back", str(error)) from error
        case.require(same(loaded, half), "a saved state reads back to the same bits")
        resumed = _run(problem, method, case.number, state=loaded)
    case.require(_found_the_same(state, resumed), "a run that was saved and resumed ends as if it had not been")


def _found_the_same(first: State, second: State) -> bool:
    kept = [name not in COSTS for name in RECORDED]
    return same(*(replace(state, history=state.history[:, kept]) for state in (first, second)))
