"""What was evaluated is remembered in the saved state of a run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.derivations import Status
from gramarye.objectives import verdicts
from gramarye.objectives.verdicts import Verdict, Verdicts, verdicts_of

GRAMMAR = gm.Grammar.from_text("<e> ::= <e> <e> | a | b | é | bad\n")
METHOD = gm.GE(population=30, generations=6)
KNOWN = {
    "a": Verdict(1.5, Status.OK, np.array([1.0, 2.0])),
    "": Verdict(math.inf, Status.TIMEOUT, None),
    "é\n\ud800": Verdict(math.inf, Status.NOT_FINITE, np.array([math.inf, 0.0])),
}


class Counted:
    """A fitness function that knows how often it was called."""

    def __init__(self, cases: int) -> None:
        self.cases, self.called = cases, list[str]()

    def __call__(self, text: str) -> Any:
        self.called.append(text)
        if "bad" in text:
            raise ValueError(text)
        return [float(text.count("a"))] * self.cases if self.cases else float(len(text))


def same(found: dict[str, Verdict], wanted: dict[str, Verdict]) -> bool:
    def plain(known: dict[str, Verdict]) -> list[Any]:
        return [(text, v.fitness, v.status, None if v.errors is None else [*v.errors]) for text, v in known.items()]

    return plain(found) == plain(wanted)


def test_verdicts_become_arrays_and_come_back() -> None:
    assert same(verdicts_of(Verdicts(KNOWN, 300)), KNOWN)
    single = {"a": Verdict(1.5, Status.OK, None), "b": Verdict(math.inf, Status.CRASH, None)}
    assert same(verdicts_of(Verdicts(single, 300)), single)
    assert not Verdicts({}, 300)
    assert verdicts_of({}) == {}


def test_what_is_known_later_does_not_belong_to_an_earlier_time() -> None:
    known = {"a": KNOWN["a"]}
    then = Verdicts(known, 300)
    known["b"] = KNOWN["a"]
    assert list(verdicts_of(then)) == ["a"]


def test_of_too_many_those_that_came_last_are_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "SAVED", 700)
    assert list(verdicts_of(Verdicts(KNOWN, 300))) == ["", "é\n\ud800"]


@pytest.mark.parametrize(("cases", "selection"), [(0, "tournament"), (3, "tournament"), (3, "lexicase")])
@pytest.mark.filterwarnings("ignore:for the program .*, the objective raised ValueError")
def test_a_resumed_run_evaluates_no_program_again_and_ends_the_same(cases: int, selection: str) -> None:
    method = gm.GE(population=30, generations=6, selection=selection)
    counted = Counted(cases)
    problem = gm.Objective(counted, GRAMMAR, version="1")
    whole = gm.evolve(problem, method, seed=3)
    once = sorted(counted.called)
    assert len(once) == len(set(once)) == whole.distinct
    counted.called = []
    evolution = gm.Evolution(problem, method, seed=3)
    for _ in range(3):
        evolution.advance()
    assert evolution.state is not None
    saved = gm.State.from_bytes(evolution.state.to_bytes())
    resumed = gm.Evolution(problem, method, state=saved)
    assert [generation.index for generation in resumed] == [3, 4, 5]
    assert sorted(counted.called) == once
    for name, values in whole.history.items():
        np.testing.assert_array_equal(resumed.run.history[name], values)
    again = gm.State.from_bytes(resumed.state.to_bytes() if resumed.state else b"")
    assert set(verdicts_of(again.memory["seen"])) == set(once)


def test_a_noisy_objective_remembers_nothing() -> None:
    evolution = gm.Evolution(gm.Objective(len, GRAMMAR, noisy=True), METHOD, seed=1)
    evolution.advance()
    assert evolution.state is not None
    assert "seen" not in evolution.state.memory
