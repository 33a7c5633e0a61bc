from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.errors import SettingsError
from gramarye.learners import PolicyGradient
from gramarye.learners.policy import advantages
from tests.grammars import G1
from tests.learners.populations import BETTER, ranked

GRAMMAR = gm.Grammar.from_text(G1, "G1").with_probabilities({"<op>": [0.5, 0.3, 0.2]})
X = [0, 2, 6]  # uses no <op>
DERIVATIONS = st.lists(st.sampled_from([*BETTER, X]), min_size=1, max_size=6)


def updated(learner: PolicyGradient, derivations: list[list[int]], fitness: list[float]) -> list[float]:
    start = np.array(GRAMMAR.start_probabilities())
    return [float(p) for p in learner.update(GRAMMAR, start, ranked(derivations, fitness))]


def objective(learner: PolicyGradient, row: list[float], best: list[list[int]], weights: list[float], q: int) -> float:
    """What is climbed, for one rule whose first production is q: weighted log-probabilities, and entropy."""
    uses = [[derivation.count(q + i) for i in range(len(row))] for derivation in best]
    likely = [sum(n * math.log(p) for n, p in zip(used, row, strict=True)) for used in uses]
    entropy = -sum(p * math.log(p) for p in row)
    bonus = learner.entropy * entropy * sum(map(sum, uses))
    return (sum(w * each for w, each in zip(weights, likely, strict=True)) + bonus) / len(best)


def softmax(logits: list[float]) -> list[float]:
    weights = [math.exp(logit - max(logits)) for logit in logits]
    return [weight / sum(weights) for weight in weights]


def twin(learner: PolicyGradient, derivations: list[list[int]], fitness: list[float]) -> list[float]:
    """One step of gradient ascent on the logits of each rule; gradients by differences, not by a formula."""
    order = sorted(range(len(fitness)), key=lambda i: fitness[i])
    chosen = order[: max(1, math.ceil(learner.selected * len(fitness)))]
    best, worst, first = [derivations[i] for i in chosen], fitness[chosen[-1]], fitness[chosen[0]]
    weights = [(worst - fitness[i]) / (worst - first) if worst > first else 0.0 for i in chosen]
    new = [float(p) for p in GRAMMAR.start_probabilities()]
    for span in GRAMMAR.spans.values():
        logits = [math.log(p) for p in new[span]]
        gradient = []
        for i in range(len(logits)):
            ends = [[*logits[:i], logits[i] + shift, *logits[i + 1 :]] for shift in (1e-5, -1e-5)]
            up, down = (objective(learner, softmax(end), best, weights, span.start) for end in ends)
            gradient.append((up - down) / 2e-5)
        new[span] = softmax([a + learner.learning_rate * g for a, g in zip(logits, gradient, strict=True)])
    return new


@given(DERIVATIONS, st.data(), st.sampled_from([0.0, 0.1]), st.sampled_from([0.5, 1.0]))
def test_a_step_is_that_of_the_twin(
    derivations: list[list[int]], data: st.DataObject, entropy: float, selected: float
) -> None:
    fitness = [float(data.draw(st.integers(0, 9))) for _ in derivations]
    learner = PolicyGradient(selected, 0.3, entropy)
    assert updated(learner, derivations, fitness) == pytest.approx(twin(learner, derivations, fitness), abs=1e-8)


def test_a_worked_example() -> None:
    """The best uses p7 once of <var>'s two; p = 1/2, gradient ±1/2, weight 1 of two programs: logits move by ±η/4."""
    one, other = [0, 2, 7], [0, 2, 6]
    row = updated(PolicyGradient(1.0, 1.0, 0.0), [other, one], [2.0, 1.0])[GRAMMAR.spans["<var>"]]
    assert row == pytest.approx([1 / (1 + math.exp(0.5)), 1 / (1 + math.exp(-0.5))])


def test_a_rule_that_is_not_used_stays_as_it_is() -> None:
    new = updated(PolicyGradient(1.0), [X, X], [1.0, 2.0])
    assert new[GRAMMAR.spans["<op>"]] == GRAMMAR.start_probabilities()[GRAMMAR.spans["<op>"]].tolist()


def test_equal_fitness_teaches_nothing_but_entropy() -> None:
    start = GRAMMAR.start_probabilities().tolist()
    assert updated(PolicyGradient(1.0, entropy=0.0), BETTER, [1.0] * 3) == pytest.approx(start, abs=1e-15)
    calmer = updated(PolicyGradient(1.0, entropy=1.0), BETTER, [1.0] * 3)[GRAMMAR.spans["<op>"]]
    assert max(calmer) < 0.5
    assert min(calmer) > 0.2


@given(st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_scale_and_offset_of_the_fitness_make_no_difference(scale: float, offset: float) -> None:
    fitness = [1.0, 2.0, 4.0]
    moved = [scale * value + offset for value in fitness]
    learner = PolicyGradient(1.0)
    assert updated(learner, BETTER, moved) == pytest.approx(updated(learner, BETTER, fitness), abs=1e-6)


def test_fitness_may_be_as_large_as_a_float_can_be() -> None:
    assert advantages(np.array([-1.7e308, 0.0, 1.7e308])).tolist() == [1.0, 0.5, 0.0]


def test_what_is_impossible_stays_impossible_and_huge_steps_do_not_overflow() -> None:
    start = np.array(GRAMMAR.with_probabilities({"<op>": [0.0, 0.5, 0.5]}).start_probabilities())
    new = PolicyGradient(1.0, 1000.0, 10.0).update(GRAMMAR, start, ranked(BETTER, [1.0, 2.0, 3.0]))
    row = new[GRAMMAR.spans["<op>"]].tolist()
    assert row[0] == 0.0
    assert math.fsum(row) == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("selected", 1.5, r"selected is 1.5: it must be a number in \[0, 1\]"),
        ("learning_rate", -0.1, "learning_rate is -0.1: it must be a number from 0 to 1000"),
        ("entropy", -1, "entropy is -1: it must be a number from 0 to 1000"),
    ],
)
def test_a_setting_out_of_its_range_is_refused(name: str, value: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        PolicyGradient(**{name: value})
