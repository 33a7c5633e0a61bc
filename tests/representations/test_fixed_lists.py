from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.derivations import Derivation, Derivations, Status
from gramarye.derivations.recursion_free import most_expansions
from gramarye.engine.tracing import map_genotype
from gramarye.errors import GenotypeError, SettingsError
from gramarye.grammar import Grammar
from gramarye.methods import StaticSGE
from gramarye.representations import FixedLists
from gramarye.representations.fixed_lists import MOST_ENTRIES
from gramarye.representations.structured import ListGenotypes
from tests.grammars import G1, GR, straight_grammars

GRAMMAR, GRAMMAR_R = Grammar.from_text(G1, "G1"), Grammar.from_text(GR, "GR")
SEED = np.uint64(5)
NOTHING = np.zeros(0)
LISTS = FixedLists(1)
REWRITING = LISTS.rewritten(GRAMMAR)
OWN = REWRITING.grammar
EXAMPLE = {
    "<start>": [0],
    "<expr>": [0],
    "<op>": [1, 0, 2, 2, 0, 1, 0],
    "<var>": [0, 1, 0, 1, 1, 0, 0, 1],
    "<expr_0>": [1, 0],
    "<expr_1>": [1, 0, 1, 0],
}


class TestTheWorkedExample:
    def test_step_by_step(self) -> None:
        found = map_genotype(GRAMMAR, EXAMPLE, StaticSGE(recursion=1))
        assert found.phenotype == "x * 1.0 + x - 1.0"
        assert found.derivation.productions.tolist() == [0, 1, 9, 6, 4, 8, 11, 7, 3, 10, 6, 5, 7]
        assert found.genotype == EXAMPLE
        assert found.codons_used == 13
        assert (found.steps[9].nonterminal, found.steps[9].codon) == ("<expr_1>", 0)
        assert found.steps[9].comparison == "entry 1 of <expr_1>"
        folded = REWRITING.translate_one(found.derivation.productions)
        assert folded.tolist() == [0, 1, 2, 6, 4, 1, 2, 7, 3, 1, 2, 6, 5, 2, 7]
        assert Derivation(GRAMMAR, folded).phenotype == found.phenotype

    def test_in_a_batch(self) -> None:
        mapped, derivations = LISTS.map(OWN, LISTS.read(OWN, EXAMPLE), NOTHING, SEED, 0, 0)
        assert derivations[0].tolist() == [0, 1, 9, 6, 4, 8, 11, 7, 3, 10, 6, 5, 7]
        assert mapped.used.tolist() == [[1, 1, 3, 4, 2, 2]]

    @pytest.mark.parametrize(
        ("name", "entry", "phenotype"),
        [("<op>", 2, "x - 1.0 + x - 1.0"), ("<expr_0>", 0, "x * 1.0 + x - 1.0 - 1.0 + x")],
    )
    def test_its_mutants(self, name: str, entry: int, phenotype: str) -> None:
        mutant = EXAMPLE | {name: [entry, *EXAMPLE[name][1:]]}
        assert map_genotype(GRAMMAR, mutant, StaticSGE(recursion=1)).phenotype == phenotype


@given(straight_grammars(), st.integers(0, 2), st.integers(0, 2**32))
def test_batch_trace_and_slices_agree_and_all_are_valid(grammar: Grammar, levels: int, seed: int) -> None:
    method = StaticSGE(recursion=levels)
    representation, own = method.representation, method.rewritten(grammar).grammar
    genotypes = representation.initial(own, 3, np.uint64(seed))
    mapped, batch = representation.map(own, genotypes, NOTHING, SEED, 0, 0)
    assert (batch.status == Status.OK).all()
    for i in range(3):
        shown = representation.show(own, genotypes, i)
        traced = map_genotype(grammar, shown, method)
        assert traced.genotype == shown
        assert batch[i].tolist() == traced.derivation.productions.tolist()
        counts = [sum(row) for row in traced.counts.values()]
        assert mapped.used[i].tolist() == counts
        _, alone = representation.map(own, genotypes.take(np.array([i])), NOTHING, SEED, 0, i)
        assert alone[0].tolist() == batch[i].tolist()


