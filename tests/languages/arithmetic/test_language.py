from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Derivation, Derivations, Status
from gramarye.derivations.parsing import parse
from gramarye.errors import LanguageError
from gramarye.grammar import Grammar, vocabulary
from gramarye.grammar.vocabulary import quoted
from gramarye.languages import Arithmetic, Programs
from gramarye.languages.arithmetic import reader
from gramarye.languages.arithmetic.kernels import codes
from gramarye.representations import IntegerLists

# Halves and small integers: sums and products of these are exact.
ROWS = np.array([[x, y, z] for x in (-2.0, 0.0, 0.5, 3.0) for y in (-1.0, 0.0, 2.5) for z in (1.0, -0.5)])
SEED = np.uint64(3)


def divide(a: float, b: float) -> float:
    return 1.0 if b == 0 else a / b


def power(a: float, b: float) -> float:
    if b in (2, 3):  # small integers by multiplication
        return a * a if b == 2 else a * a * a
    with np.errstate(all="ignore"):
        return float(np.float64(a) ** np.float64(b))


def guarded(function: Any) -> Any:
    """A function of `math` that overflows to infinity and is NaN outside its domain."""

    def call(a: float) -> float:
        try:
            return float(function(a))
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return call


BINARY = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: divide, ast.Pow: power,
}  # fmt: skip
CALLS: dict[str, Any] = {
    "sin": guarded(math.sin), "cos": guarded(math.cos), "tan": guarded(math.tan), "tanh": math.tanh,
    "exp": guarded(math.exp), "sqrt": guarded(math.sqrt), "abs": abs,
    "neg": operator.neg, "min": np.minimum, "max": np.maximum,
    "log": lambda a: 0.0 if a <= 0 else math.log(a), "inv": lambda a: divide(1.0, a), "div": divide, "pow": power,
    "square": lambda a: a * a, "cube": lambda a: a * a * a, "psqrt": lambda a: math.sqrt(abs(a)),
}  # fmt: skip


def value(node: ast.AST, row: Sequence[float]) -> float:
    """What an expression means, by Python's own parser."""
    match node:
        case ast.Expression():
            return value(node.body, row)
        case ast.Constant():
            return float(node.value)  # type: ignore[arg-type]
        case ast.Name():
            return row["xyz".index(node.id)]
        case ast.Subscript():
            return row[ast.literal_eval(node.slice)]
        case ast.UnaryOp():
            return -value(node.operand, row) if isinstance(node.op, ast.USub) else value(node.operand, row)
        case ast.BinOp():
            return BINARY[type(node.op)](value(node.left, row), value(node.right, row))
        case ast.Call():
            name = ast.unparse(node.func).removeprefix("np.")
            return float(CALLS[name](*(value(a, row) for a in node.args)))
    raise NotImplementedError(ast.dump(node))


def by_python(text: str, rows: Any = ROWS) -> list[float]:
    tree = ast.parse(text.strip(), mode="eval")
    return [value(tree, row) for row in rows]


def predictions(language: Arithmetic, words: np.ndarray, rows: Any = ROWS) -> list[float]:
    """What the machine computes for a program."""
    program = Programs(np.array(words, np.int32), np.array([0, len(words)]), np.zeros(1, np.int8))
    return language.outputs(program, np.ascontiguousarray(np.asarray(rows).T))[0].tolist()


def language(text: str, columns: int = 3, names: list[str] | None = None, first_index: int = 0) -> Arithmetic:
    return Arithmetic(Grammar.from_text(text), columns, names, first_index)


def compiled(arithmetic: Arithmetic, *productions: int) -> tuple[int, list[int]]:
    found = arithmetic.programs(Derivations.of(np.array(productions, np.int32)))
    return int(found.status[0]), found.words.tolist()


def assert_same(found: list[float], wanted: list[float], text: str, **tolerance: Any) -> None:
    """Equal where the meaning is a finite number; not finite where it is none."""
    for a, b in zip(found, wanted, strict=True):
        if math.isfinite(b):
            assert a == (pytest.approx(b, **tolerance) if tolerance else b), text
        else:
            assert not math.isfinite(a), text


