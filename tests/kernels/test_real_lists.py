from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.derivations import Derivation
from gramarye.grammar import Grammar
from gramarye.kernels import codes, lists, real_lists
from tests import twins
from tests.grammars import G1, grammars
from tests.twins import Plain

Codons = list[list[float]]  # a structured genotype: a list of codons for each non-terminal

SEEDS = st.integers(0, 2**64 - 1)
RULES = st.sampled_from([codes.HEIGHT, codes.SHORTEST, codes.NONRECURSIVE])
STEPS = 200  # enough for most, few enough for those that never end
GRAMMAR = Grammar.from_text(G1)


# Twins


@dataclass
class Mapped:
    lists: Codons
    productions: list[int]
    status: int
    used: list[int]


def weights(plain: Plain, row: list[float], symbol: int, depth: int, limit: int, rule: int) -> list[float]:
    """What a depth rule leaves of a non-terminal's probabilities."""
    probabilities = [row[q] for q in plain.rules[symbol]]
    allowed = twins.permitted(plain, symbol, depth, limit, rule)
    if len(allowed) == len(probabilities):
        return probabilities
    total = 0.0
    for i in allowed:
        total += probabilities[i]
    left = {i: probabilities[i] / total if total > 0 else 1 / len(allowed) for i in allowed}
    return [left.get(i, 0.0) for i in range(len(probabilities))]


def map_twin(
    grammar: Grammar, genotype: Codons, row: list[float], limit: int, rule: int, step_limit: int, key: int
) -> Mapped:
    plain = Plain.of(grammar)
    mapped = Mapped([list(codons) for codons in genotype], [], codes.OK, [0] * len(genotype))
    pending = [(0, 0)]
    while pending:
        limits = (limit, rule) if len(mapped.productions) < step_limit else (-1, codes.SHORTEST)
        symbol, depth = pending.pop()
        codons, position = mapped.lists[symbol], mapped.used[symbol]
        mapped.used[symbol] += 1
        if position == len(codons):
            codons.append(twins.unit(twins.scramble(twins.fork(twins.fork(key, symbol), position))))
        choice = twins.choose(weights(plain, row, symbol, depth, *limits), codons[position])
        q = plain.rules[symbol][choice]
        mapped.productions.append(q)
        pending.extend((kid, depth + 1) for kid in reversed(plain.kids[q]))
    return mapped


def encode_twin(
    grammar: Grammar, productions: list[int], row: list[float], limit: int, rule: int, steps: int, draws: twins.Draws
) -> tuple[list[float], bool]:
    """A codon for each step, and whether they choose these productions."""
    plain = Plain.of(grammar)
    pending, codons, fits = [(0, 0)], [], bool(productions)
    for number, q in enumerate(productions):
        symbol, depth = pending.pop()
        slices = weights(plain, row, symbol, depth, *((limit, rule) if number < steps else (-1, codes.SHORTEST)))
        choice = plain.rules[symbol].index(q)
        low = 0.0
        for width in slices[:choice]:
            low += width
        high = low + slices[choice]
        codon = low + draws.unit() * (high - low)
        codons.append(min(codon if codon < high else low, 1.0))
        fits = fits and twins.choose(slices, codons[-1]) == choice
        pending.extend((kid, depth + 1) for kid in reversed(plain.kids[q]))
    return codons, fits


# From and to the kernels' arrays


def packed(population: list[Codons]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rows = [codons for genotype in population for codons in genotype]
    return np.array([c for row in rows for c in row], np.float64), np.cumsum([0, *map(len, rows)], dtype=np.int64)


def unpacked(values: NDArray[np.float64], start: NDArray[np.int64], k: int) -> list[Codons]:
    rows = [values[a:b].tolist() for a, b in pairwise(start)]
    return [rows[i : i + k] for i in range(0, len(rows), k)]


def mapped(
    grammar: Grammar,
    population: list[Codons],
    probabilities: list[list[float]],
    limit: int,
    rule: int,
    steps: int = STEPS,
    seed: int = 0,
    first: int = 0,
) -> list[Mapped]:
    """A population through the kernel."""
    k = len(grammar.nonterminals)
    values, start = packed(population)
    before = values.copy()
    new_values, new_start, productions, offsets, status, used, _ = lists.map_lists(
        values, start, grammar.arrays, np.array(probabilities), np.zeros(0), limit, rule, steps, np.uint64(seed), 3,
        codes.FILL, first,
    )  # fmt: skip
    assert (values == before).all()  # codons are never rewritten
    derivations = [productions[a:b].tolist() for a, b in pairwise(offsets)]
    parts = zip(unpacked(new_values, new_start, k), derivations, status.tolist(), used.tolist(), strict=True)
    return [Mapped(*part) for part in parts]


CODONS = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])


