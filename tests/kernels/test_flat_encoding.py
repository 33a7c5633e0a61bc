"""The way back for flat genotypes, against a plain account of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.grammar import Grammar
from gramarye.kernels import codes, flat
from tests import twins
from tests.derivations.test_parsing import random_derivation
from tests.grammars import G1, grammars

SEEDS = st.integers(0, 2**64 - 1)
GRAMMAR_1 = Grammar.from_text(G1)
LARGEST = 1 - 2**-53  # share


def encoded(
    grammar: Grammar,
    programs: list[list[int]],
    weights: Any,
    consume_single: bool = True,
    codon_max: int | None = None,
    least: int = 10,
    width: int = 20,
    seed: int = 0,
    generation: int = 0,
) -> list[tuple[list[float], int, bool]]:
    """Codons, length and whether it fits, by the kernel; reals where there is no largest codon."""
    offsets = np.concatenate([[0], np.cumsum([len(program) for program in programs])]).astype(np.int64)
    codons, length, fits = flat.encode_flat(
        np.array([q for program in programs for q in program], np.int32),
        offsets,
        grammar.arrays,
        np.array(weights, np.float64),
        consume_single,
        codon_max,
        least,
        np.zeros((len(programs), width), np.float64 if codon_max is None else np.int32),
        np.uint64(seed),
        generation,
    )
    return list(zip(codons.tolist(), length.tolist(), fits.tolist(), strict=True))


def twin(
    grammar: Grammar, program: list[int], weights: Any, single: bool, codon_max: int | None, least: int, width: int,
    draws: twins.Draws,
) -> tuple[list[float], int, bool]:  # fmt: skip
    """The same for one program."""
    rules = [grammar.rules[grammar.productions[q].nonterminal] for q in program]
    reading = [(q, rule) for q, rule in zip(program, rules, strict=True) if single or len(rule) > 1]
    fits = bool(program) and len(reading) <= width
    length = max(len(reading), least) if fits else least
    row: list[float] = []
    for q, rule in reading if fits else []:
        codon = twin_codon(q - rule[0].id, [float(weights[p.id]) for p in rule], codon_max, draws.unit())
        fits = fits and codon is not None
        row.append(0 if codon is None else codon)
    while len(row) < length:
        row.append(draws.unit() if codon_max is None else draws.below(codon_max + 1))
    return row + [0] * (width - length), length, fits


def twin_codon(choice: int, row: list[float], codon_max: int | None, share: float) -> float | None:
    if codon_max is not None:
        all_of_them = range(choice, codon_max + 1, len(row))
        return all_of_them[int(share * len(all_of_them))] if all_of_them else None
    low = 0.0
    for p in row[:choice]:
        low += p
    high = low + row[choice]
    codon = low + share * (min(high, 1.0) - low)
    for candidate in (codon if codon < high else max(low, math.nextafter(high, 0)), 1.0):
        if candidate <= 1 and row[choice] > 0 and twins.choose(row, candidate) == choice:
            return candidate
    return None


@st.composite
def weights_of(draw: st.DrawFn, grammar: Grammar) -> list[float]:
    """Probabilities of every non-terminal, zeros and very small ones among them."""
    values: list[float] = []
    for rule in grammar.rules.values():
        part = st.sampled_from([0, 1e-300, 1e-17, 1e-12, 1, 1, 3])
        parts = draw(st.lists(part, min_size=len(rule), max_size=len(rule)).filter(any))
        values += [value / sum(parts) for value in parts]
    return values


@given(grammars(), st.booleans(), st.none() | st.sampled_from([0, 1, 2, 255, 2**31 - 2]), SEEDS, st.data())
def test_programs_are_encoded_as_by_the_twin(
    grammar: Grammar, single: bool, codon_max: int | None, seed: int, data: st.DataObject
) -> None:
    programs = [random_derivation(grammar, seed % 2**32 + i, 8).productions.tolist() for i in range(3)] + [[]]
    weights, generation = data.draw(weights_of(grammar)), data.draw(st.integers(0, 99))
    least, wider = data.draw(st.integers(1, 12)), data.draw(st.sampled_from([0, 30]))
    found = encoded(grammar, programs, weights, single, codon_max, least, least + wider, seed, generation)
    for i, program in enumerate(programs):
        draws = twins.Draws(twins.stream(seed, generation, codes.ENCODE, i))
        assert found[i] == twin(grammar, program, weights, single, codon_max, least, least + wider, draws)


@given(st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.1, 1e-17]), min_size=1, max_size=12).filter(any), st.data())
def test_a_codon_chooses_the_production_that_it_was_made_for(parts: list[float], data: st.DataObject) -> None:
    row = [part / sum(parts) for part in parts]
    grammar = Grammar.from_text("<a> ::= " + " | ".join(map(str, range(len(row)))))
    share = data.draw(st.sampled_from([0.0, 0.5, LARGEST]) | st.floats(0, LARGEST))
    for q, p in enumerate(row):
        codon = flat.codon_of(grammar.arrays, np.array(row), None, q, share)
        if codon >= 0:
            assert 0 <= codon <= 1
            assert twins.choose(row, codon) == q
            assert p > 0
        else:
            assert p < 1e-15  # nothing but a rounding error is beyond reach


@pytest.mark.parametrize(
    ("row", "codons"),
    [
        ([0.5, 0.5], [0.0, 0.5]),
        ([0.0, 1.0], [-1.0, 0.0]),
        ([1.0, 1e-17], [0.0, 1.0]),  # the last one has no slice, but a codon of 1 chooses it
        ([1.0, 1e-17, 0.0], [0.0, 1.0, -1.0]),
        ([1.0, 1e-17, 1e-17], [0.0, -1.0, 1.0]),
        ([1.0, 1e-10], [0.0, 1.0]),  # a slice that begins where codons end
    ],
)
def test_slices_at_the_edge_of_what_floats_can_tell_apart(row: list[float], codons: list[float]) -> None:
    grammar = Grammar.from_text("<a> ::= " + " | ".join(map(str, range(len(row)))))
    found = [flat.codon_of(grammar.arrays, np.array(row), None, q, 0.0) for q in range(len(row))]
    assert found == codons


def test_a_codon_that_is_rounded_up_to_the_end_of_its_slice_is_taken_back() -> None:
    row = [0.9, 1e-16, 0.1 - 1e-16]  # so narrow that half of it is rounded up
    grammar = Grammar.from_text("<a> ::= x | y | z")
    codon = flat.codon_of(grammar.arrays, np.array(row), None, 1, LARGEST)
    assert codon == 0.9
    assert twins.choose(row, codon) == 1


@pytest.mark.compiled
def test_integers_are_uniform_among_those_with_the_right_remainder() -> None:
    programs = [[0, 2, 6]] * 4000
    rows = encoded(GRAMMAR_1, programs, [1.0] * 8, True, codon_max=5, least=3, width=3)
    for position, allowed in enumerate([range(6), [1, 3, 5], [0, 2, 4]]):
        values, counts = np.unique([codons[position] for codons, _, _ in rows], return_counts=True)
        assert values.tolist() == list(allowed)
        assert counts.tolist() == pytest.approx([4000 / len(values)] * len(values), rel=0.15)


@pytest.mark.compiled
def test_reals_are_uniform_in_their_slice_and_beyond_the_program() -> None:
    rows = encoded(GRAMMAR_1, [[0, 2, 7]] * 4000, [1, 0.2, 0.8, 1, 0, 0, 0.5, 0.5], least=4, width=4)
    codons = np.array([row for row, _, _ in rows])
    for column, (low, high) in zip(codons.T, [(0, 1), (0.2, 1), (0.5, 1), (0, 1)], strict=True):
        assert low <= column.min() < low + 0.01
        assert high - 0.01 < column.max() < high
        assert column.mean() == pytest.approx((low + high) / 2, abs=0.02)