RULES = """
<e> ::= <e> <o> <e> | (<e><o><e>) | -<e> | <f>(<e>) | min(<e>, <e>) | <p>**<x> | <p> | <n>
<o> ::= + | - | * | /
<f> ::= abs | inv | square | np.cube | sqrt | neg
<x> ::= 2 | 3 | 0
"""
LANGUAGES = {
    "tokens": "<p> ::= x | y | z | (<e>)\n<n> ::= 1.0 | 2 | .5",
    "digits": "<p> ::= x | y | z | (<e>)\n<n> ::= <d>.<d> | <d> | <d><d>\n<d> ::= 0 | 1 | 2 | 7",
    "text": "<p> ::= x[<i>] | (<e>)\n<i> ::= 0 | 1 | 2\n<n> ::= <i>.<i> | 5",
}


@pytest.mark.compiled
@pytest.mark.parametrize("mode", LANGUAGES)
@given(seed=st.integers(0, 2**32))
def test_all_three_modes_mean_what_python_means(mode: str, seed: int) -> None:
    grammar = Grammar.from_text(RULES + LANGUAGES[mode])
    arithmetic = Arithmetic(grammar, 3)
    assert arithmetic.mode == mode
    representation = IntegerLists(6, 6)
    genotypes = representation.initial(grammar, 12, np.uint64(seed))
    _, derivations = representation.map(grammar, genotypes, np.zeros(0), np.uint64(seed), 0, 0)
    programs = arithmetic.programs(derivations)
    for i in range(len(derivations)):
        text = Derivation(grammar, derivations[i]).form
        words = programs.words[programs.offsets[i] : programs.offsets[i + 1]]
        status, parsed = arithmetic.program(text)
        assert programs.status[i] == status == Status.OK, text
        assert words.tolist() == parsed.tolist(), text
        try:
            wanted = by_python(text)
        except (SyntaxError, OverflowError):  # 07 is no number of Python's
            continue
        assert_same(predictions(arithmetic, words), wanted, text)


EXPRESSIONS = [
    "x + y * z", "x - y - z", "x / y / z", "x - (y - z)", "x * (y + z)", "2 ** 3 ** 2", "-x ** 2", "(-x) ** 2",
    "2 ** -x",
    "2 ** -x ** 2", "--x", "+x", "-+-x", "x - -y", "x * -y", "x / -y + z", "-x * y", "- (x + y)", "min(x, y)",
    "max(x, min(y, z))", "max(x + y, -z)", "x/0", "0/0", "inv(x)", "inv(0)", "log(x)", "log(-1)", "log(exp(x))",
    "sin(x)", "cos(x) * tan(y)", "exp(-x)", "tanh(x + y)", "sqrt(x)", "psqrt(x)", "abs(x)", "square(x)", "cube(x)",
    "div(x, y)", "pow(x, 2)", "neg(x)", "neg(x) ** 2", "abs(x) ** 0.5", "1e3 * x", "1.5E-2", ".5", "3.", "((x))",
    "x**2**0", "min(x, y)**2", "-min(x, y)", "sin(cos(sin(x)))", " x  +\ty ", "x**17", "2**x", "x*x*x - y*y/(z + 1.0)",
]  # fmt: skip


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions_mean_what_python_means(text: str) -> None:
    arithmetic = language("<a> ::= x")
    status, words = arithmetic.program(text)
    assert status == Status.OK
    assert_same(predictions(arithmetic, words), by_python(text), text, rel=1e-12, abs=1e-12)
    as_terminal = language(f"<a> ::= {text!r}")
    assert as_terminal.mode == "tokens"
    assert compiled(as_terminal, 0) == (Status.OK, words.tolist())


NO_EXPRESSIONS = [
    "", " ", "x +", "* x", "x y", "x 1", "1 2", "(x", "x)", "()", "sin", "sin x", "sin()", "sin(x, y)", "min(x)",
    "min(x, y, z)", "(x, y)", "x,", "x ** * y", "x(y)", "2(x)", "x * * y", "sin + 1", "min(,x)", "f(x)", "x $ y",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_EXPRESSIONS)
