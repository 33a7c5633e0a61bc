from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.derivations import Derivation
from gramarye.grammar import Grammar
from gramarye.kernels import codes, flat
from tests import twins
from tests.grammars import G1, G2, GR, grammars

SEEDS = st.integers(0, 2**64 - 1)
GENERATIONS = st.integers(0, 1000)
RATES = st.sampled_from([0.0, 0.05, 0.5, 1.0])

Mapped = tuple[int, list[int], int]  # status, productions, codons used


def drawn(n: int, width: int, largest: int | None, seed: int) -> NDArray[Any]:
    """Random codons [n, width], and one more column that is left as it was."""
    codons = np.full((n, width + 1), -1, np.float64 if largest is None else np.int32)
    flat.draw_codons(codons, width, largest, np.uint64(seed), 0)
    assert (codons[:, width] == -1).all()
    return codons[:, :width].copy()


def mapped(
    grammar: Grammar,
    rows: list[list[Any]],
    modulo: bool,
    wraps: int = 0,
    consume_single: bool = True,
    probabilities: NDArray[np.float64] | None = None,
) -> list[Mapped]:
    """Rows of any lengths through the kernel."""
    width = max((len(row) for row in rows), default=0) + 1
    codons = np.full((len(rows), width), 77 if modulo else 0.77)  # what stands after the end is never read
    for i, row in enumerate(rows):
        codons[i, : len(row)] = row
    if modulo:
        codons = codons.astype(np.int32)
    weights = np.array(grammar.start_probabilities()) if probabilities is None else probabilities
    productions, offsets, status, used = flat.map_flat(
        codons,
        np.array([len(row) for row in rows], np.int32),
        grammar.arrays,
        weights,
        grammar.least_codons(consume_single),
        wraps,
        consume_single,
        modulo,
    )
    parts = [productions[a:b].tolist() for a, b in pairwise(offsets)]
    assert offsets[-1] == len(productions)
    return list(zip(status.tolist(), parts, used.tolist(), strict=True))


@st.composite
def rows_of(draw: st.DrawFn, modulo: bool) -> list[list[Any]]:
    codon: st.SearchStrategy[Any] = st.integers(0, 255) | st.integers(0, 2**31 - 1)
    if not modulo:
        codon = st.floats(0, 1) | st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0])
    return draw(st.lists(st.lists(codon, max_size=12), max_size=5))


@st.composite
def weights_of(draw: st.DrawFn, grammar: Grammar) -> NDArray[np.float64]:
    """Probabilities of every non-terminal, zeros among them."""
    values: list[float] = []
    for rule in grammar.rules.values():
        parts = draw(st.lists(st.integers(0, 3), min_size=len(rule), max_size=len(rule)))
        parts = parts if sum(parts) else [1] * len(rule)
        values += [part / sum(parts) for part in parts]
    return np.array(values)


@given(grammars(), rows_of(modulo=True), st.integers(0, 3), st.booleans())
def test_integers_are_mapped_as_by_the_twin(
    grammar: Grammar, rows: list[list[int]], wraps: int, consume_single: bool
) -> None:
    found = mapped(grammar, rows, True, wraps, consume_single)
    assert found == [twins.map_flat(grammar, row, [], wraps, consume_single, True) for row in rows]
    limits = [grammar.max_steps(len(row) * (wraps + 1), consume_single) for row in rows]
    assert all(len(productions) <= limit for (_, productions, _), limit in zip(found, limits, strict=True))


@given(grammars(), rows_of(modulo=False), st.integers(0, 3), st.booleans(), st.data())
def test_reals_are_mapped_as_by_the_twin(
    grammar: Grammar, rows: list[list[float]], wraps: int, consume_single: bool, data: st.DataObject
) -> None:
    weights = data.draw(weights_of(grammar))
    found = mapped(grammar, rows, False, wraps, consume_single, weights)
    assert found == [twins.map_flat(grammar, row, weights.tolist(), wraps, consume_single, False) for row in rows]


