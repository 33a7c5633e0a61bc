from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import gramarye as gm
from gramarye.derivations import Derivations
from gramarye.engine import front
from gramarye.methods import MethodBase
from gramarye.populations.evaluation import Evaluation

ERRORS = st.sampled_from([0.0, 0.125, 0.25, 0.5, 1.0, math.inf])
GENERATIONS = st.lists(st.lists(st.tuples(ERRORS, st.integers(0, 6)), max_size=8), max_size=5)


def evaluated(individuals: list[tuple[float, int]], first: int) -> Evaluation:
    """A population whose individuals are known by the number of their only production."""
    n = len(individuals)
    numbers = np.arange(first, first + n, dtype=np.int32)
    errors, sizes = np.array(individuals, np.float64).reshape(n, 2).T.copy()
    derivations = Derivations(numbers, np.arange(n + 1), np.zeros(n, np.int8))
    return Evaluation(derivations, errors, np.zeros(n, np.int8), sizes.astype(np.int64))


@given(GENERATIONS)
def test_the_front_holds_the_first_best_of_every_size_that_beats_all_smaller_ones(
    generations: list[list[tuple[float, int]]],
) -> None:
    found, seen = front.EMPTY, list[tuple[float, int]]()
    for individuals in generations:
        new = evaluated(individuals, len(seen))
        seen += individuals
        chosen = front.candidates(found, new)
        if len(chosen):
            found = front.joined(found, new.take(chosen))
    best: list[tuple[int, float, int]] = []
    for size in range(7):
        own = [(error, number) for number, (error, own_size) in enumerate(seen) if own_size == size]
        error, number = min(own, default=(math.inf, -1))
        if error < min([math.inf, *(other for _, other, _ in best)]):
            best.append((size, error, number))
    numbers = found.derivations.productions.tolist()
    assert list(zip(found.size.tolist(), found.fitness.tolist(), numbers, strict=True)) == best


@given(GENERATIONS)
def test_nobody_who_is_no_candidate_would_join_the_front(generations: list[list[tuple[float, int]]]) -> None:
    found = front.EMPTY
    for individuals in generations:
        new = evaluated(individuals, 0)
        everyone = front.joined(found, new)
        some = front.joined(found, new.take(front.candidates(found, new)))
        assert everyone.fitness.tolist() == some.fitness.tolist()
        assert everyone.size.tolist() == some.size.tolist()
        found = everyone


@given(GENERATIONS, st.integers(0, 8))
def test_only_those_who_would_join_the_front_are_looked_at_which_changes_nothing(
    generations: list[list[tuple[float, int]]], fresh: int
) -> None:
    found, all_looked_at, first = front.EMPTY, front.EMPTY, 0
    for individuals in generations:
        looked_at: list[int] = []

        def safe(new: Evaluation, looked_at: list[int] = looked_at) -> NDArray[np.bool_]:
            looked_at += new.derivations.productions.tolist()
            return new.derivations.productions % 3 > 0

        everyone = evaluated(individuals, first)
        first += len(everyone)
        found = front.grown(found, everyone, fresh, safe)
        new = everyone.take(np.arange(min(fresh, len(everyone))))
        all_looked_at = front.joined(all_looked_at, new.take(np.flatnonzero(new.derivations.productions % 3 > 0)))
        assert found.derivations.productions.tolist() == all_looked_at.derivations.productions.tolist()
        assert len(looked_at) == len(set(looked_at))


@pytest.mark.parametrize(
    ("fitness", "chosen"),
    [
        ([], []),
        ([0.5], [0]),
        ([0.5, 0.5 - 1e-9, 0.4, 0.4 - 5e-7], [0, 2, 3]),
        ([0.5, 0.5 - 4e-7, 0.5 - 6e-7], [0, 2]),  # small steps add up
        ([-1.0, -1.0 - 1e-9, -2.0], [0, 2]),
        ([1e-9, 9e-10, 0.0], [0, 1, 2]),
    ],
)
def test_a_gain_by_rounding_is_not_worth_a_larger_program(fitness: list[float], chosen: list[int]) -> None:
    assert front.clear_steps(np.array(fitness)) == chosen


GRAMMAR = gm.Grammar.from_text("<e> ::= (<e> + <e>) | (<e> * <e>) | sin(<e>) | (<e> / <e>) | x | y | <const>")
RNG = np.random.default_rng(3)
X = RNG.uniform(-2, 2, (60, 2))
PROBLEM = gm.Regression(X, np.sin(1.3 * X[:, 0]) * X[:, 1] + 0.3 * X[:, 1] ** 2, GRAMMAR)


METHODS: list[MethodBase] = [gm.TunedTrees(population=60, generations=6), gm.CFGGP(population=60, generations=6)]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_the_front_of_a_run_is_ordered_and_ends_with_its_best(method: MethodBase) -> None:
    run = gm.evolve(PROBLEM, method, seed=2)
    assert len(run.front) > 1
    for smaller, larger in pairwise(run.front):
        assert smaller.nodes < larger.nodes
        assert smaller.fitness > larger.fitness
    assert run.front[-1].fitness >= run.best.fitness
    assert run.picked in run.front
    for member in run.front:
        predicted = member.predict(X)
        target = PROBLEM.dataset.target
        error = np.sqrt(((predicted - target) ** 2).sum() / ((target - target.mean()) ** 2).sum())
        assert member.fitness == pytest.approx(error, rel=1e-7)


def test_a_longer_run_has_a_front_that_is_nowhere_worse() -> None:
    fronts = [gm.evolve(PROBLEM, gm.TunedTrees(population=40, generations=n), seed=5).front for n in (2, 6, 12)]
    for shorter, longer in pairwise(fronts):
        for member in shorter:
            least = min(other.fitness for other in longer if other.nodes <= member.nodes)
            assert least <= member.fitness * (1 + front.LEAST_GAIN)  # what is gained by rounding does not count
