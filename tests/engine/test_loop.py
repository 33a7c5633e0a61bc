"""The loop as a pure function, against a plain account of it."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import gramarye as gm
from gramarye.derivations import Derivation, Derivations
from gramarye.engine.state import State
from gramarye.errors import OutputError, SettingsError
from gramarye.grammar import Grammar
from gramarye.learners import Learner
from gramarye.methods import MethodBase
from gramarye.populations.population import Memory, Population, Remembers
from gramarye.representations import FlatReal
from gramarye.selection import Tournament
from tests.engine.test_state import same

PROBLEM = gm.problems.load("quartic")
PAGIE = gm.problems.load("pagie")
SMALL: dict[str, Any] = {"population": 30, "generations": 6}
METHODS: dict[str, MethodBase] = {"pge": gm.PGE(**SMALL), "ge": gm.GE(**SMALL), "sge": gm.SGE(**SMALL)}


def states(problem: Any, method: MethodBase, seed: int) -> list[State]:
    found = [gm.engine.start(gm.engine.Setup(problem, method, seed))]
    while len(found) < method.generations:
        found.append(gm.engine.step(gm.engine.Setup(problem, method, seed), found[-1]))
    return found


def mapped(state: State, i: int, problem: Any, method: MethodBase) -> np.ndarray:
    """The derivation of an individual under the probabilities of its generation."""
    _, derivations = method.representation.map(
        problem.grammar, state.genotypes.take(np.array([i])), state.probabilities, np.uint64(0), 0, 0
    )
    return derivations[0]


@pytest.mark.parametrize("name", METHODS)
def test_start_and_step_are_pure(name: str) -> None:
    method = METHODS[name]
    first = gm.engine.start(gm.engine.Setup(PROBLEM, method, 5))
    assert same(gm.engine.start(gm.engine.Setup(PROBLEM, method, 5)), first)
    before = copy.deepcopy(first)
    second = gm.engine.step(gm.engine.Setup(PROBLEM, method, 5), first)
    assert same(first, before)
    assert same(gm.engine.step(gm.engine.Setup(PROBLEM, method, 5), first), second)
    assert not same(first.genotypes, second.genotypes)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("cut", [1, 3])
def test_an_interrupted_run_goes_on_to_the_same_end(name: str, cut: int, tmp_path: Path) -> None:
    method = METHODS[name]
    whole = states(PROBLEM, method, 5)
    whole[cut].save(tmp_path / "state.npz")
    with gm.Evolution(PROBLEM, method, state=gm.State.load(tmp_path / "state.npz")) as evolution:
        indices = [generation.index for generation in evolution]
    assert indices == list(range(cut + 1, 6))
    assert evolution.state is not None
    end = evolution.state
    work = [7, 8]  # distinct programs and node·rows depend on what has been remembered
    assert np.delete(end.history, work, axis=1).tobytes() == np.delete(whole[-1].history, work, axis=1).tobytes()
    for field in ("genotypes", "fitness", "probabilities", "best_of_run", "best_genotype", "probability_history"):
        assert same(getattr(end, field), getattr(whole[-1], field))


@pytest.mark.parametrize("name", METHODS)
def test_the_fitness_of_everyone_is_that_of_their_program(name: str) -> None:
    method = METHODS[name]
    texts = gm.Objective(lambda text: len(text) + text.count("x") / 7, PROBLEM.grammar)
    for state in states(texts, method, 3):
        for i in range(method.population):
            derivation = Derivation(texts.grammar, mapped(state, i, texts, method))
            wanted = texts.functions[0](derivation.form) if derivation.complete else math.inf
            assert state.fitness[i] == wanted


@settings(max_examples=15)
@given(seed=st.integers(0, 2**64 - 1), name=st.sampled_from(list(METHODS)))
def test_the_best_so_far_never_gets_worse(seed: int, name: str) -> None:
    run = gm.evolve(PAGIE, METHODS[name], seed)
    assert (np.diff(run.history["best_so_far"]) <= 0).all()
    assert (run.history["best_so_far"] == np.minimum.accumulate(run.history["best"])).all()
    if name != "pge":  # nothing moves an elite
        assert (run.history["best"] == run.history["best_so_far"]).all()
    rows = run.probabilities
    assert (rows >= 0).all()
    for span in PAGIE.grammar.spans.values():
        assert np.abs(rows[:, span].sum(axis=1) - 1).max() < 1e-12


def test_the_best_of_a_population_may_get_worse_when_elites_are_mapped_again() -> None:
    method = gm.PGE(population=20, generations=25, learning_factor=0.3)
    worse = [(np.diff(gm.evolve(PAGIE, method, seed).history["best"]) > 0).any() for seed in range(6)]
    assert any(worse)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("elitism", [0, 1, 0.2, 29])
def test_elites_are_the_best_by_stable_order_and_come_last(name: str, elitism: float) -> None:
    method = type(METHODS[name])(**SMALL, elitism=elitism)
    e = method.elites
    representation: Any = method.representation
    found = states(PROBLEM, method, 5)
    for before, after in pairwise(found):
        order = sorted(range(30), key=lambda i: before.fitness[i])[:e]  # Python's sort is stable
        shown = [representation.show(PROBLEM.grammar, before.genotypes, i) for i in order]
        kept = [representation.show(PROBLEM.grammar, after.genotypes, i) for i in range(30 - e, 30)]
        assert kept == shown
        if name != "pge":
            assert after.fitness[30 - e :].tolist() == before.fitness[order].tolist()


@pytest.mark.parametrize(
    ("method", "evaluations"),
    [
        (gm.PGE(**SMALL), 30 * 6),
        (gm.PGE(**SMALL, remap_elites=False), 30 + 5 * 27),
        (gm.GE(**SMALL), 30 + 5 * 27),
        (gm.SGE(**SMALL), 30 + 5 * 27),
        (gm.SGE(**SMALL, elitism=0), 30 * 6),
    ],
)
def test_an_evaluation_is_an_individual_given_a_fitness(method: MethodBase, evaluations: int) -> None:
    assert gm.evolve(PROBLEM, method, 1).evaluations == evaluations


@pytest.mark.parametrize("first", ["overall", "generation"])
@pytest.mark.parametrize("generation_best", ["offspring", "all"])
def test_probabilities_follow_the_bests_in_turn(first: Any, generation_best: Any) -> None:
    method = gm.PGE(
        **SMALL, learning_factor=0.2, first=first, generation_best=generation_best, elitism=0.3, remap_elites=True
    )
    grammar = PAGIE.grammar
    overall, overall_fitness = np.zeros(0, np.int32), math.inf
    found = states(PAGIE, method, 12)
    for g, state in enumerate(found[:-1]):
        offspring = 30 if g == 0 else 30 - method.elites
        top = int(np.argmin(state.fitness))
        if state.fitness[top] <= overall_fitness:  # an equally good newer one takes over
            overall, overall_fitness = mapped(state, top, PAGIE, method), state.fitness[top]
        assert state.best_of_run.fitness == overall_fitness
        assert state.best_of_run.productions.tolist() == overall.tolist()
        newest = int(np.argmin(state.fitness[:offspring])) if generation_best == "offspring" else top
        teacher = overall if (g % 2 == 0) == (first == "overall") else mapped(state, newest, PAGIE, method)
        counts = Derivation(grammar, teacher).counts
        old = {name: state.probabilities[span].tolist() for name, span in grammar.spans.items()}
        new = gm.update_probabilities(old, counts, 0.2)
        assert found[g + 1].probabilities.tolist() == [p for row in new.values() for p in row]


def test_an_equally_good_newer_individual_takes_over() -> None:
    problem = gm.Objective(lambda _: 1.0, PROBLEM.grammar)
    for method in METHODS.values():
        found = states(problem, method, 2)
        for state in found:
            first = int(np.argmin(state.fitness))
            assert state.best_of_run.productions.tolist() == mapped(state, first, problem, method).tolist()
        assert found[-1].best_of_run.productions.tolist() != found[0].best_of_run.productions.tolist()


def test_an_elite_that_stays_the_best_keeps_its_derivation() -> None:
    seen: set[str] = set()

    def ever_worse(text: str) -> float:
        seen.add(text)
        return float(len(seen))

    problem = gm.Objective(ever_worse, PROBLEM.grammar)
    method = gm.PGE(**SMALL, remap_elites=False, generation_best="all")
    found = states(problem, method, 2)
    for state in found:
        assert state.best_of_run.fitness == found[0].best_of_run.fitness
        top = int(np.argmin(state.fitness))
        assert state.fitness[top] == state.best_of_run.fitness
        assert state.derivations[top].tolist() == found[0].best_of_run.productions.tolist() or top < 27


def test_without_learning_pge_is_a_method_of_fixed_probabilities() -> None:
    settings = {**SMALL, "generations": 8}
    pge = gm.PGE(**settings, learning_factor=0.0, remap_elites=False)
    plain = gm.Method(**settings, representation=FlatReal(), learner=gm.learners.NoLearning())
    a, b = (gm.evolve(PAGIE, method, 7) for method in (pge, plain))
    assert a.best.phenotype == b.best.phenotype
    assert a.best.genotype == b.best.genotype
    assert all(same(a.history[name], b.history[name]) for name in a.history)
    assert same(a.probabilities, b.probabilities)


def test_without_learning_mapping_elites_again_changes_the_count_only() -> None:
    a, b = (gm.evolve(PAGIE, gm.PGE(**SMALL, learning_factor=0.0, remap_elites=remap), 7) for remap in (True, False))
    assert a.history["best"].tolist() == b.history["best"].tolist()
    assert a.history["mean"].tolist() == b.history["mean"].tolist()
    assert (a.evaluations, b.evaluations) == (180, 165)


def test_a_method_made_of_pge_s_parts_is_pge() -> None:
    parts = gm.Method(**SMALL, representation=FlatReal(), learner=gm.learners.AlternatingBest())
    a, b = gm.evolve(PAGIE, parts, 7), gm.evolve(PAGIE, gm.PGE(**SMALL), 7)
    assert all(same(a.history[name], b.history[name]) for name in a.history)
    assert same(a.probabilities[-1], b.probabilities[-1])


def test_a_run_starts_from_the_probabilities_of_its_grammar() -> None:
    only_x = PROBLEM.grammar.with_probabilities({"<expr>": [0, 0, 1], "<var>": [1, 0]})
    problem = gm.problems.load("quartic", only_x)
    first = gm.engine.start(gm.engine.Setup(problem, gm.PGE(**SMALL), 1))
    assert set(first.fitness.tolist()) == {first.best_of_run.fitness}
    assert Derivation(only_x, first.best_of_run.productions).phenotype == "x"
    ge = gm.engine.start(gm.engine.Setup(problem, gm.GE(**SMALL), 1))
    assert len(set(ge.fitness.tolist())) > 5


def test_nothing_is_learned_while_nothing_is_valid() -> None:
    problem = gm.Objective(lambda _: math.inf, PROBLEM.grammar)
    run = gm.evolve(problem, gm.PGE(**SMALL), 1)
    assert (run.probabilities == run.probabilities[0]).all()


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5])
def test_start_refuses_what_is_no_seed(seed: Any) -> None:
    with pytest.raises(SettingsError, match="seed is"):
        gm.engine.start(gm.engine.Setup(PROBLEM, METHODS["ge"], seed))


def identity(problem: Any, method: MethodBase) -> str:
    return gm.engine.Setup(problem, method, 1).identity


def test_identity_tells_problems_and_methods_apart_but_not_objects() -> None:
    assert identity(PROBLEM, gm.PGE()) == identity(gm.problems.load("quartic"), gm.PGE())
    assert len({identity(p, m) for p in (PROBLEM, PAGIE) for m in METHODS.values()}) == 6
    parts = [gm.Method(representation=FlatReal(n)) for n in (5, 6)]
    assert identity(PROBLEM, parts[0]) != identity(PROBLEM, parts[1])


def test_parents_win_tournaments() -> None:
    fitness = np.array([5.0, math.inf, 1.0, 1.0, 7.0])
    nothing = Derivations(np.zeros(0, np.int32), np.zeros(6, np.int64), np.zeros(5, np.int8))
    mothers, fathers = Tournament(4).parents(Population.of(nothing, fitness), 3000, np.uint64(1), 1)
    shares = np.bincount(np.concatenate([mothers, fathers]), minlength=5) / 6000
    # the least fitness of four draws of five: 1 - (3/5)^4 for the two best, (2/5)^4 - (1/5)^4 … for the others
    assert shares[2] + shares[3] == pytest.approx(1 - 0.6**4, abs=0.02)
    assert shares[2] == pytest.approx(shares[3], abs=0.05)
    assert shares[0] == pytest.approx(0.6**4 - 0.4**4, abs=0.02)
    assert shares[1] == pytest.approx(0.2**4, abs=0.005)


@dataclass(frozen=True)
class Momentum(Learner, Remembers):
    """PGE's learning, carried on by half of the change before: what was learned last must be remembered."""

    remap_elites: bool = True

    learns: ClassVar[bool] = True

    def update(self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population) -> Any:
        learned = gm.learners.AlternatingBest(0.1).update(grammar, probabilities, population)
        before = population.memory["learner"]["before"]
        changed = np.clip(learned + 0.5 * (probabilities - before), 0.001, None)
        for span in grammar.spans.values():
            changed[span] /= changed[span].sum()
        return changed

    def remember(self, population: Population, memory: Memory) -> Memory:
        return {"now": population.probabilities, "before": memory.get("now", population.probabilities)}


