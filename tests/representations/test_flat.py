from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Derivation, Derivations, Status
from gramarye.engine.tracing import map_genotype
from gramarye.errors import GenotypeError
from gramarye.grammar import Grammar
from gramarye.methods import GE, PGE
from gramarye.representations import FlatInteger, FlatReal
from gramarye.representations.rows import WIDEST, FlatGenotypes
from tests.grammars import G1, G2, GR, grammars

GRAMMAR_1, GRAMMAR_2, GRAMMAR_R = Grammar.from_text(G1), Grammar.from_text(G2), Grammar.from_text(GR)
SEED = np.uint64(5)
FIGURE_GE = [54, 7, 83, 237, 71, 123, 67, 142, 25, 195, 202, 153]
FIGURE_PGE = [0.8, 0.2, 0.98, 0.45, 0.62, 0.37, 0.19]
INTENDED = [0.8, 0.2, 0.98, 0.45, 0.62, 0.87, 0.19]
NOTHING = np.zeros(0)


def population(codons: list[list[Any]], kind: type) -> FlatGenotypes:
    n = len(codons)
    return FlatGenotypes(
        np.array(codons, kind), np.array([len(row) for row in codons], np.int32), np.zeros(n, np.int32)
    )


def map_one(
    representation: FlatInteger | FlatReal, grammar: Grammar, codons: list[Any], p: Any = None
) -> tuple[int, list[int], int]:
    """By the kernel: status, productions, codons used."""
    genotypes = population([codons], representation.kind.dtype)
    weights = np.array(grammar.start_probabilities() if p is None else p)
    mapped, derivations = representation.map(grammar, genotypes, weights, SEED, 0, 0)
    return int(derivations.status[0]), derivations[0].tolist(), int(mapped.used[0])


class TestGE:
    """ALGORITHMS.md 3.1"""

    def test_the_figure_of_the_paper(self) -> None:
        found = map_genotype(GRAMMAR_2, FIGURE_GE, GE())
        assert found.phenotype == "1.0 - x"
        assert [step.production for step in found.steps] == [0, 1, 2, 9, 4, 2, 7]
        assert found.codons_used == 6
        assert found.derivation.depth == 4
        assert [step.comparison for step in found.steps] == [
            "the only production",
            "54 mod 2 = 0",
            "7 mod 2 = 1",
            "83 mod 3 = 2",
            "237 mod 4 = 1",
            "71 mod 2 = 1",
            "123 mod 3 = 0",
        ]
        assert [step.codon for step in found.steps] == [None, 54, 7, 83, 237, 71, 123]

    @pytest.mark.parametrize(
        ("codons", "settings", "valid", "form", "productions", "used"),
        [
            (FIGURE_GE, {}, True, "1.0 - x", [0, 1, 2, 9, 4, 2, 7], 6),
            (FIGURE_GE, {"consume_single": True}, True, "1.0", [0, 2, 9], 3),
            (FIGURE_GE[:6], {}, True, "1.0 - x", [0, 1, 2, 9, 4, 2, 7], 6),  # exactly enough codons
            (FIGURE_GE[:5], {}, False, "1.0 - <var>", [0, 1, 2, 9, 4, 2], 5),
            ([2, 7, 5], {}, False, "1.0 <op> <expr>", [0, 1, 2, 9], 3),
            ([2, 7, 5], {"wraps": 1}, True, "1.0 * 1.0", [0, 1, 2, 9, 5, 2, 9], 6),
            ([4, 9, 2, 1, 7], {}, False, "1.0 - <var>", [0, 1, 2, 9, 4, 2], 5),
            ([4, 9, 2, 1, 7], {"wraps": 1}, True, "1.0 - y", [0, 1, 2, 9, 4, 2, 8], 6),
            ([4, 9, 2, 1], {}, False, "1.0 - <expr>", [0, 1, 2, 9, 4], 4),
            ([4, 9, 2, 1], {"wraps": 1}, False, "1.0 - 1.0 - <expr>", [0, 1, 2, 9, 4, 1, 2, 9, 4], 8),
        ],
    )
    def test_the_table_of_the_specification(
        self, codons: list[int], settings: dict[str, Any], valid: bool, form: str, productions: list[int], used: int
    ) -> None:
        method = GE(**settings)
        found = map_genotype(GRAMMAR_2, codons, method)
        assert found.valid is valid
        assert found.derivation.form == form
        assert found.derivation.productions.tolist() == productions
        assert found.codons_used == used
        status, batch, read = map_one(method.representation, GRAMMAR_2, codons)
        assert (status == Status.OK) is valid
        assert batch == (productions if valid else [])
        assert read == (used if valid else len(codons) * (method.wraps + 1))

    @pytest.mark.parametrize("wraps", [0, 1, 5, 40])
    def test_endless_growth_is_invalid_whatever_the_wraps(self, wraps: int) -> None:
        assert not map_genotype(GRAMMAR_2, [4, 9, 2, 1], GE(wraps=wraps)).valid
        assert map_one(FlatInteger(wraps=wraps), GRAMMAR_2, [4, 9, 2, 1])[0] == Status.OUT_OF_CODONS

    def test_a_codon_given_by_hand_may_be_beyond_every_integer_type(self) -> None:
        found = map_genotype(GRAMMAR_2, [10**40 + 1, 10**50], GE())
        assert found.phenotype == "y"  # 10**50 mod 3 = 1
        assert found.genotype == [10**40 + 1, 10**50]

    def test_a_genotype_that_was_an_array_comes_back_as_plain_integers(self) -> None:
        genotype = map_genotype(GRAMMAR_2, np.array([1, 2]), GE()).genotype
        assert genotype == [1, 2]
        assert all(type(codon) is int for codon in genotype)


