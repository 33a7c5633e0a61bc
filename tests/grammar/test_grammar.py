from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gramarye.errors import GrammarError, SettingsError
from gramarye.grammar import Grammar
from gramarye.grammar.bnf import parse
from gramarye.grammar.rules import Symbol
from tests.grammars import G1, G2
from tests.grammars import GR as PAPER


def chain(length: int, end: str = "x | y") -> str:
    """Non-terminals that lead to one another in a long line."""
    links = [f"<n{number}> ::= <n{number + 1}>" for number in range(length)]
    return "\n".join([*links, f"<n{length}> ::= {end}"])


@st.composite
def grammars(draw: st.DrawFn) -> Grammar:
    """Small productive grammars of every shape."""
    count = draw(st.integers(1, 4))
    side = st.lists(st.integers(0, count - 1), max_size=3)
    rules = draw(st.lists(st.lists(side, min_size=1, max_size=3), min_size=count, max_size=count))
    texts = [" | ".join("".join(f"<n{kid}>" for kid in kids) or "x" for kids in rule) for rule in rules]
    try:
        return Grammar.from_text("\n".join(f"<n{number}> ::= {text}" for number, text in enumerate(texts)))
    except GrammarError:
        assume(False)
        raise


def kids_by_rule(grammar: Grammar) -> dict[str, list[list[str]]]:
    return {
        name: [[s.text for s in production.symbols if s.kind == "nonterminal"] for production in productions]
        for name, productions in grammar.rules.items()
    }


# What a grammar offers


def test_a_grammar_knows_its_parts() -> None:
    grammar = Grammar.from_text(G1, "tiny")
    assert grammar.name == "tiny"
    assert grammar.nonterminals == ("<start>", "<expr>", "<op>", "<var>")
    assert [production.id for production in grammar.productions] == list(range(8))
    assert [production.text for production in grammar.rules["<op>"]] == ["+", "*", "-"]
    assert grammar.rules["<var>"] == grammar.productions[6:]
    assert grammar.productions[2].nonterminal == "<expr>"
    assert grammar.productions[6].symbols == (Symbol("x", "terminal"),)
    assert grammar.terminals == (" ", "+", "*", "-", "x", "1.0")
    assert grammar.probabilities is None
    assert repr(grammar) == "Grammar('tiny', 4 rules, 8 productions)"


def test_a_production_is_shown_as_bnf() -> None:
    (production,) = Grammar.from_text("<a> ::= 'x  y' + \"\"").productions
    assert production.text == '"x  y" +'


def test_white_space_quoted_or_not_and_the_empty_text_are_terminals_as_they_occur() -> None:
    grammar = Grammar.from_text("<a> ::= x y | ' ' | | \"\\n\" | <a>")
    assert grammar.terminals == ("x", " ", "y", "", "\n")
    assert grammar.productions[2].symbols == ()


def test_a_grammar_is_the_same_whatever_its_name_and_layout() -> None:
    grammar, other = Grammar.from_text(G1, "one"), Grammar.from_text(G1.replace("|", "\n |"), "two")
    assert grammar == other
    assert hash(grammar) == hash(other)
    assert grammar != Grammar.from_text(G2)
    assert grammar != grammar.with_probabilities(grammar.uniform_probabilities())
    assert grammar != G1


def test_a_grammar_can_not_be_changed() -> None:
    grammar = Grammar.from_text(G1).with_probabilities({})
    with pytest.raises(AttributeError, match="name can't be set"):
        grammar.name = "other"
    with pytest.raises(AttributeError, match="name can't be deleted"):
        del grammar.name
    with pytest.raises(TypeError):
        grammar.rules["<op>"] = ()  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        grammar.productions[0].id = 3  # type: ignore[misc]
    assert grammar.probabilities is not None
    with pytest.raises(ValueError, match="read-only"):
        grammar.probabilities[0] = 0.5


@pytest.mark.parametrize("values", [None, {"<var>": [0.1, 0.9]}])
def test_a_grammar_survives_pickling_and_copying(values: dict[str, list[float]] | None) -> None:
    grammar = Grammar.from_text(G1, "tiny").with_probabilities(values)
    assert grammar.arrays.left.size == 8
    assert grammar.analysis.warnings == ()
    for other in (pickle.loads(pickle.dumps(grammar)), copy.deepcopy(grammar), copy.copy(grammar)):
        assert other == grammar
        assert other.name == "tiny"
        assert other.probabilities is None or not other.probabilities.flags.writeable


