from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import gramarye as gm
from gramarye.errors import GrammarError
from gramarye.grammar import Grammar

COLUMNS = {"x1": float, "x2": float, "x3": float, "body mass": float, "sin": float, "flag": bool, "c": ["u", "v"]}


def made(template: str, constants: bool = True) -> Grammar:
    return Grammar.from_columns(COLUMNS, template=template, preset="polynomial", constants=constants)


@pytest.mark.parametrize(
    ("template", "formula"),
    [
        ("a * f(x1) + g(x2, x3)", "<const> * <f> + <g>"),
        ("sin(f(x1))**2", "sin(<f>)**2"),
        ("max(f(x1), 0)", "max(<f>, 0)"),
        ("-x1 * f ( x2 , flag )", "-x1 * <f>"),
        ("k*`body mass`", '<const>"*`body mass`"'),
        ("(a + `sin`) / flag", "(<const> + `sin`) / flag"),
        (" a\n + `c=u` ", "<const> + `c=u`"),
        ("1.5e3 * f(c)", "1.5e3 * <f>"),
    ],
)
def test_holes_and_constants_are_left_to_the_search(template: str, formula: str) -> None:
    grammar = made(template)
    assert grammar.rules["<formula>"][0].text == formula
    assert Grammar.from_text(str(grammar)) == grammar
    assert not grammar.analysis.warnings


def test_a_hole_uses_its_columns_only() -> None:
    grammar = made("f(x1, c) + g(x2)")
    assert {p.text for p in grammar.rules["<f.x>"]} == {"x1"}
    assert {p.text for p in grammar.rules["<f.flag>"]} == {"`c=u`", "`c=v`"}
    assert {p.text for p in grammar.rules["<g.x>"]} == {"x2"}
    assert not made("f(x1)", constants=False).has_constants


def test_a_template_is_found_again() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.uniform(1, 3, (60, 2)), columns=["x1", "x2"])
    grammar = Grammar.from_columns(X, template="a * f(x1) + g(x2)")
    problem = gm.Regression(X, 2.5 * X.x1**2 + X.x2, grammar)
    run = gm.evolve(problem, gm.TunedTrees(population=60, generations=20), seed=1)
    assert run.best.fitness < 1e-6
    derivation = gm.parse(grammar, "2.5 * (x1 * x1) + x2")
    assert problem.predict(derivation, None, X) == pytest.approx(2.5 * X.x1**2 + X.x2)


@pytest.mark.parametrize(
    ("template", "column", "message"),
    [
        ("", 1, "the template is empty"),
        ("  ", 3, "the template is empty"),
        ("f(x9)", 3, "no column is called 'x9'; did you mean"),
        ("f(q)", 3, "no column is called 'q'; there are x1, x2"),
        ("f()", 3, "the hole f needs names of columns here, as in f(x1, x2)"),
        ("f(2)", 3, "the hole f needs names of columns here"),
        ("f(x1 + x2)", 6, "'+' is not expected here"),
        ("f(cos(x1))", 3, "the hole f takes names of columns, not the function cos; call it outside, as in cos(f(…))"),
        ("f(x1", 5, "the bracket f( is never closed"),
        ("f(x1) + f(x2)", 9, "the hole f occurs twice"),
        ("a * x1 + a", 10, "the constant a occurs twice"),
        ("x1(x2) * a", 1, "'x1' is a column, and can't be called"),
        ("`f`(x2)", 1, "'f' is a column, and can't be called"),
        ("const(x2)", 1, "a hole can't be called 'const'"),
        ("a.b(x2)", 1, "a hole can't be called 'a.b'"),
        ("cos * a", 1, "'cos' is a function; write cos(…)"),
        ("sin * a", 1, "'sin' is a function; write sin(…), or `sin` in backquotes for the column"),
        ("cos(x1, x2) * a", 1, "cos takes 1 argument, not 2"),
        ("a * c", 5, "the column 'c' holds texts; write `c=u` for one of them"),
        ("a * `c=w`", 5, "no column is called 'c=w'; did you mean"),
        ("a * `???`", 5, "no column is called '???'"),
        ("flags * x1", 1, "no column is called 'flags'; did you mean flag? A number to tune needs another name"),
        ("a x1", 3, "'x1' does not continue the formula; write an operator before it"),
        ("a)", 2, "')' does not continue the formula; remove it"),
        ("(a", 3, "the bracket ( is never closed"),
        ("a +", 4, "the template ends where a number"),
        ("a + * x1", 5, "'*' stands where a number"),
        ("a % x1", 3, "'%' can't be read"),
        ("2 * x1", 1, "the template leaves nothing open"),
    ],
)
def test_a_mistake_is_shown_in_its_place(template: str, column: int, message: str) -> None:
    with pytest.raises(GrammarError) as error:
        made(template)
    first, shown, caret = str(error.value).split("\n")
    assert first.startswith(f"template, line 1, column {column}: ")
    assert message in first
    assert shown.startswith("    ")
    assert caret == " " * (3 + column) + "^"


def test_a_template_is_a_text() -> None:
    with pytest.raises(GrammarError, match="template is of type int"):
        Grammar.from_columns(COLUMNS, template=3)  # type: ignore[arg-type]
