from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.derivations import Derivation
from gramarye.grammar import Grammar
from gramarye.kernels import codes, lists
from tests import twins
from tests.grammars import G1, GR, grammars
from tests.twins import Lists, MappedLists

SEEDS = st.integers(0, 2**64 - 1)
RULES = st.sampled_from([codes.HEIGHT, codes.SHORTEST, codes.NONRECURSIVE])
RATES = st.sampled_from([0.0, 0.3, 1.0])
STEPS = 200  # enough for most, few enough for those that never end


def packed(population: list[Lists], k: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """A population as the kernels hold it: values, start."""
    rows = [entries for genotype in population for entries in genotype]
    assert len(rows) == k * len(population)
    values = np.array([entry for row in rows for entry in row], np.int32)
    return values, np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)


def unpacked(values: NDArray[np.int32], start: NDArray[np.int64], k: int) -> list[Lists]:
    rows = [values[a:b].tolist() for a, b in pairwise(start)]
    return [rows[i : i + k] for i in range(0, len(rows), k)]


def mapped(
    grammar: Grammar,
    population: list[Lists],
    limit: int,
    rule: int,
    steps: int = STEPS,
    seed: int = 0,
    first: int = 0,
    weights: Sequence[float] = (),
) -> list[MappedLists]:
    """A population through the kernel."""
    k = len(grammar.nonterminals)
    values, start = packed(population, k)
    new_values, new_start, productions, offsets, status, used, depth = lists.map_lists(
        values, start, grammar.arrays, None, np.array(weights, np.float64), limit, rule, steps, np.uint64(seed), 3,
        codes.FILL, first,
    )  # fmt: skip
    assert new_values.dtype == np.int32
    derivations = [productions[a:b].tolist() for a, b in pairwise(offsets)]
    genotypes = unpacked(new_values, new_start, k)
    parts = zip(genotypes, derivations, status.tolist(), used.tolist(), depth.tolist(), strict=True)
    return [MappedLists(*part) for part in parts]


@st.composite
def populations(draw: st.DrawFn, grammar: Grammar, most: int = 3) -> list[Lists]:
    """Genotypes with lists of all lengths, empty ones too."""
    entries = [st.lists(st.integers(0, len(rule) - 1), max_size=5) for rule in grammar.rules.values()]
    return draw(st.lists(st.tuples(*entries).map(list), max_size=most))


@given(grammars(), RULES, st.integers(0, 7), SEEDS, st.data())
def test_lists_are_mapped_as_by_the_twin(
    grammar: Grammar, rule: int, limit: int, seed: int, data: st.DataObject
) -> None:
    population = data.draw(populations(grammar))
    expected = [
        twins.map_lists(grammar, genotype, limit, rule, STEPS, twins.stream(seed, 3, codes.FILL, i))
        for i, genotype in enumerate(population)
    ]
    assert mapped(grammar, population, limit, rule, seed=seed) == expected


@given(grammars(), RULES, st.integers(0, 7), SEEDS, st.data())
def test_missing_entries_are_drawn_by_weight_as_by_the_twin(
    grammar: Grammar, rule: int, limit: int, seed: int, data: st.DataObject
) -> None:
    rows = [[data.draw(st.sampled_from([0.0, 0.5, 1.0, 2.5])) for _ in rule] for rule in grammar.rules.values()]
    weights = [w / sum(row) if sum(row) else 1 / len(row) for row in rows for w in row]
    population = data.draw(populations(grammar))
    expected = [
        twins.map_lists(grammar, genotype, limit, rule, 300, twins.stream(seed, 3, codes.FILL, i), weights)
        for i, genotype in enumerate(population)
    ]
    assert mapped(grammar, population, limit, rule, 300, seed, weights=weights) == expected


@given(grammars(), st.integers(0, 3), SEEDS, st.data())
def test_a_tree_is_never_deeper_than_the_hard_limit(
    grammar: Grammar, more: int, seed: int, data: st.DataObject
) -> None:
    limit = int(grammar.arrays.nt_height[0]) + more
    for one in mapped(grammar, data.draw(populations(grammar)), limit, codes.HEIGHT, 10**6, seed):
        assert one.status == codes.OK
        assert one.depth <= limit


@given(grammars(), RULES, st.integers(0, 7), SEEDS, st.data())
def test_depth_and_counts_are_those_of_the_derivation(
    grammar: Grammar, rule: int, limit: int, seed: int, data: st.DataObject
) -> None:
    for one in mapped(grammar, data.draw(populations(grammar)), limit, rule, seed=seed):
        derivation = Derivation(grammar, np.array(one.productions, np.int32))
        assert one.status == codes.OK
        assert derivation.complete
        assert one.depth == derivation.depth
        assert one.used == [sum(counts) for counts in derivation.counts.values()]


