from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Derivation, Derivations, Status, sentential_forms
from gramarye.errors import GrammarError
from gramarye.grammar import Grammar
from gramarye.representations import FlatInteger
from tests.grammars import G1, G2, grammars

GRAMMAR = Grammar.from_text(G1)
PRODUCT = [0, 1, 2, 6, 4, 1, 2, 7, 5, 2, 6]  # ALGORITHMS.md 3.4


def derivation(productions: list[int], grammar: Grammar = GRAMMAR) -> Derivation:
    return Derivation(grammar, np.array(productions, np.int32))


def test_a_derivation_knows_its_phenotype_its_counts_and_its_tree() -> None:
    found = derivation(PRODUCT)
    assert found.complete
    assert found.phenotype == found.form == "x * 1.0 - x"
    assert found.depth == 5
    assert found.size == 1 + 5 + 2 + 3 + 5  # one start, five expr, two op, three var, five terminals
    assert found.counts == {"<start>": [1], "<expr>": [2, 3], "<op>": [0, 1, 1], "<var>": [2, 1]}
    assert found.tree.text == "<start>"


def test_the_grammar_is_ambiguous_two_derivations_give_one_text() -> None:
    other = derivation([0, 1, 1, 2, 6, 4, 2, 7, 5, 2, 6])
    assert other.phenotype == derivation(PRODUCT).phenotype
    assert other.productions.tolist() != PRODUCT


@pytest.mark.parametrize(
    ("productions", "form"),
    [
        ([], "<start>"),
        ([0], "<expr>"),
        ([0, 1], "<expr> <op> <expr>"),
        ([0, 1, 2, 6, 4, 1, 1], "x * <expr> <op> <expr> <op> <expr>"),
    ],
)
def test_an_unfinished_derivation_has_a_form_but_no_phenotype(productions: list[int], form: str) -> None:
    found = derivation(productions)
    assert found.form == form
    assert found.phenotype is None
    assert not found.complete


def test_an_empty_production_is_one_node_without_text() -> None:
    grammar = Grammar.from_text('<a> ::= x<b>\n<b> ::= ""')
    found = derivation([0, 1], grammar)
    assert found.phenotype == "x"
    assert found.depth == 2
    assert found.size == 4


def test_white_space_belongs_to_the_text_but_is_no_node() -> None:
    grammar = Grammar.from_text("<a> ::= x   y")
    assert derivation([0], grammar).phenotype == "x   y"
    assert derivation([0], grammar).size == 3


@pytest.mark.parametrize(
    ("productions", "message"),
    [
        ([0, 3], "step 1: production 3 belongs to <op>, but the leftmost non-terminal is <expr>"),
        ([1], "step 0: production 1 belongs to <expr>, but the leftmost non-terminal is <start>"),
        ([0, 2, 6, 6], "the derivation ends after 3 steps, but 4 productions were given"),
        ([0, 99], "step 1: there is no production 99; give 0 … 7"),
        ([-1], "step 0: there is no production -1; give 0 … 7"),
    ],
)
def test_productions_that_do_not_follow_from_each_other_are_refused(productions: list[int], message: str) -> None:
    with pytest.raises(GrammarError, match=message):
        _ = derivation(productions).form


def test_a_derivation_draws_itself_as_text_and_as_svg() -> None:
    found = derivation(PRODUCT)
    assert "<expr>" in str(found)
    assert found._repr_svg_() == found.svg()
    assert found.svg().startswith("<svg")


def test_thousands_of_levels_are_no_problem() -> None:
    grammar = Grammar.from_text("<a> ::= (<a>) | x")
    found = derivation([0] * 5000 + [1], grammar)
    assert found.phenotype == "(" * 5000 + "x" + ")" * 5000
    assert found.depth == 5001


def test_derivations_of_a_population_are_taken_apart_and_joined() -> None:
    one = Derivations.of(np.array([0, 2, 6], np.int32))
    two = Derivations(np.array([0, 2, 7], np.int32), np.array([0, 0, 3]), np.array([Status.OUT_OF_CODONS, 0], np.int8))
    both = Derivations.join([one, two])
    assert len(both) == 3
    assert [both[i].tolist() for i in range(3)] == [[0, 2, 6], [], [0, 2, 7]]
    assert both.status.tolist() == [0, 1, 0]
    assert Derivations.join([one]) is one


@given(grammars(), st.integers(0, 2**32), st.booleans())
def test_what_was_mapped_can_always_be_replayed(grammar: Grammar, seed: int, consume_single: bool) -> None:
    representation = FlatInteger(codons=20, consume_single=consume_single)
    genotypes = representation.initial(grammar, 20, np.uint64(seed))
    _, derivations = representation.map(grammar, genotypes, np.zeros(0), np.uint64(seed), 0, 0)
    for i in range(len(derivations)):
        found = Derivation(grammar, derivations[i])
        if derivations.status[i] != Status.OK:
            assert len(derivations[i]) == 0
            continue
        assert found.complete
        assert sum(map(sum, found.counts.values())) == len(found.productions)
        assert sum(found.counts[grammar.nonterminals[0]]) >= 1
        assert found.depth >= grammar.arrays.nt_height[0]


def test_the_tables_of_a_grammar_number_productions_as_the_examples_do() -> None:
    grammar = Grammar.from_text(G2)
    assert derivation([0, 1, 2, 9, 4, 2, 7], grammar).phenotype == "1.0 - x"
    assert derivation([0, 1, 2, 9, 4, 2, 7], grammar).depth == 4


@given(grammars(), st.integers(0, 2**32), st.sets(st.integers(0, 60)))
def test_forms_are_those_of_the_derivations_so_far(grammar: Grammar, seed: int, steps: set[int]) -> None:
    representation = FlatInteger(20)
    genotypes = representation.initial(grammar, 5, np.uint64(seed))
    _, found = representation.map(grammar, genotypes, np.zeros(0), np.uint64(seed), 0, 0)
    for i in range(5):
        productions = found[i][:60]
        slow = {n: Derivation(grammar, productions[: n + 1]).form for n in range(len(productions)) if n in steps}
        assert dict(sentential_forms(Derivation(grammar, productions), steps)) == slow


def test_a_derivation_shows_itself_on_one_line() -> None:
    assert repr(derivation(PRODUCT)) == "Derivation('x * 1.0 - x', 11 steps)"
    assert repr(derivation([0, 1])) == "Derivation('<expr> <op> <expr>', 2 steps)"
    assert len(repr(derivation([0, *[1] * 500]))) < 100
