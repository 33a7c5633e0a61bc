"""Slices of runs."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.engine.slices import Task, advance
from gramarye.errors import OutputError
from gramarye.populations.history import RECORDED, Found, Slice

QUARTIC = gm.problems.load("quartic")
DEPENDS_ON_CACHING = ("distinct", "node_rows")
COMPARED = [i for i, name in enumerate(RECORDED) if name not in DEPENDS_ON_CACHING]


def in_slices(method: gm.methods.MethodBase, seed: int, seconds: float) -> tuple[Slice, list[Found], int]:
    """A whole run in slices: the last one, all that was found, how many there were."""
    piece = advance(Task(QUARTIC, method, seed, None, seconds))
    found, count = list(piece.found), 1
    while piece.state is not None:
        piece = advance(Task(QUARTIC, method, seed, piece.state, seconds))
        found += piece.found
        count += 1
    return piece, found, count


@pytest.mark.parametrize("method", [gm.PGE, gm.GE, gm.SGE])
def test_a_run_in_slices_equals_the_run_in_one_piece(method: type[gm.methods.MethodBase]) -> None:
    settings = method(population=30, generations=8)
    whole = gm.evolve(QUARTIC, settings, seed=3)
    cut, found, count = in_slices(settings, 3, seconds=0)
    one, found_in_one, one_count = in_slices(settings, 3, seconds=1e9)
    assert (count, one_count) == (8, 1)
    assert repr(found) == repr(found_in_one)  # NaN is not equal to itself
    recorded = np.stack([*whole.history.values()], axis=1)
    for piece in (cut, one):
        assert np.array_equal(piece.history[:, COMPARED], recorded[:, COMPARED], equal_nan=True)
    assert found[-1].phenotype == whole.best.phenotype
    assert found[-1].fitness == whole.best.fitness
    if whole.method.learner.learns:
        assert cut.probabilities is not None
        assert (cut.probabilities == whole.probabilities).all()
    else:
        assert cut.probabilities is None


def test_a_best_program_is_noted_only_when_it_changes() -> None:
    _, found, _ = in_slices(gm.PGE(population=50, generations=15), 1, seconds=0)
    phenotypes = [best.phenotype for best in found]
    assert all(a != b for a, b in itertools.pairwise(phenotypes))
    assert [best.generation for best in found] == sorted({best.generation for best in found})
    assert 1 <= len(found) < 15


def test_a_slice_counts_the_generations_that_it_made() -> None:
    method = gm.GE(population=20, generations=3)
    first = advance(Task(QUARTIC, method, 1, None, 0))
    assert (first.made, len(first.history)) == (1, 1)
    rest = advance(Task(QUARTIC, method, 1, first.state, 1e9))
    assert (rest.made, len(rest.history)) == (2, 3)


def test_a_task_and_what_it_brings_travel_between_processes() -> None:
    task = Task(gm.problems.load("boston"), gm.PGE(population=20, generations=2), 5, None, 1e9)
    piece = advance(pickle.loads(pickle.dumps(task)))
    again = pickle.loads(pickle.dumps(piece))
    assert (again.history == advance(task).history).all()
    assert again.found[0].test == advance(task).found[0].test


def test_a_state_of_another_method_is_refused() -> None:
    state = advance(Task(QUARTIC, gm.PGE(population=20, generations=3), 1, None, 0)).state
    with pytest.raises(gm.errors.SettingsError, match="belongs to another run: wraps was 0 and is now 1"):
        advance(Task(QUARTIC, gm.PGE(population=20, generations=3, wraps=1), 1, state, 0))


@given(st.integers(0, 200))
def test_a_damaged_state_is_refused(cut: int) -> None:
    with pytest.raises(OutputError, match="the state is not a saved state of a run, or is damaged"):
        advance(Task(QUARTIC, gm.PGE(population=20, generations=3), 1, b"PK" + bytes(cut), 0))


LIMITS = [{"max_evaluations": 200}, {"target": 0.5}, {"generations": 5}, {"max_time": 0}]


@pytest.mark.parametrize("limit", LIMITS, ids=str)
def test_slices_end_by_the_limits_of_a_run(limit: dict[str, Any]) -> None:
    method = gm.SGE(**{"population": 30, "generations": 40, **limit})
    whole = gm.evolve(QUARTIC, method, seed=3)
    last, _, count = in_slices(method, 3, seconds=0)
    assert whole.ended_by == next(iter(limit))
    assert len(last.history) == count == whole.generations < 40
    longer = gm.evolve(QUARTIC, gm.SGE(population=30, generations=40), seed=3)
    assert last.history[:, RECORDED.index("best")].tolist() == longer.history["best"][:count].tolist()


def test_the_time_of_a_run_is_added_up_over_its_slices() -> None:
    method = gm.GE(population=20, generations=1000, max_time=1e6)
    first = advance(Task(QUARTIC, method, 1, None, 0))
    assert first.elapsed > 0
    second = advance(Task(QUARTIC, method, 1, first.state, 0, first.elapsed))
    assert second.elapsed > first.elapsed
    assert second.state is not None
    last = advance(Task(QUARTIC, method, 1, second.state, 1e9, elapsed=1e6))  # nothing is left
    assert (last.made, last.state, len(last.history)) == (0, None, 2)


def test_a_slice_says_how_much_of_the_run_is_done() -> None:
    method = gm.GE(population=20, generations=10, max_evaluations=100, elitism=0)
    first = advance(Task(QUARTIC, method, 1, None, 0))
    assert first.share == 20 / 100
    assert advance(Task(QUARTIC, method, 1, first.state, 1e9)).share == 1


def test_the_front_comes_with_the_last_slice() -> None:
    problem, method = gm.problems.load("boston"), gm.TunedTrees(population=40, generations=6)
    first = advance(Task(problem, method, 1, None, 0))
    assert first.front == ()
    last, run = advance(Task(problem, method, 1, first.state, 1e9)), gm.evolve(problem, method, seed=1)
    assert [member[:5] for member in last.front] == [
        (member.nodes, member.phenotype, member.fitness, member.test_fitness, member.formula) for member in run.front
    ]
    assert [member.nodes for member in last.front if member.picked] == [run.picked.nodes]