@st.composite
def populations(draw: st.DrawFn, grammar: Grammar, least: int = 0, most: int = 3) -> list[Codons]:
    """Genotypes with lists of all lengths, empty ones too."""
    genotypes = st.tuples(*[st.lists(CODONS, max_size=5) for _ in grammar.nonterminals]).map(list)
    return draw(st.lists(genotypes, min_size=least, max_size=most))


@st.composite
def rows(draw: st.DrawFn, grammar: Grammar) -> list[float]:
    """Probabilities of all productions, zeros and tiny ones among them."""
    found: list[float] = []
    for rule in grammar.rules.values():
        part = st.sampled_from([0.0, 0.0, 1e-300, 1.0]) | st.floats(0.01, 1)
        row = draw(st.lists(part, min_size=len(rule), max_size=len(rule)))
        row = row if sum(row) > 0 else [1.0] * len(rule)
        found += [p / sum(row) for p in row]
    return found


def uniform(grammar: Grammar) -> list[list[float]]:
    return [grammar.uniform_probabilities().tolist()]


# Mapping


@given(grammars(), RULES, st.integers(0, 7), SEEDS, st.booleans(), st.data())
def test_lists_are_mapped_as_by_the_twin(
    grammar: Grammar, rule: int, limit: int, seed: int, own: bool, data: st.DataObject
) -> None:
    population = data.draw(populations(grammar))
    n = len(population)
    shared = data.draw(rows(grammar))
    table = [data.draw(rows(grammar)) for _ in population] if own and n > 1 else [shared]
    expected = [
        map_twin(
            grammar, genotype, table[i % len(table)], limit, rule, STEPS, twins.stream(seed, 3, codes.FILL, i)
        )
        for i, genotype in enumerate(population)
    ]  # fmt: skip
    assert mapped(grammar, population, table, limit, rule, seed=seed) == expected


@given(grammars(), st.integers(0, 3), SEEDS, st.data())
def test_a_tree_is_never_deeper_than_the_hard_limit(
    grammar: Grammar, more: int, seed: int, data: st.DataObject
) -> None:
    limit = int(grammar.arrays.nt_height[0]) + more
    population = data.draw(populations(grammar))
    for one in mapped(grammar, population, [data.draw(rows(grammar))], limit, codes.HEIGHT, 10**6, seed):
        assert one.status == codes.OK
        assert Derivation(grammar, np.array(one.productions, np.int32)).depth <= limit


@given(grammars(), RULES, st.integers(0, 7), SEEDS, SEEDS, st.data())
def test_a_mapped_genotype_maps_to_the_same_once_more(
    grammar: Grammar, rule: int, limit: int, seed: int, other_seed: int, data: st.DataObject
) -> None:
    table = [data.draw(rows(grammar))]
    once = mapped(grammar, data.draw(populations(grammar)), table, limit, rule, seed=seed)
    assert mapped(grammar, [one.lists for one in once], table, limit, rule, seed=other_seed) == once


@given(grammars(), RULES, st.integers(0, 6), SEEDS, st.data())
def test_a_slice_of_a_population_maps_as_the_whole(
    grammar: Grammar, rule: int, limit: int, seed: int, data: st.DataObject
) -> None:
    population = data.draw(populations(grammar, most=5))
    cut = data.draw(st.integers(0, len(population)))
    table = [data.draw(rows(grammar))]
    head = mapped(grammar, population[:cut], table, limit, rule, seed=seed)
    tail = mapped(grammar, population[cut:], table, limit, rule, seed=seed, first=cut)
    assert head + tail == mapped(grammar, population, table, limit, rule, seed=seed)


@given(grammars(), RULES, SEEDS, st.data())
def test_codons_in_the_middle_of_uniform_slices_are_the_entries_of_integer_lists(
    grammar: Grammar, rule: int, seed: int, data: st.DataObject
) -> None:
    """PSGE with uniform probabilities is SGE, so long as the depth rule excludes nothing."""
    limit, k = 10 * STEPS, len(grammar.nonterminals)
    counts = [len(productions) for productions in grammar.rules.values()]
    entries = [data.draw(st.lists(st.integers(0, j - 1), max_size=6)) for j in counts]
    values = np.array([a for row in entries for a in row], np.int32)
    start = np.cumsum([0, *map(len, entries)], dtype=np.int64)
    full, new_start, productions, _, status, used, _ = lists.map_lists(
        values, start, grammar.arrays, None, np.zeros(0), limit, rule, STEPS, np.uint64(seed), 0, codes.FILL, 0
    )
    filled = [full[a:b].tolist() for a, b in pairwise(new_start)]
    codons = [[(a + 0.5) / counts[s] for a in filled[s]] for s in range(k)]
    (one,) = mapped(grammar, [codons], uniform(grammar), limit, rule)
    assert one.productions[:STEPS] == productions.tolist()[:STEPS]
    if len(productions) <= STEPS:
        assert one == Mapped(codons, productions.tolist(), int(status[0]), used[0].tolist())


