from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.errors import SettingsError
from gramarye.learners import Bayesian
from gramarye.populations.population import Memory
from tests.grammars import G1
from tests.learners.populations import BETTER, ranked

GRAMMAR = gm.Grammar.from_text(G1, "G1").with_probabilities({"<op>": [0.5, 0.3, 0.2]})
X = [0, 2, 6]  # uses no <op>
DERIVATIONS = st.lists(st.sampled_from([*BETTER, X]), min_size=1, max_size=6)


def updates(learner: Bayesian, generations: list[list[list[int]]]) -> list[list[float]]:
    """The probabilities after each of some generations, whose individuals come best first."""
    probabilities, memory = np.array(GRAMMAR.start_probabilities()), dict[str, Any]()
    found = []
    for number, derivations in enumerate(generations):
        population = replace(ranked(derivations, list(range(len(derivations))), number), probabilities=probabilities)
        remembered: Memory = learner.remember(population, memory)
        memory = dict(remembered)
        population = replace(population, memory={"learner": memory})
        probabilities = learner.update(GRAMMAR, probabilities, population)
        found.append([float(p) for p in probabilities])
    return found


def twin(learner: Bayesian, generations: list[list[list[int]]]) -> list[list[float]]:
    """The posterior mean (κ p + Σ (1 − φ)^age c) / its sum, production by production."""
    start = [float(p) for p in GRAMMAR.start_probabilities()]
    now, found = list(start), []
    for number in range(len(generations)):
        selected = [rows[: max(1, round(learner.selected * len(rows)))] for rows in generations[: number + 1]]
        for span in GRAMMAR.spans.values():
            rule = range(span.start, span.stop)
            counts = {
                q: sum(
                    (1 - learner.forgetting) ** (number - born) * row.count(q)
                    for born, rows in enumerate(selected)
                    for row in rows
                )
                for q in rule
            }
            total = learner.strength + sum(counts.values())
            if any(row.count(q) for row in selected[number] for q in rule):
                for q in rule:
                    now[q] = (learner.strength * start[q] + counts[q]) / total
        found.append(list(now))
    return found


@given(st.lists(DERIVATIONS, min_size=1, max_size=4), st.sampled_from([0.0, 0.25, 1.0]), st.sampled_from([0.0, 3.0]))
def test_probabilities_are_those_of_the_twin(
    generations: list[list[list[int]]], forgetting: float, strength: float
) -> None:
    learner = Bayesian(1.0, forgetting, strength)
    for row, wanted in zip(updates(learner, generations), twin(learner, generations), strict=True):
        assert row == pytest.approx(wanted, abs=1e-12)


def test_a_worked_example() -> None:
    """<op> is used five times by BETTER: + 1, - 1, * 3 in the order of G1; κ = 10 and p = 0.5, 0.3, 0.2 make 15."""
    (row,) = updates(Bayesian(1.0, strength=10), [BETTER])
    assert row[GRAMMAR.spans["<op>"]] == pytest.approx([6 / 15, 6 / 15, 3 / 15])


def test_a_rule_that_is_not_used_stays_as_it_is() -> None:
    first, second = updates(Bayesian(1.0), [BETTER, [X]])
    assert first[GRAMMAR.spans["<op>"]] == second[GRAMMAR.spans["<op>"]]
    assert first[GRAMMAR.spans["<var>"]] != second[GRAMMAR.spans["<var>"]]


def test_a_production_that_was_possible_stays_possible() -> None:
    *_, last = updates(Bayesian(1.0, strength=1e-6), [BETTER] * 300)
    assert min(last) > 0


def test_the_prior_is_that_of_the_run_not_the_last_probabilities() -> None:
    *_, last = updates(Bayesian(1.0, forgetting=1.0, strength=10), [BETTER] * 50)
    assert last == updates(Bayesian(1.0, strength=10), [BETTER])[0]


def test_a_run_that_is_resumed_ends_as_one_that_was_not_interrupted(tmp_path: Path) -> None:
    method = gm.Method(learner=Bayesian(strength=20), population=40, generations=6)
    setup = gm.engine.Setup(gm.problems.load("quartic"), method, 3)
    state = gm.engine.step(setup, gm.engine.step(setup, gm.engine.start(setup)))
    state.save(tmp_path / "state.npz")
    for _ in range(3):
        state = gm.engine.step(setup, state)
    resumed = gm.State.load(tmp_path / "state.npz")
    for _ in range(3):
        resumed = gm.engine.step(setup, resumed)
    assert resumed.probabilities.tobytes() == state.probabilities.tobytes()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("selected", 1.5, r"selected is 1.5: it must be a number in \[0, 1\]"),
        ("forgetting", -0.1, r"forgetting is -0.1: it must be a number in \[0, 1\]"),
        ("strength", -1, "strength is -1: it must be a number ≥ 0"),
    ],
)
def test_a_setting_out_of_its_range_is_refused(name: str, value: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Bayesian(**{name: value})
