from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.errors import GrammarError
from gramarye.grammar.bnf import parse
from gramarye.grammar.rules import ProductionText, Rule, Symbol
from gramarye.grammar.writing import format_production, format_rules


def short(symbol: Symbol) -> str:
    """A symbol as a word: non-terminals as they are, terminals after t:, white space after s:."""
    return symbol.text if symbol.kind == "nonterminal" else f"{symbol.kind[0]}:{symbol.text}"


def productions(text: str) -> list[list[str]]:
    """The symbols of each production of the first rule."""
    return [[short(symbol) for symbol in production.symbols] for production in parse(text)[0].productions]


def production(text: str) -> list[str]:
    (only,) = productions(f"<a> ::= {text}")
    return only


def probabilities(text: str) -> list[float | None]:
    return [production.probability for production in parse(text)[0].productions]


# Layout


def test_rules_keep_their_order() -> None:
    assert [rule.name for rule in parse("<b> ::= x\n<a> ::= y\n")] == ["<b>", "<a>"]


@pytest.mark.parametrize(
    "text",
    [
        "<a> ::= x | y",
        "<a>::=x|y",
        "  <a>\t::=\tx |\n y\n",
        "<a> ::= x\n| y",
        "<a> ::=\n    x\n  | y\n\n\n",
        "<a> ::=\n  | x\n  | y\n",
        "<a> ::= # first\n  | x # second\n# third\n  | y # fourth",
        "<a>\n::= x | y",
        "\ufeff<a> ::= x | y\r\n",
        "<a> ::= x |\r\n y\r\n",
        "<a> ::= x |\r y\r",
        "<a> ::= 'x' | \"y\"",
        "# the beginning\n\n<a> ::= x|y#\n".replace("#\n", " #\n"),
    ],
)
def test_layout_does_not_matter(text: str) -> None:
    assert productions(text) == [["t:x"], ["t:y"]]


def test_a_rule_may_span_several_lines_and_its_lines_are_joined_without_white_space() -> None:
    assert production("<x>  \n   +  \n\t <y>") == ["<x>", "t:+", "<y>"]


def test_white_space_inside_a_production_is_kept_as_written() -> None:
    assert production("  <x>  <y>\t+ 1 ") == ["<x>", "s:  ", "<y>", "s:\t", "t:+", "s: ", "t:1"]


def test_nothing_is_put_where_no_white_space_stands() -> None:
    assert production("sin(<x>)") == ["t:sin(", "<x>", "t:)"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<a> ::= x | | y", [["t:x"], [], ["t:y"]]),
        ("<a> ::= x || y", [["t:x"], [], ["t:y"]]),
        ("<a> ::= | x", [[], ["t:x"]]),
        ("<a> ::= x |", [["t:x"], []]),
        ("<a> ::= x |\n\n<b> ::= y", [["t:x"], []]),
        ("<a> ::= x |\n | y", [["t:x"], [], ["t:y"]]),
        ('<a> ::= x | ""', [["t:x"], []]),
        ("<a> ::= ''", [[]]),
        ("<a> ::=", [[]]),
        ("<a> ::=\n\n<b> ::= y", [[]]),
        ('<a> ::= "" ""', [[]]),
        ("<a> ::= \"\"\n | ''", [[], []]),
    ],
)
def test_an_empty_production_is_written_as_nothing_or_as_empty_quotes(text: str, expected: list[list[str]]) -> None:
    assert productions(text) == expected


def test_empty_quotes_among_other_symbols_are_nothing() -> None:
    assert production('x "" y ""') == ["t:x", "s:  ", "t:y"]


# Symbols


@pytest.mark.parametrize("text", ["a < b", "a <= b", "a <> b", "a << b >> c", "x<+y>", "< b >", "<b", "1 >b"])
def test_angle_brackets_around_no_name_are_text(text: str) -> None:
    assert production(text) == [
        f"s:{piece}" if piece == " " else f"t:{piece}" for piece in text.replace(" ", "\0 \0").split("\0")
    ]