def test_what_is_no_expression_has_a_status_of_its_own(text: str) -> None:
    status, words = language("<a> ::= x").program(text)
    assert status == Status.SYNTAX
    assert len(words) == 0


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("np.sin", "sin"), ("numpy.cos", "cos"), ("math.exp", "exp"), ("plog", "log"), ("protected_log", "log"),
        ("_log_", "log"), ("ln", "log"), ("pinv", "inv"), ("_inv_", "inv"), ("_exp", "pexp"), ("_exp_", "exp"),
        ("protected_exp", "pexp"),
        ("np.absolute", "abs"), ("math.fabs", "abs"), ("_sqrt_", "psqrt"), ("protected_sqrt", "psqrt"),
        ("np.square", "square"),
    ],
)  # fmt: skip
def test_functions_have_the_usual_other_spellings(alias: str, name: str) -> None:
    arithmetic = language("<a> ::= x")
    assert arithmetic.program(f"{alias}(x)")[1].tolist() == arithmetic.program(f"{name}(x)")[1].tolist()


@pytest.mark.parametrize(
    ("alias", "name"), [("pdiv", "div"), ("_div_", "div"), ("np.maximum", "max"), ("np.power", "pow")]
)
def test_functions_of_two_arguments_too(alias: str, name: str) -> None:
    arithmetic = language("<a> ::= x")
    assert arithmetic.program(f"{alias}(x, y)")[1].tolist() == arithmetic.program(f"{name}(x, y)")[1].tolist()
    assert len(arithmetic.program(f"{alias}(x, y)")[1]) == 3


@pytest.mark.parametrize(
    ("variable", "first_index", "column"),
    [
        ("x", 0, 0), ("y", 0, 1), ("z", 0, 2), ("x", 1, 0), ("z", 1, 2), ("x0", 0, 0), ("x2", 0, 2), ("x1", 1, 0),
        ("x_1", 0, 1), ("x[0]", 0, 0), ("x[ 2 ]", 0, 2), ("x [1]", 0, 1), ("x[:, 0]", 0, 0), ("x[:,2]", 0, 2),
        ("x[1]", 1, 0), ("x[3]", 1, 2), ("x[:, 3]", 1, 2), ("x_[1]", 0, 1),
    ],
)  # fmt: skip
def test_a_column_has_several_names(variable: str, first_index: int, column: int) -> None:
    arithmetic = language(f"<a> ::= {variable!r}", first_index=first_index)
    assert arithmetic.mode == "tokens"
    assert compiled(arithmetic, 0) == (Status.OK, [codes.VARIABLE + column])


def test_columns_are_known_by_their_names_even_by_odd_ones() -> None:
    names = ["crime rate", "y", "größe", "B", "a-b", "x"]
    grammar = '<a> ::= "crime rate" + <b>\n<b> ::= y | größe | B | "a-b" | x | x[0] | x[5]'
    arithmetic = language(grammar, 6, names)
    wanted = [1, 2, 3, 4, 5, 0, 5]  # x[0] and x[5] are places
    for production, column in enumerate(wanted, start=1):
        assert compiled(arithmetic, 0, production)[1] == [codes.VARIABLE, codes.VARIABLE + column, codes.ADD]


@pytest.mark.parametrize(
    ("names", "terminal", "position"),
    [(["x1", "x3", "x4"], "x2", "x[2]"), (["x1", "x3", "x4"], "x_1", "x[1]"), (["x", "z"], "y", "x[1]")],
)
def test_where_columns_have_names_only_names_and_bracketed_positions_count(
    names: list[str], terminal: str, position: str
) -> None:
    told = (
        f"no variable {terminal}: its columns are {', '.join(names)}; by position they are x[0] to x[{len(names) - 1}]"
    )
    with pytest.raises(LanguageError, match=re.escape(told)):
        language(f"<a> ::= {terminal}", len(names), names)
    assert compiled(language(f"<a> ::= {position}", len(names), names), 0)[1] == [codes.VARIABLE + int(position[2])]


def test_columns_that_are_only_numbered_do_not_take_the_place_of_numbers() -> None:
    arithmetic = language("<a> ::= x[0] + 1 | x1", 2, ["0", "1"])
    assert arithmetic.reader.names == {}
    assert compiled(arithmetic, 0) == compiled(language("<a> ::= x[0] + 1"), 0)
    assert compiled(arithmetic, 1)[1] == [codes.VARIABLE + 1]
    with pytest.raises(LanguageError, match=r"it has 2 columns, x\[0\] to x\[1\]"):
        language("<a> ::= z", 2, ["0", "1"])