@given(grammars(), RULES, st.integers(0, 7), SEEDS, SEEDS, st.data())
def test_a_mapped_genotype_maps_to_the_same_once_more(
    grammar: Grammar, rule: int, limit: int, seed: int, other_seed: int, data: st.DataObject
) -> None:
    """Whatever was missing or forbidden is part of the genotype now, also where no tree fits under the limit."""
    once = mapped(grammar, data.draw(populations(grammar)), limit, rule, seed=seed)
    again = mapped(grammar, [one.lists for one in once], limit, rule, seed=other_seed)
    assert once == again


@given(grammars(), RULES, st.integers(0, 6), SEEDS, st.data())
def test_a_slice_of_a_population_maps_as_the_whole(
    grammar: Grammar, rule: int, limit: int, seed: int, data: st.DataObject
) -> None:
    population = data.draw(populations(grammar, most=5))
    cut = data.draw(st.integers(0, len(population)))
    head = mapped(grammar, population[:cut], limit, rule, seed=seed)
    tail = mapped(grammar, population[cut:], limit, rule, seed=seed, first=cut)
    assert head + tail == mapped(grammar, population, limit, rule, seed=seed)


@given(grammars(), RULES, SEEDS, st.integers(0, 4), st.data())
def test_what_is_drawn_depends_on_non_terminal_and_position_alone(
    grammar: Grammar, rule: int, seed: int, cut: int, data: st.DataObject
) -> None:
    """A genotype that loses the ends of its lists gets them back, so long as the same draws are permitted."""
    limit = 100  # nothing is forbidden
    key: list[Lists] = [[[] for _ in grammar.nonterminals]]
    (whole,) = mapped(grammar, key, limit, rule, 60, seed)
    shortened = [entries[:cut] for entries in whole.lists]
    assert mapped(grammar, [shortened], limit, rule, 60, seed) == [whole]


@pytest.mark.compiled
def test_draws_are_uniform_over_what_is_permitted() -> None:
    grammar = Grammar.from_text("<a> ::= x | y | <a> | z")
    n = 3000
    found = mapped(grammar, [[[]]] * n, 1, codes.HEIGHT, seed=5)
    counts = np.bincount([one.productions[0] for one in found], minlength=4)
    assert counts[2] == 0
    assert (abs(counts[[0, 1, 3]] - n / 3) < 4 * math.sqrt(n * 2 / 9)).all()


# Where nothing fits, the lowest productions are permitted; those of them that a genotype holds already are kept.

DEEP = """
<a> ::= <b> | <a> <a> | <c>
<b> ::= x
<c> ::= y
"""


@pytest.mark.parametrize(("entry", "kept"), [(0, 0), (1, 2), (2, 2)])
def test_an_entry_that_is_as_low_as_possible_is_kept_where_nothing_fits(entry: int, kept: int) -> None:
    (one,) = mapped(Grammar.from_text(DEEP), [[[entry], [], []]], 0, codes.HEIGHT)
    assert one.lists[0] == [kept]


@pytest.mark.parametrize("limit", [0, 1000])
@pytest.mark.parametrize("rule", [codes.HEIGHT, codes.SHORTEST])
def test_a_long_derivation_grows_all_arrays_and_repairs_each_entry_once(limit: int, rule: int) -> None:
    grammar = Grammar.from_text("<s> ::= " + "<a>" * 120 + DEEP)
    genotype = [[0], [1] * 100 + [0, 2] * 100, [], []]
    (one,) = mapped(grammar, [genotype], limit, rule, 10_000)
    assert one == twins.map_lists(grammar, genotype, limit, rule, 10_000, twins.stream(0, 3, codes.FILL, 0))


def test_many_draws_for_one_individual() -> None:
    grammar = Grammar.from_text("<a> ::= <b><b><b><b><b><b><b><b>\n<b> ::= " + "<c>" * 20 + "\n<c> ::= x | y")
    (one,) = mapped(grammar, [[[], [], []]], 5, codes.HEIGHT)
    assert one == twins.map_lists(grammar, [[], [], []], 5, codes.HEIGHT, STEPS, twins.stream(0, 3, codes.FILL, 0))
    assert one.used == [1, 8, 160]