@given(grammars(), rows_of(modulo=False), st.booleans())
def test_a_batch_equals_one_by_one(grammar: Grammar, rows: list[list[float]], consume_single: bool) -> None:
    one_by_one = [mapped(grammar, [row], False, 1, consume_single)[0] for row in rows]
    assert mapped(grammar, rows, False, 1, consume_single) == one_by_one


@given(grammars(), rows_of(modulo=True), st.integers(0, 2), st.booleans())
def test_giving_up_early_never_changes_who_is_valid(
    grammar: Grammar, rows: list[list[int]], wraps: int, consume_single: bool
) -> None:
    hopeful = grammar.least_codons(consume_single).clip(max=1)  # gives up only where the next codon is missing
    arguments = [np.array([row], np.int32) for row in rows if row]
    for codons in arguments:
        length = np.array([codons.shape[1]], np.int32)
        rest = (wraps, consume_single, True)
        weights = np.array(grammar.start_probabilities())
        eager = flat.map_flat(codons, length, grammar.arrays, weights, grammar.least_codons(consume_single), *rest)
        patient = flat.map_flat(codons, length, grammar.arrays, weights, hopeful, *rest)
        assert all((a == b).all() for a, b in zip(eager, patient, strict=True))


@given(grammars(), st.lists(st.integers(0, 11), max_size=12), st.booleans())
def test_uniform_probabilities_and_codons_in_the_middle_behave_as_remainders(
    grammar: Grammar, choices: list[int], consume_single: bool
) -> None:
    """(a + ½) / j chooses what the integer a does: the row is written for each non-terminal as it is met."""
    reals: list[float] = []
    plain = twins.Plain.of(grammar)
    pending, left = [0], list(choices)
    while pending and left:
        rule = plain.rules[pending.pop()]
        if len(rule) > 1 or consume_single:
            reals.append((left[0] % len(rule) + 0.5) / len(rule))
        a = left.pop(0) % len(rule) if len(rule) > 1 or consume_single else 0
        pending.extend(reversed(plain.kids[rule[a]]))
    reals += [0.0] * (len(choices) - len(reals))
    (by_integer,) = mapped(grammar, [choices], True, 0, consume_single)
    (by_real,) = mapped(grammar, [reals], False, 0, consume_single)
    if by_integer[0] == codes.OK:
        assert by_real == by_integer


def test_a_derivation_longer_than_any_first_guess_is_whole() -> None:
    grammar = Grammar.from_text("<a> ::= <b><a><b> | x\n<b> ::= y")
    row = [0] * 3000 + [1]
    (found,) = mapped(grammar, [row], True, 0, consume_single=False)
    assert found == twins.map_flat(grammar, row, [], 0, False, True)
    assert len(found[1]) == 3 * 3000 + 1


def test_a_population_of_nobody_is_mapped() -> None:
    assert mapped(Grammar.from_text(G1), [], True) == []


# Worked examples (GE)

FIGURE = [54, 7, 83, 237, 71, 123, 67, 142, 25, 195, 202, 153]


@pytest.mark.parametrize(
    ("codons", "wraps", "consume_single", "productions", "used", "phenotype"),
    [
        (FIGURE, 0, False, [0, 1, 2, 9, 4, 2, 7], 6, "1.0 - x"),
        (FIGURE[:6], 0, False, [0, 1, 2, 9, 4, 2, 7], 6, "1.0 - x"),  # exactly enough
        (FIGURE, 0, True, [0, 2, 9], 3, "1.0"),
        ([2, 7, 5], 0, False, [], 3, None),
        ([2, 7, 5], 1, False, [0, 1, 2, 9, 5, 2, 9], 6, "1.0 * 1.0"),
        ([4, 9, 2, 1, 7], 0, False, [], 5, None),
        ([4, 9, 2, 1, 7], 1, False, [0, 1, 2, 9, 4, 2, 8], 6, "1.0 - y"),
        ([4, 9, 2, 1], 0, False, [], 4, None),
        ([4, 9, 2, 1], 50, False, [], 204, None),
    ],
)
def test_the_worked_examples_of_grammatical_evolution(
    codons: list[int], wraps: int, consume_single: bool, productions: list[int], used: int, phenotype: str | None
) -> None:
    grammar = Grammar.from_text(G2)
    status = codes.OUT_OF_CODONS if phenotype is None else codes.OK
    assert mapped(grammar, [codons], True, wraps, consume_single) == [(status, productions, used)]
    if phenotype is not None:
        derivation = Derivation(grammar, np.array(productions, np.int32))
        assert derivation.phenotype == phenotype
    if codons == FIGURE and not consume_single:
        assert derivation.depth == 4