@pytest.mark.parametrize(
    ("grammar", "names", "wanted"),
    [
        ("<a> ::= x + <b>\n<b> ::= q%", None, ["line 2: 'q' is neither a column of the data (it has 3 columns"]),
        ("<a> ::= siin(x)", None, ["grammar, line 1: 'siin' is neither a column nor a function; did you mean sin?"]),
        ("<a> ::= <f>(x)\n<f> ::= sin |\n  cosh", None, ["grammar, line 3: 'cosh' is neither", "did you mean cos?"]),
        ("<a> ::= INDUZ", ["CRIM", "INDUS"], ["'INDUZ'", "did you mean INDUS?"]),
        ("<a> ::= 1 + <b>\n<b> ::= x[7]", None, ["line 2: the data has no variable x[7]", "x[0] to x[2]"]),
        ("<a> ::= x3", None, ["the data has no variable x3", "it has 3 columns"]),
        ("<a> ::= z", ["p", "q"], ["the data has no variable z: its columns are p, q"]),
        ("<a> ::= if u: v", None, ["'if' is neither", "nor a function. For programs that are not arithmetic"]),
        ("<a> ::= x + ٣", None, ["'٣' can't be part of a formula"]),
        ("<a> ::= x[٠]", None, ["line 1: '[' in 'x[٠]' can't be part of a formula"]),
        ("<a> ::= x == y", None, ["line 1: '=' in '==' can't be part of a formula"]),
        ('<a> ::= x[<i>] + "!"\n<i> ::= 0', None, ["line 1: '!' can't be part of a formula"]),
        ("<a> ::= x[<i>] + hight\n<i> ::= 0", ["height", "x"], ["line 1: 'hight' is neither", "did you mean height?"]),
    ],
)  # fmt: skip
def test_a_terminal_of_another_language_is_explained(grammar: str, names: list[str] | None, wanted: list[str]) -> None:
    with pytest.raises(LanguageError) as caught:
        language(grammar, 2 if names else 3, names)
    for piece in wanted:
        assert piece in str(caught.value)


def test_with_first_index_1_there_is_no_column_0() -> None:
    with pytest.raises(LanguageError, match=r"no variable x\[0\]: it has 3 columns, x\[1\] to x\[3\]"):
        language("<a> ::= x[0]", first_index=1)


def test_an_odd_name_can_not_be_told_apart_where_terminals_merge() -> None:
    with pytest.raises(LanguageError, match=r"'crime rate' can't be told .* rename the column"):
        language('<a> ::= "crime rate" + x[<i>]\n<i> ::= 0 | 1', 2, ["crime rate", "b"])
    assert language("<a> ::= crime + x[<i>]\n<i> ::= 0 | 1", 2, ["crime", "b"]).mode == "text"


@pytest.mark.parametrize(
    ("grammar", "mode"),
    [
        ("<a> ::= <b> + <b>\n<b> ::= x | 1.0", "tokens"),
        ("<a> ::= <b>+<b>\n<b> ::= x | 1.0", "tokens"),
        ("<a> ::= <b> <b>\n<b> ::= 1 | -", "tokens"),  # white space separates
        ("<a> ::= <d>.<d>\n<d> ::= 1 | 2", "digits"),
        ('<a> ::= <d><s><d>\n<d> ::= 1 | 2\n<s> ::= "" | +', "digits"),
        ("<a> ::= <d>.5 + 0.25\n<d> ::= 1 | 2", "digits"),
        ("<a> ::= x<d>\n<d> ::= 0 | 1", "text"),
        ("<a> ::= x[<d>]\n<d> ::= 0 | 1", "text"),
        ("<a> ::= x[:, <d>]\n<d> ::= 0 | 1", "text"),
        ('<a> ::= x<d>\n<d> ::= "[0]" | "[1]"', "text"),
        ("<a> ::= x<o><o>y\n<o> ::= * | +", "text"),
        ("<a> ::= <f>n(x)\n<f> ::= si | ta", "text"),
        ("<a> ::= np.<f>(x)\n<f> ::= sin | tan", "text"),
        ("<a> ::= <d>e-<d>\n<d> ::= 1 | 2", "text"),
    ],
)
def test_the_fastest_mode_that_is_exact_is_found(grammar: str, mode: str) -> None:
    assert language(grammar).mode == mode


