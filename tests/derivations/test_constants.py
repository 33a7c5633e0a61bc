from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.derivations import NO_VALUES, Derivation, Derivations, Status, only_whole, sentential_forms
from gramarye.derivations.constants import with_values
from gramarye.derivations.parsing import parse
from gramarye.derivations.random_trees import random_trees, texts
from gramarye.derivations.recursion_free import without_recursion
from gramarye.derivations.rewriting import Rewriting, by_parent
from gramarye.errors import GrammarError
from gramarye.grammar import Grammar

GRAMMAR = Grammar.from_text("<e> ::= (<e> <o> <e>) | sin(<e>) | x | <const> | <const:-1..1>\n<o> ::= + | - | *")
E, B = (GRAMMAR.spans[name].start for name in ("<const>", "<const:-1..1>"))
SEEDS = st.integers(0, 2**64 - 1)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def trees(seed: int, n: int = 6, grammar: Grammar = GRAMMAR, depth: int = 5) -> Derivations:
    """Random derivations with random constants."""
    found = random_trees(grammar, "grow", np.arange(n), np.uint64(seed), depth=depth)
    return with_values(grammar, found, np.uint64(seed), 0)


def plain(derivations: Derivations) -> list[list[tuple[int, float]]]:
    """What a population is, as lists: the productions of each individual with their values."""
    rows = []
    for a, b in zip(derivations.offsets[:-1], derivations.offsets[1:], strict=True):
        pairs = zip(derivations.productions[a:b].tolist(), derivations.values[a:b].tolist(), strict=True)
        rows.append(list(pairs))
    return rows


# Programs


def test_a_program_shows_its_numbers() -> None:
    steps, values = [0, 3, E, 5, 4, B], [0.0, 0.0, 1.5, 0.0, 0.0, -0.25]
    derivation = Derivation(GRAMMAR, np.array(steps, np.int32), np.array(values))
    assert derivation.phenotype == "(1.5 + (-0.25))"
    assert [form for _, form in sentential_forms(derivation, range(6))][2:] == [
        "(1.5 <o> <e>)", "(1.5 + <e>)", "(1.5 + <const:-1..1>)", "(1.5 + (-0.25))",
    ]  # fmt: skip
    assert "│  └─ <const>\n│     └─ 1.5\n" in str(derivation)
    assert (derivation.size, derivation.depth) == (11, 3)
    assert derivation.counts["<const>"] == [1]


def test_a_program_whose_numbers_are_not_drawn_shows_their_names() -> None:
    assert Derivation(GRAMMAR, np.array([0, 3, E, 5, 4, B], np.int32)).phenotype == "(<const> + <const:-1..1>)"


@given(SEEDS)
def test_the_texts_of_a_population_are_those_of_its_individuals(seed: int) -> None:
    derivations = trees(seed)
    alone = [Derivation.first_of(GRAMMAR, derivations.take(np.array([i]))).phenotype for i in range(6)]
    assert texts(GRAMMAR, derivations) == alone
    status = np.where(np.arange(6) % 2 == 0, Status.OK, Status.STEP_LIMIT).astype(np.int8)
    found = texts(GRAMMAR, replace(derivations, status=status))
    assert found == [text if i % 2 == 0 else None for i, text in enumerate(alone)]


# Parsing


@given(SEEDS)
def test_parsing_a_program_gives_its_derivation_back_to_the_last_bit(seed: int) -> None:
    """Numbers within the bounds of both constants are those of the first, so only one is there."""
    grammar = Grammar.from_text("<e> ::= (<e> <o> <e>) | sin(<e>) | x | <const>\n<o> ::= + | - | *")
    derivations = trees(seed, 3, grammar)
    for i, text in enumerate(texts(grammar, derivations)):
        found = parse(grammar, str(text))
        assert found.productions.tolist() == derivations[i].tolist()
        assert found.values.tobytes() == derivations.take(np.array([i])).values.tobytes()
        assert found.phenotype == text


@given(FINITE)
@example(-0.0)
def test_a_number_is_parsed_to_the_same_bits(value: float) -> None:
    text = Derivation(GRAMMAR, np.array([3, E], np.int32), np.array([0.0, value])).phenotype
    found = parse(GRAMMAR, str(text))
    assert found.productions.tolist() == [3, E]
    assert found.values[1:].tobytes() == np.array([value]).tobytes()


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("(x+-.5)", "(x + (-0.5))"),
        ("( x - ( - 2 ) )", "(x - (-2.0))"),
        ("(x*3.)", "(x * 3.0)"),
        ("-7", "(-7.0)"),
        ("(1 -1)", "(1.0 - 1.0)"),
        ("(0.10 + 1E2)", "(0.1 + 100.0)"),
    ],
)
def test_numbers_may_be_written_freely_and_become_the_same_text(text: str, program: str) -> None:
    assert parse(GRAMMAR, text).phenotype == program


