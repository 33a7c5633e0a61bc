from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.derivations import Derivations, Status
from gramarye.engine.tracing import map_genotype
from gramarye.errors import GenotypeError, SettingsError
from gramarye.grammar import Grammar
from gramarye.methods import Chorus
from gramarye.representations import Genes, IntegerLists
from gramarye.representations.rows import FlatGenotypes
from tests.grammars import G1, G2, grammars

GRAMMAR_1, GRAMMAR_2 = Grammar.from_text(G1), Grammar.from_text(G2)
SEED = np.uint64(5)
NOTHING = np.zeros(0)
EXAMPLE = [26, 112, 183, 90, 46, 202, 33, 244]
LARGE = Grammar.from_text("<a> ::= <b> | <b><b>\n<b> ::= GE_RANGE:300", "large")


def test_the_worked_example() -> None:
    found = map_genotype(GRAMMAR_2, EXAMPLE, Chorus())
    assert found.phenotype == "1.0 * x"
    assert found.derivation.productions.tolist() == [0, 1, 2, 9, 5, 2, 7]
    assert found.codons_used == 8
    assert found.genotype == EXAMPLE
    assert [(step.nonterminal, step.codon, step.comparison) for step in found.steps] == [
        ("<start>", None, "the only production"),
        ("<expr>", 90, "genes mod 9 = 8, 4, 3, 0: 0 leads with 1"),
        ("<expr>", 46, "genes mod 9 = 1: 1 leads with 1"),
        ("<var>", None, "no gene read: 8 leads with 1"),
        ("<op>", 202, "genes mod 9 = 4: 4 leads with 2"),
        ("<expr>", 244, "genes mod 9 = 6, 1: 1 leads with 1"),
        ("<var>", None, "no gene read: 6 leads with 1"),
    ]


def test_the_order_of_genes_does_not_matter_but_their_number_does() -> None:
    assert map_genotype(GRAMMAR_2, [112, 26, *EXAMPLE[2:]], Chorus()).phenotype == "1.0 * x"
    shorter = map_genotype(GRAMMAR_2, EXAMPLE[:-1], Chorus())
    assert not shorter.valid
    assert shorter.derivation.form == "1.0 * <expr>"


def test_genes_are_read_again_after_a_wrap() -> None:
    grammar = Grammar.from_text("<s> ::= <a><a><a>\n<a> ::= x | y")
    assert not map_genotype(grammar, [1], Chorus(wraps=1)).valid
    found = map_genotype(grammar, [1], Chorus(wraps=2))
    assert (found.phenotype, found.codons_used) == ("yyy", 3)


def test_only_productions_that_can_be_chosen_have_a_number_unless_all_are_to() -> None:
    for number_all, count in ((False, 9), (True, 10)):
        first = map_genotype(GRAMMAR_2, [1, 9], Chorus(number_all=number_all)).steps[1]
        assert first.comparison == f"genes mod {count} = 1: 1 leads with 1"
    assert map_genotype(GRAMMAR_2, [1, 9], Chorus()).derivation.productions.tolist() == [0, 2]
    assert map_genotype(GRAMMAR_2, [2, 9], Chorus(number_all=True)).phenotype == "1.0"


@given(grammars(), st.integers(1, 20), st.integers(0, 2), st.booleans(), st.integers(0, 2**32))
def test_batch_trace_and_slices_agree(grammar: Grammar, width: int, wraps: int, number_all: bool, seed: int) -> None:
    method = Chorus(codons=width, wraps=wraps, number_all=number_all)
    representation = method.representation
    genotypes = representation.initial(grammar, 4, np.uint64(seed))
    mapped, batch = representation.map(grammar, genotypes, NOTHING, SEED, 0, 0)
    for i in range(4):
        traced = map_genotype(grammar, representation.show(grammar, genotypes, i), method)
        assert (batch.status[i] == Status.OK) == traced.valid
        assert batch[i].tolist() == (traced.derivation.productions.tolist() if traced.valid else [])
        assert mapped.used[i] == (traced.codons_used if traced.valid else width * (wraps + 1))
        _, alone = representation.map(grammar, genotypes.take(np.array([i])), NOTHING, SEED, 0, i)
        assert alone[0].tolist() == batch[i].tolist()


