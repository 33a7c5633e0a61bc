from __future__ import annotations

import math
import pickle
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gramarye.derivations import Derivation
from gramarye.derivations.parsing import parse
from gramarye.derivations.rewriting import by_parent
from gramarye.errors import GrammarError
from gramarye.grammar import Grammar
from gramarye.grammar.constants import WRITTEN, number_text, value_of

TEXT = "<e> ::= (<e> + <e>) | x | <const:-1..1> | <const>\n"
GRAMMAR = Grammar.from_text(TEXT)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


# Reading


def test_a_constant_is_a_rule_with_one_production_that_nobody_writes() -> None:
    assert GRAMMAR.nonterminals == ("<e>", "<const:-1..1>", "<const>")
    assert [len(rule) for rule in GRAMMAR.rules.values()] == [4, 1, 1]
    assert GRAMMAR.constants.tolist() == [False] * 4 + [True] * 2
    assert GRAMMAR.constant_names == {"<const>", "<const:-1..1>"}
    assert GRAMMAR.bounds[4:].tolist() == [[-1.0, 1.0], [-math.inf, math.inf]]
    assert GRAMMAR.has_constants
    assert GRAMMAR.analysis.warnings == ()
    assert GRAMMAR.analysis.heights == {"<e>": 1, "<const:-1..1>": 1, "<const>": 1}


def test_a_grammar_that_defines_the_name_itself_has_an_ordinary_rule() -> None:
    grammar = Grammar.from_text("<e> ::= x<const> | <const:-1..1>\n<const> ::= 1 | 2\n<const:-1..1> ::= y")
    assert not grammar.has_constants
    assert not grammar.constants.any()
    assert Derivation(grammar, np.array([0, 3], np.int32)).phenotype == "x2"


def test_a_rule_may_have_a_name_that_would_be_no_constant() -> None:
    grammar = Grammar.from_text("<e> ::= <const:> | <const:2..1>\n<const:> ::= x\n<const:2..1> ::= y")
    assert not grammar.has_constants
    assert np.isinf(grammar.bounds).all()


def test_in_quotes_the_name_is_text() -> None:
    grammar = Grammar.from_text('<e> ::= x"<const>"')
    assert not grammar.has_constants
    assert Derivation(grammar, np.array([0], np.int32)).phenotype == "x<const>"