def test_the_text_of_a_grammar_reads_back_as_an_equal_one() -> None:
    grammar = Grammar.from_text(PAPER)
    assert str(grammar) == grammar.text == PAPER.lstrip()
    assert Grammar.from_text(grammar.text) == grammar


def test_files_are_read_and_name_the_grammar(tmp_path: Path) -> None:
    path = tmp_path / "my.first.bnf"
    path.write_bytes(b"\xef\xbb\xbf" + "<a> ::= é\r\n".encode())
    for given_path in (path, str(path)):
        grammar = Grammar.from_file(given_path)
        assert grammar.name == "my.first"
        assert grammar.terminals == ("é",)


# Arrays


def test_the_arrays_of_a_small_grammar() -> None:
    arrays = Grammar.from_text("<s> ::= (<e>)<o> | \n<e> ::= <o>-<e> | x\n<o> ::= y").arrays
    assert arrays.rule_start.tolist() == [0, 2, 4, 5]
    assert arrays.left.tolist() == [0, 0, 1, 1, 2]
    assert arrays.kid_start.tolist() == [0, 2, 2, 4, 4, 4]
    assert arrays.kids.tolist() == [2, 1, 1, 2]
    assert arrays.height.tolist() == [2, 1, 2, 1, 1]
    assert arrays.nt_height.tolist() == [1, 1, 1]
    assert arrays.direct.tolist() == [0, 0, 1, 0, 0]
    assert arrays.symbol_start.tolist() == [0, 4, 5, 8, 9, 10]
    assert arrays.symbols.tolist() == [~0, 1, ~1, 2, ~2, 2, ~3, 1, ~4, ~5]


@pytest.mark.parametrize("text", [G1, PAPER, "<a> ::= x"])
def test_arrays_are_contiguous_and_writable(text: str) -> None:
    for name, array in Grammar.from_text(text).arrays._asdict().items():
        assert array.flags.c_contiguous, name
        assert array.flags.writeable, name
        assert array.dtype == (np.uint8 if name == "direct" else np.int32), name


def test_symbols_spell_every_right_hand_side() -> None:
    grammar = Grammar.from_text(PAPER + "<e> ::= ")
    arrays = grammar.arrays
    for production in grammar.productions:
        codes = arrays.symbols[arrays.symbol_start[production.id] : arrays.symbol_start[production.id + 1]].tolist()
        texts = [grammar.nonterminals[code] if code >= 0 else grammar.terminals[~code] for code in codes]
        assert texts == ([symbol.text for symbol in production.symbols] or [""])


def test_heights_of_the_worked_example() -> None:
    grammar = Grammar.from_text(G1)
    assert grammar.arrays.height.tolist() == [3, 3, 2, 1, 1, 1, 1, 1]
    assert dict(grammar.analysis.heights) == {"<start>": 3, "<expr>": 2, "<op>": 1, "<var>": 1}


@given(grammars())
def test_heights_and_least_codons_are_the_least_fixpoint(grammar: Grammar) -> None:
    kids = kids_by_rule(grammar)
    for consume_single in (False, True):
        height = dict.fromkeys(kids, math.inf)
        codons = dict.fromkeys(kids, math.inf)
        for _ in kids:
            for name, rows in kids.items():
                cost = int(consume_single or len(rows) > 1)
                height[name] = min(1 + max((height[kid] for kid in row), default=0) for row in rows)
                codons[name] = min(cost + sum(codons[kid] for kid in row) for row in rows)
        assert grammar.analysis.heights == height
        assert grammar.least_codons(consume_single).tolist() == list(codons.values())
    expected = [1 + max((height[kid] for kid in row), default=0) for rows in kids.values() for row in rows]
    assert grammar.arrays.height.tolist() == expected


def test_least_codons_of_the_worked_example() -> None:
    grammar = Grammar.from_text(G1)
    assert grammar.least_codons(consume_single=False).tolist() == [2, 2, 1, 1]
    assert grammar.least_codons(consume_single=True).tolist() == [3, 2, 1, 1]
    assert grammar.least_codons(consume_single=True).dtype == np.int32


def test_least_codons_stop_at_the_largest_integer_they_can_hold() -> None:
    text = "\n".join(f"<n{number}> ::= <n{number + 1}><n{number + 1}>" for number in range(40)) + "\n<n40> ::= x | y"
    least = Grammar.from_text(text).least_codons(consume_single=False)
    assert least[0] == 2**31 - 1
    assert least[40 - 30] == 2**30