class TestPGE:
    """ALGORITHMS.md 3.2"""

    @pytest.mark.parametrize("wraps", [0, 1, 2, 3, 4])
    @pytest.mark.parametrize("third", [1 / 3, 0.3333333333])
    def test_the_figure_of_the_paper_has_an_error_at_its_sixth_codon(self, wraps: int, third: float) -> None:
        rest = 1 - 2 * third
        found = map_genotype(GRAMMAR_1, FIGURE_PGE, PGE(wraps=wraps), {"<op>": [third, third, rest]})
        if wraps == 0:
            assert found.derivation.productions.tolist() == [0, 1, 2, 6, 4, 1, 1]
            assert found.derivation.form == "x * <expr> <op> <expr> <op> <expr>"
        if wraps < 3:
            assert not found.valid
            assert found.codons_used == 7 * (wraps + 1)
        else:
            assert found.phenotype == "x * x - x + x - x + x"
            assert found.codons_used == 23

    def test_the_intended_example(self) -> None:
        found = map_genotype(GRAMMAR_1, INTENDED, PGE())
        assert found.phenotype == "x * x"
        assert found.derivation.productions.tolist() == [0, 1, 2, 6, 4, 2, 6]
        assert found.codons_used == 7
        assert found.counts == {"<start>": [1], "<expr>": [1, 2], "<op>": [0, 1, 0], "<var>": [2, 0]}
        assert [(step.nonterminal, step.codon) for step in found.steps] == list(
            zip(["<start>", "<expr>", "<expr>", "<var>", "<op>", "<expr>", "<var>"], INTENDED, strict=True)
        )
        assert found.steps[1].comparison == "0.2 < 0.5"
        assert found.steps[4].comparison == "0.3333 ≤ 0.62 < 0.6667"
        assert map_one(FlatReal(), GRAMMAR_1, INTENDED) == (Status.OK, [0, 1, 2, 6, 4, 2, 6], 7)

    def test_a_codon_of_one_takes_the_last_production_that_is_possible(self) -> None:
        p = {"<expr>": [0, 1], "<var>": [1, 0]}
        found = map_genotype(GRAMMAR_1, [1.0, 1.0, 1.0], PGE(), p)
        assert found.phenotype == "x"
        assert found.steps[2].comparison == "1 ≥ 1: the last possible one"
        weights = GRAMMAR_1.check_probabilities(p)
        assert map_one(FlatReal(), GRAMMAR_1, [1.0, 1.0, 1.0], weights)[1] == [0, 2, 6]
        first = GRAMMAR_1.check_probabilities({"<expr>": [0, 1], "<op>": [1, 0, 0], "<var>": [0, 1]})
        assert map_one(FlatReal(), GRAMMAR_1, [0.0, 0.0, 0.0], first)[1] == [0, 2, 7]  # none with probability 0

    def test_the_comparison_is_strict(self) -> None:
        assert map_one(FlatReal(), GRAMMAR_1, [0.0, 0.5, 0.5])[1] == [0, 2, 7]
        assert map_one(FlatReal(), GRAMMAR_1, [0.0, 0.5, np.nextafter(0.5, 0)])[1] == [0, 2, 6]

    def test_a_codon_for_a_single_production_is_a_setting(self) -> None:
        found = map_genotype(GRAMMAR_1, INTENDED[1:], PGE(consume_single=False))
        assert found.phenotype == "x * x"
        assert found.codons_used == 6


