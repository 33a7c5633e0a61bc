from __future__ import annotations

import math
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.derivations import Derivation
from gramarye.derivations.recursion_free import most_expansions, without_recursion
from gramarye.grammar import Grammar
from gramarye.kernels import codes, fixed_lists
from tests import twins
from tests.grammars import G1, straight_grammars
from tests.twins import Draws, Lists, Plain

SEEDS = st.integers(0, 2**64 - 1)
RATES = st.sampled_from([0.0, 0.4, 1.0])
REWRITTEN = st.builds(lambda g, levels: without_recursion(g, levels).grammar, straight_grammars(), st.integers(0, 2))


def starts(grammar: Grammar) -> NDArray[np.int64]:
    return np.array([*accumulate(most_expansions(grammar), initial=0)], np.int64)


def packed(population: list[Lists]) -> NDArray[np.int32]:
    return np.array([[entry for row in lists for entry in row] for lists in population], np.int32)


def unpacked(grammar: Grammar, entries: NDArray[np.int32]) -> list[Lists]:
    return [[row[a:b].tolist() for a, b in pairwise(starts(grammar))] for row in entries]


def twin(grammar: Grammar, lists: Lists) -> tuple[list[int], list[int]]:
    """Productions, and entries used of each list."""
    plain = Plain.of(grammar)
    used, productions, pending = [0] * len(lists), [], [0]
    while pending:
        symbol = pending.pop()
        q = plain.rules[symbol][lists[symbol][used[symbol]]]
        used[symbol] += 1
        productions.append(q)
        pending.extend(reversed(plain.kids[q]))
    return productions, used


def drawn(grammar: Grammar, draws: Draws) -> Lists:
    """Random lists; where there is no choice nothing is drawn."""
    sizes = zip(grammar.rules.values(), most_expansions(grammar), strict=True)
    return [[draws.below(len(rule)) if len(rule) > 1 else 0 for _ in range(size)] for rule, size in sizes]


@given(REWRITTEN, st.integers(1, 4), SEEDS, st.integers(0, 9))
def test_random_lists_and_their_mapping_equal_their_twins(grammar: Grammar, n: int, seed: int, generation: int) -> None:
    entries = fixed_lists.random_lists(n, starts(grammar), grammar.arrays, np.uint64(seed), generation)
    assert entries.dtype == np.int32
    population = [drawn(grammar, Draws(twins.stream(seed, generation, codes.INITIAL, i))) for i in range(n)]
    assert unpacked(grammar, entries) == population
    productions, offsets, used = fixed_lists.map_fixed(entries, starts(grammar), grammar.arrays)
    found = [productions[a:b] for a, b in pairwise(offsets)]
    expected = [twin(grammar, lists) for lists in population]
    assert [(one.tolist(), row) for one, row in zip(found, used.tolist(), strict=True)] == expected
    assert all(Derivation(grammar, one).complete for one in found)


def test_a_large_tree_grows_all_arrays() -> None:
    grammar = without_recursion(Grammar.from_text("<a> ::= <a><a><a><b> | x\n<b> ::= y | z"), 5).grammar
    lists = [[0] * size for size in most_expansions(grammar)]
    productions, _, used = fixed_lists.map_fixed(packed([lists, lists]), starts(grammar), grammar.arrays)
    expected, counts = twin(grammar, lists)
    assert productions.tolist() == expected * 2
    assert used.tolist() == [counts, counts]
    assert counts == list(most_expansions(grammar))  # every entry was needed
    wide = Grammar.from_text("<s> ::= " + "<a>" * 200 + "\n<a> ::= x | y")
    productions, *_ = fixed_lists.map_fixed(np.zeros((1, 201), np.int32), starts(wide), wide.arrays)
    assert len(productions) == 201


# The worked example

G1_FLAT = without_recursion(Grammar.from_text(G1), 1).grammar
EXAMPLE: Lists = [[0], [0], [1, 0, 2, 2, 0, 1, 0], [0, 1, 0, 1, 1, 0, 0, 1], [1, 0], [1, 0, 1, 0]]


@pytest.mark.parametrize(
    ("symbol", "entry", "phenotype", "used"),
    [
        (0, 0, "x * 1.0 + x - 1.0", [1, 1, 3, 4, 2, 2]),
        (2, 2, "x - 1.0 + x - 1.0", [1, 1, 3, 4, 2, 2]),  # one token changes
        (4, 0, "x * 1.0 + x - 1.0 - 1.0 + x", [1, 1, 5, 6, 2, 4]),  # later entries are dealt anew
    ],
)
def test_the_worked_example_and_its_mutants(symbol: int, entry: int, phenotype: str, used: list[int]) -> None:
    lists = [list(row) for row in EXAMPLE]
    lists[symbol][0] = entry
    productions, _, found = fixed_lists.map_fixed(packed([lists]), starts(G1_FLAT), G1_FLAT.arrays)
    assert Derivation(G1_FLAT, productions).phenotype == phenotype
    assert found.tolist() == [used]
    if symbol == 0:
        assert productions.tolist() == [0, 1, 9, 6, 4, 8, 11, 7, 3, 10, 6, 5, 7]


# Variation