# Worked examples (PGE): the figure of the paper has an error at codon 0.37

PAPER = [0.8, 0.2, 0.98, 0.45, 0.62, 0.37, 0.19]
INTENDED = [0.8, 0.2, 0.98, 0.45, 0.62, 0.87, 0.19]


@pytest.mark.parametrize("op", [[0.33] * 3, [1 / 3] * 3])
@pytest.mark.parametrize(
    ("codons", "wraps", "used", "phenotype"),
    [
        (PAPER, 0, 7, None),
        (PAPER, 1, 14, None),
        (PAPER, 2, 21, None),
        (PAPER, 3, 23, "x * x - x + x - x + x"),
        (PAPER, 9, 23, "x * x - x + x - x + x"),
        (INTENDED, 0, 7, "x * x"),
    ],
)
def test_the_worked_examples_of_probabilistic_grammatical_evolution(
    op: list[float], codons: list[float], wraps: int, used: int, phenotype: str | None
) -> None:
    grammar = Grammar.from_text(G1)
    weights = np.array([1.0, 0.5, 0.5, *op, 0.5, 0.5])
    ((status, productions, reads),) = mapped(grammar, [codons], False, wraps, True, weights)
    assert reads == used
    assert status == (codes.OUT_OF_CODONS if phenotype is None else codes.OK)
    if phenotype is not None:
        assert Derivation(grammar, np.array(productions, np.int32)).phenotype == phenotype
    if codons == INTENDED:
        assert productions == [0, 1, 2, 6, 4, 2, 6]


# Choosing


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6).filter(any), st.floats(0, 1), st.integers(0, 3))
def test_a_codon_chooses_as_by_the_twin(parts: list[int], codon: float, before: int) -> None:
    row = [part / sum(parts) for part in parts]
    probabilities = np.array([0.5] * before + row + [0.5])
    found = flat.choose(probabilities, before, before + len(row), codon)
    assert found - before == twins.choose(row, codon)
    assert probabilities[found] > 0


@pytest.mark.parametrize(
    ("row", "codon", "chosen"),
    [
        ([0.5, 0.5], 0.5, 1),  # strictly less
        ([0.5, 0.5], math.nextafter(0.5, 0), 0),
        ([0.5, 0.5], 1.0, 1),
        ([0.5, 0.5, 0.0], 1.0, 1),  # never one that is impossible
        ([1.0, 0.0, 0.0], 1.0, 0),
        ([0.0, 1.0, 0.0], 0.0, 1),
        ([0.0, 0.0, 1.0], 0.0, 2),
        ([0.1] * 10, math.nextafter(1, 0), 9),  # ten tenths are less than 1
        ([*[0.1] * 10, 0.0], math.nextafter(1, 0), 9),
        ([1.0], 1.0, 0),
    ],
)
def test_the_edges_of_choosing(row: list[float], codon: float, chosen: int) -> None:
    assert flat.choose(np.array(row), 0, len(row), codon) == chosen


