from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.grammar import Grammar
from gramarye.kernels import codes, lists, real_lists
from tests import twins
from tests.grammars import GR, grammars

Codons = list[list[float]]

SEEDS = st.integers(0, 2**64 - 1)
RATES = st.sampled_from([0.0, 0.3, 1.0])
SEED = np.uint64(8)
GRAMMAR_R = Grammar.from_text(GR)


# Twins


def a_normal(draws: twins.Draws) -> float:
    """The next number of the standard normal distribution (what it is, tests/kernels/test_normals.py says)."""
    (value,) = real_lists.normals(np.array([draws.state], np.uint64)).tolist()
    draws.unit(), draws.unit()
    return float(value)


def reflected(codon: float) -> float:
    while not 0 <= codon <= 1:
        codon = -codon if codon < 0 else 2 - codon
    return codon


def mutate_twin(
    grammar: Grammar,
    genotype: Codons,
    used: list[int],
    rates: list[float],
    sigma: float,
    reflect: bool,
    draws: twins.Draws,
) -> Codons:
    genotype = [list(codons) for codons in genotype]
    for symbol, rule in enumerate(grammar.rules.values()):
        for position in range(used[symbol] if len(rule) > 1 else 0):
            if draws.unit() < rates[symbol]:
                moved = genotype[symbol][position] + sigma * a_normal(draws)
                genotype[symbol][position] = reflected(moved) if reflect else min(max(moved, 0.0), 1.0)
    return genotype


def change_rates_twin(rates: list[float], key: int) -> list[float]:
    found = []
    for symbol, rate in enumerate(rates):
        draws = twins.Draws(twins.fork(key, symbol))
        found.append(min(max(rate + 0.01 * a_normal(draws), 0.0), 1.0) if draws.unit() < 0.3 else rate)
    return found


def shift_twin(row: list[float], hit: int, step: float) -> list[float]:
    share = step / (len(row) - 1)
    moved = [max(p + step if i == hit else p - share, 0.0) for i, p in enumerate(row)]
    total = 0.0
    for p in moved:
        total += p
    return [p / total for p in moved]


def mutate_probabilities_twin(
    grammar: Grammar, row: list[float], rate: float, sigma: float, draws: twins.Draws
) -> list[float]:
    row = list(row)
    for span in grammar.spans.values():
        j = span.stop - span.start
        hit = next((i for i in range(j) if draws.unit() < rate), None) if j > 1 else None
        if hit is not None:
            row[span] = shift_twin(row[span], hit, sigma * a_normal(draws))
    return row