def test_a_grammar_with_more_productions_than_gene_values_is_refused_before_the_run_starts() -> None:
    message = (
        "codon_max is 255: large has 302 productions to choose from, so that 46 of them could never be named; "
        "set codon_max to 301 or more"
    )
    with pytest.raises(SettingsError, match=message):
        Genes().check(LARGE)
    Genes(codon_max=301).check(LARGE)
    with pytest.raises(SettingsError, match="45 of them could never be named"):
        Genes(codon_max=256).check(LARGE)
    with pytest.raises(SettingsError, match="large has 302 productions"):
        gm.engine.start(gm.engine.Setup(gm.Objective(len, LARGE), Chorus(), 1))


def test_crossover_and_mutation_are_those_of_grammatical_evolution() -> None:
    genes, integers = Genes(12), gm.representations.FlatInteger(12)
    ours, theirs = genes.initial(GRAMMAR_1, 6, SEED), integers.initial(GRAMMAR_1, 6, SEED)
    assert (ours.codons == theirs.codons).all()
    mothers, fathers = np.array([0, 3, 5, 2]), np.array([1, -1, 4, 2])
    children = genes.vary(GRAMMAR_1, ours, mothers, fathers, 0.2, SEED, 3)
    assert (children.codons == integers.vary(GRAMMAR_1, theirs, mothers, fathers, 0.2, SEED, 3).codons).all()


def test_derivations_become_genotypes_that_map_to_them() -> None:
    lists, representation = IntegerLists(5, 7), Genes(20)
    _, found = lists.map(GRAMMAR_2, lists.initial(GRAMMAR_2, 60, SEED), NOTHING, SEED, 0, 0)
    genotypes, fits = representation.encode(GRAMMAR_2, found, NOTHING, SEED)
    assert fits.tolist() == [len(found[i]) - 1 <= 20 for i in range(60)]  # <start> takes none
    assert fits.any()
    assert not fits.all()
    mapped, again = representation.map(GRAMMAR_2, genotypes, NOTHING, SEED, 0, 0)
    for i in fits.nonzero()[0]:
        assert again[i].tolist() == found[i].tolist()
        assert mapped.used[i] == len(found[i]) - 1


@pytest.mark.parametrize(
    ("representation", "message"),
    [
        (Genes(1), "it needs 2 genes, and a genotype holds 1; set codons to 2 or more"),
        (Genes(2, codon_max=5), "it names a production above 5; set codon_max to 6 or more"),
    ],
)
def test_what_does_not_fit_says_why(representation: Genes, message: str) -> None:
    productions = np.array([0, 2, 7], np.int32)
    assert not representation.encode(GRAMMAR_1, Derivations.of(productions), NOTHING, SEED)[1].any()
    assert representation.misfit(GRAMMAR_1, productions, NOTHING) == message


def test_populations_are_taken_apart_and_joined() -> None:
    whole = Genes(4).initial(GRAMMAR_1, 5, SEED)
    joined = FlatGenotypes.join([whole.take(np.arange(2)), whole.take(np.arange(2, 5))])
    assert len(joined) == 5
    assert (joined.codons == whole.codons).all()


@pytest.mark.parametrize("genotype", [[], "12", 3, None, {}])
def test_what_is_no_list_is_refused(genotype: Any) -> None:
    with pytest.raises(GenotypeError, match="a genotype is a list of integers ≥ 0, not"):
        map_genotype(GRAMMAR_1, genotype, Chorus())


@pytest.mark.parametrize("gene", [-1, 0.5, "a", True, None])
def test_a_gene_that_is_none_is_refused(gene: Any) -> None:
    with pytest.raises(GenotypeError, match=r"codon 1 is .*: (codons of this method are integers|.* not be negative)"):
        map_genotype(GRAMMAR_1, [1, gene], Chorus())


def test_a_gene_given_by_hand_may_be_any_integer() -> None:
    assert map_genotype(GRAMMAR_2, [9 * 10**40 + 1, 9 * 10**40 + 6], Chorus()).phenotype == "x"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("codons", 0, "codons is 0: it must be an integer ≥ 1"),
        ("wraps", -1, "wraps is -1"),
        ("number_all", 1, "number_all is 1: it must be True or False"),
        ("codon_max", -1, "codon_max is -1: it must be an integer ≥ 0"),
    ],
)
def test_a_setting_out_of_its_range_is_refused(name: str, value: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Genes(**{name: value})
    with pytest.raises(SettingsError, match=message):
        Chorus(**{name: value})


def test_settings_reach_the_representation() -> None:
    assert Chorus(codons=7, wraps=2, number_all=True, codon_max=9).representation == Genes(7, 2, True, 9)