@pytest.mark.parametrize(
    ("genotype", "method", "message"),
    [
        ("0.5", PGE(), r"a genotype is a list of numbers in \[0, 1\], not '0.5'"),
        ([], PGE(), r"a genotype is a list of numbers in \[0, 1\], not \[\]"),
        ({"<expr>": [1]}, PGE(), "a genotype is a list of numbers"),
        (0.5, GE(), "a genotype is a list of integers ≥ 0, not 0.5"),
        ([0.5, -0.1], PGE(), r"codon 1 is -0.1: codons of this method lie in \[0, 1\]"),
        ([1.5], PGE(), r"codon 0 is 1.5: codons of this method lie in \[0, 1\]"),
        ([10**400], PGE(), r"codons of this method lie in \[0, 1\]"),
        ([math.nan], PGE(), "codon 0 is nan: a codon must be finite"),
        ([np.float64("inf")], PGE(), "a codon must be finite"),
        ([True], PGE(), "codon 0 is True: codons of this method are numbers"),
        (["a"], PGE(), "codon 0 is 'a': codons of this method are numbers"),
        ([1j], PGE(), "codons of this method are numbers"),
        ([np.complex128(0.5)], PGE(), "codons of this method are numbers"),
        ([3, -1], GE(), "codon 1 is -1: a codon must not be negative"),
        ([3, 0.5], GE(), "codon 1 is 0.5: codons of this method are integers"),
        ([True], GE(), "codon 0 is True: codons of this method are integers"),
    ],
)
def test_a_genotype_that_can_not_be_read_is_refused(genotype: Any, method: Any, message: str) -> None:
    with pytest.raises(GenotypeError, match=message):
        map_genotype(GRAMMAR_1, genotype, method)


@given(
    grammars(),
    st.lists(st.integers(0, 255), min_size=1, max_size=30),
    st.integers(0, 2),
    st.booleans(),
)
def test_a_codon_in_the_middle_of_a_uniform_slice_chooses_as_its_remainder_does(
    grammar: Grammar, codons: list[int], wraps: int, consume_single: bool
) -> None:
    """PGE with uniform probabilities and the codons (a + ½)/j is GE with the codons a."""
    ge = GE(wraps=wraps, consume_single=consume_single)
    by_integers = map_genotype(grammar, codons, ge)
    position, reals = 0, []
    for step in by_integers.steps:
        if step.codon is None:
            continue
        j = len(grammar.rules[step.nonterminal])
        reals.append((codons[position % len(codons)] % j + 0.5) / j)
        position += 1
    if not reals:
        return
    pge = PGE(consume_single=consume_single)
    plain = grammar.with_probabilities(None)
    found = map_genotype(plain, reals, pge)
    assert found.derivation.productions.tolist() == by_integers.derivation.productions.tolist()


