"""Grammars whose direct recursion is written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.derivations import Derivation, Derivations, Status
from gramarye.derivations.recursion_free import most_expansions, without_recursion
from gramarye.derivations.rewriting import by_parent
from gramarye.errors import GrammarError
from gramarye.kernels.codes import CHILD
from tests.grammars import G1, GR, straight_grammars
from tests.twins import Plain

GRAMMAR_1, GRAMMAR_R = gm.Grammar.from_text(G1, "G1"), gm.Grammar.from_text(GR, "GR")
LEVELS = st.integers(0, 3)
SEEDS = st.integers(0, 2**32)


def derive(grammar: gm.Grammar, n: int, seed: int, depth: int = 5) -> Derivations:
    """Derivations of random genotypes."""
    lists = gm.representations.IntegerLists(depth, depth + 2)
    genotypes = lists.initial(grammar, n, np.uint64(seed))
    return lists.map(grammar, genotypes, np.zeros(0), np.uint64(seed), 0, 0)[1]


class TestTheWorkedExample:
    REWRITING = without_recursion(GRAMMAR_1, 1)
    STEPS = np.array([0, 1, 9, 6, 4, 8, 11, 7, 3, 10, 6, 5, 7], np.int32)
    FOLDED = np.array([0, 1, 2, 6, 4, 1, 2, 7, 3, 1, 2, 6, 5, 2, 7], np.int32)

    def test_its_rules(self) -> None:
        assert str(self.REWRITING.grammar) == (
            "<start>  ::= <expr>\n"
            "<expr>   ::= <expr_0> <op> <expr_0> | <var>\n"
            "<op>     ::= + | * | -\n"
            "<var>    ::= x | 1.0\n"
            "<expr_0> ::= <expr_1> <op> <expr_1> | <var>\n"
            "<expr_1> ::= <var> <op> <var> | <var>\n"
        )

    def test_its_templates(self) -> None:
        assert self.REWRITING.templates is not None
        assert self.REWRITING.templates[8:] == (
            (1, CHILD, CHILD, CHILD), (2, CHILD), (1, 2, CHILD, CHILD, 2, CHILD), (2, CHILD),
        )  # fmt: skip

    def test_its_sizes(self) -> None:
        assert most_expansions(self.REWRITING.grammar) == (1, 1, 7, 8, 2, 4)

    def test_its_derivation_folded_and_unfolded(self) -> None:
        assert self.REWRITING.translate_one(self.STEPS).tolist() == self.FOLDED.tolist()
        assert Derivation(GRAMMAR_1, self.FOLDED).phenotype == "x * 1.0 + x - 1.0"
        assert self.REWRITING.unfold(GRAMMAR_1, Derivations.of(self.FOLDED))[0].tolist() == self.STEPS.tolist()


def test_the_leftmost_reference_varies_slowest() -> None:
    grammar = gm.Grammar.from_text("<a> ::= x | ( <a> , <a> ) | y <b>\n<b> ::= z")
    found = without_recursion(grammar, 0)
    assert str(found.grammar) == (
        "<a>   ::= x | ( <a_0> , <a_0> ) | y <b>\n"
        "<b>   ::= z\n"
        "<a_0> ::= x | ( x , x ) | ( x , y <b> ) | ( y <b> , x ) | ( y <b> , y <b> ) | y <b>\n"
    )
    assert found.templates == (
        (0,), (1, CHILD, CHILD), (2, CHILD), (3,),
        (0,), (1, 0, 0), (1, 0, 2, CHILD), (1, 2, CHILD, 0), (1, 2, CHILD, 2, CHILD), (2, CHILD),
    )  # fmt: skip


def test_a_name_that_is_taken_gets_another_one() -> None:
    grammar = gm.Grammar.from_text("<a> ::= x <a> | <a_0> | <a_1>\n<a_0> ::= y <a_0> | z\n<a_1> ::= w")
    names = without_recursion(grammar, 1).grammar.nonterminals
    assert names == ("<a>", "<a_0>", "<a_1>", "<a_0'>", "<a_1'>", "<a_0_0>", "<a_0_1>")


def test_a_grammar_without_recursion_stays_as_it_is() -> None:
    grammar = gm.Grammar.from_text("<a> ::= <b> <b>\n<b> ::= x | y")
    found = without_recursion(grammar, 6)
    assert found.grammar is grammar
    assert found.templates is None
    derivations = derive(grammar, 3, 1)
    assert found.unfold(grammar, derivations) is derivations


def test_indirect_recursion_is_refused() -> None:
    grammar = gm.Grammar.from_text("<a> ::= x | <b> y\n<b> ::= <a> | w\n<c> ::= z\n", "loops")
    message = r"loops: <a> derives itself by way of another non-terminal \(<a>, <b>\); .* use the method sge"
    with pytest.raises(GrammarError, match=message):
        without_recursion(grammar, 6)
    with pytest.raises(GrammarError, match=message):
        gm.engine.start(gm.engine.Setup(gm.Objective(len, grammar), gm.StaticSGE(), 1))


def test_too_many_productions_are_refused_before_they_are_made() -> None:
    grammar = gm.Grammar.from_text("<a> ::= " + "<a>" * 12 + " | GE_RANGE:10", "wide")
    with pytest.raises(GrammarError, match="wide: without recursion, over 6 levels, it would have 1,000,000,000,087 "):
        without_recursion(grammar, 6)


def test_sizes_of_recursive_grammars_are_refused() -> None:
    with pytest.raises(GrammarError, match="G1: <expr> is recursive, and may be expanded without end"):
        most_expansions(GRAMMAR_1)


def test_sizes_are_exact_however_large() -> None:
    assert most_expansions(without_recursion(GRAMMAR_1, 100).grammar)[3] == 2**102  # <var>
    assert [sum(most_expansions(without_recursion(GRAMMAR_R, levels).grammar)) for levels in (0, 1, 6)] == [13, 27, 895]


def test_a_non_terminal_out_of_reach_needs_no_entry() -> None:
    grammar = gm.Grammar.from_text("<a> ::= x | y\n<b> ::= <b> z | <a>")
    assert most_expansions(without_recursion(grammar, 0).grammar) == (1, 0, 0)


@given(straight_grammars(), LEVELS)
def test_sizes_are_those_of_the_definition(grammar: gm.Grammar, levels: int) -> None:
    rewritten = without_recursion(grammar, levels).grammar
    plain = Plain.of(rewritten)

    def most(a: int, b: int) -> int:
        return (a == b) + max(sum(most(a, kid) for kid in plain.kids[q]) for q in plain.rules[b])

    assert most_expansions(rewritten) == tuple(most(a, 0) for a in range(len(plain.rules)))


@given(straight_grammars(), LEVELS, SEEDS)
def test_no_rule_recurs_and_texts_stay_the_same(grammar: gm.Grammar, levels: int, seed: int) -> None:
    rewriting = without_recursion(grammar, levels)
    analysis = rewriting.grammar.analysis
    assert analysis.directly_recursive == analysis.indirectly_recursive == ()
    found = derive(rewriting.grammar, 6, seed, 8).take(np.arange(6))
    folded = rewriting.translate(found)
    back = rewriting.unfold(grammar, folded)
    sizes = np.array(most_expansions(rewriting.grammar))
    for i in range(6):
        derivation = Derivation(rewriting.grammar, found[i])
        assert Derivation(grammar, folded[i]).phenotype == derivation.phenotype
        assert back[i].tolist() == found[i].tolist()
        assert (np.array([sum(counts) for counts in derivation.counts.values()]) <= sizes).all()


def fits(grammar: gm.Grammar, derivation: list[int], levels: int) -> bool:
    """Whether no non-terminal goes on below itself more than levels + 1 times, and once more without recursion."""
    plain = Plain.of(grammar)
    left = {q: a for a, rule in enumerate(plain.rules) for q in rule}
    pending = [(0, 0)]
    for q in derivation:
        a, depth = pending.pop()
        assert left[q] == a
        if a in plain.kids[q] and depth > levels + 1:
            return False
        pending += [(kid, depth + 1 if kid == a else 0) for kid in reversed(plain.kids[q])]
    return True


@given(straight_grammars() | st.just(GRAMMAR_R), LEVELS, SEEDS)
def test_what_recurs_too_deep_is_refused_and_the_rest_maps_back(grammar: gm.Grammar, levels: int, seed: int) -> None:
    rewriting = without_recursion(grammar, levels)
    found = derive(grammar, 8, seed)
    there = rewriting.unfold(grammar, found)
    back = rewriting.translate(there)
    for i in range(8):
        fit = found.status[i] == Status.OK and fits(grammar, found[i].tolist(), levels)
        assert (there.status[i] == Status.OK) == fit
        assert back[i].tolist() == (found[i].tolist() if fit else [])


def test_what_is_invalid_stays_invalid() -> None:
    rewriting = without_recursion(GRAMMAR_1, 1)
    invalid = Derivations(np.zeros(0, np.int32), np.zeros(2, np.int64), np.array([Status.OUT_OF_CODONS], np.int8))
    folded = Derivations.of(np.array([0, 2, 6], np.int32))
    found = rewriting.unfold(GRAMMAR_1, Derivations.join([folded, invalid, folded]))
    assert found.status.tolist() == [Status.OK, Status.OUT_OF_CODONS, Status.OK]
    assert [found[i].tolist() for i in range(3)] == [[0, 2, 6], [], [0, 2, 6]]


def test_contexts_can_be_unfolded_as_well() -> None:
    rewriting = by_parent(GRAMMAR_R)
    found = derive(rewriting.grammar, 20, 4)
    back = rewriting.unfold(GRAMMAR_R, rewriting.translate(found))
    assert back.productions.tolist() == found.productions.tolist()
    assert back.offsets.tolist() == found.offsets.tolist()


def test_probabilities_are_left_behind() -> None:
    carrying = GRAMMAR_1.with_probabilities({"<expr>": [0.2, 0.8]})
    assert without_recursion(carrying, 1).grammar.probabilities is None