@pytest.mark.parametrize("name", ["<x>", "<pre_op>", "<bool-expr>", "<GE:x>", "<two words>", "<x'>", "<é1.2>", "<0>"])
def test_names_may_hold_more_than_letters(name: str) -> None:
    assert production(f"({name})") == ["t:(", name, "t:)"]
    assert parse(f"{name} ::= x")[0].name == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"x y"', ["t:x y"]),
        ("'x y'", ["t:x y"]),
        ('" "', ["t: "]),
        ("'\"'", ['t:"']),
        ('"\'"', ["t:'"]),
        ('"a""b"', ["t:a", "t:b"]),
        ('a"b"c', ["t:a", "t:b", "t:c"]),
        ('"|"', ["t:|"]),
        ('"<x>"', ["t:<x>"]),
        ('"# no comment"', ["t:# no comment"]),
        ('"::="', ["t:::="]),
        ('"GE_RANGE:3"', ["t:GE_RANGE:3"]),
        ('"<b" c>', ["t:<b", "s: ", "t:c>"]),
    ],
)
def test_quotes_delimit_one_terminal(text: str, expected: list[str]) -> None:
    assert production(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("log(`body mass`) * <a>", ["t:log(`body mass`)", "s: ", "t:*", "s: ", "<a>"]),
        ("`no # comment: 1``2`", ["t:`no # comment: 1``2`"]),
        ("` <a> `", ["t:`", "s: ", "<a>", "s: ", "t:`"]),
        ("x `<a>`", ["t:x", "s: ", "t:`", "<a>", "t:`"]),
        ("one ` alone", ["t:one", "s: ", "t:`", "s: ", "t:alone"]),
    ],
)
def test_a_name_in_backquotes_is_part_of_one_terminal(text: str, expected: list[str]) -> None:
    assert production(text) == expected


def test_backquotes_do_not_reach_over_bars() -> None:
    assert productions("<a> ::= `x | y`") == [["t:`x"], ["t:y`"]]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"\n", "\n"),
        (r"\t", "\t"),
        (r"\r", "\r"),
        (r"\\", "\\"),
        (r"\"", '"'),
        (r"\'", "'"),
        (r"\|", "|"),
        (r"\<x\>", "<x>"),
        (r"\<x>", "<x>"),
        (r"\#", "#"),
        (r"\{0.5\}", "{0.5}"),
        (r"\\n", "\\n"),
        (r"\d", "\\d"),
        (r"a\:b", "a\\:b"),
        ("\\é", "\\é"),
        ("\\", "\\"),
    ],
)
def test_escapes_mean_the_same_in_quotes_and_out_of_them(written: str, meant: str) -> None:
    assert production(written) == [f"t:{meant}"]
    if written != "\\":
        assert production(f'"{written}"') == [f"t:{meant}"]


def test_a_backslash_before_white_space_is_text() -> None:
    assert production("a\\ b") == ["t:a\\", "s: ", "t:b"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x # y", ["t:x"]),
        ("x\t#y", ["t:x"]),
        ("x#y", ["t:x#y"]),
        ("<x>#", ["<x>", "t:#"]),
        ("x # it's a 'quote\n y", ["t:x", "t:y"]),
        ("#", []),
    ],
)
def test_a_comment_begins_a_line_or_follows_white_space(text: str, expected: list[str]) -> None:
    assert production(text) == expected


# Ranges and probabilities


def test_a_range_stands_for_its_numbers() -> None:
    assert productions("<a> ::= x | GE_RANGE:3 | GE_RANGE: 1") == [["t:x"], ["t:0"], ["t:1"], ["t:2"], ["t:0"]]


def test_a_range_shares_its_probability() -> None:
    assert probabilities("<a> ::= x {0.5} | GE_RANGE:2 {0.5}") == [0.5, 0.25, 0.25]


def test_probabilities_follow_productions() -> None:
    text = '<a> ::= <b> + x {0.1} | y{.2} | "" { 7e-1 }\n | z\n {0}'
    assert productions(text) == [["<b>", "s: ", "t:+", "s: ", "t:x"], ["t:y"], [], ["t:z"]]
    assert probabilities(text) == [0.1, 0.2, 0.7, 0.0]


def test_any_white_space_may_surround_a_probability() -> None:
    assert probabilities("<a> ::= x {\t0.5\x1f} | y {\u00a00.5 }") == [0.5, 0.5]


def test_probabilities_are_read_to_the_last_bit() -> None:
    assert probabilities("<a> ::= x {0.1000000000000000055} | y {0.90000000000000002}") == [0.1, 0.9]


def test_sums_within_the_tolerance_are_used_as_given() -> None:
    assert probabilities("<a> ::= x {0.3333333333} | y {0.6666666666}") == [0.3333333333, 0.6666666666]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<a> ::= x {0.5} | y", ["t:x", "s: ", "t:{0.5}"]),
        ("<a> ::= x{0.5} | y", ["t:x{0.5}"]),
        ("<a> ::= { 0.5 }x | y", ["t:{", "s: ", "t:0.5", "s: ", "t:}x"]),
        ("<a> ::= {1} + {1} | {2}x", ["t:{1}", "s: ", "t:+", "s: ", "t:{1}"]),
        ('<a> ::= "{1}"', ["t:{1}"]),
        ("<a> ::= {x}", ["t:{x}"]),
        ("<a> ::= {}", ["t:{}"]),
    ],
)
def test_a_number_in_braces_is_text_unless_every_production_ends_so(text: str, expected: list[str]) -> None:
    assert productions(text)[0] == expected
    assert set(probabilities(text)) == {None}


