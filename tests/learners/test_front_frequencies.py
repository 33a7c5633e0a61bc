"""What is read out of a front: a share for each program, and the probabilities of the search as one more program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.learners import FrontFrequencies
from gramarye.representations.flat import FlatReal
from tests.grammars import G1, grammars
from tests.learners.populations import BETTER, ranked

GRAMMAR = gm.Grammar.from_text(G1, "G1")
X, ONE = [0, 2, 6], [0, 2, 7]


def read_out(programs: Sequence[Sequence[int]], grammar: gm.Grammar = GRAMMAR) -> dict[str, list[float]]:
    front = ranked(programs, [float(i) for i in range(len(programs))]).evaluation
    found = FrontFrequencies().recorded(grammar, np.array(grammar.start_probabilities()), front)
    return {name: found[span].tolist() for name, span in grammar.spans.items()}


def twin(grammar: gm.Grammar, start: list[float], programs: list[list[int]]) -> list[Fraction]:
    """The same, in fractions and written out."""
    found = [Fraction(p) for p in start]
    for span in grammar.spans.values():
        rule = range(span.start, span.stop)
        users = [row for program in programs if (row := [q for q in program if q in rule])]
        if users:
            shares = [sum(Fraction(row.count(q), len(row)) for row in users) + found[q] for q in rule]
            found[span] = [share / sum(shares) for share in shares]
    return found


def test_the_worked_example() -> None:
    found = read_out(BETTER)  # x * 1.0 - x, x * 1.0 + x, x * x
    assert found["<start>"] == [1.0]
    assert found["<op>"] == pytest.approx([(1 / 2 + 1 / 3) / 4, (1 / 2 + 1 / 2 + 1 + 1 / 3) / 4, (1 / 2 + 1 / 3) / 4])
    assert found["<var>"] == pytest.approx([(2 / 3 + 2 / 3 + 1 + 1 / 2) / 4, (1 / 3 + 1 / 3 + 1 / 2) / 4])


def test_every_program_counts_alike_whatever_its_size() -> None:
    assert read_out([BETTER[2], ONE])["<var>"] == read_out([X, ONE])["<var>"] == [0.5, 0.5]


def test_a_rule_that_no_program_uses_keeps_its_probabilities() -> None:
    grammar = GRAMMAR.with_probabilities({"<op>": [0.2, 0.5, 0.3]})
    assert read_out([X, X], grammar)["<op>"] == [0.2, 0.5, 0.3]


def test_no_production_is_lost_that_the_search_may_use() -> None:
    assert read_out([X] * 9)["<var>"] == [0.95, 0.05]
    grammar = GRAMMAR.with_probabilities({"<var>": [1.0, 0.0]})
    assert read_out([X] * 9, grammar)["<var>"] == [1.0, 0.0]
    assert read_out([ONE], grammar)["<var>"] == [0.5, 0.5]


def test_an_empty_front_leaves_all_as_it_was() -> None:
    start = np.array(GRAMMAR.start_probabilities())
    nobody = ranked([X], [1.0]).evaluation.take(np.zeros(0, np.int64))
    assert FrontFrequencies().recorded(GRAMMAR, start, nobody).tolist() == start.tolist()


@given(grammars(), st.integers(1, 12), st.integers(0, 999))
def test_it_is_what_its_twin_computes(grammar: gm.Grammar, n: int, seed: int) -> None:
    reals, start = FlatReal(24), np.array(grammar.start_probabilities())
    genotypes = reals.initial(grammar, n, np.uint64(seed))
    _, derivations = reals.map(grammar, genotypes, start, np.uint64(seed), 0, 0)
    programs = [derivations[i].tolist() for i in np.flatnonzero(derivations.status == 0)]
    if programs:
        front = ranked(programs, [0.0] * len(programs)).evaluation
        found = FrontFrequencies().recorded(grammar, start, front)
        assert found.tolist() == pytest.approx([float(p) for p in twin(grammar, start.tolist(), programs)], abs=1e-12)
        assert all(math.fsum(found[span]) == pytest.approx(1, abs=1e-12) for span in grammar.spans.values())
