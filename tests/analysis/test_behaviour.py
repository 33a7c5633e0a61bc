from __future__ import annotations

import numpy as np
import pytest

import gramarye as gm
from gramarye.analysis.behaviour import behaviour
from gramarye.analysis.intervals import Resampled
from gramarye.analysis.neighbours import measured
from gramarye.analysis.sampling import Bases, Reading
from gramarye.derivations import Derivations
from gramarye.execution import Threads

GRAMMAR = gm.Grammar.from_text("<e> ::= <e> + <e> | x | 1.0")
X = np.array([[0.0], [1.0], [2.0]])
PROBLEM = gm.Regression(X, [0.0, 1.0, 4.0], GRAMMAR, error="rmse")
X_IS, ONE, SUM = [1], [2], [0, 1, 2]  # x, 1.0, x + 1.0


def derivations(*lists: list[int]) -> Derivations:
    return Derivations.join([Derivations.of(np.array(productions, np.int32)) for productions in lists])


def test_behaviour_by_hand() -> None:
    """x has the error sqrt(4 / 3), x + 1.0 the error sqrt((1 + 1 + 1) / 3), 1.0 the error sqrt((1 + 0 + 9) / 3)."""
    reading = Reading.start(gm.GE(), GRAMMAR, 1, Threads())
    base = derivations(X_IS)
    bases = Bases(None, base, 1, 1)
    found = measured(reading, bases, np.zeros(3, np.int64), derivations(X_IS, ONE, SUM))
    told = behaviour(PROBLEM, reading, bases, found, Resampled(1, 0))
    assert told["fitness_neutrality"].estimate == 1 / 3
    apart = sorted([np.sqrt(10 / 3) - np.sqrt(4 / 3), np.sqrt(4 / 3) - 1])
    assert told["fitness_distance"].estimate == pytest.approx(apart[0])
    spread = np.std([0.0, 1.0, 4.0])
    assert told["output_distance"].estimate == pytest.approx(np.sqrt(2 / 3) / spread)  # of 1.0; of x + 1.0 it is larger


def test_a_fitness_function_has_no_outputs() -> None:
    problem = gm.Objective(len, GRAMMAR)
    reading = Reading.start(gm.GE(), GRAMMAR, 1, Threads())
    bases = Bases(None, derivations(X_IS), 1, 1)
    found = measured(reading, bases, np.zeros(1, np.int64), derivations(SUM))
    told = behaviour(problem, reading, bases, found, Resampled(1, 0))
    assert told["output_distance"].note == "programs have no outputs that could be compared"
    assert told["fitness_distance"].estimate == len("x + 1.0") - 1
