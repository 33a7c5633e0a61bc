from __future__ import annotations

import math
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.derivations.recursion_free import most_expansions, without_recursion
from gramarye.grammar import Grammar
from gramarye.kernels import codes, fixed_lists
from tests import twins
from tests.grammars import G1, straight_grammars
from tests.twins import Draws, Lists

SEEDS = st.integers(0, 2**64 - 1)
RATES = st.sampled_from([0.0, 0.4, 1.0])
G1_FLAT = without_recursion(Grammar.from_text(G1), 1).grammar
REWRITTEN = st.builds(lambda g, levels: without_recursion(g, levels).grammar, straight_grammars(), st.integers(0, 2))


def starts(grammar: Grammar, n: int) -> NDArray[np.int64]:
    return np.array([*accumulate(most_expansions(grammar) * n, initial=0)], np.int64)


def sizes(grammar: Grammar) -> NDArray[np.int64]:
    return np.array(most_expansions(grammar), np.int64)


def unpacked(grammar: Grammar, values: NDArray[np.int32], n: int) -> list[Lists]:
    k = len(grammar.nonterminals)
    rows = [values[a:b].tolist() for a, b in pairwise(starts(grammar, n))]
    return [rows[i * k : (i + 1) * k] for i in range(n)]


def drawn(grammar: Grammar, draws: Draws) -> Lists:
    """Random lists; where there is no choice nothing is drawn."""
    sizes = zip(grammar.rules.values(), most_expansions(grammar), strict=True)
    return [[draws.below(len(rule)) if len(rule) > 1 else 0 for _ in range(size)] for rule, size in sizes]


@given(REWRITTEN, st.integers(1, 4), SEEDS, st.integers(0, 9), st.sampled_from([codes.INITIAL, codes.ENCODE]))
def test_random_lists_equal_their_twin(grammar: Grammar, n: int, seed: int, generation: int, purpose: int) -> None:
    values = fixed_lists.random_lists(n, sizes(grammar), grammar.arrays, np.uint64(seed), generation, purpose)
    assert values.dtype == np.int32
    expected = [drawn(grammar, Draws(twins.stream(seed, generation, purpose, i))) for i in range(n)]
    assert unpacked(grammar, values, n) == expected


def mutate_twin(grammar: Grammar, lists: Lists, used: list[int], rate: float, draws: Draws) -> Lists:
    lists = [list(entries) for entries in lists]
    for entries, count, rule in zip(lists, used, grammar.rules.values(), strict=True):
        if len(rule) == 1 or not entries or draws.unit() >= rate:
            continue
        position = draws.below(max(1, count))
        others = [choice for choice in range(len(rule)) if choice != entries[position]]
        entries[position] = others[draws.below(len(others))]
    return lists


@given(REWRITTEN, st.integers(1, 3), RATES, SEEDS, st.data())
def test_mutation_equals_its_twin(grammar: Grammar, n: int, rate: float, seed: int, data: st.DataObject) -> None:
    values = fixed_lists.random_lists(n, sizes(grammar), grammar.arrays, np.uint64(seed), 0, codes.INITIAL)
    rows = [[data.draw(st.integers(0, size)) for size in most_expansions(grammar)] for _ in range(n)]
    before, used = unpacked(grammar, values, n), np.array(rows, np.int32)
    fixed_lists.mutate_one_each(values, starts(grammar, n), used, grammar.arrays, rate, np.uint64(seed), 8)
    for i, lists in enumerate(unpacked(grammar, values, n)):
        draws = Draws(twins.stream(seed, 8, codes.MUTATE, i))
        assert lists == mutate_twin(grammar, before[i], rows[i], rate, draws)


@pytest.mark.compiled
def test_one_used_entry_of_a_list_changes_each_as_often() -> None:
    n, rate, start = 4000, 0.5, starts(G1_FLAT, 1)
    values = np.zeros(n * start[-1], np.int32)
    used = np.tile(np.array([1, 1, 3, 4, 2, 0], np.int32), (n, 1))
    fixed_lists.mutate_one_each(values, starts(G1_FLAT, n), used, G1_FLAT.arrays, rate, np.uint64(3), 1)
    changed = (values.reshape(n, -1) != 0).mean(axis=0)
    for a, count in enumerate([0, 1, 3, 4, 2, 1]):  # <start> has no choice; of a list that was not used, the first
        shares = changed[start[a] : start[a + 1]]
        assert (shares[count:] == 0).all()
        assert shares[:count] == pytest.approx([rate / max(1, count)] * count, abs=4 * math.sqrt(0.25 / n))