@pytest.mark.parametrize("limit", [0, 1000])
@pytest.mark.parametrize("rule", [codes.HEIGHT, codes.SHORTEST])
def test_a_long_derivation_grows_all_arrays(limit: int, rule: int) -> None:
    grammar = Grammar.from_text("<s> ::= " + "<a>" * 120 + "\n<a> ::= <b> | <a> <a> | <c>\n<b> ::= x\n<c> ::= y")
    genotype: Codons = [[0.0], [0.5] * 100 + [0.1, 0.9] * 100, [], []]
    (one,) = mapped(grammar, [genotype], uniform(grammar), limit, rule, 10_000)
    key = twins.stream(0, 3, codes.FILL, 0)
    assert one == map_twin(grammar, genotype, uniform(grammar)[0], limit, rule, 10_000, key)


@pytest.mark.parametrize("rule", [codes.SHORTEST, codes.NONRECURSIVE, codes.HEIGHT])
@pytest.mark.parametrize("steps", [0, 1, 7])
def test_from_the_step_limit_on_only_the_shortest_productions_are_chosen(rule: int, steps: int) -> None:
    grammar = Grammar.from_text("<a> ::= <a>x | <b> | y | z\n<b> ::= <a>")
    probabilities = [[1.0, 0.0, 0.0, 0.0, 1.0]]
    (one,) = mapped(grammar, [[[0.9] * 20, []]], probabilities, 1000, rule, steps)
    assert (one.status, one.productions) == (codes.OK, [0] * steps + [3])
    assert one.lists[0] == [0.9] * 20  # codons are never rewritten


@pytest.mark.compiled
def test_fresh_codons_are_uniform() -> None:
    grammar = Grammar.from_text("<a> ::= x | y")
    n = 3000
    codons = np.array([one.lists[0][0] for one in mapped(grammar, [[[]]] * n, uniform(grammar), 1, codes.HEIGHT)])
    for border in (0.1, 0.5, 0.8):
        assert abs((codons < border).mean() - border) < 4 * math.sqrt(border * (1 - border) / n)


# What the depth rule leaves


def weighed(row: list[float], symbol: int, depth: int, limit: int, rule: int = codes.HEIGHT) -> list[float] | None:
    """The restricted row of G1, or None where nothing is forbidden."""
    out = np.full(8, 7.0)
    limited = lists.weigh(GRAMMAR.arrays, np.array(row), symbol, depth, limit, rule, out)
    j = len(list(GRAMMAR.rules.values())[symbol])
    assert (out[j:] == 7).all()
    return out[:j].tolist() if limited else None


def test_what_is_left_is_divided_by_its_sum() -> None:
    row = [1.0, 0.25, 0.75, 0.2, 0.2, 0.6, 0.5, 0.5]
    assert weighed(row, 1, 1, 4) is None
    assert weighed(row, 1, 2, 4) == [0, 1]
    assert weighed(row, 1, 17, 4) == [0, 1]  # nothing fits: the nearest way out
    assert weighed(row, 2, 17, 4) is None  # all are equally near
    assert weighed(row, 1, 4, 4, codes.SHORTEST) is None
    assert weighed(row, 1, 5, 4, codes.SHORTEST) == [0, 1]
    assert weighed(row, 1, 5, 4, codes.NONRECURSIVE) == [0, 1]


def test_where_nothing_that_is_left_is_possible_all_of_it_is_equally_likely() -> None:
    grammar = Grammar.from_text("<a> ::= <a><a> | x | (<a>) | y")
    table = [[0.5, 0.0, 0.5, 0.0]]
    found = mapped(grammar, [[[0.49]], [[0.5]], [[1.0]]], table, 1, codes.HEIGHT)
    assert [one.productions for one in found] == [[1], [3], [3]]


def test_a_codon_of_one_takes_the_last_production_that_is_possible() -> None:
    grammar = Grammar.from_text("<a> ::= x | y | z")
    for row, taken in (([0.5, 0.5, 0.0], 1), ([1.0, 0.0, 0.0], 0), ([0.0, 0.0, 1.0], 2)):
        (one,) = mapped(grammar, [[[1.0]]], [row], 9, codes.HEIGHT)
        assert one.productions == [taken]


# The worked example

EXAMPLE: Codons = [[0.91], [0.2, 0.7, 0.4, 0.9, 0.6], [0.5, 0.8], [0.3, 0.75, 0.1]]
OTHER = [1.0, 0.3, 0.7, 0.2, 0.2, 0.6, 0.8, 0.2]