@given(REWRITTEN, st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 2)), max_size=5), SEEDS, SEEDS)
def test_crossover_equals_its_twin(grammar: Grammar, pairs: list[tuple[int, int]], seed: int, other: int) -> None:
    start, k = starts(grammar), len(grammar.nonterminals)
    entries = fixed_lists.random_lists(3, start, grammar.arrays, np.uint64(other), 0)
    _, _, used = fixed_lists.map_fixed(entries, start, grammar.arrays)
    mothers, fathers = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    children, children_used = fixed_lists.cross_lists(entries, used, start, mothers, fathers, np.uint64(seed), 4)
    assert children.dtype == np.int32
    population = unpacked(grammar, entries)
    for i, (mother, father) in enumerate(pairs):
        draws = Draws(twins.stream(seed, 4, codes.CROSS, i))
        both = population[mother], population[father] if father >= 0 else None
        assert unpacked(grammar, children)[i] == twins.take_lists(*both, draws)
        parents = [mother, father] if father >= 0 else [mother]
        assert children_used[i].tolist() == [max(used[p, a] for p in parents) for a in range(k)]


def mutate_twin(grammar: Grammar, lists: Lists, used: list[int], rate: float, draws: Draws) -> Lists:
    lists = [list(entries) for entries in lists]
    for entries, count, rule in zip(lists, used, grammar.rules.values(), strict=True):
        if len(rule) == 1 or not entries or draws.unit() >= rate:
            continue
        position = draws.below(max(1, count))
        others = [choice for choice in range(len(rule)) if choice != entries[position]]
        entries[position] = others[draws.below(len(others))]
    return lists


@given(REWRITTEN, st.integers(1, 3), RATES, SEEDS)
def test_mutation_equals_its_twin(grammar: Grammar, n: int, rate: float, seed: int) -> None:
    start = starts(grammar)
    entries = fixed_lists.random_lists(n, start, grammar.arrays, np.uint64(seed), 0)
    _, _, used = fixed_lists.map_fixed(entries, start, grammar.arrays)
    before = unpacked(grammar, entries)
    fixed_lists.mutate_one_each(entries, used, start, grammar.arrays, rate, np.uint64(seed), 8)
    for i, lists in enumerate(unpacked(grammar, entries)):
        draws = Draws(twins.stream(seed, 8, codes.MUTATE, i))
        assert lists == mutate_twin(grammar, before[i], used[i].tolist(), rate, draws)


def test_one_used_entry_of_a_list_changes_each_as_often() -> None:
    n, rate = 4000, 0.5
    entries, start = np.repeat(packed([EXAMPLE]), n, axis=0), starts(G1_FLAT)
    used = np.tile(np.array([1, 1, 3, 4, 2, 0], np.int32), (n, 1))
    before = entries.copy()
    fixed_lists.mutate_one_each(entries, used, start, G1_FLAT.arrays, rate, np.uint64(3), 1)
    changed = (entries != before).mean(axis=0)
    for a, count in enumerate([0, 1, 3, 4, 2, 1]):  # <start> has no choice; of a list that was not used, the first
        shares = changed[start[a] : start[a + 1]]
        assert (shares[count:] == 0).all()
        assert shares[:count] == pytest.approx([rate / max(1, count)] * count, abs=4 * math.sqrt(0.25 / n))


@given(REWRITTEN, SEEDS, st.data())
def test_what_is_missing_is_drawn_by_non_terminal_and_position(
    grammar: Grammar, seed: int, data: st.DataObject
) -> None:
    start = starts(grammar)
    entries = fixed_lists.random_lists(2, start, grammar.arrays, np.uint64(seed), 0)
    gone = data.draw(st.lists(st.booleans(), min_size=int(start[-1]), max_size=int(start[-1])))
    holes = np.where(gone, -1, entries).astype(np.int32)
    fixed_lists.fill_lists(holes, start, grammar.arrays, np.uint64(seed))
    for i in range(2):
        key = twins.stream(seed, 0, codes.FILL, i)
        for a, rule in enumerate(grammar.rules.values()):
            for at in range(start[a], start[a + 1]):
                word = twins.scramble(twins.fork(twins.fork(key, a), int(at - start[a])))
                assert holes[i, at] == (twins.below(word, len(rule)) if gone[at] else entries[i, at])


# The way back


@given(REWRITTEN, SEEDS, SEEDS)
def test_encoding_equals_its_twin_and_maps_back(grammar: Grammar, seed: int, other: int) -> None:
    start = starts(grammar)
    entries = fixed_lists.random_lists(3, start, grammar.arrays, np.uint64(other), 0)
    productions, offsets, used = fixed_lists.map_fixed(entries, start, grammar.arrays)
    status = np.zeros(3, np.int8)
    encoded, fits = fixed_lists.encode_lists(productions, offsets, status, start, grammar.arrays, np.uint64(seed), 2)
    assert fits.all()
    again, offsets_again, _ = fixed_lists.map_fixed(encoded, start, grammar.arrays)
    assert again.tolist() == productions.tolist()
    assert offsets_again.tolist() == offsets.tolist()
    old = unpacked(grammar, entries)
    for i, lists in enumerate(unpacked(grammar, encoded)):
        expected = drawn(grammar, Draws(twins.stream(seed, 2, codes.ENCODE, i)))
        for a, count in enumerate(used[i].tolist()):
            expected[a][:count] = old[i][a][:count]
        assert lists == expected


def test_what_is_invalid_or_too_long_does_not_fit() -> None:
    grammar = Grammar.from_text("<a> ::= <b> <b>\n<b> ::= x | y")
    productions = np.array([0, 1, 2, 2], np.int32)  # one <b> too many
    offsets, status = np.array([0, 4, 4], np.int64), np.array([codes.OK, codes.STEP_LIMIT], np.int8)
    entries, fits = fixed_lists.encode_lists(
        productions, offsets, status, starts(grammar), grammar.arrays, np.uint64(1), 0
    )
    assert fits.tolist() == [False, False]
    assert ((entries >= 0) & (entries <= [0, 1, 1])).all()
