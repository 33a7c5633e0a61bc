"""Neighbours and distances of genotypes: what every representation promises."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Derivations, Status
from gramarye.grammar import Grammar
from gramarye.methods import GE, METHODS, PGE, PIGE, PSGE, SGE, Chorus, CoPSGE, MethodBase
from gramarye.representations.base import others, redrawn
from gramarye.representations.structured import picked
from tests.grammars import G1, GR

GRAMMAR = Grammar.from_text(GR)
NAMES = sorted(METHODS)
ONE_EACH = {"cfggp", "tunedtrees"}  # a tree is a subtree too: any other one is one replacement away
SEED = np.uint64(6)


def population(method: MethodBase, n: int = 12, seed: int = 2) -> tuple[Grammar, Any, Derivations]:
    """Valid genotypes, mapped."""
    grammar = method.rewritten(GRAMMAR).grammar
    weights = np.array(grammar.start_probabilities())
    genotypes = method.representation.initial(grammar, n, np.uint64(seed), 0, weights)
    genotypes, derivations = method.representation.map(grammar, genotypes, weights, SEED, 0, 0)
    valid = np.flatnonzero(derivations.status == Status.OK)
    return grammar, genotypes.take(valid), derivations.take(valid)


def same(a: Any, b: Any) -> bool:
    return all(np.array_equal(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))


@pytest.mark.parametrize("how", ["any", "used"])
@pytest.mark.parametrize("name", NAMES)
def test_exactly_so_many_elements_are_changed(name: str, how: Any) -> None:
    representation: Any = METHODS[name]().representation
    grammar, genotypes, _ = population(METHODS[name]())
    for count in (1, 3):
        before = genotypes.take(np.arange(len(genotypes)))
        changed, places = representation.change(grammar, genotypes, count, SEED, how=how)
        assert same(genotypes, before)  # what is given stays as it is
        assert places.shape == (len(genotypes), count)
        distance = representation.distance(grammar, genotypes, changed)
        made = (places != -1).sum(axis=1)
        assert distance.tolist() == (np.minimum(made, 1) if name in ONE_EACH else made).tolist()
        assert not representation.distance(grammar, genotypes, genotypes).any()


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_changes_the_same_and_another_number_something_else(name: str) -> None:
    representation: Any = METHODS[name]().representation
    grammar, genotypes, _ = population(METHODS[name]())
    once, places = representation.change(grammar, genotypes, 2, SEED, 4)
    again, same_places = representation.change(grammar, genotypes, 2, SEED, 4)
    assert same(once, again)
    assert np.array_equal(places, same_places)
    other, _ = representation.change(grammar, genotypes, 2, SEED, 5)
    assert not same(once, other)


@pytest.mark.parametrize("name", sorted(set(NAMES) - ONE_EACH - {"whge"}))
def test_what_was_not_read_can_be_changed_without_effect_and_what_was_read_is_used(name: str) -> None:
    method = METHODS[name]()
    grammar, genotypes, _ = population(method)
    representation: Any = method.representation
    _, places = representation.change(grammar, genotypes, 1, SEED, how="used")
    used = np.asarray(genotypes.used).reshape(len(genotypes), -1)
    assert (places[:, 0] < used.max(axis=1)).all()


def test_a_tree_is_changed_by_one_subtree() -> None:
    representation: Any = METHODS["cfggp"]().representation
    grammar, genotypes, _ = population(METHODS["cfggp"]())
    changed, places = representation.change(grammar, genotypes, 1, SEED)
    for i, place in enumerate(places[:, 0].tolist()):
        old, new = representation.show(grammar, genotypes, i), representation.show(grammar, changed, i)
        assert old[:place] == new[:place]
        assert old[place] != new[place]


def test_a_tree_that_is_the_only_one_has_no_neighbours() -> None:
    grammar = Grammar.from_text("<s> ::= <a>\n<a> ::= x")
    representation: Any = METHODS["cfggp"]().representation
    genotypes = representation.read(grammar, [0, 1])
    changed, places = representation.change(grammar, genotypes, 2, SEED)
    assert same(changed, genotypes)
    assert places.tolist() == [[-1, -1]]


@pytest.mark.parametrize("method", [GE(codon_max=0), Chorus(codon_max=0), PIGE(codon_max=0)])
def test_codons_without_another_value_are_not_changed(method: MethodBase) -> None:
    grammar = Grammar.from_text(G1)
    representation: Any = method.representation
    genotypes = representation.initial(grammar, 2, SEED)
    changed, places = representation.change(grammar, genotypes, 1, SEED)
    assert same(changed, genotypes)
    assert (places == -1).all()


def test_entries_without_a_choice_are_not_changed() -> None:
    grammar, genotypes, _ = population(SGE(initial_depth=3), 30)
    changed, _ = SGE().representation.change(grammar, genotypes, 200, SEED)
    for i in range(len(genotypes)):
        old, new = (SGE().representation.show(grammar, each, i) for each in (genotypes, changed))
        assert old["<start>"] == new["<start>"]
        assert all(a != b for name in old if name != "<start>" for a, b in zip(old[name], new[name], strict=True))


@pytest.mark.parametrize("borders", ["clip", "reflect"])
def test_a_small_step_stays_within_the_borders(borders: Any) -> None:
    method = PSGE(borders=borders, sigma=0.2)
    grammar, genotypes, _ = population(method, 40)
    changed, _ = method.representation.change(grammar, genotypes, 8, SEED, how="small")
    assert ((changed.values >= 0) & (changed.values <= 1)).all()
    steps = np.abs(changed.values - genotypes.values)
    assert 0.1 < np.mean(steps[steps > 0]) < 0.25  # 0.16 is the mean of such a step, borders aside


def test_an_individual_with_its_own_probabilities_may_have_a_row_changed() -> None:
    method = CoPSGE()
    grammar, genotypes, _ = population(method, 60)
    changed, places = method.representation.change(grammar, genotypes, 1, SEED)
    rows = places[:, 0] == -2
    assert rows.any()
    different = changed.probabilities != genotypes.probabilities
    assert (different.any(axis=1) == rows).all()
    for span in grammar.spans.values():
        assert np.allclose(changed.probabilities[:, span].sum(axis=1), 1)
    assert not different[:, grammar.spans["<start>"]].any()


@given(st.integers(1, 6), st.integers(0, 2**64 - 1))
def test_genotypes_of_different_lengths_differ_by_what_only_one_has(codons: int, seed: int) -> None:
    method = PGE(codons=6, length="variable")
    genotypes = method.representation.initial(GRAMMAR, 2, np.uint64(seed))
    short = type(genotypes)(genotypes.codons, np.full(2, codons, np.int32), genotypes.used)
    assert method.representation.distance(GRAMMAR, genotypes, short).tolist() == [6 - codons] * 2


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4),
    st.integers(1, 4),
    st.integers(0, 2**64 - 1),
)
def test_entries_are_different_ones_of_their_lists(sizes: list[tuple[int, int]], count: int, seed: int) -> None:
    lists, places, _ = picked(np.array(sizes, np.int64), count, np.uint64(seed), 0)
    for row, own, where in zip(sizes, lists.tolist(), places.tolist(), strict=True):
        found = [(a, place) for a, place in zip(own, where, strict=True) if a >= 0]
        assert len(set(found)) == len(found) == min(count, sum(row))
        assert all(0 <= place < row[a] for a, place in found)


@given(st.integers(0, 300), st.integers(2, 256))
def test_another_value_is_any_but_the_old_one(value: int, n: int) -> None:
    found = others(np.full(n - 1, value), (np.arange(n - 1) + 0.5) / (n - 1), n)
    assert sorted(found.tolist()) == [v for v in range(n) if v != value % n]


def test_only_what_was_picked_is_redrawn() -> None:
    codons = np.zeros((2, 3), np.int32)
    found = redrawn(codons, np.array([[0, 2], [1, -1]]), np.array([[0.0, 0.9], [0.5, 0.0]]), 4)
    assert found.tolist() == [[1, 0, 4], [0, 3, 0]]
    assert not codons.any()
    reals = redrawn(np.zeros((1, 3)), np.array([[2, -1]]), np.array([[0.25, 0.5]]), None)
    assert reals.tolist() == [[0, 0, 0.25]]