@given(grammars(), st.data())
def test_the_traced_mapping_and_the_batch_agree(grammar: Grammar, data: st.DataObject) -> None:
    integers = data.draw(st.booleans())
    wraps, consume_single = data.draw(st.integers(0, 3)), data.draw(st.booleans())
    codon = st.integers(0, 255) if integers else st.floats(0, 1)
    width = data.draw(st.integers(1, 12))
    rows = data.draw(st.lists(st.lists(codon, min_size=width, max_size=width), min_size=1, max_size=8))
    kind = GE if integers else PGE
    method = kind(wraps=wraps, consume_single=consume_single)
    genotypes = population(rows, np.int32 if integers else np.float64)
    weights = np.array(grammar.start_probabilities())
    mapped, batch = method.representation.map(grammar, genotypes, weights, SEED, 0, 0)
    for i, row in enumerate(rows):
        traced = map_genotype(grammar, row, method)
        assert (batch.status[i] == Status.OK) == traced.valid
        assert batch[i].tolist() == (traced.derivation.productions.tolist() if traced.valid else [])
        assert mapped.used[i] == (traced.codons_used if traced.valid else width * (wraps + 1))
        alone, single = method.representation.map(grammar, genotypes.take(np.array([i])), weights, SEED, 0, i)
        assert single[0].tolist() == batch[i].tolist()
        assert alone.used[0] == mapped.used[i]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("representation", "grammar", "valid"),
    [
        (FlatReal(128), GRAMMAR_R, 0.4994),
        (FlatInteger(128), GRAMMAR_R, 0.4994),
        (FlatReal(32), GRAMMAR_R, 0.476),
        (FlatInteger(32), GRAMMAR_R, 0.478),
        (FlatReal(64), GRAMMAR_R, 0.494),
        (FlatReal(128), GRAMMAR_1, 0.9007),
        (FlatReal(128), GRAMMAR_2, 0.9007),
    ],
    ids=lambda value: (
        value.name if isinstance(value, Grammar) else type(value).__name__ + str(getattr(value, "codons", value))
    ),
)
def test_as_many_random_genotypes_are_valid_as_theory_says(
    representation: FlatInteger | FlatReal, grammar: Grammar, valid: float
) -> None:
    n = 20_000
    derivations, _ = random_population(representation, grammar, n)
    assert np.mean(derivations.status == Status.OK) == pytest.approx(valid, abs=4 * math.sqrt(0.25 / n))


@pytest.mark.slow
@pytest.mark.parametrize(("representation", "used"), [(FlatReal(128), 8.8), (FlatInteger(128), 7.8)])
def test_valid_genotypes_read_few_codons(representation: FlatInteger | FlatReal, used: float) -> None:
    derivations, mapped = random_population(representation, GRAMMAR_R, 20_000)
    assert mapped.used[derivations.status == Status.OK].mean() == pytest.approx(used, abs=0.5)
    # 0.25 of all are a single variable
    assert np.mean(np.diff(derivations.offsets) == 3) == pytest.approx(0.25, abs=0.015)


def random_population(
    representation: FlatInteger | FlatReal, grammar: Grammar, n: int
) -> tuple[Derivations, FlatGenotypes]:
    genotypes = representation.initial(grammar, n, SEED)
    mapped, derivations = representation.map(grammar, genotypes, np.array(grammar.start_probabilities()), SEED, 0, 0)
    return derivations, mapped


def test_first_codons_are_uniform_in_their_range() -> None:
    reals = FlatReal(100).initial(GRAMMAR_1, 100, SEED).codons
    assert reals.shape == (100, 100)
    assert 0 <= reals.min() < 0.01
    assert 0.99 < reals.max() < 1
    assert reals.mean() == pytest.approx(0.5, abs=0.02)
    integers = FlatInteger(100, codon_max=7).initial(GRAMMAR_1, 100, SEED).codons
    assert np.bincount(integers.ravel()).tolist() == pytest.approx([1250] * 8, abs=150)
    assert set(FlatInteger(100).initial(GRAMMAR_1, 100, SEED).codons.ravel()) == set(range(256))


def crossed(representation: FlatReal | FlatInteger, mutation: float = 0.0, n: int = 400) -> tuple[Any, Any]:
    parents = representation.initial(GRAMMAR_1, 2, SEED)
    parents, _ = representation.map(GRAMMAR_1, parents, np.array(GRAMMAR_1.start_probabilities()), SEED, 0, 0)
    mothers, fathers = np.zeros(n, np.int64), np.ones(n, np.int64)
    return parents, representation.vary(GRAMMAR_1, parents, mothers, fathers, mutation, SEED, 1)


def cuts(parents: FlatGenotypes, children: FlatGenotypes) -> list[int]:
    mother, father = parents.codons
    found = []
    for child in children.codons:
        cut = int(np.argmax(child != father)) if (child != father).any() else len(child)
        assert (child[:cut] == father[:cut]).all()
        assert (child[cut:] == mother[cut:]).all()
        found.append(cut)
    return found