def test_missing_entries_are_drawn_from_the_seed_and_told() -> None:
    method = StaticSGE(recursion=2)
    found = map_genotype(GRAMMAR, {"<expr>": [0], "<var>": [1]}, method, seed=3)
    assert found.valid
    assert [step.filled for step in found.steps][:2] == [True, False]
    assert found.steps[0].comparison == "entry 0 of <start>, drawn"
    assert found.genotype["<var>"][0] == 1
    assert {name: len(row) for name, row in found.genotype.items() if row} == {
        name: sum(counts) for name, counts in found.counts.items() if sum(counts)
    }
    assert map_genotype(GRAMMAR, found.genotype, method, seed=4).phenotype == found.phenotype
    others = {map_genotype(GRAMMAR, {"<expr>": [0]}, method, seed=seed).phenotype for seed in range(20)}
    assert len(others) > 5


def test_recursion_0_still_allows_two_levels() -> None:
    own = FixedLists(0).rewritten(GRAMMAR).grammar
    assert own.nonterminals == ("<start>", "<expr>", "<op>", "<var>", "<expr_0>")
    assert most_expansions(own) == (1, 1, 3, 4, 2)


def test_lists_that_would_not_fit_into_memory_are_refused_with_numbers() -> None:
    own = FixedLists(30).rewritten(GRAMMAR_R).grammar
    total = sum(most_expansions(own))
    message = (
        f"recursion is 30: an individual of GR would have {total:,} entries, so that 1,000 of them have "
        f"{1000 * total:,}, and {MOST_ENTRIES:,} is the most; set recursion or population lower"
    )
    with pytest.raises(SettingsError, match=message):
        FixedLists(30).initial(own, 1000, SEED)
    with pytest.raises(SettingsError, match="an individual of GR would have"):
        gm.engine.start(gm.engine.Setup(gm.Objective(len, GRAMMAR_R), StaticSGE(recursion=30), 1))
    with pytest.raises(SettingsError, match="so that 1 of them"):
        map_genotype(GRAMMAR_R, {}, StaticSGE(recursion=30))


def test_children_take_whole_lists_and_mutate_where_parents_read() -> None:
    parents, _ = LISTS.map(OWN, LISTS.initial(OWN, 2, SEED), NOTHING, SEED, 0, 0)
    n = 200
    mothers, fathers = np.zeros(n, np.int64), np.ones(n, np.int64)
    children = LISTS.vary(OWN, parents, mothers, fathers, 0.0, SEED, 1)
    shown = [LISTS.show(OWN, parents, i) for i in range(2)]
    for i in range(n):
        child = LISTS.show(OWN, children, i)
        assert all(child[name] in (shown[0][name], shown[1][name]) for name in child)
    assert (children.used == parents.used.max(axis=0)).all()
    mutants = LISTS.vary(OWN, parents, mothers, np.full(n, -1), 1.0, SEED, 1)
    assert (mutants.used == parents.used[0]).all()
    changed = (mutants.values.reshape(n, -1) != parents.take(np.zeros(1, np.int64)).values).sum(axis=1)
    assert (changed == len(OWN.nonterminals) - 1).all()  # one entry of each list but that of <start>


def test_derivations_become_genotypes_unless_they_recur_too_deep() -> None:
    lists = gm.representations.IntegerLists(5, 8)
    _, found = lists.map(GRAMMAR, lists.initial(GRAMMAR, 80, SEED), NOTHING, SEED, 0, 0)
    genotypes, fits = LISTS.encode(OWN, REWRITING.unfold(GRAMMAR, found), NOTHING, SEED)
    assert fits.any()
    assert not fits.all()
    _, again = LISTS.map(OWN, genotypes, NOTHING, SEED, 0, 0)
    translated = REWRITING.translate(again)
    for i in range(80):
        assert (translated[i].tolist() == found[i].tolist()) == fits[i]


