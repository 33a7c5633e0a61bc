from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.engine import restarts
from gramarye.engine.state import State
from gramarye.methods import MethodBase
from gramarye.populations.history import RECORDED
from tests.engine.test_front import PROBLEM
from tests.engine.test_state import same

SETTINGS: dict[str, Any] = {"population": 20, "generations": 45, "restart_after": 2, "max_evaluations": None}
TREES = gm.TunedTrees(**SETTINGS, max_size=9, terms=1, tuning_iterations=1)
METHODS: list[MethodBase] = [
    TREES,
    gm.CFGGP(population=20, generations=45, restart_after=2),
    gm.PGE(population=20, generations=45, restart_after=2),
]


def states(method: MethodBase, seed: int = 1, state: State | None = None) -> list[State]:
    evolution = gm.Evolution(PROBLEM, method, seed, state=state)
    found = []
    for _ in evolution:
        assert evolution.state is not None
        found.append(evolution.state)
    return found


def numbers(found: list[State]) -> list[int]:
    return [int(state.memory["restarts"]["number"]) for state in found]


def but_for_work(state: State) -> State:
    """What is computed again after an interruption is counted again."""
    history = state.history.copy()
    history[:, [RECORDED.index(name) for name in ("distinct", "node_rows")]] = 0
    return replace(state, history=history)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_populations_follow_each_other_when_they_gain_too_little(method: MethodBase) -> None:
    found = states(method)
    segments = numbers(found)
    assert segments[-1] > 4
    assert all(later - earlier in (0, 1) for earlier, later in pairwise(segments))
    for before, after in pairwise(found):
        waited = int(before.memory["restarts"]["waited"])
        restarted = after.memory["restarts"]["number"] != before.memory["restarts"]["number"]
        assert restarted == (waited >= 2)
        if restarted:
            assert (after.born == after.generation).all()
        assert after.best_of_run.fitness <= before.best_of_run.fitness
    assert all(len(state.genotypes) == 20 for state in found)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_a_shorter_run_is_the_beginning_of_a_longer_one(method: MethodBase) -> None:
    long, short = states(method), states(replace(method, generations=17))
    assert same(short[-1], long[16])
    assert len(short) == 17


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_a_run_resumed_anywhere_equals_one_that_was_not_interrupted(method: MethodBase) -> None:
    whole = states(method)
    for at in (0, 4, 9, 16, 30):
        saved = State.from_bytes(whole[at].to_bytes())
        assert same(saved, whole[at])
        assert same(but_for_work(states(method, state=saved)[-1]), but_for_work(whole[-1]))


def test_the_fourth_population_is_made_of_the_best_thirds_of_three() -> None:
    found = states(TREES)
    segments = numbers(found)
    last = {number: at for at, number in enumerate(segments)}  # the last generation of each population
    rank = TREES.parts.replacement.rank
    best = []
    for number in (0, 1, 2):
        state = found[last[number]]
        best += [state.derivations[i].tolist() for i in np.argsort(rank(state.evaluation), kind="stable")[:7]]
    joined = found[last[2] + 1]
    assert segments[last[2] + 1] == 3
    assert [joined.derivations[i].tolist() for i in range(20)] == best[:20]


def test_fresh_populations_are_different() -> None:
    found = states(TREES)
    segments = numbers(found)
    firsts = [found[segments.index(number)] for number in (0, 1, 2, 4)]
    texts = [str([state.derivations[i].tolist() for i in range(20)]) for state in firsts]
    assert len(set(texts)) == 4


def test_without_the_setting_a_run_never_restarts() -> None:
    found = states(gm.CFGGP(population=20, generations=12))
    assert all("restarts" not in state.memory or not state.memory["restarts"] for state in found)


GAINS = [(np.inf, 5.0), (1.0, 0.985), (-5.0, -5.1)]
NO_GAINS = [(1.0, 0.995), (-5.0, -5.01), (0.0, 0.0), (np.inf, np.inf)]


@pytest.mark.parametrize(
    ("before", "best", "waited"), [*((*gain, 0) for gain in GAINS), *((*none, 1) for none in NO_GAINS)]
)
def test_a_gain_is_one_of_a_hundredth(before: float, best: float, waited: int) -> None:
    memory = {"number": np.array(0), "best": np.array(before), "waited": np.array(0)}
    assert int(restarts.noted(memory, best)["waited"]) == waited
    assert restarts.noted({}, best) == {}