def meaning(arithmetic: Arithmetic, *productions: int) -> list[float] | None:
    status, words = compiled(arithmetic, *productions)
    return predictions(arithmetic, np.array(words, np.int32)) if status == Status.OK else None


@given(st.text("0123456789", min_size=1, max_size=25), st.text("0123456789", max_size=25), st.booleans())
def test_numbers_made_of_digits_are_exactly_those_of_their_text(whole: str, fraction: str, pointed: bool) -> None:
    grammar = Grammar.from_text('<n> ::= <w>.<w> | <w>\n<w> ::= <d><w> | ""\n<d> ::= ' + " | ".join("0123456789"))
    arithmetic = Arithmetic(grammar, 3)
    assert arithmetic.mode == "digits"

    def digits(text: str) -> list[int]:
        return [q for c in text for q in (2, 4 + int(c))] + [3]

    productions = [0, *digits(whole), *digits(fraction)] if pointed else [1, *digits(whole)]
    text = Derivation(grammar, np.array(productions, np.int32)).form
    status, words = compiled(arithmetic, *productions)
    assert status == Status.OK
    assert predictions(arithmetic, np.array(words, np.int32))[0].hex() == float(text).hex()
    assert words == arithmetic.program(text)[1].tolist()


def test_a_point_alone_is_no_number_and_two_points_are_none() -> None:
    arithmetic = language('<a> ::= <d>.<d> | <d>.<d>.<d>\n<d> ::= "" | 5')
    assert arithmetic.mode == "digits"
    assert meaning(arithmetic, 0, 2, 2) is None
    assert meaning(arithmetic, 0, 3, 2) == [5.0] * len(ROWS)
    assert meaning(arithmetic, 0, 2, 3) == [0.5] * len(ROWS)
    assert meaning(arithmetic, 1, 3, 3, 3) is None
    assert meaning(arithmetic, 1, 2, 3, 2) is None


def test_an_empty_production_between_digits_lets_them_merge() -> None:
    arithmetic = language('<a> ::= <d><s><d>\n<d> ::= 1 | 2\n<s> ::= "" | + | " "')
    assert meaning(arithmetic, 0, 1, 3, 2) == [12.0] * len(ROWS)
    assert meaning(arithmetic, 0, 1, 4, 2) == [3.0] * len(ROWS)
    assert meaning(arithmetic, 0, 1, 5, 2) is None  # 1 2


def test_digits_that_merge_stop_where_the_expression_does() -> None:
    arithmetic = language("<a> ::= sin<d><d> | <d><d>(x) | x <d><d> | sin(<d><d>) | (<d><d>)\n<d> ::= 1 | 2")
    assert arithmetic.mode == "text"  # sin1 would be a name
    digits = language("<a> ::= sin <d><d> | (<d><d> | x <d><d> | sin(<d><d>) | (<d><d>)\n<d> ::= 1 | 2")
    assert digits.mode == "digits"
    assert [meaning(digits, q, 5, 6) is None for q in range(5)] == [True, True, True, False, False]


def test_two_stars_that_meet_are_one_power() -> None:
    arithmetic = language("<a> ::= x<o><o>y | x <o> <o> y\n<o> ::= * | + | -")
    rows = ROWS[:, 0], ROWS[:, 1]
    assert_same(
        meaning(arithmetic, 0, 2, 2) or [], [power(a, b) for a, b in zip(*rows, strict=True)], "x**y", rel=1e-15
    )
    assert meaning(arithmetic, 1, 2, 2) is None  # x * * y
    assert meaning(arithmetic, 0, 2, 4) == [a * -b for a, b in zip(*rows, strict=True)]
    assert meaning(arithmetic, 0, 4, 4) == [a + b for a, b in zip(*rows, strict=True)]


def test_an_index_that_is_derived_chooses_its_column() -> None:
    arithmetic = language("<a> ::= x[<i>] - x<i> | x[<i>] + x[:, <i>]\n<i> ::= 0 | 1 | 2 | 9")
    x = ROWS.T
    assert meaning(arithmetic, 0, 3, 2) == (x[1] - x[0]).tolist()
    assert meaning(arithmetic, 1, 4, 3) == (x[2] + x[1]).tolist()
    assert meaning(arithmetic, 0, 5, 2) is None  # there is no column 9: invalid, no error