@pytest.mark.parametrize("initialisation", ["grow", "full", "ramped", "pi-grow", "ptc2"])
def test_a_run_may_begin_with_trees(initialisation: Any) -> None:
    method = StaticSGE(population=20, recursion=2, initialisation=initialisation, initial_size=20)
    state = gm.engine.start(gm.engine.Setup(gm.Objective(len, GRAMMAR), method, 1))
    assert np.isfinite(state.fitness).all()


def test_individuals_of_a_run_are_derivations_of_the_original_grammar() -> None:
    run = gm.evolve(gm.Objective(len, GRAMMAR), StaticSGE(population=20, generations=3, recursion=2), seed=1)
    assert run.best.derivation.grammar is GRAMMAR
    assert run.best.phenotype == "x"
    assert run.invalid == 0
    assert run.grammar is GRAMMAR
    again = map_genotype(GRAMMAR, run.best.genotype, StaticSGE(recursion=2))
    assert again.phenotype == run.best.phenotype


def test_populations_are_taken_apart_and_joined() -> None:
    whole = LISTS.initial(OWN, 5, SEED)
    joined = ListGenotypes.join([whole.take(np.arange(2)), whole.take(np.arange(2, 5))])
    assert len(joined) == 5
    assert (joined.values == whole.values).all()


def test_a_grammar_without_recursion_needs_no_rewriting() -> None:
    grammar = Grammar.from_text("<a> ::= <b> <b>\n<b> ::= x | y")
    assert map_genotype(grammar, {"<a>": [0], "<b>": [0, 1]}, StaticSGE()).phenotype == "x y"


@pytest.mark.parametrize(
    ("genotype", "message"),
    [
        ([0, 1], "a genotype is a mapping from each non-terminal to a list of production numbers, not"),
        ({"<expr_2>": [0]}, r"without recursion the grammar has no <expr_2>; did you mean <expr_[01]>\?"),
        ({"<expr>": 0}, "the entries of <expr> are a list of production numbers, not 0"),
        ({"<expr>": "0"}, "the entries of <expr> are a list of production numbers, not '0'"),
        ({"<expr>": [0, 1]}, "<expr> has 2 entries, but no program expands it more than 1 times"),
        ({"<op>": [0, 3]}, "entry 1 of <op> is 3: it must be an integer in 0 … 2"),
        ({"<op>": [True]}, "entry 0 of <op> is True: it must be an integer in 0 … 2"),
        ({"<op>": [0.0]}, r"entry 0 of <op> is 0\.0: it must be an integer in 0 … 2"),
    ],
)
def test_a_genotype_that_is_none_is_refused(genotype: Any, message: str) -> None:
    with pytest.raises(GenotypeError, match=message):
        map_genotype(GRAMMAR, genotype, StaticSGE(recursion=1))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-1, "recursion is -1: it must be an integer from 0 to 100"),
        (1.5, "recursion is 1.5: it must be an integer from 0 to 100"),
        (101, "recursion is 101: it must be an integer from 0 to 100"),
    ],
)
def test_a_setting_out_of_its_range_is_refused(value: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        FixedLists(value)
    with pytest.raises(SettingsError, match=message):
        StaticSGE(recursion=value)


def test_settings_reach_the_representation() -> None:
    assert StaticSGE(recursion=4).representation == FixedLists(4)
    assert StaticSGE().recursion == 6


def test_what_is_invalid_or_too_long_does_not_fit() -> None:
    grammar = Grammar.from_text("<a> ::= <b> <b>\n<b> ::= x | y")
    status = np.array([Status.OK, Status.STEP_LIMIT], np.int8)
    long = Derivations(np.array([0, 1, 2, 2], np.int32), np.array([0, 4, 4]), status)  # one <b> too many
    genotypes, fits = LISTS.encode(grammar, long, NOTHING, SEED)
    assert fits.tolist() == [False, False]
    assert ((genotypes.values >= 0) & (genotypes.values <= [0, 1, 1] * 2)).all()