def test_what_a_part_remembers_is_saved_with_the_run(tmp_path: Path) -> None:
    method = gm.Method(representation=FlatReal(), learner=Momentum(), **SMALL)
    whole = states(PAGIE, method, 5)
    assert list(whole[2].memory) == ["learner"]
    assert whole[2].memory["learner"]["before"].tolist() == whole[1].probabilities.tolist()
    whole[2].save(tmp_path / "state.npz")
    with gm.Evolution(PAGIE, method, state=gm.State.load(tmp_path / "state.npz")) as evolution:
        for _ in evolution:
            pass
    assert evolution.run.probabilities.tolist() == whole[-1].probability_history.tolist()
    plain = gm.evolve(PAGIE, gm.Method(representation=FlatReal(), learner=gm.learners.AlternatingBest(0.1), **SMALL), 5)
    assert plain.probabilities[-1].tolist() != evolution.run.probabilities[-1].tolist()


def test_what_can_t_be_saved_is_not_to_be_remembered() -> None:
    state = states(PROBLEM, METHODS["ge"], 1)[0]
    wrong: Any = {"learner": {"words": ["a", "b"]}}
    with pytest.raises(OutputError, match="the learner remembers 'words' as list, which can't be saved"):
        replace(state, memory=wrong).to_bytes()