def packed(population: list[Codons]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rows = [codons for genotype in population for codons in genotype]
    return np.array([c for row in rows for c in row], np.float64), np.cumsum([0, *map(len, rows)], dtype=np.int64)


def unpacked(values: NDArray[np.float64], start: NDArray[np.int64], k: int) -> list[Codons]:
    rows = [values[a:b].tolist() for a, b in pairwise(start)]
    return [rows[i : i + k] for i in range(0, len(rows), k)]


@st.composite
def populations(draw: st.DrawFn, grammar: Grammar, least: int = 0) -> list[Codons]:
    genotypes = st.tuples(*[st.lists(st.floats(0, 1), max_size=5) for _ in grammar.nonterminals]).map(list)
    return draw(st.lists(genotypes, min_size=least, max_size=3))


# Crossover


@given(grammars(), SEEDS, st.integers(0, 99), st.data())
def test_crossover_equals_its_twin(grammar: Grammar, seed: int, generation: int, data: st.DataObject) -> None:
    population = data.draw(populations(grammar, least=1))
    last, k = len(population) - 1, len(grammar.nonterminals)
    pairs = data.draw(st.lists(st.tuples(st.integers(0, last), st.integers(-1, last)), max_size=4))
    mothers, fathers = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    parents = lists.list_parents(mothers, fathers, k, np.uint64(seed), generation)
    expected = []
    for i, (mother, father) in enumerate(pairs):
        draws = twins.Draws(twins.stream(seed, generation, codes.CROSS, i))
        expected.append([mother if draws.unit() < 0.5 or father < 0 else father for _ in range(k)])
    assert parents.tolist() == expected
    values, start = packed(population)
    children = unpacked(*lists.gather_lists(values, start, parents), k)
    assert children == [[population[parent][a] for a, parent in enumerate(row)] for row in expected]


# Mutation of codons


@given(grammars(), st.booleans(), st.sampled_from([0.0, 0.5, 3.0]), SEEDS, st.data())
def test_mutation_equals_its_twin(
    grammar: Grammar, reflect: bool, sigma: float, seed: int, data: st.DataObject
) -> None:
    population = data.draw(populations(grammar))
    k = len(grammar.nonterminals)
    used = [[data.draw(st.integers(0, len(codons))) for codons in genotype] for genotype in population]
    rates = [[data.draw(RATES) for _ in range(k)] for _ in population]
    values, start = packed(population)
    real_lists.mutate_real_lists(
        values, start, np.array(used, np.int32).reshape(-1, k), grammar.arrays, np.array(rates).reshape(-1, k), sigma,
        reflect, np.uint64(seed), 7,
    )  # fmt: skip
    found = unpacked(values, start, k)
    for i, genotype in enumerate(population):
        draws = twins.Draws(twins.stream(seed, 7, codes.MUTATE, i))
        expected = mutate_twin(grammar, genotype, used[i], rates[i], sigma, reflect, draws)
        for codons, others in zip(found[i], expected, strict=True):
            assert all(0 <= codon <= 1 for codon in codons)
            assert codons == pytest.approx(others, abs=1e-12 if reflect else 0.0)


def mutated(reflect: bool, n: int = 4000, sigma: float = 0.5) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Uniform codons before and after mutation at rate 1."""
    grammar = Grammar.from_text("<a> ::= x | y")
    before = (np.arange(n) + 0.5) / n
    values, start = before.copy(), np.arange(n + 1)
    ones = np.ones((n, 1))
    real_lists.mutate_real_lists(values, start, ones.astype(np.int32), grammar.arrays, ones, sigma, reflect, SEED, 1)
    return before, values


@pytest.mark.compiled
def test_clipping_puts_two_in_five_codons_on_a_border_and_reflecting_none() -> None:
    _, clipped = mutated(reflect=False)
    on_a_border = ((clipped == 0) | (clipped == 1)).mean()
    assert on_a_border == pytest.approx(0.39, abs=0.03)
    _, folded = mutated(reflect=True)
    assert not ((folded == 0) | (folded == 1)).any()
    for border in (0.1, 0.5, 0.9):  # what was uniform stays uniform
        assert abs((folded < border).mean() - border) < 0.03


@pytest.mark.compiled
def test_the_step_of_a_codon_is_normal() -> None:
    before, after = mutated(reflect=False, sigma=0.01)
    inside = (before > 0.1) & (before < 0.9)
    steps = (after - before)[inside]
    assert abs(steps.mean()) < 4 * 0.01 / math.sqrt(len(steps))
    assert steps.std() == pytest.approx(0.01, rel=0.08)


@given(st.floats(-1e6, 1e6))
def test_reflecting_folds_at_the_borders(codon: float) -> None:
    folded = real_lists.bounded(codon, True)
    assert 0 <= folded <= 1
    assert folded == pytest.approx(math.acos(math.cos(math.pi * codon)) / math.pi, abs=1e-7)


@pytest.mark.parametrize(
    ("codon", "folded"), [(0.3, 0.3), (-0.3, 0.3), (1.25, 0.75), (2.25, 0.25), (-1.5, 0.5), (1, 1)]
)
def test_what_leaves_at_a_border_comes_back(codon: float, folded: float) -> None:
    assert real_lists.bounded(codon, True) == folded


def test_mutation_moves_used_codons_at_its_rate() -> None:
    n, used, rate = 300, 10, 0.05
    population = [[[0.5] * 12] * 5] * n
    values, start = packed(population)
    counts, rates = np.full((n, 5), used, np.int32), np.full((n, 5), rate)
    real_lists.mutate_real_lists(values, start, counts, GRAMMAR_R.arrays, rates, 0.5, False, SEED, 1)
    changed = np.array(unpacked(values, start, 5)) != 0.5
    assert not changed[:, 0].any()  # <start> has one production
    assert not changed[:, :, used:].any()  # silent codons
    assert abs(changed[:, 1:, :used].mean() - rate) < 4 * math.sqrt(rate * (1 - rate) / (n * 4 * used))


# Mutation rates


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), max_size=4), SEEDS)
def test_rates_change_as_by_the_twin(rates: list[list[float]], seed: int) -> None:
    found = np.array(rates).reshape(-1, 3)
    real_lists.change_rates(found, np.uint64(seed), 5)
    expected = [change_rates_twin(row, twins.stream(seed, 5, codes.MUTATE, i)) for i, row in enumerate(rates)]
    assert found.tolist() == expected


def test_three_in_ten_rates_change_by_about_a_hundredth() -> None:
    rates = np.full((1500, 2), 0.5)
    real_lists.change_rates(rates, SEED, 1)
    steps = (rates - 0.5)[rates != 0.5]
    assert len(steps) / 3000 == pytest.approx(0.3, abs=0.04)
    assert steps.std() == pytest.approx(0.01, rel=0.12)


# Mutation of probabilities


@pytest.mark.parametrize(
    ("row", "hit", "step", "expected"),
    [
        ([1 / 3, 1 / 3, 1 / 3], 1, 0.3, [0.183333, 0.633333, 0.183333]),
        ([0.5, 0.5], 0, 0.8, [1, 0]),
        ([0.2, 0.2, 0.6], 0, -0.5, [0, 0.3461538, 0.6538462]),
    ],
)
def test_the_worked_examples(row: list[float], hit: int, step: float, expected: list[float]) -> None:
    values = np.array(row)
    real_lists.shift(values, hit, step)
    assert values.tolist() == pytest.approx(expected, abs=1e-6)


@st.composite
def a_row(draw: st.DrawFn) -> list[float]:
    parts = draw(st.lists(st.sampled_from([0.0, 1.0]) | st.floats(0, 1), min_size=2, max_size=6).filter(any))
    return [p / math.fsum(parts) for p in parts]


@given(a_row(), st.floats(-5, 5), st.data())
def test_shifted_probabilities_are_probabilities(row: list[float], step: float, data: st.DataObject) -> None:
    hit = data.draw(st.integers(0, len(row) - 1))
    values = np.array(row)
    real_lists.shift(values, hit, step)
    assert values.tolist() == shift_twin(row, hit, step)
    assert (values >= 0).all()
    assert math.fsum(values) == pytest.approx(1, abs=1e-12)
    turned = np.array(row[::-1])  # permuting the productions permutes the result
    real_lists.shift(turned, len(row) - 1 - hit, step)
    assert turned[::-1].tolist() == pytest.approx(values.tolist(), abs=1e-12)


@given(grammars(), RATES, st.sampled_from([0.0, 0.5, 4.0]), SEEDS, st.integers(0, 4), st.data())
def test_probabilities_mutate_as_by_the_twin(
    grammar: Grammar, rate: float, sigma: float, seed: int, n: int, data: st.DataObject
) -> None:
    table = np.tile(grammar.uniform_probabilities(), (n, 1))
    expected: list[list[float]] = table.tolist()
    for generation in range(3):
        real_lists.mutate_probabilities(table, grammar.arrays, rate, sigma, np.uint64(seed), generation)
        expected = [
            mutate_probabilities_twin(
                grammar, row, rate, sigma, twins.Draws(twins.stream(seed, generation, codes.GRAMMAR, i))
            )
            for i, row in enumerate(expected)
        ]
        assert table.tolist() == expected
        for row in table:
            grammar.check_probabilities(row.copy())  # non-negative, and each rule's sum is 1


def test_at_most_one_production_of_a_rule_is_hit_and_the_first_more_often() -> None:
    n, rate = 4000, 0.05
    grammar = Grammar.from_text("<a> ::= w | x | y | z")
    table = np.tile(grammar.uniform_probabilities(), (n, 1))
    real_lists.mutate_probabilities(table, grammar.arrays, rate, 0.01, SEED, 1)
    for row in table[(table != 0.25).any(axis=1)]:
        hit = int(np.argmax(abs(row - 0.25)))
        assert np.ptp(np.delete(row, hit)) < 1e-15  # the others gave equal shares
    share = (table != 0.25).any(axis=1).mean()
    expected = 1 - (1 - rate) ** 4
    assert abs(share - expected) < 4 * math.sqrt(expected * (1 - expected) / n)
