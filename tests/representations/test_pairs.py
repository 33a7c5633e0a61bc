from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Derivations, Status
from gramarye.engine.tracing import map_genotype
from gramarye.errors import GenotypeError, SettingsError
from gramarye.grammar import Grammar
from gramarye.methods import PIGE
from gramarye.representations import IntegerLists, Pairs
from gramarye.representations.pairs import PairGenotypes
from tests.grammars import G1, G2, grammars

GRAMMAR_1, GRAMMAR_2 = Grammar.from_text(G1), Grammar.from_text(G2)
SEED = np.uint64(5)
NOTHING = np.zeros(0)
EXAMPLE = [[8, 19], [32, 14], [41, 51], [17, 15], [20, 11], [43, 27], [41, 44]]
INSERTIONS: list[Any] = ["inplace", "start", "end"]

# Steps as (index, non-terminal, production), in the order in which they were taken
STEPS = {
    "inplace": "(0,start,0) (0,expr,0) (2,expr,1) (2,var,0) (0,expr,1) (1,op,3) (0,var,2)",
    "start": "(0,start,0) (0,expr,0) (2,expr,1) (2,op,3) (0,var,2) (0,expr,1) (0,var,2)",
    "end": "(0,start,0) (0,expr,0) (2,expr,1) (2,var,0) (0,expr,1) (1,var,0) (0,op,0)",
}


@pytest.mark.parametrize(
    ("insertion", "productions", "phenotype"),
    [
        ("inplace", [0, 1, 2, 9, 6, 2, 7], "1.0 / x"),
        ("start", [0, 1, 2, 9, 6, 2, 9], "1.0 / 1.0"),
        ("end", [0, 1, 2, 7, 3, 2, 7], "x + x"),
    ],
)
def test_the_worked_example(insertion: Any, productions: list[int], phenotype: str) -> None:
    found = map_genotype(GRAMMAR_2, EXAMPLE, PIGE(insertion=insertion))
    assert found.phenotype == phenotype
    assert found.derivation.productions.tolist() == productions
    assert found.codons_used == 7
    assert found.genotype == EXAMPLE
    taken = sorted(found.steps, key=lambda step: int(step.comparison.split(":")[0].removeprefix("pair ")))
    texts = []
    for step in taken:
        index = step.comparison.split(" = ")[1].split()[0]
        production = step.production - GRAMMAR_2.rules[step.nonterminal][0].id
        texts.append(f"({index},{step.nonterminal[1:-1]},{production})")
    assert " ".join(texts) == STEPS[insertion]


def test_a_step_says_when_it_was_taken_and_why() -> None:
    steps = map_genotype(GRAMMAR_2, EXAMPLE, PIGE()).steps
    assert steps[2].comparison == "pair 5: 20 mod 2 = 0 picks it, 11 mod 2 = 1"
    assert (steps[2].nonterminal, steps[2].codon) == ("<expr>", 11)


def test_where_pairs_run_out_the_steps_end_at_the_first_non_terminal_that_is_left() -> None:
    found = map_genotype(GRAMMAR_2, EXAMPLE[:4], PIGE())
    assert not found.valid
    assert found.derivation.form == "<expr> <op> <expr>"  # that the right one has become x is beyond them
    assert found.codons_used == 4
    assert map_genotype(GRAMMAR_2, EXAMPLE[:2], PIGE(wraps=1)).codons_used == 4


def test_wraps_count_pairs() -> None:
    found = map_genotype(GRAMMAR_1, [[0, 1], [1, 1]], PIGE(wraps=1))
    assert found.phenotype == "1.0"
    assert found.codons_used == 3


@given(grammars(), st.integers(1, 9), st.integers(0, 2), st.sampled_from(INSERTIONS), st.integers(0, 2**32))
def test_batch_trace_and_slices_agree(grammar: Grammar, width: int, wraps: int, insertion: Any, seed: int) -> None:
    method = PIGE(pairs=width, wraps=wraps, insertion=insertion)
    representation = method.representation
    genotypes = representation.initial(grammar, 4, np.uint64(seed))
    mapped, batch = representation.map(grammar, genotypes, NOTHING, SEED, 0, 0)
    for i in range(4):
        traced = map_genotype(grammar, representation.show(grammar, genotypes, i), method)
        assert (batch.status[i] == Status.OK) == traced.valid
        assert batch[i].tolist() == (traced.derivation.productions.tolist() if traced.valid else [])
        assert mapped.used[i] == traced.codons_used
        _, alone = representation.map(grammar, genotypes.take(np.array([i])), NOTHING, SEED, 0, i)
        assert alone[0].tolist() == batch[i].tolist()


def test_first_genotypes_are_uniform_in_their_range() -> None:
    pairs = Pairs(50, codon_max=7).initial(GRAMMAR_1, 100, SEED).pairs
    assert pairs.shape == (100, 50, 2)
    assert np.bincount(pairs.ravel()).tolist() == pytest.approx([1250] * 8, abs=150)


