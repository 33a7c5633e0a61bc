from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.errors import SettingsError
from gramarye.learners import AlternatingBest, Bayesian, EntropyBounded, Frequencies, NoLearning
from gramarye.learners.entropy import bounded
from tests.grammars import G1
from tests.learners.populations import BETTER, BETTER_IN_CONTEXT, ranked

GRAMMAR = gm.Grammar.from_text(G1, "G1")
ROWS = st.lists(st.floats(0, 1), min_size=1, max_size=7).filter(lambda row: math.fsum(row) > 0.01)
SHARES = st.floats(0, 1)


def normalised(weights: list[float]) -> list[float]:
    return [w / math.fsum(weights) for w in weights]


def effective(row: list[float]) -> float:
    """The number of equally likely productions that would be as hard to guess."""
    return 1 / math.fsum(p * p for p in row)


@given(ROWS, SHARES)
def test_a_row_keeps_an_effective_number_of_productions(weights: list[float], entropy: float) -> None:
    row = normalised(weights)
    new = bounded(row, entropy)
    least = 1 + entropy * (len(row) - 1)
    assert math.fsum(new) == pytest.approx(1, abs=1e-12)
    assert all(p >= 0 for p in new)
    assert effective(new) >= least - 1e-9
    if effective(row) >= least + 1e-9:
        assert new == row
    elif effective(row) < least - 1e-9:
        assert effective(new) == pytest.approx(least, abs=1e-9)  # no more is mixed in than it takes


@given(ROWS, SHARES)
def test_the_order_of_productions_stays(weights: list[float], entropy: float) -> None:
    row = normalised(weights)
    new = bounded(row, entropy)
    for p, q in zip(np.argsort(row)[:-1], np.argsort(row)[1:], strict=True):
        assert new[p] <= new[q] + 1e-15


@pytest.mark.parametrize(
    ("row", "entropy", "new"),
    [
        ([1.0, 0.0], 0.0, [1.0, 0.0]),
        ([1.0, 0.0], 1.0, [0.5, 0.5]),
        ([1.0, 0.0], 0.25, [0.5 + math.sqrt(0.15), 0.5 - math.sqrt(0.15)]),  # Σp² = 1/1.25: 1/2 + 2·0.15
        ([0.6, 0.4], 0.25, [0.6, 0.4]),
        ([1.0], 1.0, [1.0]),
    ],
)
def test_vectors(row: list[float], entropy: float, new: list[float]) -> None:
    assert bounded(row, entropy) == pytest.approx(new, abs=1e-15)


@pytest.mark.parametrize("inner", [AlternatingBest(0.5), Frequencies(1.0)])
def test_without_a_bound_it_is_the_inner_learner(inner: gm.learners.AlternatingBest | gm.learners.Frequencies) -> None:
    start, population = np.array(GRAMMAR.start_probabilities()), ranked(BETTER, [1.0, 2.0, 3.0])
    wanted = inner.update(GRAMMAR, start, population)
    assert EntropyBounded(inner, 0.0).update(GRAMMAR, start, population).tobytes() == wanted.tobytes()


def test_contexts_and_elites_are_those_of_the_inner_learner() -> None:
    learner = EntropyBounded(Frequencies(1.0, context="parent"), 0.25)
    rewritten = learner.rewritten(GRAMMAR).grammar
    start, population = np.array(rewritten.start_probabilities()), ranked(BETTER_IN_CONTEXT, [1.0] * 3)
    new = learner.update(rewritten, start, population)
    below = 0.5 - math.sqrt(0.15)  # without a bound, <expr> below p0 is certain
    assert new[rewritten.spans["<expr.0>"]].tolist() == pytest.approx([1 - below, below])
    assert not learner.remap_elites
    assert EntropyBounded(AlternatingBest()).remap_elites
    assert not EntropyBounded(AlternatingBest(remap_elites=False)).remap_elites


def test_a_grammar_that_was_sure_from_the_start_is_opened() -> None:
    sure = np.array(GRAMMAR.with_probabilities({"<var>": [1, 0]}).start_probabilities())
    new = EntropyBounded(NoLearning(), 0.25).update(GRAMMAR, sure, ranked(BETTER, [1.0] * 3))
    assert new[GRAMMAR.spans["<var>"]].tolist() == pytest.approx([0.5 + math.sqrt(0.15), 0.5 - math.sqrt(0.15)])


@pytest.mark.parametrize(
    ("inner", "entropy", "message"),
    [
        (AlternatingBest(), 1.5, r"entropy is 1.5: it must be a number in \[0, 1\]"),
        (AlternatingBest, 0.5, "inner is <class .*: it must be a learner, such as gm.learners.AlternatingBest()"),
    ],
)
def test_a_setting_out_of_its_range_is_refused(inner: Any, entropy: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        EntropyBounded(inner, entropy)


def test_the_inner_learner_keeps_its_memory() -> None:
    problem = gm.problems.load("quartic")
    runs = [
        gm.evolve(problem, gm.Method(learner=learner, population=30, generations=5), seed=1)
        for learner in (Bayesian(strength=10), EntropyBounded(Bayesian(strength=10), 0.0))
    ]
    assert runs[0].probabilities.tobytes() == runs[1].probabilities.tobytes()
