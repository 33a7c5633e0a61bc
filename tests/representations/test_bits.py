from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Status
from gramarye.engine.tracing import map_genotype
from gramarye.errors import GenotypeError, SettingsError
from gramarye.grammar import Grammar
from gramarye.methods import WHGE
from gramarye.representations import Bits
from gramarye.representations.bits import BitGenotypes, powers
from tests.grammars import G1, GR, grammars

GRAMMAR_1, GRAMMAR_R = Grammar.from_text(G1), Grammar.from_text(GR)
SEED = np.uint64(5)
NOTHING = np.zeros(0)


def test_the_weights_of_the_worked_example() -> None:
    assert powers(GRAMMAR_1, 3) == {"<start>": 5, "<expr>": 6, "<op>": 2, "<var>": 1}
    assert powers(GRAMMAR_1, 0) == {"<start>": 0, "<expr>": 1, "<op>": 2, "<var>": 1}


def test_an_empty_production_counts_as_a_terminal_and_white_space_does_not_count() -> None:
    grammar = Grammar.from_text('<a> ::= "" | x | <b> y <b>\n<b> ::= "" | "" | "" | ""')
    assert powers(grammar, 1) == {"<a>": 4, "<b>": 2}  # 1 + 1 + (4 + 1 + 4) = 11, and 4


def test_large_depths_give_exact_weights() -> None:
    grammar = Grammar.from_text("<a> ::= <a><a> | x")
    values = [2]
    for _ in range(64):
        values.append(2 * values[-1] + 1)
    assert [powers(grammar, depth)["<a>"] for depth in range(65)] == [(v - 1).bit_length() for v in values]


def test_the_worked_example() -> None:
    found = map_genotype(GRAMMAR_1, "001101000010", WHGE())
    assert found.phenotype == "1.0 * x"
    assert found.derivation.productions.tolist() == [0, 1, 2, 7, 4, 2, 6]
    assert found.genotype == "001101000010"
    assert found.codons_used == 12
    assert [(step.nonterminal, step.comparison) for step in found.steps] == [
        ("<start>", "the only production"),
        ("<expr>", "00110100001: ones 3/6, 1/5"),
        ("<expr>", "00110: ones 1/3, 1/2"),
        ("<var>", "0011: ones 0/2, 2/2"),
        ("<op>", "10 is too short for 3, its ones: 1 mod 3 = 1 of the shortest"),
        ("<expr>", "0001: ones 0/2, 1/2"),
        ("<var>", "000: ones 0/2, 0/1, tie: 0 mod 2 = 0"),
    ]


def test_the_second_vector() -> None:
    found = map_genotype(GRAMMAR_1, "110100101100", WHGE())
    assert found.phenotype == "x"
    assert found.derivation.productions.tolist() == [0, 2, 6]


def test_without_bits_the_ones_of_the_whole_genotype_decide() -> None:
    found = map_genotype(GRAMMAR_1, "111", WHGE())  # 11 for <expr>: a tie, and three children who get nothing
    assert found.steps[-1].comparison == "no bits left, ones of all: 3 mod 2 = 1 of the shortest"
    found = map_genotype(GRAMMAR_1, "11", WHGE())
    assert [step.comparison for step in found.steps[1:]] == [
        "1 is too short for 2, its ones: 1 mod 1 = 0 of the shortest",
        "no bits left, ones of all: 2 mod 2 = 0 of the shortest",
    ]


def test_a_long_slice_is_told_by_its_length() -> None:
    found = map_genotype(GRAMMAR_1, "01" * 20, WHGE())
    assert found.steps[1].comparison == "39 bits: ones 10/20, 9/19"


@given(grammars(), st.integers(1, 40), st.integers(0, 4), st.integers(0, 2**32))
def test_batch_trace_and_slices_agree_and_all_are_valid(grammar: Grammar, width: int, depth: int, seed: int) -> None:
    method = WHGE(bits=width, power_depth=depth)
    representation = method.representation
    genotypes = representation.initial(grammar, 4, np.uint64(seed))
    _, batch = representation.map(grammar, genotypes, NOTHING, SEED, 0, 0)
    assert (batch.status == Status.OK).all()
    for i in range(4):
        traced = map_genotype(grammar, representation.show(grammar, genotypes, i), method)
        assert traced.valid
        assert batch[i].tolist() == traced.derivation.productions.tolist()
        _, alone = representation.map(grammar, genotypes.take(np.array([i])), NOTHING, SEED, 0, i)
        assert alone[0].tolist() == batch[i].tolist()


def test_first_genotypes_are_half_ones() -> None:
    bits = Bits().initial(GRAMMAR_1, 50, SEED).bits
    assert bits.shape == (50, 1024)
    assert bits.mean() == pytest.approx(0.5, abs=0.01)


def test_one_bit_in_a_hundred_flips() -> None:
    representation = Bits(500)
    parents = representation.initial(GRAMMAR_1, 60, SEED)
    before = parents.bits.copy()
    everyone, nobody = np.arange(60), np.full(60, -1)
    children = representation.vary(GRAMMAR_1, parents, everyone, nobody, WHGE().mutation, SEED, 1)
    assert (children.bits != before).mean() == pytest.approx(0.01, abs=0.0025)
    assert (parents.bits == before).all()
    copies = representation.vary(GRAMMAR_1, parents, everyone, nobody, 0.0, SEED, 1)
    assert (copies.bits == before).all()


def test_crossover_keeps_the_length() -> None:
    representation = Bits(40)
    parents = BitGenotypes(np.array([[0] * 40, [1] * 40], np.uint8))
    n = 300
    children = representation.vary(GRAMMAR_1, parents, np.zeros(n, np.int64), np.ones(n, np.int64), 0.0, SEED, 1).bits
    assert children.shape == (n, 40)
    assert (np.abs(np.diff(children, axis=1, prepend=0, append=0).astype(np.int8)).sum(axis=1) == 2).all()
    assert 1 <= children.sum(axis=1).min() < children.sum(axis=1).max() < 40


def test_populations_are_taken_apart_and_joined() -> None:
    whole = Bits(4).initial(GRAMMAR_1, 5, SEED)
    joined = BitGenotypes.join([whole.take(np.arange(2)), whole.take(np.arange(2, 5))])
    assert len(joined) == 5
    assert (joined.bits == whole.bits).all()


@pytest.mark.parametrize("genotype", ["", [0, 1], 11, None])
def test_what_is_no_text_is_refused(genotype: Any) -> None:
    with pytest.raises(GenotypeError, match="a genotype is a text of 0 and 1, as in '001101', not"):
        map_genotype(GRAMMAR_1, genotype, WHGE())


def test_a_character_that_is_no_bit_is_refused() -> None:
    with pytest.raises(GenotypeError, match="bit 2 is '2': a genotype is a text of 0 and 1"):
        map_genotype(GRAMMAR_1, "102", WHGE())


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("bits", 0, "bits is 0: it must be an integer ≥ 1"),
        ("power_depth", -1, "power_depth is -1: it must be an integer from 0 to 64"),
        ("power_depth", 65, "power_depth is 65: it must be an integer from 0 to 64"),
    ],
)
def test_a_setting_out_of_its_range_is_refused(name: str, value: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Bits(**{name: value})
    with pytest.raises(SettingsError, match=message):
        WHGE(**{name: value})


def test_settings_reach_the_representation() -> None:
    assert WHGE(bits=7, power_depth=2).representation == Bits(7, 2)
    assert WHGE().mutation == 0.01
