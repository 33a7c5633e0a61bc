from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gramarye.derivations import Derivation, Derivations, Status
from gramarye.derivations.rewriting import packed
from gramarye.grammar import Grammar
from gramarye.kernels import rewriting
from gramarye.kernels.codes import CHILD
from gramarye.languages import Arithmetic
from gramarye.languages.arithmetic.kernels import codes, postfix
from tests import twins
from tests.grammars import GR, grammars

CONSTANTS = [0.0, 1.0, -0.0, 0.1, 1e300, math.pi, 5e-324]
ONE, TWO = (codes.SIN, codes.NEGATE, codes.LOG), (codes.DIVIDE, codes.POWER, codes.MINIMUM)  # functions by arguments

# Tokens, as kernels read them
SPACE, OPEN, CLOSE, COMMA, POINT = (t for t in (codes.SPACE, codes.OPEN, codes.CLOSE, codes.COMMA, codes.POINT))
PLUS, MINUS, TIMES, OVER, POWER, OVER_LAST = (
    codes.OPERATOR + 16 * o
    for o in (codes.ADD, codes.SUBTRACT, codes.MULTIPLY, codes.DIVIDE, codes.POWER, codes.DIVIDE_LAST)
)
X, Y = codes.NAME, codes.NAME + 16
NUMBER = codes.NUMBER + 16
SIN, MIN = codes.FUNCTION + 16 * codes.SIN, codes.FUNCTION + 16 * codes.MINIMUM


def digits(text: str) -> list[int]:
    return [POINT if c == "." else codes.DIGIT + 16 * int(c) for c in text]


def ordered(tokens: list[int]) -> tuple[int, list[int]]:
    """Status and words of the kernel."""
    n = len(tokens)
    words = np.full(3 * n, -7, np.int32)
    row, pending, commas = np.array([*tokens, -1], np.int32), np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    status, end = postfix.to_postfix(row, n, np.array(CONSTANTS), pending, commas, words)
    return status, words[:end].tolist()


def agree(tokens: list[int]) -> int:
    """Kernel and twin agree on these tokens; the status."""
    status, words = ordered(tokens)
    expected = twins.to_postfix(tokens, CONSTANTS)
    assert status == (Status.SYNTAX if expected is None else Status.OK)
    assert words == (expected or [])
    return status


LEAVES = st.sampled_from([[X], [Y], [codes.NAME + 16 * 12]]) | st.integers(0, len(CONSTANTS) - 1).map(
    lambda k: [codes.NUMBER + 16 * k]
)
NUMERALS = st.from_regex(r"[0-9]{1,7}(\.[0-9]{0,7})?|\.[0-9]{1,7}", fullmatch=True)
BLANKS = st.lists(st.just(SPACE), max_size=2)


def _extended(inner: st.SearchStrategy[list[int]]) -> st.SearchStrategy[list[int]]:
    operator = st.sampled_from([PLUS, MINUS, TIMES, OVER, POWER, OVER_LAST])
    sign = st.sampled_from([PLUS, MINUS])
    one, two = (st.sampled_from([codes.FUNCTION + 16 * f for f in functions]) for functions in (ONE, TWO))
    return st.one_of(
        st.tuples(inner, operator, inner).map(lambda t: [*t[0], t[1], *t[2]]),
        st.tuples(inner, operator, sign, inner).map(lambda t: [*t[0], *t[1:3], *t[3]]),
        st.tuples(sign, inner).map(lambda t: [t[0], *t[1]]),
        inner.map(lambda t: [OPEN, *t, CLOSE]),
        st.tuples(BLANKS, inner, BLANKS).map(lambda t: [*t[0], *t[1], *t[2]]),
        st.tuples(one, BLANKS, inner).map(lambda t: [t[0], *t[1], OPEN, *t[2], CLOSE]),
        st.tuples(two, inner, inner).map(lambda t: [t[0], OPEN, *t[1], COMMA, *t[2], CLOSE]),
    )


EXPRESSIONS = st.recursive(LEAVES, _extended, max_leaves=12)
WITH_DIGITS = st.recursive(LEAVES | NUMERALS.map(digits), _extended, max_leaves=8)


