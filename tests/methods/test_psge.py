"""Whole runs of PSGE and Co-PSGE."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.engine.run import Run
from gramarye.learners import OwnProbabilities
from gramarye.methods import METHODS

QUARTIC = gm.problems.load("quartic")
SMALL: dict[str, Any] = {"population": 40, "generations": 6}
LOW: dict[str, Any] = {**SMALL, "max_depth": 7}  # trees that grow quickly as plain Python too
EITHER = [gm.PSGE(**LOW), gm.CoPSGE(**LOW)]


def same(one: Run, other: Run) -> None:
    assert one.best.phenotype == other.best.phenotype
    assert one.best.genotype == other.best.genotype
    for name, column in one.history.items():
        assert column.tolist() == pytest.approx(other.history[name].tolist(), rel=0, abs=0, nan_ok=True)
    assert (one.probabilities == other.probabilities).all()


def test_without_arguments_they_are_those_of_their_papers() -> None:
    common = {"population": 1000, "generations": 50, "crossover": 0.9, "mutation": 0.05, "initial_depth": 6}
    structured = {"max_depth": 17, "depth_rule": "height", "sigma": 0.5, "borders": "clip", "facilitated": False}
    learning = {"learning_factor": 0.01, "normalise": "divide", "first": "overall", "remap_elites": True}
    own = {"grammar_mutation": 0.05, "grammar_sigma": 0.5}
    psge, copsge = gm.PSGE().settings, gm.CoPSGE().settings
    assert psge | common | structured | learning == psge
    assert copsge | common | structured | own == copsge
    assert METHODS["psge"] is gm.PSGE
    assert METHODS["copsge"] is gm.CoPSGE


def test_settings_reach_the_parts() -> None:
    structured: dict[str, Any] = {
        "initial_depth": 2, "max_depth": 3, "depth_rule": "shortest", "sigma": 0.1, "borders": "reflect",
        "facilitated": True,
    }  # fmt: skip
    psge = gm.PSGE(
        **structured, learning_factor=0.5, unexpanded="decay", normalise="equal", first="generation",
        generation_best="all", remap_elites=False, floor=0.25, context="parent",
    )  # fmt: skip
    assert psge.representation == gm.representations.RealLists(2, 3, "shortest", 0.1, "reflect", True)
    assert psge.learner == gm.learners.AlternatingBest(
        0.5, "decay", "equal", "generation", "all", 0.25, False, "parent"
    )
    copsge = gm.CoPSGE(**structured, grammar_mutation=0.3, grammar_sigma=0.2)
    assert copsge.representation == gm.representations.RealListsWithProbabilities(
        2, 3, "shortest", 0.1, "reflect", True, 0.3, 0.2
    )
    assert copsge.learner == OwnProbabilities()


def test_psge_is_real_lists_with_the_learner_of_pge() -> None:
    parts = gm.Method(**SMALL, representation=gm.representations.RealLists(), learner=gm.learners.AlternatingBest(0.1))
    whole = gm.PSGE(**SMALL, normalise="equal", learning_factor=0.1)
    same(gm.evolve(QUARTIC, parts, seed=3), gm.evolve(QUARTIC, whole, seed=3))


def test_copsge_with_grammars_that_never_change_is_psge_that_never_learns() -> None:
    still = gm.CoPSGE(**LOW, grammar_mutation=0.0)
    same(
        gm.evolve(QUARTIC, still, seed=3),
        gm.evolve(QUARTIC, gm.Method(**SMALL, representation=still.representation), seed=3),
    )
    psge = gm.evolve(QUARTIC, gm.PSGE(**LOW, learning_factor=0.0, remap_elites=False, normalise="equal"), seed=3)
    copsge = gm.evolve(QUARTIC, still, seed=3)
    assert copsge.best.phenotype == psge.best.phenotype
    assert copsge.history["mean"].tolist() == psge.history["mean"].tolist()


def test_psge_learns_and_copsge_records_the_best_individuals_grammar() -> None:
    psge = gm.evolve(QUARTIC, gm.PSGE(**SMALL, learning_factor=0.2), seed=3)
    assert psge.grammar.probabilities is not None
    assert not np.array_equal(psge.probabilities[0], psge.probabilities[-1])
    copsge = gm.evolve(QUARTIC, gm.CoPSGE(**LOW, grammar_mutation=0.5), seed=4)
    own = copsge.best.genotype["probabilities"]
    assert [p for row in own.values() for p in row] == copsge.probabilities[-1].tolist()
    assert copsge.grammar.start_probabilities().tolist() == copsge.probabilities[-1].tolist()
    assert not np.array_equal(copsge.probabilities[0], copsge.probabilities[-1])


def test_elites_are_evaluated_again_only_where_the_grammar_is_shared() -> None:
    psge, copsge = (gm.evolve(QUARTIC, method, seed=3) for method in EITHER)
    assert psge.evaluations == 6 * 40
    assert copsge.evaluations == 40 + 5 * 36
    assert (np.diff(copsge.history["best"]) <= 0).all()  # what is best stays in the population


@pytest.mark.parametrize("method", EITHER, ids=lambda m: m.name)
def test_a_best_genotype_maps_to_its_program_once_more(method: Any) -> None:
    run = gm.evolve(QUARTIC, method, seed=4)
    again = gm.map_genotype(run.grammar, run.best.genotype, method)
    if method.name == "copsge":
        assert again.phenotype == run.best.phenotype
    assert again.valid


@pytest.mark.parametrize("method", EITHER, ids=lambda m: m.name)
def test_a_run_that_is_saved_and_resumed_is_the_same_run(method: Any, tmp_path: Any) -> None:
    setup = gm.engine.Setup(QUARTIC, method, 7)
    state = gm.engine.step(setup, gm.engine.start(setup))
    state.save(tmp_path / "state.npz")
    one = gm.engine.step(setup, state)
    other = gm.engine.step(setup, gm.State.load(tmp_path / "state.npz"))
    for name in ("values", "start", "used", "drift", "probabilities"):
        assert getattr(one.genotypes, name).tobytes() == getattr(other.genotypes, name).tobytes()
    assert one.fitness.tolist() == other.fitness.tolist()


@pytest.mark.parametrize("method", EITHER, ids=lambda m: m.name)
def test_the_first_generation_may_be_made_of_trees(method: Any) -> None:
    ramped = dataclasses.replace(method, initialisation="ramped", unique=True, generations=2)
    run = gm.evolve(QUARTIC, ramped, seed=1)
    assert np.isfinite(run.best.fitness)


def test_mutation_rates_may_adapt() -> None:
    for kind in (gm.PSGE, gm.CoPSGE):
        method = kind(**LOW, facilitated=True)
        state: Any = gm.engine.start(gm.engine.Setup(QUARTIC, method, 1))
        assert not state.genotypes.drift.any()
        for _ in range(4):
            state = gm.engine.step(gm.engine.Setup(QUARTIC, method, 1), state)
        assert state.genotypes.drift.any()
        assert np.isfinite(state.best_of_run.fitness)