def test_crossover_takes_the_fathers_head_and_the_mothers_tail() -> None:
    parents, children = crossed(FlatReal(10))
    assert set(cuts(parents, children)) == set(range(10))  # 0 is a copy of the mother; a copy of the father never
    share = cuts(*crossed(FlatReal(8), n=4000)).count(0) / 4000
    assert share == pytest.approx(1 / 8, abs=0.03)


def test_cuts_may_stay_within_what_both_parents_used() -> None:
    parents, children = crossed(FlatReal(64, cuts="used"))
    assert max(cuts(parents, children)) < min(parents.used.min(), 64) < 64


def test_without_crossover_and_mutation_a_child_is_a_copy() -> None:
    representation = FlatInteger(12)
    parents = representation.initial(GRAMMAR_1, 3, SEED)
    children = representation.vary(GRAMMAR_1, parents, np.array([2, 0]), np.array([-1, -1]), 0.0, SEED, 1)
    assert (children.codons == parents.codons[[2, 0]]).all()


@pytest.mark.parametrize("representation", [FlatReal(50), FlatInteger(50, codon_max=10**6)])
def test_mutation_redraws_each_codon_with_its_rate(representation: FlatReal | FlatInteger) -> None:
    parents = representation.initial(GRAMMAR_1, 400, SEED)
    before = parents.codons.copy()
    everyone, nobody = np.arange(400), np.full(400, -1)
    changed = representation.vary(GRAMMAR_1, parents, everyone, nobody, 0.05, SEED, 1).codons != before
    assert changed.mean() == pytest.approx(0.05, abs=0.007)
    assert changed.any(axis=0).all()  # used or not
    assert (parents.codons == before).all()
    all_new = representation.vary(GRAMMAR_1, parents, everyone, nobody, 1.0, SEED, 1).codons
    assert (all_new != before).mean() > 0.999


@pytest.mark.parametrize("cuts", ["anywhere", "used"])
def test_variable_lengths_have_a_cut_in_each_parent(cuts: Any) -> None:
    representation = FlatReal(6, length="variable", cuts=cuts)
    parents, children = crossed(representation)
    assert parents.codons.shape == (2, 6 * WIDEST)
    assert set(children.length) > {5, 6, 7}
    limits = [min(6, used) if cuts == "used" else 6 for used in parents.used]
    for i, length in enumerate(children.length):
        mother, father = representation.show(GRAMMAR_1, parents, 0), representation.show(GRAMMAR_1, parents, 1)
        child = representation.show(GRAMMAR_1, children, i)
        possible = [
            mother[:head] + father[skipped:] for head in range(1, limits[0] + 1) for skipped in range(1, limits[1] + 1)
        ]
        assert child in possible
        assert len(child) == length


def test_a_genotype_of_variable_length_never_outgrows_its_array() -> None:
    representation = FlatInteger(2, length="variable")
    genotypes = representation.initial(GRAMMAR_1, 30, SEED)
    rng = np.random.default_rng(1)
    for generation in range(60):  # always the longest with the longest
        order = np.argsort(-genotypes.length)[rng.integers(0, 10, 60)]
        genotypes = representation.vary(GRAMMAR_1, genotypes, order[:30], order[30:], 0.1, SEED, generation)
    assert genotypes.length.max() == 2 * WIDEST
    assert genotypes.length.min() >= 1


def test_populations_are_taken_apart_and_joined() -> None:
    parents = FlatReal(4).initial(GRAMMAR_1, 5, SEED)
    parts = [parents.take(np.arange(2)), parents.take(np.arange(2, 5))]
    joined = FlatGenotypes.join(parts)
    assert len(joined) == 5
    assert (joined.codons == parents.codons).all()
    assert FlatGenotypes.join([parents]) is parents


def test_deep_derivations_fit_whatever_they_need() -> None:
    grammar = Grammar.from_text("<a> ::= <a><a><a><a><a> | x")
    status, productions, used = map_one(FlatInteger(5000), grammar, [0] * 300 + [1] * 4700)
    assert status == Status.OK
    assert used == len(productions) == 300 + 4 * 300 + 1
    assert Derivation(grammar, np.array(productions, np.int32)).phenotype == "x" * 1201


