"""How formulas look in other forms, and what is said about them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import gramarye as gm
from gramarye.derivations.parsing import parse
from gramarye.engine.individual import Individual
from gramarye.errors import MissingExtraError, SettingsError
from gramarye.export import to_latex
from gramarye.export.identifiers import identifiers
from gramarye.languages.expression import COLUMN, Expression, Step
from tests.export.test_exports import executed

sympy = pytest.importorskip("sympy")

GRAMMAR = """
    <e> ::= (<e> <op> <e>) | <f>(<e>) | <g>(<e>, <e>) | x | y | <n> | <const>
    <op> ::= + | - | * | / | **
    <f> ::= sin | log | exp | sqrt | psqrt | pexp | abs | inv | square | cube | neg
    <g> ::= min | max
    <n> ::= 0.0 | 1.0 | 2.0
"""
INVERSE = "Piecewise((1, Eq(x, 0)), (1 / x, True))"
LOG = "Piecewise((0, x <= 0), (log(x), True))"
CASES = r"\begin{cases} 0 & \text{if } x \leq 0 \\ \ln\left(x\right) & \text{otherwise} \end{cases}"
TABLE = np.array([[0.0, 1.0], [1.0, 2.0], [-2.0, 3.0], [4.0, 0.5]])  # x is 0 and negative somewhere, y > 0


def individual(text: str, weights: list[float] | None = None, **how: Any) -> Individual:
    grammar = gm.Grammar.from_text(GRAMMAR)
    problem = gm.Regression(TABLE, [1.0, 2.0, 3.0, 5.0], grammar, **how)
    fitted = None if weights is None else np.array(weights)
    return Individual(None, parse(grammar, text), 1.0, problem=problem, weights=fitted, seed=1)


@pytest.mark.parametrize(
    ("text", "infix", "assumptions"),
    [
        ("(x / y)", "x / y", ["y ≠ 0"]),
        ("(y / x)", "Piecewise((1, Eq(x, 0)), (y / x, True))", []),
        ("inv(y)", "1 / y", ["y ≠ 0"]),
        ("(x / 2.0)", "x / 2", []),
        ("(x / (1.0 - 1.0))", "1", []),
        ("(x / (y - y))", "1", ["y - y = 0"]),
        ("log(neg(abs(x)))", "0", ["-abs(x) ≤ 0"]),
        ("inv(log(neg(y)))", "1", ["-y ≤ 0"]),
        ("log(y)", "log(y)", ["y > 0"]),
        ("log(x)", "Piecewise((0, x <= 0), (log(x), True))", []),
        ("pexp(y)", "exp(y)", ["y ≤ 709.782712893384"]),
        ("pexp((1000.0 * y))", "Piecewise((1, 1000 * y > 709.782712893384), (exp(1000 * y), True))", []),
        ("(log((y / y)) + log(y))", "log(y / y) + log(y)", ["y ≠ 0", "y / y > 0", "y > 0"]),
        ("log(inv(x))", f"log({INVERSE}**Max(sign({INVERSE}), 0))", []),
        ("(y / log(x))", f"y**Abs(sign({LOG})) / {LOG}**Abs(sign({LOG}))", []),
        ("square((x + 2.0))", "(x + 2)**2", []),
        ("psqrt(min(x, abs(y)))", "sqrt(Abs(Min(x, y)))", ["y ≥ 0"]),
        ("psqrt(abs(x))", "sqrt(Abs(x))", []),
        ("psqrt(y)", "sqrt(y)", ["y ≥ 0"]),
        ("psqrt((x - (y * 9.0)))", "sqrt(y * 9 - x)", ["x - y * 9 < 0"]),
        ("abs(((-2.0) * y))", "2 * y", ["-2 * y < 0"]),
        ("abs(neg(exp(y)))", "exp(y)", ["-exp(y) < 0"]),
        ("log(abs((y / (-4.0))))", "log(y / 4)", ["-y / 4 < 0", "abs(-y / 4) > 0"]),
        ("psqrt((square(x) + abs((x / 2.0))))", "sqrt(x**2 + Abs(x / 2))", []),
        (
            "(psqrt(inv((1.0 + square(x)))) * psqrt((x * x)))",
            "sqrt(1 / (1 + x**2)) * sqrt(x * x)",
            ["1 + x**2 ≠ 0", "x * x ≥ 0"],
        ),
        ("neg(cube(x))", "-x**3", []),
        ("(x * exp((1.0 + 2.0)))", f"x * {float(np.exp(3.0))!r}", []),
        ("(x + (-0.25))", "x - 0.25", []),
        ("(x - ((-2.0) / y))", "x + 2 / y", ["y ≠ 0"]),
        ("((-2.0) / (y / (-3.0)))", "2 / (y / 3)", ["y / 3 ≠ 0"]),
        ("(y - ((-2.0) / x))", "y - Piecewise((1, Eq(x, 0)), (-2 / x, True))", []),
        ("(x - (-0.25))", "x + 0.25", []),
        ("(x * ((x * y) - (-7.0)))", "x * (x * y + 7)", []),
        ("(sin((x * (-2.0))) + (neg(y) * x))", "sin(-2 * x) - y * x", []),
        ("((2.0 * (x * 3.0)) / 4.0)", "1.5 * x", []),
        ("(x / (2.0 * (3.0 * y)))", "x / (6 * y)", ["6 * y ≠ 0"]),
        ("(2.0 * (1.5 / x))", "2 * Piecewise((1, Eq(x, 0)), (1.5 / x, True))", []),
        ("(exp((2.0 * exp(exp(2.0)))) * y)", "oo * y", []),
    ],
)
def test_strings_for_sympy_are_plain_where_the_data_allow(text: str, infix: str, assumptions: list[str]) -> None:
    found = individual(text).infix()
    assert (str(found), list(found.assumptions)) == (infix, assumptions)
    same = individual(text).sympy()
    assert same.assumptions == found.assumptions
    if "Piecewise" not in infix:
        assert sympy.sympify(infix).evalf(14) == same.form.evalf(14)


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("((x + y) * x)", r"\left(x + y\right) \cdot x"),
        ("(x - (y - x))", r"x - \left(y - x\right)"),
        ("(x + (y - x))", r"x + y - x"),
        ("(x + (neg(y) - x))", r"x + \left(-y - x\right)"),
        ("((-2.5) * (x / y))", r"-2.5 \cdot \frac{x}{y}"),
        ("(x * (-554.0))", r"-554 \cdot x"),
        ("square(exp(x))", r"\left(e^{x}\right)^{2}"),
        ("(x ** (x + 1.0))", r"x^{x + 1}"),
        ("sqrt(abs(log(y)))", r"\sqrt{\left|\ln\left(y\right)\right|}"),
        ("psqrt(max(x, sin(y)))", r"\sqrt{\max\left(x, \sin\left(y\right)\right)}"),
        ("psqrt((x - sin(y)))", r"\sqrt{\left|x - \sin\left(y\right)\right|}"),
        ("psqrt((sin(y) - exp(y)))", r"\sqrt{e^{y} - \sin\left(y\right)}"),
        ("(x * 0.0015)", r"x \cdot 1.5 \cdot 10^{-3}"),
        ("(x ** 1e-05)", r"x^{10^{-5}}"),
        ("(x + 1e6)", r"x + 10^{6}"),
        ("(x + 123456.5)", r"x + 123456.5"),
        ("(exp((2.0 * exp(exp(2.0)))) * y)", r"\infty \cdot y"),
        ("neg((x * y))", r"-x \cdot y"),
        ("(x + inv((y - y)))", r"x + 1"),
        ("(y / x)", r"\begin{cases} 1 & \text{if } x = 0 \\ \frac{y}{x} & \text{otherwise} \end{cases}"),
        ("pexp(x)", "e^{x}"),
        ("(y * log(x))", rf"y \cdot \left({CASES}\right)"),
    ],
)
def test_latex_looks_as_people_write_it(text: str, latex: str) -> None:
    assert str(individual(text).latex()) == latex


def test_numbers_of_latex_are_rounded_on_request() -> None:
    one = individual("(x * (-12345678.5))", [0.1 + 0.2, 1 / 3])
    assert str(one.latex()) == r"0.30000000000000004 - 4.11522616666667 \cdot 10^{6} \cdot x"
    assert str(one.latex(3)) == r"0.3 - 4.12 \cdot 10^{6} \cdot x"
    assert str(individual("(0.33333333333 * x)", [0.0, 9.0]).latex(4)) == r"3 \cdot x"  # not 9 times 0.3333
    with pytest.raises(SettingsError, match=r"digits is 0: it must be an integer ≥ 1, or None for all digits"):
        one.latex(0)
    with pytest.raises(SettingsError, match="digits is True"):
        one.latex(True)


def test_columns_of_latex_are_escaped_and_have_subscripts() -> None:
    labels = (
        "x1",
        "x[2]",
        "x_3",
        "E_n",
        "E_kin",
        "area",
        "area2",
        "body mass",
        "a_b_c",
        "50%",
        "α",
        "k",
        "e",
        "1e5",
        "y1",
        "y_1",
        "年齢",
        "возраст",
        "größe 😀",
    )
    steps = [Step(COLUMN, column=0)]
    for column in range(1, len(labels)):
        steps += [Step(COLUMN, column=column), Step("mul", 2)]
    found = to_latex(Expression(tuple(steps), labels, named=True))
    assert list(found.columns) == str(found).split(r" \cdot ")
    assert list(found.columns) == [
        *("x_{1}", "x_{2}", "x_{3}", "E_{n}", r"E_{\text{kin}}", r"\text{area}", r"\text{area}_{2}"),
        *(
            r"\text{body mass}",
            r"\text{a\_b\_c}",
            r"\text{50\%}",
            r"\text{$\alpha$}",
            "k",
            r"\text{e}",
            r"\text{1e5}",
            r"\text{y1}",
            r"\text{y\_1}",
            r"\text{年齢}",
            r"\text{возраст}",
            r"\text{gr\"{o}\ss{}e {[}U+1F600]}",
        ),
    ]
    assert list(found.columns.values()) == list(labels)


NAMES = [
    "body mass",
    "lambda",
    "élan",
    "sin",
    "np",
    "X",
    "2010",
    "a.b",
    "part_1",
    "ﬁ",
    "fi",
    "%",
    "x[30]",
    "a b",
    "a_b",
]
USED = ["len", "hasattr", "float", "str", "Integer", "Float", "Symbol", "Function"]  # by the source, or by sympify


def test_columns_of_any_name_become_valid_variables_all_different() -> None:
    found = identifiers(NAMES, {"np", "X", "sin"})
    assert found == [
        *("body_mass", "lambda_", "élan", "sin_2", "np_2", "X_2", "x2010", "a_b_2", "part_1"),
        *("fi", "fi_2", "x", "x30", "a_b_3", "a_b"),
    ]  # fmt: skip


def test_columns_of_any_name_give_valid_python_and_sympy() -> None:
    names = [*NAMES, *USED, 'quote"""\\', "a=b"]
    grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | " + " | ".join(f"x[{i}]" for i in range(len(names))))
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.uniform(1, 2, (9, len(names))), columns=names)
    derivation = parse(grammar, " + ".join(f"x[{i}]" for i in range(len(names))))
    one = Individual(None, derivation, 1.0, problem=gm.Regression(data, rng.uniform(size=9), grammar))
    wanted = one.predict(data.to_numpy())
    predict = executed(str(one.python()))
    for X in (data, data[names[::-1]], data.to_numpy(), dict(data), data.to_numpy().tolist()):
        assert predict(X) == pytest.approx(wanted, rel=1e-12)
    infix = one.infix()
    assert list(infix.columns.values()) == names
    symbols = {name: sympy.Symbol(name) for name in infix.columns}
    assert sympy.sympify(infix.form, locals=symbols) == one.sympy().form
    computed = sympy.lambdify(list(symbols.values()), one.sympy().form)(*data.to_numpy().T)
    assert computed == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_python_source_reads_texts_as_the_formula_does(frame: Any) -> None:
    data = {"a": [1.0, 2.0, 4.0], "t": ["u", "v", "u"], "p=q": ["r=s", "r", "r=s"], "n": [1.0, 0.0, 0.0]}
    fitted = pd.DataFrame(data).astype({"n": int}).astype({"n": "category"})
    problem = gm.Regression(fitted, [1.0, 5.0, 2.0], gm.Grammar.from_columns(fitted))
    derivation = parse(problem.grammar, "(((a * `t=u`) + `p=q=r=s`) + `n=1`)")
    one = Individual(None, derivation, 1.0, problem=problem)
    source = str(one.python())
    assert "X is an array with the columns 'a', 't=u', 't=v', 'p=q=r', 'p=q=r=s', 'n=0', 'n=1', or a data" in source
    new = frame(data | {"n": [1, 0, 0]})
    assert executed(source)(new).tolist() == one.predict(fitted).tolist() == [3.0, 0.0, 5.0]
    indicators = problem.dataset.columns.T
    assert executed(source)(pd.DataFrame(indicators, columns=problem.dataset.names)).tolist() == [3.0, 0.0, 5.0]
    assert executed(source)(indicators).tolist() == [3.0, 0.0, 5.0]