@given(EXPRESSIONS)
def test_expressions_mean_what_they_mean_to_python(tokens: list[int]) -> None:
    assert agree(tokens) == Status.OK


@pytest.mark.compiled
@given(WITH_DIGITS)
def test_numbers_are_put_together_from_digits(tokens: list[int]) -> None:
    assert agree(tokens) == Status.OK


ANY_TOKEN = st.sampled_from(
    [NUMBER, X, SIN, MIN, PLUS, MINUS, TIMES, POWER, OVER_LAST, OPEN, CLOSE, COMMA, SPACE, *digits("05.")]
)


@settings(max_examples=300)
@given(st.lists(ANY_TOKEN, max_size=9))
def test_random_tokens_are_read_or_refused_as_by_python(tokens: list[int]) -> None:
    agree(tokens)


@given(EXPRESSIONS, st.data())
def test_an_expression_with_one_token_changed_is_read_or_refused_as_by_python(
    tokens: list[int], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(tokens) - 1))
    agree(tokens[:at] + data.draw(st.lists(ANY_TOKEN, max_size=2)) + tokens[at + 1 :])


@pytest.mark.parametrize(
    "tokens",
    [
        [],
        [SPACE],
        [X, Y],
        [X, PLUS],
        [TIMES, X],
        [X, PLUS, TIMES, Y],
        [OPEN, X],
        [X, CLOSE],
        [OPEN, CLOSE],
        [OPEN, X, COMMA, Y, CLOSE],
        [X, COMMA, Y],
        [COMMA],
        [SIN],
        [SIN, X],
        [SIN, SIN, OPEN, X, CLOSE],
        [X, SIN, OPEN, X, CLOSE],
        [SIN, OPEN, CLOSE],
        [SIN, OPEN, X, COMMA, Y, CLOSE],
        [SIN, OPEN, X, COMMA, CLOSE],
        [MIN, OPEN, X, CLOSE],
        [MIN, OPEN, X, COMMA, Y, COMMA, X, CLOSE],
        [OPEN, SIN, CLOSE, OPEN, X, CLOSE],
        [X, OPEN, Y, CLOSE],
        [NUMBER, NUMBER],
        [NUMBER, *digits("1")],
        [*digits("1"), NUMBER],
        [*digits("1"), SPACE, *digits("1")],
        [*digits("1"), X],
        [X, *digits("1")],
        [SIN, *digits("1")],
        digits("."),
        digits("1.2.3"),
        digits(".."),
        [*digits("1"), SPACE, POINT],
        [OPEN, *digits("."), CLOSE],
    ],
)
def test_what_is_no_expression_is_refused(tokens: list[int]) -> None:
    assert agree(tokens) == Status.SYNTAX


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ([MINUS, X, POWER, Y], [64, 65, codes.POWER, codes.NEGATE]),  # -(x**y)
        ([X, POWER, MINUS, Y], [64, 65, codes.NEGATE, codes.POWER]),
        ([X, POWER, Y, POWER, X], [64, 65, 64, codes.POWER, codes.POWER]),  # from the right
        ([X, MINUS, Y, MINUS, X], [64, 65, codes.SUBTRACT, 64, codes.SUBTRACT]),  # from the left
        ([X, OVER, Y, TIMES, X], [64, 65, codes.DIVIDE, 64, codes.MULTIPLY]),
        ([X, PLUS, Y, OVER, X, MINUS, Y], [64, 65, 64, codes.DIVIDE, codes.ADD, 65, codes.SUBTRACT]),
        ([MINUS, MINUS, X], [64, codes.NEGATE, codes.NEGATE]),
        ([PLUS, X], [64]),
        ([X, POWER, PLUS, Y], [64, 65, codes.POWER]),
        ([MIN, OPEN, X, COMMA, Y, PLUS, X, CLOSE], [64, 65, 64, codes.ADD, codes.MINIMUM]),
        ([MIN, OPEN, MIN, OPEN, X, COMMA, Y, CLOSE, COMMA, X, CLOSE], [64, 65, codes.MINIMUM, 64, codes.MINIMUM]),
    ],
)
def test_precedence(tokens: list[int], words: list[int]) -> None:
    assert ordered(tokens) == (Status.OK, words)
    agree(tokens)