# Errors: text, and pieces of the message

ERRORS = [
    ("", ["g.bnf, line 1, column 1: the grammar is empty", "<name> ::= x | y"]),
    ("# only\n  # comments\n", ["the grammar is empty"]),
    ("my.bnf", ["g.bnf, line 1, column 1: there is no rule here", "\n    my.bnf\n    ^"]),
    ("hello\n<a> ::= x", ["line 1, column 1: text before the first rule", "\n    hello\n    ^"]),
    ("| x\n<a> ::= x", ["line 1, column 1: text before the first rule"]),
    (
        "expr ::= x",
        ["line 1, column 1: the name expr has no angle brackets", "write <expr>", "\n    expr ::= x\n    ^"],
    ),
    ("< a > ::= x", ["line 1, column 7: ::= must follow"]),
    ("<a> ::= x <b> ::= y", ["line 1, column 15: ::= must follow", "a line of its own", 'quote "::="']),
    ("<a> ::= x\n<b> ::= ::= y", ["line 2, column 9: ::= must follow"]),
    (
        "<a> ::= x\n<b> ::= y\n\n<a> ::= z",
        ["line 4, column 1: <a> is defined twice, in lines 1 and 4", "join them with |"],
    ),
    ("<a> ::= x\n\t| 'y", ["line 2, column 4: the quote ' is never closed", r"write \'", "\n    \t| 'y\n    \t  ^"]),
    ('<a> ::= "x\n"', ["line 1, column 9: the quote", r"write \""]),
    ('<a> ::= "x\\', ["line 1, column 9: the quote"]),
    ("<a> ::= GE_RANGE:0", ["line 1, column 9: GE_RANGE:0 is not a range", "from 1 to 100000"]),
    ("<a> ::= GE_RANGE:", ["GE_RANGE: is not a range"]),
    ("<a> ::= x | GE_RANGE:-1", ["column 13: GE_RANGE:-1 is not a range"]),
    (
        "<a> ::= GE_RANGE:dataset_rows",
        ["GE_RANGE:dataset_rows is not a range", "or dataset_n_vars", "quote it"],
    ),
    ("<a> ::= GE_RANGE:2.5", ["GE_RANGE:2.5 is not a range"]),
    ("<a> ::= GE_RANGE:٣", ["GE_RANGE:٣ is not a range"]),
    ("<a> ::= GE_RANGE:100001", ["GE_RANGE:100001 is not a range"]),
    ("<a> ::= GE_RANGE:99999999999999999999", ["is not a range"]),
    ("<a> ::= x {0.5}\n  | y {0.4}", ["line 1, column 11: the probabilities of <a> add up to 0.9, not to 1", "quote"]),
    ("<a> ::= x {1.5} | y {-0.5}", ["line 1, column 21: a probability of <a> is negative, -0.5"]),
    ("<a> ::= x {1e999}", ["add up to inf, not to 1"]),
    ("<a> ::= x {0.5} | y {0.500000002}", ["add up to 1.000000002"]),
    ("<a> ::= \x1b[31m 'x", ["\n    <a> ::= \N{REPLACEMENT CHARACTER}[31m 'x\n"]),
    ("<a> ::=\r\n 'x\r\n", ["line 2, column 2", "\n     'x\n     ^"]),
    ("<a> ::=\r 'x\r", ["line 2, column 2", "\n     'x\n     ^"]),
]


@pytest.mark.parametrize(("text", "pieces"), ERRORS)
def test_errors_say_where_what_and_what_to_do(text: str, pieces: list[str]) -> None:
    with pytest.raises(GrammarError) as error:
        parse(text, "g.bnf")
    for piece in pieces:
        assert piece in str(error.value)


def test_of_a_long_line_an_error_shows_what_is_around_the_mistake() -> None:
    with pytest.raises(GrammarError) as error:
        parse("<a> ::= " + "x | " * 1000 + "'y" + " z" * 1000)
    place, line, caret = str(error.value).splitlines()
    assert "column 4009" in place
    assert len(line) < 120
    assert line[caret.index("^")] == "'"


# Writing