@pytest.mark.parametrize("rule", [codes.SHORTEST, codes.NONRECURSIVE, codes.HEIGHT])
def test_a_derivation_that_would_never_end_is_ended_from_the_step_limit_on(rule: int) -> None:
    grammar = Grammar.from_text("<a> ::= <b> | x\n<b> ::= <a>")
    population = [[[0] * 50, []], [[0, 1], []]]
    endless, short = mapped(grammar, population, 1000, rule, 30)
    assert (endless.status, endless.productions, endless.used) == (codes.OK, [0, 2] * 15 + [1], [16, 15])
    assert endless.lists[0] == [0] * 15 + [1] + [0] * 34  # what was forbidden is replaced, what was not read stays
    assert (short.status, short.productions) == (codes.OK, [0, 2, 1])


@pytest.mark.parametrize(("steps", "last"), [(4, "y"), (3, "x")])
def test_a_derivation_is_free_for_exactly_as_many_steps_as_the_limit(steps: int, last: str) -> None:
    grammar = Grammar.from_text("<a> ::= <b><b>\n<b> ::= x | <c>\n<c> ::= y")
    (one,) = mapped(grammar, [[[0], [0, 1], [0]]], 9, codes.SHORTEST, steps - 1)
    (whole,) = mapped(grammar, [[[0], [0, 1], [0]]], 9, codes.SHORTEST, 100)
    assert Derivation(grammar, np.array(whole.productions, np.int32)).phenotype == "xy"
    assert Derivation(grammar, np.array(one.productions, np.int32)).phenotype == "x" + last


def test_the_nonrecursive_rule_of_the_original_program_forbids_direct_recursion_alone() -> None:
    grammar = Grammar.from_text("<a> ::= <a> <a> | <b>\n<b> ::= <a> | x")
    found = mapped(grammar, [[[], []]] * 40, 1, codes.NONRECURSIVE, seed=1)
    below_limit = {
        q for one in found for q, depth in zip(one.productions, depths(grammar, one), strict=True) if depth > 1
    }
    assert below_limit == {1, 2, 3}  # all but <a> <a>


def depths(grammar: Grammar, one: MappedLists) -> list[int]:
    """The depth at which each production was applied."""
    plain = twins.Plain.of(grammar)
    pending, found = [0], []
    for q in one.productions:
        found.append(pending.pop())
        pending += [found[-1] + 1] * len(plain.kids[q])
    return found


# The worked example

EXAMPLE: Lists = [[0], [0, 1, 0, 1, 1], [1, 2], [0, 1, 0]]


def test_the_worked_example() -> None:
    grammar = Grammar.from_text(G1)
    for rule in (codes.HEIGHT, codes.SHORTEST, codes.NONRECURSIVE):
        (one,) = mapped(grammar, [EXAMPLE], 17, rule)
        assert one == MappedLists(EXAMPLE, [0, 1, 2, 6, 4, 1, 2, 7, 5, 2, 6], codes.OK, [1, 5, 2, 3], 5)
        assert Derivation(grammar, np.array(one.productions, np.int32)).phenotype == "x * 1.0 - x"


def test_the_worked_example_with_one_entry_changed() -> None:
    grammar = Grammar.from_text(G1)
    changed = [[0], [0, 1, 1, 1, 1], [1, 2], [0, 1, 0]]
    (one,) = mapped(grammar, [changed], 17, codes.SHORTEST)
    assert one.lists == changed  # the rest stays silent
    assert one.used == [1, 3, 1, 2]
    assert Derivation(grammar, np.array(one.productions, np.int32)).phenotype == "x * 1.0"


def test_the_worked_example_of_a_child_with_missing_entries() -> None:
    """Lists with room for draws: op [0, ?], var [1, ?, ?]; some seed draws 2, 0 and 1, as the example does."""
    grammar = Grammar.from_text(G1)
    child = [[0], [0, 1, 0, 1, 1], [0], [1]]
    for seed in range(500):
        (one,) = mapped(grammar, [child], 17, codes.SHORTEST, seed=seed)
        assert [entries[: len(old)] for entries, old in zip(one.lists, child, strict=True)] == child
        assert one.used == [1, 5, 2, 3]
        if one.lists[2:] == [[0, 2], [1, 0, 1]]:
            assert Derivation(grammar, np.array(one.productions, np.int32)).phenotype == "1.0 + x - 1.0"
            return
    pytest.fail("no seed draws 2, 0 and 1")


def test_a_hard_limit_rewrites_the_worked_example() -> None:
    """At depth 2 of 4 <expr> may only become <var>: 2 + 3 > 4."""
    (one,) = mapped(Grammar.from_text(G1), [EXAMPLE], 4, codes.HEIGHT)
    assert one.lists == [[0], [0, 1, 1, 1, 1], [1, 2], [0, 1, 0]]
    assert one.productions == [0, 1, 2, 6, 4, 2, 7]