# Numbers from digits


@settings(max_examples=200)
@given(st.from_regex(r"[0-9]{0,18}(\.[0-9]{0,26})?", fullmatch=True).filter(lambda t: t not in ("", ".")))
def test_a_number_is_exactly_what_its_text_says_or_is_left_to_the_text(text: str) -> None:
    status, words = ordered(digits(text))
    whole, _, decimals = text.partition(".")
    if int(whole + decimals) < 2**53 and len(decimals) <= 22:
        assert status == Status.OK
        assert words == [codes.CONSTANT, *np.array([float(text)]).view(np.int32).tolist()]
    else:
        assert status == codes.LONG_NUMBER
        assert words == []


@pytest.mark.parametrize(
    ("text", "long"),
    [
        ("9007199254740991", False),
        ("9007199254740992", True),
        ("0." + "0" * 21 + "3", False),
        ("0." + "0" * 22 + "3", True),
        ("0000000000000000000000000001", False),
        ("9007199254740991.", False),
    ],
)
def test_where_long_numbers_begin(text: str, long: bool) -> None:
    assert ordered(digits(text))[0] == (codes.LONG_NUMBER if long else Status.OK)


DIGITS = """
<e> ::= <n> | <n>-<n>
<n> ::= <d> | <d><n> | <d>.<d> | <d>.<n>
<d> ::= 0 | 1 | 3 | 7 | 9
"""


@given(st.lists(st.integers(0, 4), min_size=40, max_size=40))
def test_a_grammar_of_digits_gives_the_same_programs_as_its_texts(choices: list[int]) -> None:
    grammar = Grammar.from_text(DIGITS)
    status, productions, _ = twins.map_flat(grammar, choices, [], 0, True, True)
    assume(status == Status.OK)
    language = Arithmetic(grammar, 1)
    assert language.mode == "digits"
    programs = language.programs(Derivations.of(np.array(productions, np.int32)))
    text = Derivation(grammar, np.array(productions, np.int32)).form
    parts = text.split("-")
    if any(part.count(".") > 1 for part in parts):
        assert programs.status[0] == Status.SYNTAX
        return
    expected = [w for part in parts for w in (codes.CONSTANT, *np.array([float(part)]).view(np.int32).tolist())]
    assert programs.words.tolist() == expected + [codes.SUBTRACT] * (len(parts) - 1)


def test_long_numbers_are_read_as_texts() -> None:
    grammar = Grammar.from_text("<e> ::= <d> | <d><e> | x - <e>\n<d> ::= 1 | 9 | .")
    language = Arithmetic(grammar, 1)
    nines = [1, 4] * 24 + [0, 4]
    programs = language.programs(
        Derivations(
            np.array([0, 4, 2, *nines, 1, 5, *nines, 1, 5, 1, 5, *nines], np.int32),
            np.array([0, 2, 3 + len(nines), 5 + 2 * len(nines), 9 + 3 * len(nines)]),
            np.zeros(4, np.int8),
        )
    )
    nine, long, tiny = (
        [codes.CONSTANT, *np.array([float(text)]).view(np.int32).tolist()] for text in ("9", "9" * 25, "." + "9" * 25)
    )
    assert programs.status.tolist() == [Status.OK, Status.OK, Status.OK, Status.SYNTAX]
    assert [programs.words[a:b].tolist() for a, b in pairwise(programs.offsets)] == [
        nine,
        [codes.VARIABLE, *long, codes.SUBTRACT],
        tiny,
        [],
    ]


# Whole populations

EXPRESSION = ("x", "y", "1.5", "+", "-", "*", "/", "(", ")", "sin", "min", ",", " ", "")


def token_rows(grammar: Grammar) -> list[list[int]]:
    """Tokens of each terminal, told from its text by a table."""
    known = {"x": X, "y": Y, "1.5": NUMBER, "+": PLUS, "-": MINUS, "*": TIMES, "/": OVER, "**": POWER}
    known |= {"(": OPEN, ")": CLOSE, ",": COMMA, " ": SPACE, "sin": SIN, "min": MIN}
    return [[known[part] for part in text.split("|")] if text else [] for text in grammar.terminals]


