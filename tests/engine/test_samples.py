"""Runs whose programs are compared on a sample of the rows, and reported on all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.data import Dataset
from gramarye.derivations import Derivations
from gramarye.engine import samples
from gramarye.engine.run import Run
from gramarye.engine.state import State
from gramarye.populations.evaluation import Evaluation
from gramarye.populations.population import Memory

RNG = np.random.default_rng(3)
X = RNG.uniform(0.5, 3, (400, 2))
Y = 2.5 * X[:, 0] / (0.3 + X[:, 1]) + 0.1 * RNG.normal(size=400)
GRAMMAR = gm.Grammar.from_text("<e> ::= (<e> + <e>) | (<e> * <e>) | (<e> / <e>) | sin(<e>) | x | y | <const>")
PROBLEM = gm.Regression(X, Y, GRAMMAR)
SMALL: dict[str, Any] = {"population": 60, "generations": 8}


def sampled(rows: int | None = 40, problem: gm.Regression = PROBLEM, threads: int = 1, **settings: Any) -> Run:
    return gm.evolve(problem, gm.TunedTrees(**{**SMALL, **settings}, rows=rows), seed=1, threads=threads)


def state_after(generations: int, **settings: Any) -> State:
    method = gm.TunedTrees(population=60, generations=generations, rows=40, **settings)
    evolution = gm.Evolution(PROBLEM, method, seed=1)
    for _ in evolution:
        pass
    assert evolution.state is not None
    return evolution.state


def error(individual: Any) -> float:
    """The root relative squared error on all rows."""
    return float(np.sqrt(((individual.predict(X) - Y) ** 2).sum() / ((Y - Y.mean()) ** 2).sum()))


def same(one: Run, other: Run) -> bool:
    numbers = all(one.history[name].tobytes() == other.history[name].tobytes() for name in ("best", "evaluations"))
    fronts = ([(each.phenotype, each.fitness) for each in run.front] for run in (one, other))
    return numbers and next(fronts) == next(fronts) and one.best.genotype == other.best.genotype


def test_what_is_reported_is_computed_on_all_rows() -> None:
    run = sampled()
    assert run.best.fitness == pytest.approx(error(run.best), rel=1e-12)
    assert len(run.front) > 3
    for each in run.front:
        assert each.fitness == pytest.approx(error(each), rel=1e-12)
    assert run.history["best_so_far"][-1] == run.best.fitness
    assert all(np.diff(run.history["best_so_far"]) <= 0)
    assert run.best.fitness < 0.2
    assert run.history["best"][-1] != run.best.fitness  # in the population, on the sample


def test_constants_are_tuned_on_all_rows_before_they_are_reported() -> None:
    run = sampled()
    evaluator = PROBLEM.evaluator(run.setup.key, gm.execution.Threads(), run.method.tuning._replace(rows=None))
    found = evaluator.evaluate(run.best.derivation.alone)
    assert found.fitness[0] == pytest.approx(run.best.fitness, rel=1e-3)


def test_with_less_than_twice_the_rows_all_of_them_count() -> None:
    assert same(sampled(201), sampled(None))
    assert not same(sampled(200), sampled(None))


def test_passes_over_all_rows_are_counted() -> None:
    settings: dict[str, Any] = {"tuning_iterations": 0, "generations": 1}
    assert sampled(None, **settings).evaluations == 60
    assert 60 < sampled(40, **settings).evaluations < 80


@pytest.mark.parametrize("restart_after", [None, 2])
def test_a_run_does_not_depend_on_threads_or_interruption(restart_after: int | None) -> None:
    whole = sampled(restart_after=restart_after)
    assert same(whole, sampled(threads=3, restart_after=restart_after))
    half = state_after(5, restart_after=restart_after)
    evolution = gm.Evolution(PROBLEM, whole.method, state=State.from_bytes(half.to_bytes()))
    assert [generation.index for generation in evolution] == [5, 6, 7]
    assert same(whole, evolution.run)


def test_the_number_of_rows_belongs_to_a_run() -> None:
    with pytest.raises(gm.errors.SettingsError, match="rows was 40 and is now 50"):
        gm.Evolution(PROBLEM, gm.TunedTrees(**SMALL, rows=50), state=state_after(2))


def test_a_target_that_is_constant_in_the_sample_is_learned_from_all_rows() -> None:
    rare = gm.Regression(X, (np.arange(400) == 7).astype(float), GRAMMAR)
    assert same(sampled(2, rare), sampled(None, rare))


@given(st.integers(0, 2**64 - 1), st.integers(2, 30), st.integers(2, 60))
def test_a_sample_has_some_of_the_rows_in_their_order(seed: int, rows: int, of: int) -> None:
    data = Dataset(np.arange(2.0 * of).reshape(2, of), np.arange(0.5, of), None, np.arange(1.0, of + 1))
    sample = data.sample(rows, np.uint64(seed))
    assert sample.rows == (rows if of >= 2 * rows else of)
    assert (np.diff(sample.target) > 0).all()
    assert (sample.columns[0] + 0.5 == sample.target).all()
    assert (sample.weights == sample.target + 0.5).all()


def test_seeds_draw_different_samples() -> None:
    drawn = [PROBLEM.dataset.sample(40, np.uint64(seed)).target.tolist() for seed in (1, 2, 1)]
    assert drawn[0] == drawn[2] != drawn[1]


ERRORS = st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.5, np.inf]), st.integers(1, 4)), min_size=1, max_size=8)


@given(st.lists(ERRORS, min_size=1, max_size=4), st.data())
def test_newcomers_are_the_best_of_their_size_so_far(generations: list[list[tuple[float, int]]], data: Any) -> None:
    memory: Memory = {}
    before: list[tuple[float, int]] = []
    for individuals in generations:
        fresh = data.draw(st.integers(0, len(individuals)))
        fitness, size = (np.array(column) for column in zip(*individuals, strict=True))
        n = len(individuals)
        trees = Derivations(np.zeros(n, np.int32), np.arange(n + 1), np.zeros(n, np.int8))
        new, memory = samples.newcomers(memory, Evaluation(trees, fitness, np.zeros(n, np.int8), size), fresh)
        pool = [*before, *individuals[:fresh]]
        wanted = [
            i
            for i in range(len(before), len(pool))
            if pool[i][0] < np.inf
            and all(error > pool[i][0] for error, nodes in pool if nodes < pool[i][1])
            and all(error > pool[i][0] for error, nodes in pool[:i] if nodes == pool[i][1])
            and all(error >= pool[i][0] for error, nodes in pool[i:] if nodes == pool[i][1])
        ]
        assert sorted(new.tolist()) == [i - len(before) for i in wanted]
        before = pool