class TestEncoding:
    """The way back."""

    PROGRAM = Derivations.of(np.array([0, 1, 2, 6, 4, 2, 6], np.int32))  # x * x
    LONGER = Derivations.of(np.array([0, 1, 2, 6, 4, 1, 2, 6, 3, 2, 7], np.int32))  # x * x + 1.0

    def test_codons_choose_the_productions_of_the_program(self) -> None:
        weights = np.array(GRAMMAR_1.start_probabilities())
        genotypes, fits = FlatInteger(12).encode(GRAMMAR_1, self.PROGRAM, weights, SEED)
        assert fits.tolist() == [True]
        assert [c % j for c, j in zip(genotypes.codons[0], [2, 2, 2, 3, 2, 2], strict=False)] == [0, 1, 0, 1, 1, 0]
        reals, _ = FlatReal(12).encode(GRAMMAR_1, self.PROGRAM, weights, SEED)
        slices = [(0, 1), (0, 1 / 2), (1 / 2, 1), (0, 1 / 2), (1 / 3, 2 / 3), (1 / 2, 1), (0, 1 / 2)]
        assert all(low <= c < high for c, (low, high) in zip(reals.codons[0], slices, strict=False))
        assert genotypes.codons.shape == reals.codons.shape == (1, 12)

    @pytest.mark.parametrize("consume_single", [True, False])
    @pytest.mark.parametrize("kind", [FlatInteger, FlatReal])
    def test_exactly_as_many_codons_as_are_needed_are_enough(self, kind: Any, consume_single: bool) -> None:
        needed = 11 if consume_single else 10
        for codons in (needed - 1, needed):
            representation = kind(codons, wraps=1, consume_single=consume_single)
            genotypes, fits = representation.encode(
                GRAMMAR_1, self.LONGER, np.array(GRAMMAR_1.start_probabilities()), SEED
            )
            assert fits.tolist() == [codons == needed]
            assert genotypes.length.tolist() == [codons]  # what does not fit is a genotype all the same

    def test_a_genotype_of_variable_length_is_as_long_as_it_has_to_be(self) -> None:
        weights = np.array(GRAMMAR_1.start_probabilities())
        for codons, length in ((2, 11), (11, 11), (20, 20)):
            representation = FlatReal(codons, length="variable")
            genotypes, fits = representation.encode(GRAMMAR_1, self.LONGER, weights, SEED)
            assert fits.tolist() == [True]
            assert genotypes.length.tolist() == [length]
            assert genotypes.codons.shape == (1, codons * WIDEST)
            mapped = representation.map(GRAMMAR_1, genotypes, weights, SEED, 0, 0)[1]
            assert mapped[0].tolist() == self.LONGER[0].tolist()
        assert not FlatReal(1, length="variable").encode(GRAMMAR_1, self.LONGER, weights, SEED)[1][0]

    def test_an_invalid_individual_is_not_encoded(self) -> None:
        invalid = Derivations(np.zeros(0, np.int32), np.zeros(2, np.int64), np.ones(1, np.int8))
        weights = np.array(GRAMMAR_1.start_probabilities())
        assert FlatReal(4).encode(GRAMMAR_1, invalid, weights, SEED)[1].tolist() == [False]
        joined = Derivations.join([invalid, self.PROGRAM, invalid])
        assert FlatReal().encode(GRAMMAR_1, joined, weights, SEED)[1].tolist() == [False, True, False]


def test_eight_bits_do_not_choose_evenly_among_three() -> None:
    grammar = Grammar.from_text("<a> ::= x | y | z")
    phenotypes = [map_genotype(grammar, [codon], GE()).phenotype for codon in range(256)]
    assert [phenotypes.count(text) for text in ("x", "y", "z")] == [86, 85, 85]


def test_one_child_in_128_is_a_copy_of_its_mother() -> None:
    share = cuts(*crossed(FlatReal(128), n=4000)).count(0) / 4000
    assert share == pytest.approx(1 / 128, abs=4 * math.sqrt(1 / 128 / 4000))
