from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.errors import GrammarError, SettingsError
from gramarye.grammar import Grammar
from tests.grammars import grammars


def pruned(text: str, minimum: float = 0.05) -> str:
    return str(Grammar.from_text(text).pruned(minimum))


def test_seldom_productions_go_and_the_others_share_what_they_had() -> None:
    assert pruned("<a> ::= x {0.6} | y {0.36} | z {0.04}") == "<a> ::= x {0.625}\n      | y {0.375}\n"
    assert pruned("<a> ::= x {0.5} | y {0.5}", 0.5) == "<a> ::= x {0.5}\n      | y {0.5}\n"


def test_rules_that_are_not_reached_any_more_go_too() -> None:
    text = "<a> ::= x {0.99} | <b> {0.01}\n<b> ::= y {0.5} | <const> {0.5}"
    assert pruned(text) == "<a> ::= x {1.0}\n"


def test_a_rule_keeps_its_most_probable_productions() -> None:
    assert pruned("<a> ::= x {0.4} | y {0.4} | z {0.2}", 0.9) == "<a> ::= x {0.5}\n      | y {0.5}\n"


def test_a_rule_keeps_a_way_to_end() -> None:
    assert pruned("<a> ::= <a>x {1.0} | y {0.0}", 0.25) == "<a> ::= <a>x {0.8}\n      | y    {0.2}\n"


@given(grammars(), st.data(), st.floats(0, 1))
def test_what_is_left_is_a_part_of_the_grammar(grammar: Grammar, data: st.DataObject, minimum: float) -> None:
    rows = {}
    for name, rule in grammar.rules.items():
        row = np.array(data.draw(st.lists(st.integers(0, 50), min_size=len(rule), max_size=len(rule)))) + 0.0
        rows[name] = row / row.sum() if row.sum() else np.full(len(rule), 1 / len(rule))
    carrying = grammar.with_probabilities(rows)
    small = carrying.pruned(minimum)
    assert small.nonterminals[0] == grammar.nonterminals[0]
    assert not small.analysis.unreachable
    for name, rule in small.rules.items():
        before = [production.symbols for production in grammar.rules[name]]
        assert rule
        assert all(production.symbols in before for production in rule)
    if minimum == 0:
        assert len(small.productions) == sum(
            len(rule) for name, rule in grammar.rules.items() if name in small.nonterminals
        )


def test_the_grammar_of_a_run_is_pruned_and_used() -> None:
    problem = gm.problems.load("quartic")
    run = gm.evolve(problem, gm.PGE(population=50, generations=5), seed=1)
    small = run.grammar.pruned(0.3)
    assert len(small.productions) < len(run.grammar.productions)
    gm.evolve(gm.problems.load("quartic", small), gm.PGE(population=20, generations=2), seed=1)


def test_there_must_be_probabilities_and_a_minimum() -> None:
    with pytest.raises(GrammarError, match="it carries no probabilities to prune by"):
        Grammar.from_text("<a> ::= x").pruned()
    for wrong in (-0.1, 1.5, True, "a"):
        with pytest.raises(SettingsError, match="minimum is"):
            Grammar.from_text("<a> ::= x {1.0}").pruned(wrong)  # type: ignore[arg-type]
