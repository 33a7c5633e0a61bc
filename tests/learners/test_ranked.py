from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.errors import SettingsError
from gramarye.learners import Frequencies, RankWeighted
from tests.grammars import G1
from tests.learners.populations import BETTER, ranked

GRAMMAR = gm.Grammar.from_text(G1, "G1")
ONE, X = [0, 2, 7], [0, 2, 6]


def update(
    learner: gm.learners.RankWeighted | gm.learners.Frequencies, derivations: list[list[int]], fitness: list[float]
) -> np.ndarray:
    return learner.update(GRAMMAR, np.array(GRAMMAR.start_probabilities()), ranked(derivations, fitness))


def of(name: str, values: np.ndarray) -> list[float]:
    row: list[float] = values[GRAMMAR.spans[name]].tolist()
    return row


def test_the_best_of_k_counts_k_times_and_the_last_once() -> None:
    assert of("<var>", update(RankWeighted(1.0), [ONE, X, X], [1.0, 2.0, 3.0])) == [3 / 6, 3 / 6]
    assert of("<var>", update(RankWeighted(1.0), [X, ONE, X], [1.0, 2.0, 3.0])) == [4 / 6, 2 / 6]
    weighted = update(RankWeighted(1.0), BETTER, [1.0, 2.0, 3.0])  # weights 3, 2, 1
    assert of("<expr>", weighted) == [(6 + 4 + 1) / 28, (9 + 6 + 2) / 28]
    assert of("<op>", weighted) == [2 / 11, 6 / 11, 3 / 11]


def test_large_trees_may_count_as_small_ones() -> None:
    weighted = update(RankWeighted(1.0, per_individual=True), BETTER, [1.0, 2.0, 3.0])
    assert of("<expr>", weighted) == pytest.approx([(3 * 0.4 + 2 * 0.4 + 1 / 3) / 6, (3 * 0.6 + 2 * 0.6 + 2 / 3) / 6])


def test_learning_rate_and_floor_are_as_without_weights() -> None:
    weighted = update(RankWeighted(1.0, 0.25, 0.2), [X], [1.0])
    assert weighted.tolist() == update(Frequencies(1.0, 0.25, 0.2), [X], [1.0]).tolist()
    assert of("<var>", weighted) == pytest.approx([0.8 * 0.625 + 0.1, 0.8 * 0.375 + 0.1])


@given(st.sampled_from(BETTER), st.integers(1, 9), st.floats(0, 1))
def test_equal_individuals_teach_what_they_do_without_weights(row: list[int], n: int, rate: float) -> None:
    fitness = [float(i) for i in range(n)]
    weighted = update(RankWeighted(1.0, rate), [row] * n, fitness)
    assert weighted.tolist() == pytest.approx(update(Frequencies(1.0, rate), [row] * n, fitness).tolist(), abs=1e-15)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("selected", -1, r"selected is -1: it must be a number in \[0, 1\]"),
        ("learning_rate", 1.5, r"learning_rate is 1.5: it must be a number in \[0, 1\]"),
    ],
)
def test_a_setting_out_of_its_range_is_refused(name: str, value: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        RankWeighted(**{name: value})
