from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Derivations
from gramarye.grammar import Grammar
from gramarye.learners.counts import counts_of
from gramarye.populations.population import Population
from tests.grammars import G1

GRAMMAR = Grammar.from_text(G1)
LEFT = GRAMMAR.arrays.left.tolist()
DERIVATIONS = st.lists(st.lists(st.integers(0, len(LEFT) - 1), max_size=12), min_size=1, max_size=6)


def twin(
    derivations: list[list[int]], individuals: list[int], weights: list[float], per_individual: bool
) -> list[float]:
    """What is counted, one individual after another."""
    counts = [0.0] * len(LEFT)
    for i, weight in zip(individuals, weights, strict=True):
        for q in range(len(LEFT)):
            used = derivations[i].count(q)
            if used and per_individual:
                counts[q] += weight * used / sum(LEFT[other] == LEFT[q] for other in derivations[i])
            elif used:
                counts[q] += weight * used
    return counts


def count(
    derivations: list[list[int]], individuals: list[int], weights: list[float], per_individual: bool = False
) -> list[float]:
    flat = np.array([q for row in derivations for q in row], np.int32)
    offsets = np.cumsum([0, *map(len, derivations)])
    chosen, weighted = np.array(individuals, np.int64), np.array(weights, np.float64)
    made = Derivations(flat, offsets, np.zeros(len(derivations), np.int8))
    population = Population.of(made, np.zeros(len(derivations)))
    found = counts_of(GRAMMAR, population.derivations, chosen, weighted, per_individual)
    assert found.dtype == np.float64
    return [float(value) for value in found]


@given(DERIVATIONS, st.data(), st.booleans())
def test_counts_equal_their_twin(derivations: list[list[int]], data: st.DataObject, per_individual: bool) -> None:
    individuals = data.draw(st.lists(st.integers(0, len(derivations) - 1), max_size=8))
    weights = [float(data.draw(st.integers(1, 50))) for _ in individuals]
    found = count(derivations, individuals, weights, per_individual)
    assert found == twin(derivations, individuals, weights, per_individual)


def test_the_counts_of_the_worked_example() -> None:
    better = [[0, 1, 2, 6, 4, 1, 2, 7, 5, 2, 6], [0, 1, 2, 6, 4, 1, 2, 7, 3, 2, 6], [0, 1, 2, 6, 4, 2, 6]]
    assert count(better, [0, 1, 2], [1, 1, 1]) == [3, 5, 8, 1, 3, 1, 6, 2]
    assert count(better, [2, 0], [2, 1]) == [3, 4, 7, 0, 3, 1, 6, 1]


def test_shares_of_an_individual_add_up_to_its_weight() -> None:
    shares = count([[0, 1, 2, 6, 4, 2, 6]], [0], [6], per_individual=True)
    assert shares == pytest.approx([6, 2, 4, 0, 6, 0, 6, 0])


def test_nobody_has_no_counts() -> None:
    assert count([[0, 2, 6]], [], []) == [0] * len(LEFT)