def test_rules_are_written_aligned() -> None:
    text = "<start>::=<e>|\n<e> ::= <e>+<e>|(<e>)\n|x y"
    assert format_rules(parse(text)) == '<start> ::= <e> | ""\n<e>     ::= <e>+<e> | (<e>) | x y\n'


def test_a_long_rule_is_written_one_production_a_line() -> None:
    texts = [f"production-{number}" for number in range(8)]
    expected = "<a> ::= " + "\n      | ".join(texts) + "\n"
    assert format_rules(parse("<a> ::= " + " | ".join(texts))) == expected


def test_probabilities_are_written_in_a_column() -> None:
    text = "<expr> ::= <expr> + x {0.1} | y {0.9}\n<b> ::= z\n"
    expected = "<expr> ::= <expr> + x {0.1}\n         | y          {0.9}\n<b>    ::= z\n"
    assert format_rules(parse(text)) == expected


def test_a_very_long_name_leaves_the_others_where_they_are() -> None:
    name = f"<{'x' * 40}>"
    assert format_rules(parse(f"<a> ::= {name}\n{name} ::= y")) == f"<a> ::= {name}\n{name} ::= y\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x", "x"),
        ("a<=b", "a<=b"),
        ("{", "{"),
        ("x#y", "x#y"),
        ("a::b", "a::b"),
        ("#", '"#"'),
        ("x y", '"x y"'),
        ('say "x"', "'say \"x\"'"),
        ("\"'", r'''"\"'"'''),
        ("<x>", '"<x>"'),
        ("<x", '"<x"'),
        ("{0.5}", '"{0.5}"'),
        ("x{5}", '"x{5}"'),
        ("{0.5}x", "{0.5}x"),
        ("GE_RANGE:5", '"GE_RANGE:5"'),
        ("a::=b", '"a::=b"'),
        ("a\n\t\r\\", r'"a\n\t\r\\"'),
        ("\u200b", '"\u200b"'),
    ],
)
def test_a_terminal_is_quoted_where_it_would_be_misread(text: str, written: str) -> None:
    assert format_production((Symbol(text, "terminal"),)) == written


names = st.from_regex(r"<[a-zé_0-9]([a-z .:'-]{0,3}[a-z'-])?>", fullmatch=True)
pieces = st.sampled_from(
    [
        "x",
        " ",
        "\n",
        "\r",
        "\t",
        '"',
        "'",
        "\\",
        "|",
        "#",
        "<",
        ">",
        "<x>",
        "{0.5}",
        "{",
        "}",
        "1",
        "::=",
        ":",
        "n",
        "GE_RANGE:",
        "\u2028",
    ]
)
terminals = st.one_of(st.text(min_size=1, max_size=4), st.lists(pieces, min_size=1, max_size=4).map("".join))
spaces = st.text(" \t\u00a0\x0b\x85\u2028", min_size=1, max_size=3)


@st.composite
def right_sides(draw: st.DrawFn) -> tuple[Symbol, ...]:
    """Symbols as a text can hold them: no white space at the ends, nor twice in a row."""
    solid = st.one_of(names.map(lambda n: Symbol(n, "nonterminal")), terminals.map(lambda t: Symbol(t, "terminal")))
    symbols: list[Symbol] = []
    for symbol in draw(st.lists(solid, max_size=5)):
        if len(symbols) > 0 and draw(st.booleans()):
            symbols.append(Symbol(draw(spaces), "space"))
        symbols.append(symbol)
    return tuple(symbols)


@st.composite
def rule_lists(draw: st.DrawFn) -> tuple[Rule, ...]:
    rules = []
    for name in draw(st.lists(names, min_size=1, max_size=4, unique=True)):
        sides = draw(st.lists(right_sides(), min_size=1, max_size=4))
        numbers: list[float | None] = [None] * len(sides)
        if draw(st.booleans()):
            weights = draw(st.lists(st.floats(1e-6, 1), min_size=len(sides), max_size=len(sides)))
            numbers = [weight / sum(weights) for weight in weights]
        rules.append(Rule(name, tuple(map(ProductionText, sides, numbers))))
    return tuple(rules)


@given(rule_lists())
def test_what_is_written_reads_back_as_the_same_rules(rules: tuple[Rule, ...]) -> None:
    text = format_rules(rules)
    assert parse(text) == rules
    assert format_rules(parse(text)) == text


@given(st.lists(st.one_of(pieces, names), max_size=12).map("".join))
def test_any_text_is_either_rules_that_can_be_written_or_a_grammar_error(body: str) -> None:
    try:
        rules = parse(f"<a> ::= {body}\n")
    except GrammarError:
        return
    assert parse(format_rules(rules)) == rules