def test_python_source_says_its_columns_and_protects_what_it_divides_by() -> None:
    assert (
        str(individual("((x / y) + 1.0)", [0.5, -2.0]).python())
        == '''import numpy as np


def protected_div(a, b):
    """a / b, but 1 where b is 0."""
    return np.where(b == 0, 1.0, a / np.where(b == 0, 1.0, b))


def predict(X):
    """The prediction of a formula found by gramarye for each row of X.

    X is an array with 2 columns.
    Columns that are used, and their positions: 'x' (0), 'y' (1).
    """
    X = np.asarray(X, float).reshape(len(X), -1)
    x = X[:, 0]
    y = X[:, 1]
    with np.errstate(all="ignore"):
        predicted = 0.5 - 2 * (protected_div(x, y) + 1)
    return predicted
'''
    )


@pytest.mark.parametrize("text", ["1.0", "(2.0 ** 0.5)", "(x / 0.0)"])
def test_a_constant_is_predicted_for_every_row(text: str) -> None:
    one = individual(text)
    found = executed(str(one.python()))(TABLE)
    assert found.dtype == float
    assert found.tolist() == one.predict(TABLE).tolist()
    assert float(one.sympy().form) == pytest.approx(found[0], rel=1e-12)


def test_limits_of_predictions_are_in_the_source_and_said_of_formulas() -> None:
    one = individual("sqrt((x * 2.0))", clip=True)
    rows = np.array([[0.0, 0.0], [-3.0, 0.0], [1e9, 0.0], [2.0, 0.0]])
    assert executed(str(one.python()))(rows).tolist() == one.predict(rows).tolist() == [0.0, 3.0, 9.0, 2.0]
    said = ("-3.0 ≤ prediction ≤ 9.0: `predict` limits predictions to this range",)
    assert one.infix().assumptions == one.latex().assumptions == one.sympy().assumptions == said
    assert str(one.infix()) == "sqrt(x * 2)"