@pytest.mark.parametrize("text", [G1, G2, PAPER])
def test_the_paper_s_grammars_take_a_step_for_each_codon_and_one_for_the_start(text: str) -> None:
    grammar = Grammar.from_text(text)
    assert grammar.max_steps(128, consume_single=False) == 129
    assert grammar.max_steps(128, consume_single=True) == 128


def test_steps_without_codons_are_counted() -> None:
    grammar = Grammar.from_text("<s> ::= <a><a>\n<a> ::= <b>\n<b> ::= x | <a>y<a>")
    assert grammar.max_steps(10, consume_single=False) == 10 * (1 + 2) + 3


@given(grammars(), st.integers(0, 6), st.booleans(), st.randoms(use_true_random=False))
def test_no_derivation_takes_more_steps_than_the_bound(
    grammar: Grammar, reads: int, single: bool, random: object
) -> None:
    kids = kids_by_rule(grammar)
    stack, used, steps = [grammar.nonterminals[0]], 0, 0
    while stack:
        rows = kids[stack[-1]]
        used += single or len(rows) > 1
        if used > reads:
            break
        steps += 1
        stack[-1:] = reversed(random.choice(rows))  # type: ignore[attr-defined]
    assert steps <= grammar.max_steps(reads, single)


# Completion


@pytest.mark.parametrize(
    ("text", "codons", "consume_single", "expected", "digits"),
    [
        (PAPER, 128, False, 0.4994, 4),
        (PAPER, 128, True, 0.4994, 4),
        (PAPER, 64, False, 0.495, 3),
        (PAPER, 64, True, 0.494, 3),
        (PAPER, 32, False, 0.478, 3),
        (PAPER, 32, True, 0.476, 3),
        (PAPER, 1024, True, 0.5, 6),
        (G1, 128, False, 0.9007, 4),
        (G2, 128, True, 0.9007, 4),
        ("<a> ::= x", 0, False, 1.0, 12),
        ("<a> ::= x", 0, True, 0.0, 12),
        ("<a> ::= <b><b>\n<b> ::= x", 2, True, 0.0, 12),
        ("<a> ::= <b><b>\n<b> ::= x", 3, True, 1.0, 12),
        ("<a> ::= x | <a>", 3, True, 0.875, 12),
    ],
)
def test_the_chance_of_completion(text: str, codons: int, consume_single: bool, expected: float, digits: int) -> None:
    found = Grammar.from_text(text).completion_probability(codons, consume_single)
    assert round(found, digits) == expected


def simulated_completion(grammar: Grammar, codons: int, consume_single: bool, values: np.ndarray) -> float:
    """The twin: all stacks that a mapper can have, with their probabilities, codon by codon."""
    kids = kids_by_rule(grammar)
    done = 0.0
    pending: list[tuple[tuple[str, ...], int, float]] = [((grammar.nonterminals[0],), 0, 1.0)]
    while pending:
        stack, used, chance = pending.pop()
        if not stack:
            done += chance
            continue
        used += consume_single or len(kids[stack[0]]) > 1
        if used <= codons:
            for row, p in zip(kids[stack[0]], values[grammar.spans[stack[0]]].tolist(), strict=True):
                pending.append(((*row, *stack[1:]), used, chance * p))
    return done


@given(grammars(), st.integers(0, 5), st.booleans(), st.data())
def test_the_chance_of_completion_is_that_of_following_every_branch(
    grammar: Grammar, codons: int, single: bool, data: st.DataObject
) -> None:
    values = {}
    for name, productions in grammar.rules.items():
        weights = data.draw(st.lists(st.integers(0, 3), min_size=len(productions), max_size=len(productions)))
        weights[-1] += not any(weights)
        values[name] = np.array(weights) / sum(weights)
    carrying = grammar.with_probabilities(values)
    assert carrying.probabilities is not None
    expected = simulated_completion(grammar, codons, single, carrying.probabilities)
    assert grammar.completion_probability(codons, single, values) == pytest.approx(expected, abs=1e-12)
    assert grammar.completion_probability(codons, single, carrying.probabilities) == pytest.approx(expected, abs=1e-12)
    assert carrying.completion_probability(codons, single) == pytest.approx(expected, abs=1e-12)


def test_many_nonterminals_in_one_production_are_no_burden() -> None:
    grammar = Grammar.from_text(f"<a> ::= {'<b>' * 1000}\n<b> ::= x | y")
    assert grammar.completion_probability(1000) == 0.0
    assert grammar.completion_probability(1001) == pytest.approx(1.0)