def test_other_undefined_names_stay_errors() -> None:
    for name in ("<constant>", "<Const>", "<const-1>"):
        with pytest.raises(GrammarError, match=f"no rule defines {name}"):
            Grammar.from_text(f"<e> ::= {name}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<e> ::= <const:>", "the bounds of <const:> must be two finite numbers; write them as in <const:-1..1>"),
        ("<e> ::= <const:1>", "the bounds of <const:1> must be two finite numbers"),
        ("<e> ::= <const:a..b>", "the bounds of <const:a..b> must be two finite numbers"),
        ("<e> ::= <const:0..1..2>", "the bounds of <const:0..1..2> must be two finite numbers"),
        ("<e> ::= <const:-1...1>", "the bounds of <const:-1...1> must be two finite numbers"),
        ("<e> ::= <const:.5..1>", "the bounds of <const:.5..1> must be two finite numbers"),
        ("<e> ::= <const: -1..1>", "the bounds of <const: -1..1> must be two finite numbers"),
        ("<e> ::= <const:-1.. 1>", "the bounds of <const:-1.. 1> must be two finite numbers"),
        ("<e> ::= <const:1_0..20>", "the bounds of <const:1_0..20> must be two finite numbers"),
        ("<e> ::= <const:٠..٩>", "the bounds of <const:٠..٩> must be two finite numbers"),
        ("<e> ::= <const:nan..1>", "the bounds of <const:nan..1> must be two finite numbers"),
        ("<e> ::= <const:0..nan>", "the bounds of <const:0..nan> must be two finite numbers"),
        ("<e> ::= <const:-inf..1>", "the bounds of <const:-inf..1> must be two finite numbers"),
        ("<e> ::= <const:0..1e999>", "the bounds of <const:0..1e999> must be two finite numbers"),
        ("<e> ::= <const:2..1>", "leave no room: 2.0 is not below 1.0; write the smaller one first, as in <const:"),
        ("<e> ::= <const:1..1>", "the bounds of <const:1..1> leave no room: 1.0 is not below 1.0"),
        ("<e> ::= <const:1..-1>", "the bounds of <const:1..-1> leave no room: 1.0 is not below -1.0"),
        ("<e> ::= <const -1..1>", "no rule defines <const -1..1>; a constant with bounds is written <const:-1..1>"),
        ("<e> ::= <const :-1..1>", "no rule defines <const :-1..1>; a constant with bounds is written <const:-1..1>"),
        ("<e> ::= x | <const:-1,1>", "<const:-1,1> is not a constant; write <const:-1..1>, or put it in quotes"),
        ("<e> ::= x | <const:-1..+1>", "<const:-1..+1> is not a constant; write <const:-1..1>, or put it in quotes"),
        ("<e> ::= x | <const:[-1,1]>", "<const:[-1,1]> is not a constant; write <const:-1..1>, or put it in quotes"),
        ("<e> ::= x | <const(-1,1)>", "<const(-1,1)> is not a constant; write <const:-1..1>, or put it in quotes"),
        ("<e> ::= x | < const:-1..1>", "< const:-1..1> is not a constant; write <const:-1..1>, or put it in quotes"),
        ("<e> ::= x | <const=-1..1>", "<const=-1..1> is not a constant; write <const:-1..1>, or put it in quotes"),
        ("<e> ::= x | <CONST:-1;1>", "<CONST:-1;1> is not a constant; write <const:-1..1>, or put it in quotes"),
        ("<e> ::= x | <const:−1..1>", "<const:−1..1> is not a constant; write <const:-1..1>, or put it in quotes"),
        ('<e> ::= <const> | "<const>"', '<const> is a number here, and "<const>" in quotes is text'),
        ("<e> ::= 2<const>", "<const> can be next to '2', and both would be read as one; put a blank"),
        ("<e> ::= <const>2", "<const> can be next to '2'"),
        ("<e> ::= <const>.5", "<const> can be next to '.5'"),
        ("<e> ::= x<const>", "<const> can be next to 'x'"),
        ("<e> ::= (<const>e3)", "<const> can be next to 'e3)'"),
        ("<e> ::= x_<const>", "<const> can be next to 'x_'"),
        ("<e> ::= <const><const>", "<const> can be next to '<const>'"),
        ("<e> ::= <const><a><const:0..1>\n<a> ::= \"\" | +", "<const> can be next to '<const:0..1>'"),
        ("<e> ::= <e><e> | + | <const>", "<const> can be next to '<const>'"),
        ("<e> ::= <v><e> | <const>\n<v> ::= x | -", "<const> can be next to 'x'"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_number_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(GrammarError) as caught:
        Grammar.from_text(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("grammar, line 1, column ")


@pytest.mark.parametrize(
    "text", ['"<const:-1,1>"', r"\<const:-1,1\>", "x # <const:-1,1>", "a < const 1 | b > 2", "map<const T&, x>"]
)
def test_what_only_looks_like_a_constant_stays_text_where_it_is_quoted_or_lacks_bounds(text: str) -> None:
    assert not Grammar.from_text(f"<e> ::= {text}").has_constants


def test_numbers_are_read_in_ascii_digits_only() -> None:
    grammar = Grammar.from_text("<e> ::= <const> + <const:-1..1>")
    assert WRITTEN.fullmatch("1.5e-3")
    assert not WRITTEN.match("١.٥")
    with pytest.raises(GrammarError):
        parse(grammar, "٣ + 0.5")


def test_all_errors_are_reported_together() -> None:
    with pytest.raises(GrammarError) as caught:
        Grammar.from_text("<e> ::= <const:2..1> | <f>\n<g> ::= <const:0..inf>")
    assert [line.split(":")[0] for line in str(caught.value).splitlines() if line.startswith("grammar")] == [
        "grammar, line 1, column 9",
        "grammar, line 1, column 24",
        "grammar, line 2, column 9",
    ]
    with pytest.raises(GrammarError) as caught:
        Grammar.from_text("<e> ::= 1<const> + <const:0..1>2")
    assert str(caught.value).count("can be next to") == 2


@pytest.mark.parametrize(
    "text", ["(<const>)", "<const> x", "-<const>", "f(<const>,<const>)", "<const> <const>", "<const>"]
)
def test_operators_brackets_and_blanks_may_be_next_to_a_number(text: str) -> None:
    assert Grammar.from_text(f"<e> ::= {text}").has_constants


# Round trips


@pytest.mark.parametrize("slots", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "<e> ::= <const> <f>\n<f> ::= <const:2..3> <e> | <const:-1e-3..1e3> | +",
        "<e> ::= <f> {0.25} | <const> {0.75}\n<f> ::= x {0.5} | -<const:0..1> {0.5}",
    ],
)
def test_the_text_of_a_grammar_reads_back_and_so_does_that_of_its_contexts(text: str, slots: bool) -> None:
    grammar = Grammar.from_text(text)
    for one in (grammar, by_parent(grammar, slots).grammar):
        again = Grammar.from_text(one.text)
        assert again == one
        assert again.bounds.tolist() == one.bounds.tolist()
        assert "constant" not in one.text


def test_probabilities_of_constants_are_1_exactly_and_are_not_written() -> None:
    grammar = GRAMMAR.with_probabilities([0.25, 0.25, 0.25, 0.25, 1 - 1e-12, 1.0])
    assert grammar.probabilities is not None
    assert grammar.probabilities.tolist() == [0.25] * 4 + [1.0, 1.0]
    assert Grammar.from_text(grammar.text) == grammar
    assert "<const>" not in [line.split(" ")[0] for line in grammar.text.splitlines()]


def test_a_grammar_with_constants_is_pickled() -> None:
    again = pickle.loads(pickle.dumps(GRAMMAR))
    assert again == GRAMMAR
    assert hash(again) == hash(GRAMMAR)
    assert again.constants.tolist() == GRAMMAR.constants.tolist()
    assert again != Grammar.from_text(TEXT.replace("-1..1", "-1..2"))


# Numbers as text


@given(FINITE)
@example(0.0)
@example(-0.0)
@example(5e-324)
@example(1e22)
@example(-1.7976931348623157e308)
def test_a_number_is_written_in_the_shortest_way_that_reads_back_to_its_bits(value: float) -> None:
    text = number_text(value)
    assert struct.pack("d", value_of(text)) == struct.pack("d", value)
    match: Any = WRITTEN.fullmatch(text)
    assert match is not None
    assert text.startswith("(-") == (math.copysign(1.0, value) < 0)
    digits = text.strip("(-)")
    assert digits == repr(abs(value))
    assert all(float(f"{abs(value):.{n}g}") != abs(value) for n in range(1, significant(digits)))


def significant(digits: str) -> int:
    """How many digits a number is written with."""
    return len(digits.split("e", maxsplit=1)[0].replace(".", "").strip("0")) or 1


@pytest.mark.parametrize(
    ("text", "value"),
    [("-.5", -0.5), ("( - 2 )", -2.0), ("3.", 3.0), ("1E-3", 0.001), ("(-1e+2)", -100.0), ("007", 7.0)],
)
def test_a_user_may_write_numbers_in_other_ways(text: str, value: float) -> None:
    assert WRITTEN.fullmatch(text)
    assert value_of(text) == value