def test_a_minus_of_the_grammar_stays_one() -> None:
    """As text, both are the same; a program is parsed to what has the same text."""
    grammar = Grammar.from_text("<e> ::= <const> | -<const>")
    for text, productions in (("-1.5", [1, 2]), ("(-1.5)", [0, 2]), ("-(-1.5)", [1, 2])):
        found = parse(grammar, text)
        assert found.phenotype == text
        assert found.productions.tolist() == productions


@pytest.mark.parametrize("text", ["1e999", "(x + 2.5e)", "(x + nan)", "(x + --1)", "1.5.2"])
def test_what_is_no_number_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(GrammarError, match="the program, line 1, column"):
        parse(GRAMMAR, text)


def test_a_number_beyond_its_bounds_is_refused() -> None:
    grammar = Grammar.from_text("<e> ::= (<e> + <e>) | <const:-1..1>")
    assert parse(grammar, "(-1 + 1)").phenotype == "((-1.0) + 1.0)"
    with pytest.raises(
        GrammarError, match="column 6: this is not a program of grammar; expected \\( or a number"
    ) as caught:
        parse(grammar, "(1 + 1.5)")
    assert "from -1.0 to 1.0" in str(caught.value)


# Populations


@given(SEEDS, st.lists(st.integers(0, 5), max_size=8))
def test_values_are_taken_and_joined_with_their_productions(seed: int, chosen: list[int]) -> None:
    derivations = trees(seed)
    rows = plain(derivations)
    some = derivations.take(np.array(chosen, np.int64))
    assert plain(some) == [rows[i] for i in chosen]
    assert plain(Derivations.join([derivations, some])) == rows + plain(some)
    status = np.where(np.arange(6) % 2 == 0, Status.OK, Status.STEP_LIMIT).astype(np.int8)
    whole = only_whole(replace(derivations, status=status))
    assert plain(whole) == [row if i % 2 == 0 else [] for i, row in enumerate(rows)]


@given(SEEDS)
def test_joined_to_those_with_values_the_others_have_theirs_to_be_drawn(seed: int) -> None:
    known = trees(seed)
    unknown = replace(trees(seed + 1 if seed < 2**64 - 1 else 0), values=NO_VALUES)
    joined = Derivations.join([unknown, known])
    count = len(unknown.productions)
    assert np.isnan(joined.values[:count]).all()
    assert joined.values[count:].tolist() == known.values.tolist()
    drawn = with_values(GRAMMAR, joined, np.uint64(seed))
    assert drawn.values[count:].tolist() == known.values.tolist()
    assert drawn.values[:count].tolist() == with_values(GRAMMAR, unknown, np.uint64(seed)).values.tolist()
    nobody = known.take(np.zeros(0, np.int64))
    assert plain(Derivations.join([nobody, known])) == plain(known)


# Rewritten grammars


def composed(grammar: Grammar) -> Rewriting:
    first = without_recursion(grammar, 2)
    return by_parent(first.grammar).after(first)


REWRITINGS: dict[str, Any] = {
    "contexts": by_parent,
    "places": lambda grammar: by_parent(grammar, slots=True),
    "without recursion": lambda grammar: without_recursion(grammar, 2),
    "one after another": composed,
}


@pytest.mark.parametrize("how", REWRITINGS)
@given(seed=SEEDS)
def test_a_rewritten_grammar_derives_the_same_numbers_and_the_way_back_keeps_them(how: str, seed: int) -> None:
    rewriting = REWRITINGS[how](GRAMMAR)
    own = trees(seed, 6, rewriting.grammar, int(rewriting.grammar.arrays.nt_height[0]) + 4)
    translated = rewriting.translate(own)
    assert texts(GRAMMAR, translated) == texts(rewriting.grammar, own)
    back = rewriting.unfold(GRAMMAR, translated)
    assert texts(rewriting.grammar, back) == texts(GRAMMAR, translated)
    again = rewriting.with_values(replace(own, values=NO_VALUES), translated)
    assert plain(again) == plain(own)


@pytest.mark.parametrize("how", REWRITINGS)
@given(seed=SEEDS)
def test_what_fits_into_a_rewritten_grammar_has_the_same_text_there(how: str, seed: int) -> None:
    rewriting = REWRITINGS[how](GRAMMAR)
    derivations = trees(seed, depth=6)
    found = rewriting.unfold(GRAMMAR, derivations)
    for own, text in zip(texts(rewriting.grammar, found), texts(GRAMMAR, derivations), strict=True):
        assert own is None or own == text


@pytest.mark.parametrize("how", REWRITINGS)
def test_the_text_of_a_rewritten_grammar_reads_back(how: str) -> None:
    rewritten = REWRITINGS[how](GRAMMAR).grammar
    assert Grammar.from_text(rewritten.text) == rewritten
    assert rewritten.nonterminals[-2:] == ("<const:-1..1>", "<const>")
    assert rewritten.bounds[-2:].tolist() == [[-1.0, 1.0], [-math.inf, math.inf]]


def test_the_public_way_from_a_text_and_back() -> None:
    derivation = gm.parse(GRAMMAR, "(x * -0.5)")
    assert repr(derivation) == "Derivation('(x * (-0.5))', 5 steps)"
    assert derivation.values.tolist() == [0.0, 0.0, 0.0, 0.0, -0.5]