def emitted(grammar: Grammar, derivations: list[list[int]], status: list[int]) -> list[tuple[int, list[int]]]:
    rows = dict(zip(grammar.terminals, token_rows(grammar), strict=True))
    templates = [
        [token for s in p.symbols for token in ([CHILD] if s.kind == "nonterminal" else rows[s.text])]
        for p in grammar.productions
    ]
    tokens, bounds = rewriting.translate(
        np.array([q for row in derivations for q in row], np.int32),
        np.cumsum([0, *(len(row) for row in derivations)], dtype=np.int64),
        *packed(templates),
    )
    words, offsets, new_status = postfix.emit(tokens, bounds, np.array(status, np.int8), np.array(CONSTANTS))
    parts = [words[a:b].tolist() for a, b in pairwise(offsets)]
    return list(zip(new_status.tolist(), parts, strict=True))


def expected_program(grammar: Grammar, productions: list[int], status: int) -> tuple[int, list[int]]:
    if status != Status.OK:
        return status, []
    texts = Derivation(grammar, np.array(productions, np.int32))._replay.tokens
    by_text = dict(zip(grammar.terminals, token_rows(grammar), strict=True))
    words = twins.to_postfix([token for text in texts for token in by_text[text]], CONSTANTS)
    return (Status.SYNTAX, []) if words is None else (Status.OK, words)


@given(grammars(terminals=EXPRESSION), st.lists(st.lists(st.integers(0, 11), max_size=15), max_size=5))
def test_populations_become_programs_as_by_the_twin(grammar: Grammar, rows: list[list[int]]) -> None:
    mapped = [twins.map_flat(grammar, row, [], 0, False, True) for row in rows]
    derivations, status = [productions for _, productions, _ in mapped], [how for how, _, _ in mapped]
    found = emitted(grammar, derivations, status)
    assert found == [expected_program(grammar, *pair) for pair in zip(derivations, status, strict=True)]


@given(st.lists(st.lists(st.integers(0, 255), min_size=30, max_size=30), max_size=8))
def test_formulas_of_the_paper_become_programs_as_by_the_twin(rows: list[list[int]]) -> None:
    grammar = Grammar.from_text(GR.replace("1.0", "1.5").replace("sin | cos | exp | log | inv", "sin"))
    mapped = [twins.map_flat(grammar, row, [], 0, False, True) for row in rows]
    derivations, status = [productions for _, productions, _ in mapped], [how for how, _, _ in mapped]
    found = emitted(grammar, derivations, status)
    assert found == [expected_program(grammar, *pair) for pair in zip(derivations, status, strict=True)]
    assert [how for how, _ in found] == status  # every formula of this grammar is an expression


def test_long_formulas_grow_all_arrays() -> None:
    """Deep brackets: many symbols wait; wide sums: many tokens; constants: three words for a token."""
    grammar = Grammar.from_text('<a> ::= "("<a>")" | <a>"+""1.5" | "1.5" | ' + '"("' * 100 + "<a>" + '")"' * 100)
    nested, wide, steep = [0] * 300 + [2], [1] * 300 + [2], [3, 3, 2]
    number = [codes.CONSTANT, *np.array([CONSTANTS[1]]).view(np.int32).tolist()]
    sum_of_301 = number + [*number, codes.ADD] * 300
    found = emitted(grammar, [nested, [], wide, steep], [Status.OK, Status.OUT_OF_CODONS, Status.OK, Status.OK])
    assert found == [(Status.OK, number), (Status.OUT_OF_CODONS, []), (Status.OK, sum_of_301), (Status.OK, number)]


def test_a_terminal_of_many_tokens_grows_all_arrays() -> None:
    long_sum = "|".join(["x", *["+", "x"] * 99])
    grammar = Grammar.from_text(f'<a> ::= "{long_sum}"')
    assert emitted(grammar, [[0]], [Status.OK]) == [(Status.OK, [64] + [64, codes.ADD] * 99)]