def test_invalid_derivations_have_no_program() -> None:
    for rules in LANGUAGES.values():
        arithmetic = language(RULES + rules)
        nobody = Derivations(np.zeros(0, np.int32), np.zeros(3, np.int64), np.array([1, 2], np.int8))
        found = arithmetic.programs(nobody)
        assert found.status.tolist() == [1, 2]
        assert found.offsets.tolist() == [0, 0, 0]


def test_long_numbers_among_others_keep_the_order_of_programs() -> None:
    arithmetic = language("<a> ::= <w> + x\n<w> ::= <d><w> | <d>\n<d> ::= 9")
    short, long = [0, 2, 3], [0, *[1, 3] * 30, 2, 3]
    population = Derivations.join([Derivations.of(np.array(d, np.int32)) for d in (short, long, short)])
    found = arithmetic.programs(population)
    pieces = [found.words[a:b].tolist() for a, b in zip(found.offsets[:-1], found.offsets[1:], strict=True)]
    assert pieces[0] == pieces[2] == arithmetic.program("9 + x")[1].tolist()
    assert pieces[1] == arithmetic.program("9" * 31 + " + x")[1].tolist()
    assert found.status.tolist() == [0, 0, 0]


def test_names_of_columns_are_known_inside_longer_terminals() -> None:
    arithmetic = language("<a> ::= log(size)+2*age", 2, ["age", "size"])
    assert compiled(arithmetic, 0)[1] == compiled(language("<a> ::= log(y)+2*x", 2), 0)[1]


def test_a_column_with_the_name_of_a_function_is_refused_where_the_grammar_uses_it() -> None:
    grammar = Grammar.from_text("<e> ::= min | y")
    with pytest.raises(LanguageError, match="'min' is a function, and a column of the data as well; write `min` in"):
        Arithmetic(grammar, 2, ["min", "y"])
    Arithmetic(Grammar.from_text("<e> ::= y"), 2, ["min", "y"])
    quoted = Arithmetic(Grammar.from_text("<e> ::= min(`min`, y)"), 2, ["min", "y"])
    assert compiled(quoted, 0)[1] == [codes.VARIABLE, codes.VARIABLE + 1, codes.MINIMUM]


def test_a_column_may_be_called_like_a_tuned_number() -> None:
    grammar = Grammar.from_text('<e> ::= (<const> + "`<const>`")')
    program = Arithmetic(grammar, 2, ["y", "<const>"]).programs(parse(grammar, "(0.5 + `<const>`)").alone)
    assert program.words[[0, 3, 4]].tolist() == [codes.CONSTANT - 1, codes.VARIABLE + 1, codes.ADD]


ODD = ["body mass", "größe (m)", "sin", "2010", "1a", "a-b", "a`b", "x[0]", "a[", " blank ", "p = 1 | q", "y", "e\"'s"]


@pytest.mark.parametrize("bare", [False, True])
def test_any_name_can_be_written_in_backquotes(bare: bool) -> None:
    rules = "<e> ::= (<x> * <x>)\n<x> ::= " + " | ".join(
        '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' for text in map(quoted, ODD)
    )
    grammar = Grammar.from_text(rules.replace("(<x> * <x>)", "<x><x>") if bare else rules)
    assert Grammar.from_text(str(grammar)) == grammar
    arithmetic = Arithmetic(grammar, len(ODD), ODD)
    assert arithmetic.mode == ("text" if bare else "tokens")
    assert (grammar.node_counts[1:] == 1).all()
    if bare:
        return
    for column, name in enumerate(ODD):
        derivation = parse(grammar, f"({quoted(name)} * {quoted(ODD[0])})")
        assert derivation.form == arithmetic.form(derivation)
        wanted = [codes.VARIABLE + column, codes.VARIABLE, codes.MULTIPLY]
        assert arithmetic.programs(derivation.alone).words.tolist() == wanted
        assert arithmetic.program(derivation.form)[1].tolist() == wanted


def test_a_name_in_backquotes_may_be_cut_at_its_white_space() -> None:
    grammar = Grammar.from_text("<a> ::= `old body mass` / 2", dialect="sge")
    arithmetic = Arithmetic(grammar, 2, ["y", "old body mass"])
    assert arithmetic.mode == "text"
    assert compiled(arithmetic, 0)[1][0] == codes.VARIABLE + 1


