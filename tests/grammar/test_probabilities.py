from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from gramarye.errors import GrammarError
from gramarye.grammar import Grammar
from gramarye.grammar.probabilities import Probabilities

GRAMMAR = Grammar.from_text("<expr> ::= <op> | x | y\n<op> ::= + {0.25} | - {0.75}", "tiny")
VALUES = [0.5, 0.25, 0.25, 0.1, 0.9]


def test_probabilities_are_a_mapping_from_nonterminals_to_rows() -> None:
    probabilities = Probabilities(GRAMMAR, VALUES)
    assert list(probabilities) == ["<expr>", "<op>"]
    assert len(probabilities) == 2
    assert probabilities["<expr>"].tolist() == [0.5, 0.25, 0.25]
    assert {name: row.tolist() for name, row in probabilities.items()}["<op>"] == [0.1, 0.9]
    assert "<op>" in probabilities
    assert "<var>" not in probabilities
    assert probabilities.values_array.tolist() == VALUES
    assert probabilities.grammar is GRAMMAR


def test_uniform_probabilities_are_equal_within_a_rule() -> None:
    assert Probabilities.uniform(GRAMMAR).values_array.tolist() == [1 / 3, 1 / 3, 1 / 3, 0.5, 0.5]


def test_a_method_starts_from_what_the_grammar_carries() -> None:
    assert Probabilities.of(GRAMMAR)["<op>"].tolist() == [0.25, 0.75]
    plain = GRAMMAR.with_probabilities(None)
    assert Probabilities.of(plain) == Probabilities.uniform(plain)


def test_a_grammar_takes_probabilities() -> None:
    probabilities = Probabilities(GRAMMAR, VALUES)
    carrying = GRAMMAR.with_probabilities(probabilities)
    assert Probabilities.of(carrying) == probabilities
    assert Probabilities(GRAMMAR, {"<expr>": [0.5, 0.25, 0.25], "<op>": [0.1, 0.9]}) == probabilities


def test_probabilities_are_equal_by_content() -> None:
    probabilities = Probabilities(GRAMMAR, VALUES)
    other = Probabilities(Grammar.from_text(GRAMMAR.text, "other").with_probabilities(None), np.array(VALUES))
    assert probabilities == other
    assert hash(probabilities) == hash(other)
    assert probabilities != Probabilities.uniform(GRAMMAR)
    assert probabilities != Probabilities(Grammar.from_text("<a> ::= <b> | x | y\n<b> ::= + | -"), VALUES)
    assert probabilities != {"<op>": [0.1, 0.9]}


def test_probabilities_can_not_be_changed() -> None:
    given = np.array(VALUES)
    probabilities = Probabilities(GRAMMAR, given)
    given[0] = 0.0
    assert probabilities.values_array[0] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        probabilities["<op>"][0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        probabilities.values_array[0] = 1.0
    with pytest.raises(AttributeError, match="grammar can't be set"):
        probabilities.grammar = GRAMMAR
    with pytest.raises(AttributeError, match="grammar can't be deleted"):
        del probabilities.grammar
    with pytest.raises(TypeError):
        probabilities["<op>"] = given  # type: ignore[index]


def test_probabilities_survive_pickling_and_copying() -> None:
    probabilities = Probabilities(GRAMMAR, VALUES)
    for other in (pickle.loads(pickle.dumps(probabilities)), copy.deepcopy(probabilities)):
        assert other == probabilities
        assert not other.values_array.flags.writeable


def test_values_that_are_no_probabilities_name_the_nonterminal_and_the_value() -> None:
    with pytest.raises(GrammarError, match=r"tiny: the probabilities of <op> add up to 1\.2, not to 1"):
        Probabilities(GRAMMAR, [0.5, 0.25, 0.25, 0.3, 0.9])
    with pytest.raises(GrammarError, match=r"tiny: a probability of <expr> is -0\.5"):
        Probabilities(GRAMMAR, [1.5, -0.5, 0.0, 0.1, 0.9])


def test_an_unknown_nonterminal_is_a_key_error_that_names_the_nearest() -> None:
    with pytest.raises(KeyError, match=r"tiny has no non-terminal <opp>; did you mean <op>\?"):
        Probabilities(GRAMMAR, VALUES)["<opp>"]


def test_probabilities_are_shown_as_a_mapping() -> None:
    assert repr(Probabilities(GRAMMAR, VALUES)) == "Probabilities({'<expr>': [0.5, 0.25, 0.25], '<op>': [0.1, 0.9]})"