# How many random genotypes are valid


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("text", "length", "consume_single", "expected"),
    [
        (GR, 128, True, 0.4994),
        (GR, 128, False, 0.4994),
        (GR, 32, True, 0.476),
        (GR, 32, False, 0.478),
        (GR, 64, True, 0.494),
        (GR, 64, False, 0.495),
        (G1, 128, True, 0.9007),
        (G2, 128, True, 0.9007),
    ],
)
def test_as_many_random_genotypes_are_valid_as_the_exact_recursion_says(
    text: str, length: int, consume_single: bool, expected: float
) -> None:
    n = 20_000
    grammar = Grammar.from_text(text)
    exact = grammar.completion_probability(length, consume_single)
    assert exact == pytest.approx(expected, abs=6e-4)
    weights = np.array(grammar.start_probabilities())
    codons = drawn(n, length, None, 2021)
    lengths = np.full(n, length, np.int32)
    least = grammar.least_codons(consume_single)
    _, offsets, status, used = flat.map_flat(codons, lengths, grammar.arrays, weights, least, 0, consume_single, False)
    valid = status == codes.OK
    assert abs(valid.mean() - exact) < 4 * math.sqrt(exact * (1 - exact) / n)
    # Half of the valid ones are a single variable. They take 8.8 codons, one of them for <start>.
    if text == GR and length == 128:
        assert (np.diff(offsets)[valid] == 3).mean() == pytest.approx(0.5, abs=0.02)
        assert used[valid].mean() == pytest.approx(8.8 if consume_single else 7.8, abs=0.6)


def test_some_random_genotypes_are_valid_and_some_are_not() -> None:
    grammar = Grammar.from_text(GR)
    rows = drawn(60, 128, None, 1).tolist()
    statuses = [status for status, _, _ in mapped(grammar, rows, False)]
    assert {codes.OK, codes.OUT_OF_CODONS} == set(statuses)


# Random genotypes and their variation


@given(st.integers(0, 4), st.integers(0, 6), SEEDS, st.integers(0, 1000))
def test_random_genotypes_equal_their_twins(n: int, width: int, seed: int, codon_max: int) -> None:
    reals = drawn(n, width, None, seed)
    assert reals.tolist() == twins.random_reals(n, width, seed)
    integers = drawn(n, width, codon_max, seed)
    assert integers.tolist() == twins.random_integers(n, width, codon_max, seed)


def test_random_integers_reach_both_ends_of_their_range() -> None:
    values = drawn(10, 100, 7, 1)
    assert (values.min(), values.max()) == (0, 7)