def test_codons_are_not_negative() -> None:
    with pytest.raises(SettingsError, match="codons is -1"):
        Grammar.from_text(G1).completion_probability(-1)


# Large grammars


def test_a_long_chain_needs_no_recursion() -> None:
    grammar = Grammar.from_text(chain(5000))
    assert grammar.arrays.nt_height[0] == 5001
    assert grammar.analysis.indirectly_recursive == ()
    assert grammar.least_codons(consume_single=False)[0] == 1
    assert grammar.least_codons(consume_single=True)[0] == 5001
    assert grammar.completion_probability(1, consume_single=False) == 1.0


def test_a_long_circle_needs_no_recursion() -> None:
    grammar = Grammar.from_text(chain(5000, "x | <n0>"))
    assert grammar.analysis.indirectly_recursive == grammar.nonterminals


# Analysis


def test_recursion_is_direct_or_indirect_or_both() -> None:
    text = "<s> ::= <a><d>\n<a> ::= x | <b><a>\n<b> ::= y | <c>\n<c> ::= <b>\n<d> ::= <e>\n<e> ::= z<f>\n<f> ::= | <f>"
    analysis = Grammar.from_text(text).analysis
    assert analysis.directly_recursive == ("<a>", "<f>")
    assert analysis.indirectly_recursive == ("<b>", "<c>")


@given(grammars())
def test_recursion_and_reach_agree_with_the_transitive_closure(grammar: Grammar) -> None:
    names = grammar.nonterminals
    step = {name: {kid for row in rows for kid in row} for name, rows in kids_by_rule(grammar).items()}
    reach = {name: set(kids) for name, kids in step.items()}
    for middle in names:
        for name in names:
            if middle in reach[name]:
                reach[name] |= reach[middle]
    analysis = grammar.analysis
    assert analysis.directly_recursive == tuple(a for a in names if a in step[a])
    assert analysis.indirectly_recursive == tuple(
        a for a in names if any(b != a and b in reach[a] and a in reach[b] for b in names)
    )
    assert analysis.unreachable == tuple(a for a in names[1:] if a not in reach[names[0]])


@pytest.mark.parametrize(
    ("text", "warnings"),
    [
        (G1, []),
        ("<a> ::= x\n<b> ::= <b> | y", ["line 2: <b> is never reached from <a>; use it in a production, or remove it"]),
        ("<a> ::= x | y | x | x", ["line 1: <a> has the production x more than once"]),
        ("<a> ::= x y | 'x y'", []),
        ("<a> ::= x {0.5} | y | z {0.5}", ["<a>: {0.5} is text, because other productions", "every production"]),
        ("<a> ::= x {0.5} | ''", ["<a>: {0.5} is text"]),
        ("<a> ::= x '{1}' | y '{2}'", []),
        ("<a> ::= x '{1}' | y", []),
        ("<a> ::= x\n | y {nan}", ["line 2: <a>: {nan} is text; write a number from 0 to 1"]),
        ("<a> ::= x {50 %}", ["{50 %} is text"]),
        ("<a> ::= x {1/3}", ["{1/3} is text"]),
        ("<a> ::= x {nan} '' | y{2,3}", []),
        ("<a> ::= x\n y | z\n\n z", ["line 1: a production of <a> goes over several lines", 'write "\\n" where']),
        ("<a> ::=\n x\n | y\n\n# z\n<b> ::= z\n<a1> ::= <b>", ["line 6: <b> is never", "line 7"]),
        ("<a> ::= x\n | | y", ['line 2: <a> has an empty production; write "" if it is meant, or remove the bar']),
        ("\n<a> ::= | y", ["line 2: <a> has an empty production"]),
        ("<a> ::=\n | y\n |", ["line 3: <a> has an empty production"]),
        ("<a> ::=\n | y\n | z", []),
        ("<a> ::=", ["line 1: <a> has an empty production"]),
        ("<a> ::= <b>\n<b> ::= x | '<a>'", ["line 2: '<a>' is text, not the rule <a>; write <a> if"]),
        ('<a> ::= "b" <b>\n<b> ::= x', ['line 1: "b" is text, not the rule <b>']),
        ('<a> ::= <sin>\n<sin> ::= "sin"', []),
    ],
)
@pytest.mark.filterwarnings("ignore::gramarye.errors.GrammarWarning")
def test_what_is_probably_a_mistake_is_a_warning(text: str, warnings: list[str]) -> None:
    found = Grammar.from_text(text).analysis.warnings
    assert bool(found) == bool(warnings)
    assert all(piece in "\n".join(found) for piece in warnings)
    assert all(warning.startswith("line ") for warning in found)