def test_crossover_cuts_between_pairs() -> None:
    representation = Pairs(10, codon_max=10**6)
    parents = representation.initial(GRAMMAR_1, 2, SEED)
    n = 300
    children = representation.vary(GRAMMAR_1, parents, np.zeros(n, np.int64), np.ones(n, np.int64), 0.0, SEED, 1)
    cuts = (children.pairs == parents.pairs[1]).all(axis=2).sum(axis=1)
    assert set(cuts.tolist()) == set(range(10))  # 0 is a copy of the mother; a copy of the father never
    for child, cut in zip(children.pairs, cuts, strict=True):
        assert (child[:cut] == parents.pairs[1, :cut]).all()
        assert (child[cut:] == parents.pairs[0, cut:]).all()


def test_mutation_redraws_each_number_with_its_rate() -> None:
    representation = Pairs(40, codon_max=10**6)
    parents = representation.initial(GRAMMAR_1, 400, SEED)
    before = parents.pairs.copy()
    everyone, nobody = np.arange(400), np.full(400, -1)
    changed = representation.vary(GRAMMAR_1, parents, everyone, nobody, 0.05, SEED, 1).pairs != before
    assert changed.mean() == pytest.approx(0.05, abs=0.007)
    assert changed.any(axis=0).all()
    assert (parents.pairs == before).all()
    copies = representation.vary(GRAMMAR_1, parents, everyone, nobody, 0.0, SEED, 1)
    assert (copies.pairs == before).all()


@pytest.mark.parametrize("insertion", INSERTIONS)
def test_derivations_become_genotypes_that_map_to_them(insertion: Any) -> None:
    lists, representation = IntegerLists(5, 7), Pairs(30, insertion=insertion)
    _, found = lists.map(GRAMMAR_2, lists.initial(GRAMMAR_2, 60, SEED), NOTHING, SEED, 0, 0)
    genotypes, fits = representation.encode(GRAMMAR_2, found, NOTHING, SEED)
    assert fits.tolist() == [len(found[i]) <= 30 for i in range(60)]
    assert fits.any()
    assert not fits.all()
    _, again = representation.map(GRAMMAR_2, genotypes, NOTHING, SEED, 0, 0)
    assert all(again[i].tolist() == found[i].tolist() for i in fits.nonzero()[0])


@pytest.mark.parametrize(
    ("representation", "message"),
    [
        (Pairs(2), "it needs 3 pairs, and a genotype holds 2; set pairs to 3 or more"),
        (Pairs(3, codon_max=0), "some number of its pairs would be above 0; set codon_max higher"),
    ],
)
def test_what_does_not_fit_says_why(representation: Pairs, message: str) -> None:
    productions = np.array([0, 2, 7], np.int32)
    assert not representation.encode(GRAMMAR_1, Derivations.of(productions), NOTHING, SEED)[1].any()
    assert representation.misfit(GRAMMAR_1, productions, NOTHING) == message


def test_populations_are_taken_apart_and_joined() -> None:
    whole = Pairs(4).initial(GRAMMAR_1, 5, SEED)
    joined = PairGenotypes.join([whole.take(np.arange(2)), whole.take(np.arange(2, 5))])
    assert len(joined) == 5
    assert (joined.pairs == whole.pairs).all()
    assert PairGenotypes.join([whole]) is whole


@pytest.mark.parametrize("genotype", [[], "8,19", 3, None, {}])
def test_what_is_no_list_is_refused(genotype: Any) -> None:
    with pytest.raises(GenotypeError, match="a genotype is a list of pairs of integers ≥ 0, not"):
        map_genotype(GRAMMAR_1, genotype, PIGE())


@pytest.mark.parametrize(
    ("genotype", "message"),
    [
        ([[1, 2], 3], "pair 1 is 3: write two integers, as in"),
        ([[1, 2, 3]], r"pair 0 is \[1, 2, 3\]: write two integers"),
        (["ab"], "pair 0 is 'ab': write two integers"),
        ([[1, -2]], "pair 0 holds -2: it must be an integer ≥ 0"),
        ([[1.0, 2]], "pair 0 holds 1.0: it must be an integer"),
        ([[0, 0], [True, 2]], "pair 1 holds True: it must be an integer"),
    ],
)
def test_a_pair_that_is_none_is_refused(genotype: Any, message: str) -> None:
    with pytest.raises(GenotypeError, match=message):
        map_genotype(GRAMMAR_1, genotype, PIGE())


def test_a_genotype_by_hand_may_hold_any_integers_and_arrays() -> None:
    found = map_genotype(GRAMMAR_1, [(10**40, 10**41), [3, 10**40 + 1], np.array([1, 2])], PIGE())
    assert found.phenotype == "x"
    assert found.genotype == [[10**40, 10**41], [3, 10**40 + 1], [1, 2]]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("pairs", 0, "pairs is 0: it must be an integer ≥ 1"),
        ("wraps", -1, "wraps is -1"),
        ("insertion", "middle", "insertion is 'middle': it must be one of 'inplace', 'start', 'end'"),
        ("codon_max", 0.5, "codon_max is 0.5: it must be an integer ≥ 0"),
    ],
)
def test_a_setting_out_of_its_range_is_refused(name: str, value: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Pairs(**{name: value})
    with pytest.raises(SettingsError, match=message):
        PIGE(**{name: value})


def test_settings_reach_the_representation() -> None:
    assert PIGE(pairs=7, wraps=2, insertion="end", codon_max=9).representation == Pairs(7, 2, "end", 9)