@pytest.mark.parametrize(
    "grammar", ["<a> ::= (<a> + <a>) | `body mas`", "<a> ::= x[<i>] | log(`body mas`)\n<i> ::= 0 | 1"]
)
def test_a_misspelt_name_in_backquotes_is_reported(grammar: str) -> None:
    with pytest.raises(LanguageError, match=r"line 1: .*the data has no column `body mas`; did you mean body mass\?"):
        language(grammar, 2, ["y", "body mass"])


def test_only_where_no_terminal_is_a_column_or_function_an_objective_is_advised() -> None:
    with pytest.raises(LanguageError, match=r"gm\.Objective") as caught:
        language("<a> ::= forward <a> | +")
    assert "'forward' is neither a column nor a function; did you mean power? For programs" in str(caught.value)
    with pytest.raises(LanguageError) as caught:
        language("<a> ::= forward <a> | x")
    assert "gm.Objective" not in str(caught.value)


def test_a_formula_has_backquotes_around_names_that_a_grammar_has_only_in_quotes() -> None:
    grammar = Grammar.from_text('<e> ::= (<x> * <x>) | <x>\n<x> ::= "body mass" | y')
    arithmetic = Arithmetic(grammar, 2, ["y", "body mass"])
    derivation = parse(grammar, "(body mass * y)")
    assert arithmetic.form(derivation) == "(`body mass` * y)"
    assert arithmetic.scaled("`größe (m)`", 1.0, 2.0) == "1.0 + 2.0 * `größe (m)`"
    assert arithmetic.scaled("`größe (m)` * y", 1.0, 2.0) == "1.0 + 2.0 * (`größe (m)` * y)"


def test_a_name_in_backquotes_that_is_no_column_is_explained() -> None:
    with pytest.raises(LanguageError, match=r"the data has no column `body mas`; did you mean body mass\?"):
        language('<a> ::= "`body mas`"', 2, ["y", "body mass"])
    with pytest.raises(LanguageError, match=r"the data has no column `zz`: its columns are y, body mass"):
        language('<a> ::= "`zz`"', 2, ["y", "body mass"])


def test_the_vocabulary_names_the_functions_of_the_engine() -> None:
    assert set(reader.FUNCTIONS) == {*vocabulary.FUNCTIONS, *vocabulary.ALIASES}
    for name, arguments in vocabulary.FUNCTIONS.items():
        assert arguments == (2 if reader.FUNCTIONS[name] < codes.UNARY else 1)


def test_remembered_texts_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gramarye.languages.arithmetic.language._MOST_TEXTS", 2)
    language = Arithmetic(Grammar.from_text("<e> ::= x[<i>]\n<i> ::= 0 | 1"), 2)
    for text in ("x[0]", "x[1]", "x[0] + 1", "x[1] + 1"):
        assert language.program(text)[0] == 0
    assert len(language._texts) <= 2


@pytest.mark.parametrize("side", ["x[:, 0] * x[:, 1]", "np.sin(x[:, 0]) + x[:, 1]"])
def test_an_index_that_is_cut_at_its_white_space_is_read_whole(side: str) -> None:
    language = Arithmetic(Grammar.from_text(f"<e> ::= {side}"), 2)
    programs = language.programs(Derivations.of(np.zeros(1, np.int32)))
    assert programs.status.tolist() == [0]
    assert {64, 65} <= set(programs.words.tolist())


def test_a_floor_division_is_no_division() -> None:
    with pytest.raises(LanguageError, match="'//' can't be part of a formula"):
        Arithmetic(Grammar.from_text("<e> ::= <e> // <e> | x"), 1)


def test_an_unknown_name_is_told_with_the_variables_there_are() -> None:
    with pytest.raises(LanguageError, match=r"'w' is neither a column of the data \(its columns are a, b\) nor"):
        Arithmetic(Grammar.from_text("<e> ::= w"), 2, ["a", "b"])


def test_the_operators_have_names_as_functions() -> None:
    language = Arithmetic(Grammar.from_text("<e> ::= x"), 2)
    for name, sign in {"add": "+", "sub": "-", "mul": "*", "div": "/"}.items():
        assert language.program(f"{name}(x, y)")[1].tolist() == language.program(f"x {sign} y")[1].tolist()