@pytest.mark.parametrize(
    ("row", "limit", "productions", "phenotype"),
    [
        (None, 10, [0, 1, 2, 6, 4, 1, 2, 7, 5, 2, 6], "x * 1.0 - x"),
        (None, 4, [0, 1, 2, 6, 4, 2, 7], "x * 1.0"),
        (OTHER, 10, [0, 1, 2, 6, 5, 2, 6], "x - x"),
    ],
)
def test_the_worked_example(row: list[float] | None, limit: int, productions: list[int], phenotype: str) -> None:
    (one,) = mapped(GRAMMAR, [EXAMPLE], [row] if row else uniform(GRAMMAR), limit, codes.HEIGHT)
    assert (one.lists, one.productions) == (EXAMPLE, productions)
    assert Derivation(GRAMMAR, np.array(productions, np.int32)).phenotype == phenotype


# Encoding


@given(grammars(), RULES, st.integers(0, 5), SEEDS, st.booleans(), st.sampled_from([3, STEPS]), st.data())
def test_derivations_are_encoded_as_by_the_twin(
    grammar: Grammar, rule: int, limit: int, seed: int, own: bool, steps: int, data: st.DataObject
) -> None:
    found = mapped(grammar, data.draw(populations(grammar, least=1)), uniform(grammar), limit + 2, codes.SHORTEST)
    table = [data.draw(rows(grammar)) for _ in found] if own else [data.draw(rows(grammar))]
    offsets = np.cumsum([0, *(len(one.productions) for one in found)], dtype=np.int64)
    codons, fits = real_lists.encode_real_lists(
        np.array([q for one in found for q in one.productions], np.int32), offsets, grammar.arrays, np.array(table),
        limit, rule, steps, np.uint64(seed), 4,
    )  # fmt: skip
    expected = [
        encode_twin(
            grammar, one.productions, table[i % len(table)], limit, rule, steps,
            twins.Draws(twins.stream(seed, 4, codes.ENCODE, i)),
        )
        for i, one in enumerate(found)
    ]  # fmt: skip
    assert [codons[a:b].tolist() for a, b in pairwise(offsets)] == [one for one, _ in expected]
    assert fits.tolist() == [fit for _, fit in expected]
    assert ((codons >= 0) & (codons <= 1)).all()


def encoded(row: list[float], production: int, seed: int) -> tuple[float, bool]:
    grammar = Grammar.from_text("<a> ::= " + " | ".join("abcd"[: len(row)]))
    codons, fits = real_lists.encode_real_lists(
        np.array([production], np.int32), np.array([0, 1]), grammar.arrays, np.array([row]), 5, codes.HEIGHT, 10,
        np.uint64(seed), 0,
    )  # fmt: skip
    return float(codons[0]), bool(fits[0])


def test_codons_are_uniform_in_the_slice_of_their_production() -> None:
    codons = np.array([encoded([0.2, 0.6, 0.2], 1, seed)[0] for seed in range(400)])
    assert 0.2 <= codons.min() < 0.22
    assert 0.78 < codons.max() < 0.8
    assert abs(codons.mean() - 0.5) < 4 * 0.6 / math.sqrt(12 * 400)


@pytest.mark.parametrize(
    ("row", "production", "fits"),
    [
        ([0.5, 0.0, 0.5], 1, False),  # impossible
        ([0.5, 1e-20, 0.5], 1, False),  # a slice without a number in it
        ([1.0, 1e-20], 1, True),  # the last one has the codon 1.0
        ([0.5, 5e-17, 0.5], 2, True),
        ([2.0**-54, 1 - 2.0**-53], 0, True),
        ([0.5, 2.0**-54, 0.5], 1, False),  # half a unit in the last place
        ([0.5, 2.0**-53, 0.5], 1, True),  # one number: what would round up is brought back
        ([0.5, 2.0**-52, 0.5], 1, True),
        ([0.5, 0.5 + 1e-9], 1, True),
    ],
)
def test_a_production_fits_where_its_slice_holds_a_number(row: list[float], production: int, fits: bool) -> None:
    for seed in range(20):
        codon, found = encoded(row, production, seed)
        assert found is fits
        assert 0 <= codon <= 1
        assert not fits or twins.choose(row, codon) == production


def test_derivations_without_steps_or_with_other_than_the_shortest_from_the_limit_on_do_not_fit() -> None:
    grammar = Grammar.from_text("<a> ::= <a>x | x")
    productions, offsets = np.array([0, 0, 1, 0, 0, 0, 1], np.int32), np.array([0, 0, 3, 7])
    _, fits = real_lists.encode_real_lists(
        productions, offsets, grammar.arrays, np.array(uniform(grammar)), 9, codes.HEIGHT, 2, np.uint64(1), 0
    )
    assert fits.tolist() == [False, True, False]