# Crossover


@given(grammars(), SEEDS, st.integers(0, 99), st.data())
def test_crossover_equals_its_twin(grammar: Grammar, seed: int, generation: int, data: st.DataObject) -> None:
    population = data.draw(populations(grammar).filter(bool))
    last, k = len(population) - 1, len(grammar.nonterminals)
    pairs = data.draw(st.lists(st.tuples(st.integers(0, last), st.integers(-1, last)), max_size=4))
    mothers, fathers = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    values, start = lists.gather_lists(
        *packed(population, k), lists.list_parents(mothers, fathers, k, np.uint64(seed), generation)
    )
    expected = [
        twins.take_lists(
            population[mother],
            population[father] if father >= 0 else None,
            twins.Draws(twins.stream(seed, generation, codes.CROSS, i)),
        )
        for i, (mother, father) in enumerate(pairs)
    ]
    assert unpacked(values, start, k) == expected


def test_each_list_comes_from_each_parent_about_equally_often() -> None:
    n, k = 1000, 3
    population = [[[0], [0, 0], [0]], [[1, 1], [], [1]]]
    mothers, fathers = np.zeros(n, np.int64), np.ones(n, np.int64)
    values, start = lists.gather_lists(*packed(population, k), lists.list_parents(mothers, fathers, k, np.uint64(1), 1))
    children = unpacked(values, start, k)
    for a in range(k):
        from_mother = sum(child[a] == population[0][a] for child in children)
        assert abs(from_mother - n / 2) < 4 * math.sqrt(n / 4)


# Mutation


@given(grammars(), RULES, st.integers(0, 5), RATES, SEEDS, st.data())
def test_mutation_equals_its_twin(
    grammar: Grammar, rule: int, limit: int, rate: float, seed: int, data: st.DataObject
) -> None:
    population = data.draw(populations(grammar))
    k = len(grammar.nonterminals)
    used = [[data.draw(st.integers(0, len(entries))) for entries in genotype] for genotype in population]
    depth = [data.draw(st.integers(limit - 1, limit + 1)) for _ in population]
    values, start = packed(population, k)
    lists.mutate_lists(
        values,
        start,
        np.array(used, np.int32).reshape(-1, k),
        np.array(depth, np.int32),
        grammar.arrays,
        limit,
        rule,
        rate,
        np.uint64(seed),
        7,
    )
    assert unpacked(values, start, k) == [
        twins.mutate_lists(
            grammar, genotype, used[i], depth[i], limit, rule, rate, twins.Draws(twins.stream(seed, 7, codes.MUTATE, i))
        )
        for i, genotype in enumerate(population)
    ]


@pytest.mark.parametrize("rule", [codes.HEIGHT, codes.SHORTEST, codes.NONRECURSIVE])
@pytest.mark.parametrize("depth", [3, 4, 5])
def test_a_tree_at_the_soft_limit_mutates_to_shortest_productions(depth: int, rule: int) -> None:
    grammar = Grammar.from_text("<a> ::= <a><a> | x | (<a>) | y")
    n, limit = 200, 4
    values, start = packed([[[1]]] * n, 1)
    ones, depths_of_all = np.ones((n, 1), np.int32), np.full(n, depth, np.int32)
    lists.mutate_lists(values, start, ones, depths_of_all, grammar.arrays, limit, rule, 1.0, np.uint64(2), 1)
    soft_and_deep = rule != codes.HEIGHT and depth >= limit
    assert set(values.tolist()) == ({1, 3} if soft_and_deep else {0, 2, 3})


def test_mutation_changes_used_entries_to_different_ones_at_its_rate() -> None:
    grammar = Grammar.from_text(GR)
    n, used, rate = 300, 10, 0.05
    population = [[[0] * 12, [0] * 12, [2] * 12, [4] * 12, [1] * 12]] * n
    values, start = packed(population, 5)
    counts, depth = np.full((n, 5), used, np.int32), np.full(n, 5, np.int32)
    lists.mutate_lists(values, start, counts, depth, grammar.arrays, 17, codes.SHORTEST, rate, np.uint64(8), 1)
    mutated = np.array(unpacked(values, start, 5))  # [n, 5, 12]
    changed = mutated != np.array(population)
    assert not changed[:, 0].any()  # <start> has one production
    assert not changed[:, :, used:].any()  # silent entries
    share = changed[:, 1:, :used].mean()
    assert abs(share - rate) < 4 * math.sqrt(rate * (1 - rate) / (n * 4 * used))
    operators = mutated[:, 2][changed[:, 2]]
    assert set(operators.tolist()) == {0, 1, 3}