@st.composite
def parents(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Codons that tell where they come from (row * 100 + column), mothers and fathers."""
    n, width, children = draw(st.integers(1, 4)), draw(st.integers(1, 9)), draw(st.integers(0, 5))
    codons = np.add.outer(100 * np.arange(n), np.arange(width))
    pairs = draw(
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(-1, n - 1)), min_size=children, max_size=children)
    )
    mothers, fathers = np.array(pairs, np.int64).reshape(-1, 2).T
    kind = draw(st.sampled_from([np.int32, np.float64]))
    return codons.astype(kind), mothers.copy(), fathers.copy()


@given(parents(), SEEDS, GENERATIONS, st.data())
def test_crossover_of_fixed_length_equals_its_twin(
    given_parents: tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]],
    seed: int,
    generation: int,
    data: st.DataObject,
) -> None:
    codons, mothers, fathers = given_parents
    n, width = codons.shape
    limit = data.draw(st.lists(st.integers(0, width), min_size=n, max_size=n))
    children = flat.cross_fixed(codons, np.array(limit, np.int32), mothers, fathers, np.uint64(seed), generation)
    assert children.dtype == codons.dtype
    for i, (mother, father) in enumerate(zip(mothers.tolist(), fathers.tolist(), strict=True)):
        draws = twins.Draws(twins.stream(seed, generation, codes.CROSS, i))
        rows = codons[mother].tolist(), codons[father].tolist() if father >= 0 else None
        assert children[i].tolist() == twins.cross_fixed(*rows, min(limit[mother], limit[father]), draws)


@given(parents(), SEEDS, GENERATIONS, st.data())
def test_crossover_of_variable_length_equals_its_twin(
    given_parents: tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]],
    seed: int,
    generation: int,
    data: st.DataObject,
) -> None:
    codons, mothers, fathers = given_parents
    n, width = codons.shape
    length = data.draw(st.lists(st.integers(1, width), min_size=n, max_size=n))
    limit = [data.draw(st.integers(0, most)) for most in length]
    bounds = np.array(length, np.int32), np.array(limit, np.int32)
    children, lengths = flat.cross_variable(codons, *bounds, mothers, fathers, np.uint64(seed), generation)
    for i, (mother, father) in enumerate(zip(mothers.tolist(), fathers.tolist(), strict=True)):
        draws = twins.Draws(twins.stream(seed, generation, codes.CROSS, i))
        rows: list[Any] = [codons[p, : length[p]].tolist() if p >= 0 else None for p in (mother, father)]
        child = children[i, : lengths[i]].tolist()
        assert child == twins.cross_variable(rows[0], rows[1], (limit[mother], limit[father]), width, draws)
        assert 1 <= lengths[i] <= width


def test_a_child_is_the_head_of_its_father_and_the_tail_of_its_mother() -> None:
    codons = np.array([[0] * 8, [1] * 8], np.int32)
    limit = np.full(2, 8, np.int32)
    n = 400
    mothers, fathers = np.zeros(n, np.int64), np.ones(n, np.int64)
    children = flat.cross_fixed(codons, limit, mothers, fathers, np.uint64(1), 1)
    cuts = children.sum(axis=1)
    assert (children == (np.arange(8) < cuts[:, None])).all()
    assert set(cuts.tolist()) == set(range(8))  # 0: a copy of the mother; never a copy of the father


@pytest.mark.parametrize("limit", [(8, 3), (3, 8), (3, 3)])
def test_a_cut_lies_within_the_limits_of_both_parents(limit: tuple[int, int]) -> None:
    codons = np.array([[0] * 8, [1] * 8], np.int32)
    n = 60
    mothers, fathers = np.zeros(n, np.int64), np.ones(n, np.int64)
    children = flat.cross_fixed(codons, np.array(limit, np.int32), mothers, fathers, np.uint64(1), 1)
    assert set(children.sum(axis=1).tolist()) == {0, 1, 2}


@pytest.mark.compiled
def test_one_child_in_128_is_a_copy_of_its_mother() -> None:
    n, width = 40_000, 128
    codons = np.array([[0.0] * width, [1.0] * width])
    limit = np.full(2, width, np.int32)
    mothers, fathers = np.zeros(n, np.int64), np.ones(n, np.int64)
    children = flat.cross_fixed(codons, limit, mothers, fathers, np.uint64(9), 3)
    share = (children.sum(axis=1) == 0).mean()
    assert abs(share - 1 / width) < 4 * math.sqrt(1 / width / n)


@given(st.lists(st.integers(0, 8), max_size=4), RATES, st.integers(0, 300), SEEDS, GENERATIONS)
def test_mutation_equals_its_twin(lengths: list[int], rate: float, codon_max: int, seed: int, generation: int) -> None:
    length = np.array(lengths, np.int32)
    reals, integers = np.full((len(lengths), 8), -1.0), np.full((len(lengths), 8), -1, np.int32)
    flat.mutate_codons(reals, length, rate, None, np.uint64(seed), generation)
    flat.mutate_codons(integers, length, rate, codon_max, np.uint64(seed), generation)
    for i, n in enumerate(lengths):
        key = twins.stream(seed, generation, codes.MUTATE, i)
        rest = [-1] * (8 - n)
        assert reals[i].tolist() == twins.mutate_reals([-1.0] * n, rate, twins.Draws(key)) + rest
        assert integers[i].tolist() == twins.mutate_integers([-1] * n, rate, codon_max, twins.Draws(key)) + rest


def test_one_codon_in_twenty_is_drawn_anew() -> None:
    n, width, rate = 100, 128, 0.05
    length = np.full(n, width, np.int32)
    reals, integers = np.full((n, width), -1.0), np.full((n, width), -1, np.int32)
    flat.mutate_codons(reals, length, rate, None, np.uint64(4), 2)
    flat.mutate_codons(integers, length, rate, 255, np.uint64(5), 2)
    for codons in (reals, integers):
        changed = codons >= 0
        assert abs(changed.mean() - rate) < 4 * math.sqrt(rate * (1 - rate) / (n * width))
        assert changed.mean(axis=0).std() < 0.05  # at every position alike
    fresh = reals[reals >= 0]
    assert abs(fresh.mean() - 0.5) < 4 * math.sqrt(1 / 12 / len(fresh))
