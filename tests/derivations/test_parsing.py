"""Text → derivation."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.derivations import Derivation
from gramarye.derivations.parsing import parse
from gramarye.derivations.waiting import bits
from gramarye.errors import GrammarError
from gramarye.grammar import Grammar
from tests.grammars import G1, GR, grammars

GRAMMAR_1, GRAMMAR_R = Grammar.from_text(G1, "G1"), Grammar.from_text(GR, "GR")


def random_derivation(grammar: Grammar, seed: int, steps: int = 60) -> Derivation:
    """Of any shape: chosen at random, and from some step on by the shortest way out."""
    rng = np.random.default_rng(seed)
    arrays, left = grammar.arrays, [grammar.nonterminals[0]]
    found: list[int] = []
    while left:
        rule = grammar.rules[left.pop()]
        lowest = min(arrays.height[production.id] for production in rule)
        options = [p for p in rule if len(found) < steps or arrays.height[p.id] == lowest]
        chosen = options[rng.integers(len(options))]
        found.append(chosen.id)
        left.extend(s.text for s in reversed(chosen.symbols) if s.kind == "nonterminal")
    return Derivation(grammar, np.array(found, np.int32))


def derives(grammar: Grammar, text: str) -> bool:
    """By trying all ways to divide the text, again and again until nothing is new."""
    known: set[tuple[str, int, int]] = set()

    def ends(symbols: Any, i: int) -> set[int]:
        found = {i}
        for symbol in symbols:
            if symbol.kind == "nonterminal":
                found = {b for a in found for b in range(a, len(text) + 1) if (symbol.text, a, b) in known}
            else:
                found = {a + len(symbol.text) for a in found if text.startswith(symbol.text, a)}
        return found

    while True:
        more = {
            (p.nonterminal, i, j) for p in grammar.productions for i in range(len(text) + 1) for j in ends(p.symbols, i)
        }
        if more <= known:
            return (grammar.nonterminals[0], 0, len(text)) in known
        known |= more


@given(grammars(), st.integers(0, 10**6))
def test_what_a_grammar_derives_is_parsed(grammar: Grammar, seed: int) -> None:
    text = random_derivation(grammar, seed).phenotype
    assert text is not None
    found = parse(grammar, text)
    assert found.phenotype == text  # which replays it as well
    assert parse(grammar, text).productions.tolist() == found.productions.tolist()


@given(grammars(("a", "aa", "ab", "b")))
def test_exactly_the_texts_that_a_grammar_derives_are_parsed(grammar: Grammar) -> None:
    for length in range(4):
        for letters in product("ab", repeat=length):
            text = "".join(letters)
            if derives(grammar, text):
                assert parse(grammar, text).phenotype == text
            else:
                with pytest.raises(GrammarError, match="expected"):
                    parse(grammar, text)


@pytest.mark.parametrize(
    ("text", "phenotype"),
    [
        ("x*x+1.0", "x * x + 1.0"),
        ("x * x + 1.0", "x * x + 1.0"),
        ("  x\t*\n x  ", "x * x"),
        ("sin(x)*( x+y )", "sin ( x ) * ( x + y )"),
        ("inv ( 1.0 )", "inv ( 1.0 )"),
    ],
)
def test_white_space_is_as_one_likes_it(text: str, phenotype: str) -> None:
    assert parse(GRAMMAR_R, text).phenotype == phenotype


@given(st.integers(0, 10**6), st.data())
def test_blanks_between_terminals_change_nothing(seed: int, data: st.DataObject) -> None:
    text = random_derivation(GRAMMAR_R, seed, 30).form
    blanks = st.sampled_from(["", " ", "\t\n "])
    other = "".join(data.draw(blanks) + word for word in text.split()) + data.draw(blanks)
    assert parse(GRAMMAR_R, other).productions.tolist() == parse(GRAMMAR_R, text).productions.tolist()


@pytest.mark.parametrize(
    ("bnf", "text", "productions"),
    [
        # the text's own blanks decide where they can
        ('<a> ::= x y | "x""y"', "xy", [1]),
        ('<a> ::= x y | "x""y"', "x y", [0]),
        ('<a> ::= x y | "x""y"', "x  y", [0]),
        # terminals that begin with one another
        ("<a> ::= <b> <b> | <b>\n<b> ::= x | x1 | 1", "x1x", [0, 3, 2]),
        ("<a> ::= <b><b><b>\n<b> ::= x | x1 | 1", "x1x", [0, 1, 3, 1]),
        # blanks that are terminals
        ('<a> ::= <a>" "<a> | x', "x x", [0, 1, 1]),
        ('<a> ::= <a>" "<a> | x', " x   x ", [0, 1, 1]),
        ('<a> ::= " " | x', "   ", [0]),
        ('<a> ::= "  x" | x', "   x", [0]),
        # nothing at all
        ('<a> ::= "" | x', "", [0]),
        ('<a> ::= "" | x', "  ", [0]),
        ('<a> ::= <b><b> | <b>\n<b> ::= "" | x', "", [1, 2]),
        # left and indirect recursion
        ("<a> ::= <a>x | x", "xxx", [0, 0, 1]),
        ("<a> ::= <b>y | z\n<b> ::= <a>x | w", "zxyxy", [0, 2, 0, 2, 1]),
        # circles of productions that pass all on
        ("<a> ::= <a> | x", "x", [1]),
        ("<a> ::= <b>\n<b> ::= <a> | <c>\n<c> ::= <b> | x", "x", [0, 2, 4]),
        ('<a> ::= <a><a> | "" | x', "x", [2]),
        ('<a> ::= <a><a> | "" | x', "xx", [0, 2, 2]),
        ('<a> ::= <b><c><b>\n<b> ::= "" | <a>\n<c> ::= x | <a><a>', "x", [0, 1, 3, 1]),
    ],
)
def test_which_of_several_derivations_is_chosen(bnf: str, text: str, productions: list[int]) -> None:
    assert parse(Grammar.from_text(bnf), text).productions.tolist() == productions


def test_of_equal_productions_the_earliest_is_chosen() -> None:
    grammar = Grammar.from_text("<a> ::= <b> | <c>\n<b> ::= x\n<c> ::= x")
    assert parse(grammar, "x").productions.tolist() == [0, 2]


def test_the_text_is_divided_evenly() -> None:
    assert parse(GRAMMAR_1, "x + x - x * x").productions.tolist() == [0, 1, 1, 2, 6, 3, 2, 6, 5, 1, 2, 6, 4, 2, 6]
    assert parse(GRAMMAR_1, "*".join(["x"] * 64)).depth == 9


ERRORS = [
    (
        "x ** x",
        "the program, line 1, column 4: this is not a program of G1; expected one of: x 1.0\n    x ** x\n       ^",
    ),
    (
        "x x",
        "the program, line 1, column 3: this is not a program of G1; expected one of: + * - or the end\n    x x\n",
    ),
    (
        "x +\n x $ 1.0",
        "the program, line 2, column 4: this is not a program of G1; expected one of: + * - or the end\n",
    ),
    ("x *", "the program, line 1, column 4: the text ends too early; expected one of: x 1.0\n    x *\n       ^"),
    ("", "the program, line 1, column 1: the text ends too early; expected one of: x 1.0\n"),
    ("sin(x)", "the program, line 1, column 1: this is not a program of G1; expected one of: x 1.0\n"),
    (None, "the program is of type NoneType; give its text"),
]


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_an_error_shows_where_and_what_was_expected(text: Any, message: str) -> None:
    with pytest.raises(GrammarError) as caught:
        parse(GRAMMAR_1, text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("bnf", "text", "expected"),
    [
        ('<a> ::= " " | "\\n"', "x", r"expected one of: ␣ \n"),
        ('<a> ::= "" | x', "xx", "expected the end"),
        ('<a> ::= "" | x', "y", "expected x or the end"),
        ("<a> ::= GE_RANGE:30", "x", "expected one of: " + " ".join(map(str, range(20))) + " … (10 more)"),
    ],
)
def test_what_is_expected_is_made_readable(bnf: str, text: str, expected: str) -> None:
    with pytest.raises(GrammarError) as caught:
        parse(Grammar.from_text(bnf), text)
    assert expected in str(caught.value).splitlines()[0]
    assert str(caught.value).splitlines()[0].endswith(expected)


def test_a_text_may_have_a_name_and_begin_on_a_later_line() -> None:
    with pytest.raises(GrammarError, match=r"^seeds\.txt, line 7, column 2: this is not a program of G1"):
        parse(GRAMMAR_1, "xx", "seeds.txt", 7)


@pytest.mark.compiled
def test_long_ambiguous_and_deep_texts_are_no_trouble() -> None:
    flat = " * ".join("xy"[i % 2] for i in range(500))
    assert parse(GRAMMAR_R, flat).phenotype == flat
    deep = "sin ( " * 1500 + "x" + " )" * 1500
    assert parse(GRAMMAR_R, deep).phenotype == deep
    numbers = Grammar.from_text("<a> ::= <a><n> | <n>\n<n> ::= GE_RANGE:5000")
    assert parse(numbers, "4999" * 30).phenotype == "4999" * 30


@pytest.mark.parametrize(
    ("bnf", "text"),
    [
        ("<A> ::= <B><A> | x<A><A> | y\n<B> ::= + | <C>+ | '' | x\n<C> ::= yy++", "xx+yxxyy+xxy"),
        ("<e> ::= <e><e><e> | x", "x" * 41),
        ("<e> ::= <e><e> | x", "x" * 40),
        ("<e> ::= x+<e> | x*<e> | <e>-<e> | x", "x+x*x-" * 8 + "x"),
        ("<a> ::= x<b> | y\n<b> ::= <a>z | <a>", "x" * 30 + "y" + "z" * 20),
    ],
)
def test_chains_and_repetitions_are_followed_to_their_ends(bnf: str, text: str) -> None:
    grammar = Grammar.from_text(bnf)
    assert parse(grammar, text).phenotype == text
    with pytest.raises(GrammarError):
        parse(grammar, text + "+")


@pytest.mark.parametrize(
    "bnf", ["<e> ::= <e>+<e> | x", "<e> ::= <e><o><e> | x\n<o> ::= + | *", "<e> ::= x+<e> | x", "<e> ::= <e>+x | x"]
)
def test_programs_of_ten_thousand_characters_are_parsed(bnf: str) -> None:
    text = "+".join("x" * 5_000)
    assert parse(Grammar.from_text(bnf), text).phenotype == text


def test_an_odd_number_of_three_at_a_time_is_not_even() -> None:
    with pytest.raises(GrammarError, match="the text ends too early"):
        parse(Grammar.from_text("<e> ::= <e><e><e> | x"), "x" * 40)


def test_it_is_a_public_name() -> None:
    assert gm.parse(GRAMMAR_1, "x").productions.tolist() == [0, 2, 6]


def test_the_ones_of_a_number() -> None:
    assert list(bits(0b1001_0010)) == [1, 4, 7]