def test_deep_formulas_are_valid_python() -> None:
    grammar = gm.Grammar.from_text("<e> ::= sin(<e>) | <e> + x | x")
    problem = gm.Regression(TABLE, [1.0, 2.0, 3.0, 5.0], grammar)
    for text in ("sin(" * 400 + "x" + ")" * 400, "x" + " + x" * 3000):
        one = Individual(None, parse(grammar, text), 1.0, problem=problem)
        assert executed(str(one.python()))(TABLE) == pytest.approx(one.predict(TABLE), rel=1e-9)
        assert min(len(str(one.latex())), len(str(one.infix()))) > 1000


def test_a_missing_sympy_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(MissingExtraError, match=r"sympy is not installed: pip install 'gramarye\[sympy\]'"):
        individual("x").sympy()
    assert str(individual("(x + y)").infix()) == "x + y"


def test_what_is_no_formula_is_not_exported() -> None:
    grammar = gm.Grammar.from_text("<e> ::= a | b")
    one = Individual(None, parse(grammar, "a"), 1.0, problem=gm.Objective(lambda text: 1.0, grammar, name="letters"))
    with pytest.raises(
        SettingsError, match="letters has no data, so its programs are not formulas that can be exported"
    ):
        one.latex()
    invalid = Individual(None, parse(grammar, "a"), float("inf"))
    with pytest.raises(SettingsError, match="there is no valid program to export"):
        invalid.python()


def test_the_best_of_a_run_is_exported_with_its_weights_and_constants() -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 4, (40, 1))
    grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | <e> * <e> | exp(<e>) | <e> / <e> | x | <const>")
    problem = gm.Regression(x, 3 * np.exp(-0.5 * x[:, 0]) + 1, grammar)
    run = gm.evolve(problem, gm.TunedTrees(population=50, max_evaluations=3_000), seed=1)
    for one in (run.best, run.picked):
        assert executed(str(one.python()))(x) == pytest.approx(one.predict(x), rel=1e-9)
