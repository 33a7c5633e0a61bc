"""Whole runs of static SGE, πGE, Chorus and WHGE: methods that learn nothing and map in a way of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.engine.run import Run
from gramarye.methods import METHODS, MethodBase

QUARTIC = gm.problems.load("quartic")
SMALL: dict[str, Any] = {"population": 40, "generations": 5}
ALL: list[MethodBase] = [
    gm.StaticSGE(**SMALL, recursion=3),
    gm.PIGE(**SMALL),
    gm.PIGE(**SMALL, insertion="end", wraps=1),
    gm.Chorus(**SMALL, number_all=True),
    gm.WHGE(**SMALL, bits=200),
]
NEVER_INVALID = [gm.StaticSGE, gm.WHGE]


def same(one: Run, other: Run) -> None:
    assert one.best.phenotype == other.best.phenotype
    assert one.best.genotype == other.best.genotype
    for name, column in one.history.items():
        assert column.tolist() == pytest.approx(other.history[name].tolist(), rel=0, abs=0, nan_ok=True)


def test_without_arguments_they_are_those_of_the_specification() -> None:
    common = {"population": 1000, "generations": 50, "elitism": 0.1, "tournament": 3, "crossover": 0.9}
    own: dict[str, dict[str, Any]] = {
        "staticsge": {"mutation": 0.05, "recursion": 6},
        "pige": {"mutation": 0.05, "pairs": 128, "wraps": 0, "insertion": "inplace", "codon_max": 255},
        "chorus": {"mutation": 0.05, "codons": 128, "wraps": 0, "number_all": False, "codon_max": 255},
        "whge": {"mutation": 0.01, "bits": 1024, "power_depth": 3},
    }
    for name, settings in own.items():
        found = METHODS[name]().settings
        assert found | common | settings == found
        assert METHODS[name]().learner == gm.learners.NoLearning()


def test_methods_are_listed_by_family() -> None:
    order = ["ge", "pge", "sge", "staticsge", "psge", "copsge", "cfggp", "pige", "chorus", "whge", "pcfgeda", "pmbge"]
    assert [name for name in METHODS if name in order] == [name for name in order if name in METHODS]


@pytest.mark.parametrize("method", ALL, ids=lambda method: method.name)
def test_a_run_is_the_same_whatever_the_workers(method: MethodBase) -> None:
    same(gm.evolve(QUARTIC, method, seed=2), gm.evolve(QUARTIC, method, seed=2, threads=2))


@pytest.mark.parametrize("method", ALL, ids=lambda method: method.name)
def test_a_run_goes_on_from_a_saved_state(method: MethodBase, tmp_path: Path) -> None:
    state = gm.engine.start(gm.engine.Setup(QUARTIC, method, 3))
    for _ in range(4):
        state.save(tmp_path / "state.npz")
        state = gm.engine.step(gm.engine.Setup(QUARTIC, method, 3), gm.State.load(tmp_path / "state.npz"))
    whole = gm.evolve(QUARTIC, method, seed=3)
    assert state.history[:, 0].tolist() == whole.history["best"].tolist()
    assert state.best_of_run.fitness == whole.best.fitness


@pytest.mark.parametrize("method", ALL, ids=lambda method: method.name)
def test_the_best_genotype_maps_to_the_best_program(method: MethodBase) -> None:
    run = gm.evolve(QUARTIC, method, seed=4)
    assert gm.map_genotype(QUARTIC.grammar, run.best.genotype, method).phenotype == run.best.phenotype


@pytest.mark.parametrize("kind", NEVER_INVALID)
def test_those_that_cannot_fail_never_do(kind: type[MethodBase]) -> None:
    """Every derivation is whole; that a program divides by nothing is another matter."""
    method = kind(population=60)
    problem = gm.Objective(len, QUARTIC.grammar)
    state = gm.engine.start(gm.engine.Setup(problem, method, 5))
    for _ in range(3):
        assert np.isfinite(state.fitness).all()
        state = gm.engine.step(gm.engine.Setup(problem, method, 5), state)


@pytest.mark.parametrize("kind", [gm.PIGE, gm.Chorus])
@pytest.mark.parametrize("initialisation", ["ramped", "ptc2"])
def test_a_run_may_begin_with_trees(kind: type[MethodBase], initialisation: Any) -> None:
    problem = gm.Objective(len, QUARTIC.grammar)
    state = gm.engine.start(
        gm.engine.Setup(problem, kind(population=30, initialisation=initialisation, initial_size=40), 1)
    )
    assert np.isfinite(state.fitness).all()