def test_warnings_outlive_pickling_and_other_probabilities_but_name_no_lines_of_a_text_that_was_not_read() -> None:
    grammar = Grammar.from_text("<a> ::= x | x")
    (warning,) = grammar.analysis.warnings
    assert pickle.loads(pickle.dumps(grammar)).analysis.warnings == (warning,)
    assert grammar.with_probabilities([0.5, 0.5]).analysis.warnings == (warning,)
    assert Grammar(parse("<a> ::= x | x"), "a").analysis.warnings == (warning.removeprefix("line 1: "),)


def test_unreachable_and_repeated_are_told_apart() -> None:
    analysis = Grammar.from_text("<a> ::= x | '' | x | \n<b> ::= y").analysis
    assert analysis.unreachable == ("<b>",)
    assert analysis.repeated == (("<a>", "x"), ("<a>", '""'))
    assert len(analysis.warnings) == 4


# Probabilities


def test_a_rule_without_probabilities_is_uniform_where_another_has_some() -> None:
    grammar = Grammar.from_text("<a> ::= <b> {0.25} | y {0.75}\n<b> ::= u | v")
    assert grammar.probabilities is not None
    assert grammar.probabilities.tolist() == [0.25, 0.75, 0.5, 0.5]


def test_probabilities_are_given_as_an_array_or_by_nonterminal() -> None:
    grammar = Grammar.from_text(G1)
    values = [1.0, 0.5, 0.5, 0.1, 0.2, 0.7, 0.25, 0.75]
    whole = grammar.with_probabilities(values)
    parts = grammar.with_probabilities({"<op>": [0.1, 0.2, 0.7], "<var>": np.array([0.25, 0.75])})
    assert whole == parts
    assert hash(whole) == hash(parts)
    assert whole.probabilities is not None
    assert whole.probabilities.tolist() == values
    assert whole.with_probabilities({"<op>": [1, 0, 0]}).text.endswith("{0.25}\n          | 1.0 {0.75}\n")
    assert whole.with_probabilities(None) == grammar
    assert grammar.probabilities is None
    assert grammar.text != whole.text


def test_given_arrays_are_copied() -> None:
    values = np.array([0.5, 0.5])
    grammar = Grammar.from_text("<a> ::= x | y").with_probabilities(values)
    values[0] = 0.9
    assert grammar.probabilities is not None
    assert grammar.probabilities.tolist() == [0.5, 0.5]


def test_negative_zero_is_zero() -> None:
    grammar = Grammar.from_text("<a> ::= x {-0.0} | y {1}")
    assert grammar == Grammar.from_text("<a> ::= x {0} | y {1.0}")
    assert "-" not in grammar.text


@given(grammars(), st.data())
def test_probabilities_read_back_to_the_last_bit(grammar: Grammar, data: st.DataObject) -> None:
    values = {}
    for name, productions in grammar.rules.items():
        weights = data.draw(st.lists(st.floats(1e-9, 1), min_size=len(productions), max_size=len(productions)))
        values[name] = [weight / sum(weights) for weight in weights]
    carrying = grammar.with_probabilities(values)
    again = Grammar.from_text(carrying.text)
    assert again == carrying
    assert again.probabilities is not None
    assert again.probabilities.tobytes() == carrying.probabilities.tobytes()  # type: ignore[union-attr]
    assert again.text == carrying.text


@pytest.mark.parametrize(
    ("values", "pieces"),
    [
        ([0.5, 0.6, 1.0], ["tiny: the probabilities of <a> add up to 1.1, not to 1"]),
        ([1.5, -0.5, 1.0], ["tiny: a probability of <a> is -0.5"]),
        ([0.5, math.nan, 1.0], ["a probability of <a> is nan"]),
        ([0.5, 0.5, math.inf], ["<b> add up to inf"]),
        ([0.5, 0.5], ["tiny: the probabilities have the shape (2,)", "give 3 numbers"]),
        ([[0.5, 0.5, 1.0]], ["shape (1, 3)"]),
        (["x", "y", "z"], ["are not numbers"]),
        ([0.5, [0.5], 1.0], ["are not numbers"]),
        ({"<a>": [1.0]}, ["the probabilities of <a> have the shape (1,)", "give 2 numbers"]),
        ({"<a>": [0.5, 0.25]}, ["<a> add up to 0.75"]),
        ({"<aa>": [0.5, 0.5]}, ["'<aa>', which it does not define; did you mean <a>?"]),
        ({"expression": [1.0]}, ["'expression', which it does not define; it has <a>, <b>"]),
        ({3: [1.0]}, ["3, which it does not define"]),
    ],
)
def test_values_that_are_no_probabilities_are_refused(values: object, pieces: list[str]) -> None:
    grammar = Grammar.from_text("<a> ::= <b> | y\n<b> ::= z", "tiny")
    with pytest.raises(GrammarError) as error:
        grammar.with_probabilities(values)  # type: ignore[arg-type]
    for piece in pieces:
        assert piece in str(error.value)


