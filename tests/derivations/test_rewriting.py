"""Grammars that a method rewrites for itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.derivations import Derivation, Derivations
from gramarye.derivations.recursion_free import without_recursion
from gramarye.derivations.rewriting import Rewriting, by_parent
from gramarye.kernels.codes import CHILD
from tests.grammars import G1, GR

GRAMMAR_1, GRAMMAR_R = gm.Grammar.from_text(G1, "G1"), gm.Grammar.from_text(GR, "GR")
INDIRECT = gm.Grammar.from_text("<a> ::= x | <b> y\n<b> ::= <a> | <a> <b> z | w\n")


def derive(grammar: gm.Grammar, n: int, seed: int) -> Derivations:
    """Derivations of random genotypes."""
    genotypes = gm.representations.IntegerLists(6, 8).initial(grammar, n, np.uint64(seed))
    return gm.representations.IntegerLists(6, 8).map(grammar, genotypes, np.zeros(0), np.uint64(seed), 0, 0)[1]


def test_the_contexts_of_the_worked_example() -> None:
    found = by_parent(GRAMMAR_1)
    assert found.grammar.nonterminals == ("<start>", "<expr.0>", "<expr.1>", "<op.1>", "<var.2>")
    assert found.templates is not None
    assert found.templates[:3] == ((0, CHILD), (1, CHILD, CHILD, CHILD), (2, CHILD))
    assert str(found.grammar).startswith("<start>  ::= <expr.0>\n")


def test_places_may_be_told_apart() -> None:
    names = by_parent(GRAMMAR_1, slots=True).grammar.nonterminals
    assert {"<expr.1.0>", "<op.1.1>", "<expr.1.2>"} <= set(names)


@pytest.mark.parametrize("grammar", [GRAMMAR_1, GRAMMAR_R, INDIRECT])
@pytest.mark.parametrize("slots", [False, True])
def test_a_derivation_of_contexts_is_one_of_the_same_text(grammar: gm.Grammar, slots: bool) -> None:
    rewriting = by_parent(grammar, slots)
    found = derive(rewriting.grammar, 40, 3)
    translated = rewriting.translate(found)
    for i in range(40):
        assert Derivation(grammar, translated[i]).phenotype == Derivation(rewriting.grammar, found[i]).phenotype
        assert (rewriting.translate_one(found[i]) == translated[i]).all()
        assert len(translated[i]) == len(found[i])


@given(st.integers(0, 1000), st.integers(0, 30))
def test_a_derivation_that_was_cut_off_stays_cut_off(seed: int, cut: int) -> None:
    rewriting = by_parent(GRAMMAR_1)
    whole = derive(rewriting.grammar, 1, seed)[0]
    part = rewriting.translate_one(whole[:cut])
    assert part.tolist() == rewriting.translate_one(whole)[:cut].tolist()


def test_a_production_may_stand_for_several() -> None:
    """Static SGE's last level: <e> ::= <v> + <v> stands for an expansion and, before each <v>, for another one."""
    original = gm.Grammar.from_text("<e> ::= <e> + <e> | <v>\n<v> ::= x | y\n")
    flat = gm.Grammar.from_text("<e> ::= <v> + <v> | <v>\n<v> ::= x | y\n")
    rewriting = Rewriting(flat, ((0, 1, CHILD, 1, CHILD), (1, CHILD), (2,), (3,)))
    found = rewriting.translate_one(np.array([0, 2, 3], np.int32))
    assert found.tolist() == [0, 1, 2, 1, 3]
    assert Derivation(original, found).phenotype == "x + y"


def test_probabilities_are_those_of_the_original() -> None:
    grammar = GRAMMAR_1.with_probabilities({"<expr>": [0.2, 0.8]})
    rewritten = by_parent(grammar).grammar
    assert rewritten.probabilities is not None
    assert rewritten.probabilities[rewritten.spans["<expr.1>"]].tolist() == [0.2, 0.8]
    assert by_parent(GRAMMAR_1).grammar.probabilities is None


def test_a_name_that_is_taken_gets_another_one() -> None:
    grammar = gm.Grammar.from_text("<a> ::= <b> <b.0>\n<b> ::= x\n<b.0> ::= y\n")
    names = by_parent(grammar).grammar.nonterminals
    assert len(set(names)) == len(names) == 3


def test_a_grammar_as_it_is_changes_nothing() -> None:
    found = derive(GRAMMAR_1, 3, 1)
    assert Rewriting(GRAMMAR_1).translate(found) is found


def test_equal_grammars_keep_their_own_names() -> None:
    other = gm.Grammar.from_text(G1, "another")
    assert other == GRAMMAR_1
    assert [by_parent(grammar).grammar.name for grammar in (GRAMMAR_1, other, GRAMMAR_1)] == ["G1", "another", "G1"]


def test_a_rewritten_grammar_may_be_rewritten_again() -> None:
    first = without_recursion(GRAMMAR_1, 1)
    second = by_parent(first.grammar)
    both = second.after(first)
    assert both.grammar == second.grammar
    found = derive(both.grammar, 60, 2)
    step_by_step, at_once = first.translate(second.translate(found)), both.translate(found)
    assert at_once.productions.tolist() == step_by_step.productions.tolist()
    assert at_once.offsets.tolist() == step_by_step.offsets.tolist()
    for i in range(60):
        assert Derivation(GRAMMAR_1, at_once[i]).phenotype == Derivation(both.grammar, found[i]).phenotype


def test_what_leaves_a_grammar_as_it_is_adds_nothing_to_a_rewriting() -> None:
    contexts, plain = by_parent(GRAMMAR_1), Rewriting(GRAMMAR_1)
    assert contexts.after(plain) == contexts
    assert Rewriting(contexts.grammar).after(contexts) == contexts
    assert plain.after(plain) == plain


def test_every_production_has_its_origin() -> None:
    assert Rewriting(GRAMMAR_1).origins.tolist() == list(range(8))
    assert by_parent(GRAMMAR_1).origins.tolist() == [0, 1, 2, 1, 2, 3, 4, 5, 6, 7]
    assert without_recursion(GRAMMAR_1, 1).origins.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 1, 2, 1, 2]
