"""Who lives on: elitism, and what else the two hooks allow."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gramarye as gm
from gramarye import testing
from gramarye.errors import SettingsError
from gramarye.execution import Threads
from gramarye.populations.evaluation import Evaluation
from gramarye.populations.population import Population
from gramarye.replacement import Elitism, Replacement
from gramarye.testing.selection import population

QUARTIC = gm.problems.load("quartic")
SMALL: dict[str, Any] = {"population": 40, "generations": 8}


@dataclass(frozen=True)
class Plus(Replacement):
    """The best of parents and offspring together."""

    def keeps(self, n: int) -> int:
        return 0

    def kept(self, population: Population) -> NDArray[np.int64]:
        return np.zeros(0, np.int64)

    def survivors(self, parents: Population, offspring: Population) -> NDArray[np.int64]:
        both = np.concatenate([parents.fitness, offspring.fitness])
        return np.argsort(both, kind="stable")[: len(parents)]


@dataclass(frozen=True)
class SteadyState(Replacement):
    """Two children in each generation, in the place of the two worst."""

    def keeps(self, n: int) -> int:
        return n - 2

    def kept(self, population: Population) -> NDArray[np.int64]:
        return np.argsort(population.rank, kind="stable")[: len(population) - 2]


@dataclass(frozen=True)
class Smallest(Plus):
    """Parents are selected by their size."""

    def rank(self, evaluation: Evaluation) -> NDArray[np.float64]:
        return np.where(np.isfinite(evaluation.fitness), evaluation.size, np.inf)


def states(method: gm.Method, seed: int = 3) -> list[gm.State]:
    setup = gm.engine.Setup(QUARTIC, method, seed)
    found = [gm.engine.start(setup)]
    while len(found) < method.generations:
        found.append(gm.engine.step(setup, found[-1]))
    return found


@pytest.mark.parametrize(
    "replacement", [Elitism(), Elitism(0), Elitism(7), Plus(), SteadyState(), Smallest()], ids=repr
)
def test_they_obey_the_laws(replacement: Replacement) -> None:
    testing.check_replacement(replacement)
    testing.check_method(gm.Method(replacement=replacement, **SMALL))


def test_elitism_is_a_fraction_below_one_and_a_number_from_one_on() -> None:
    assert [Elitism(e).keeps(100) for e in (0, 0.29, 0.999, 1, 3.0)] == [0, 29, 99, 1, 3]
    ranked = population(np.array([5.0, 1.0, np.inf, 1.0]))
    assert Elitism(3).kept(ranked).tolist() == [1, 3, 0]
    with pytest.raises(gm.GramaryeError, match=r"elitism is 3\.7: a number of individuals must be whole"):
        Elitism(3.7)


def test_a_method_with_its_own_elitism_as_replacement_is_the_same_run() -> None:
    a = gm.evolve(QUARTIC, gm.Method(replacement=Elitism(0.2), **SMALL), 1)
    b = gm.evolve(QUARTIC, gm.Method(elitism=0.2, **SMALL), 1)
    assert a.history["mean"].tolist() == b.history["mean"].tolist()
    assert a.best.genotype == b.best.genotype


def test_where_parents_and_offspring_compete_nobody_gets_worse() -> None:
    found = states(gm.Method(replacement=Plus(), **SMALL))
    for before, after in itertools.pairwise(found):
        assert (np.sort(after.fitness) <= np.sort(before.fitness)).all()
        assert set(after.born.tolist()) <= set(range(after.generation + 1))
    assert len(set(found[-1].born.tolist())) > 2  # some are older than others
    evaluations = [state.record()["evaluations"] for state in found]
    assert evaluations == [40 * (g + 1) for g in range(8)]


def test_who_survives_keeps_genotype_derivation_and_fitness_together() -> None:
    method = gm.Method(representation=gm.representations.FlatReal(), replacement=Plus(), **SMALL)
    setup = gm.engine.Setup(QUARTIC, method, 3)
    state = states(method)[-1]
    _, derivations = method.representation.map(setup.grammar, state.genotypes, state.probabilities, setup.key, 0, 0)
    assert derivations.productions.tolist() == state.derivations.productions.tolist()
    evaluated = QUARTIC.evaluator(setup.key, Threads()).evaluate(state.derivations)
    assert evaluated.fitness.tolist() == state.fitness.tolist()
    assert evaluated.size.tolist() == state.evaluation.size.tolist()


def test_a_steady_state_replaces_two() -> None:
    found = states(gm.Method(replacement=SteadyState(), **SMALL))
    for before, after in itertools.pairwise(found):
        assert (after.born == after.generation).sum() == 2
        order = np.argsort(before.fitness, kind="stable")[:38]
        assert after.fitness[2:].tolist() == before.fitness[order].tolist()
    assert found[-1].record()["evaluations"] == 40 + 7 * 2


def test_a_replacement_may_rank_by_something_else_than_fitness() -> None:
    small, plain = (states(gm.Method(replacement=r, **SMALL))[-1] for r in (Smallest(), Plus()))
    assert small.fitness.tolist() != plain.fitness.tolist()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"replacement": Elitism}, "replacement is the class Elitism: give one with its settings"),
        ({"replacement": 0.1}, "replacement is 0.1: give one with its settings"),
        ({"replacement": Plus(), "elitism": 0.2}, "elitism is 0.2: it has no effect, because replacement is 'Plus()'"),
        (
            {"replacement": Elitism(40), "population": 40},
            "40 elites would leave no room for offspring",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as raised:
        gm.Method(**settings)
    assert message in str(raised.value)


class BrokenReplacement(Plus):
    """Plus, spoiled."""

    def __init__(self, **spoiled: Any) -> None:
        for name, function in spoiled.items():
            object.__setattr__(self, name, function)


@pytest.mark.parametrize(
    ("replacement", "law"),
    [
        (BrokenReplacement(keeps=lambda n: n), "there is room for offspring"),
        (BrokenReplacement(keeps=lambda _: 1), "as many are kept as keeps says"),
        (
            BrokenReplacement(keeps=lambda _: 2, kept=lambda _: np.array([3, 3])),
            "who is kept is a member of the population, once",
        ),
        (BrokenReplacement(rank=lambda _: np.zeros(3)), "everyone has a rank"),
        (BrokenReplacement(survivors=lambda p, o: np.arange(7)), "populations keep their size"),
        (
            BrokenReplacement(survivors=lambda p, o: np.zeros(len(p), np.int64)),
            "who survives is a parent or one of the offspring, once",
        ),
    ],
)
def test_the_kit_notices_what_is_broken(replacement: Replacement, law: str) -> None:
    with pytest.raises(AssertionError, match=law):
        testing.check_replacement(replacement)