# Errors: text, and the message

ERRORS = [
    (
        "<expr> ::= <var> + <vra>\n<var> ::= x",
        (
            "boston.bnf, line 1, column 20: no rule defines <vra>; did you mean <var>?\n"
            "    <expr> ::= <var> + <vra>\n"
            "                       ^"
        ),
    ),
    (
        "<a> ::= <b> | x",
        (
            "boston.bnf, line 1, column 9: no rule defines <b>; add one, or put it in quotes if it is text\n"
            "    <a> ::= <b> | x\n"
            "            ^"
        ),
    ),
    (
        "<a> ::= x\n\t<b> ::= y<b>",
        (
            "boston.bnf, line 2, column 2: <b> never ends in text, whichever production is taken; "
            "give it a production that does\n"
            "    \t<b> ::= y<b>\n"
            "    \t^"
        ),
    ),
]


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_errors_point_at_the_place(text: str, message: str) -> None:
    with pytest.raises(GrammarError) as error:
        Grammar.from_text(text, "boston.bnf")
    assert str(error.value) == message


def test_one_error_tells_all_that_is_undefined_or_never_ends() -> None:
    text = "<one> ::= <tow> <x> <tow>\n<two> ::= <three>\n<three> ::= <two>\n<four> ::= <oen> | <four>"
    with pytest.raises(GrammarError) as error:
        Grammar.from_text(text)
    places = [line.split(";")[0] for line in str(error.value).splitlines() if line.startswith("grammar")]
    assert places == [
        "grammar, line 1, column 11: no rule defines <tow>",
        "grammar, line 1, column 17: no rule defines <x>",
        "grammar, line 2, column 1: <two> never ends in text, whichever production is taken",
        "grammar, line 3, column 1: <three> never ends in text, whichever production is taken",
        "grammar, line 4, column 12: no rule defines <oen>",
    ]


def test_an_error_in_a_file_names_the_path(tmp_path: Path) -> None:
    path = tmp_path / "g.bnf"
    path.write_text("<a> ::= <b>", encoding="utf-8")
    with pytest.raises(GrammarError) as error:
        Grammar.from_file(path)
    assert str(error.value).startswith(f"{path}, line 1, column 9: no rule defines <b>")


def test_files_that_are_no_grammars_are_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.bnf").write_bytes("<a> ::= é".encode("latin-1"))
    for path, what in [
        (tmp_path / "missing.bnf", "there is no such file; check the path"),
        (tmp_path, "is a folder; give the path of a grammar file inside it"),
        (tmp_path / "latin.bnf", r"is not UTF-8 text \(byte 9 is 0xe9\); save it as UTF-8"),
        (tmp_path / "latin.bnf" / "x", "can't be read"),
    ]:
        with pytest.raises(GrammarError, match=what) as error:
            Grammar.from_file(path)
        assert str(path) in str(error.value)


def test_a_notebook_shows_a_grammar_as_text_that_is_escaped() -> None:
    assert Grammar.from_text("<a> ::= '&' | x")._repr_html_() == "<pre>&lt;a&gt; ::= &amp; | x\n</pre>"


def test_a_grammar_draws_as_railroad_diagrams_with_its_probabilities() -> None:
    picture = Grammar.from_text("<a> ::= x {0.25} | y {0.75}").railroad()
    assert picture.startswith("<svg")
    assert "0.25" in picture


@pytest.mark.parametrize("text", [None, b"<a> ::= x", Path("a.bnf")])
def test_what_is_no_text_is_refused(text: object) -> None:
    message = rf"^grammar: {type(text).__name__} is not a text; give BNF as a str, or a path to from_file$"
    with pytest.raises(GrammarError, match=message):
        Grammar.from_text(text)  # type: ignore[arg-type]
