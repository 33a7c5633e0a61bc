"""The tasks of priors.py: formulas with and without decoys, and six tasks that are not regression.

Formulas: Nguyen, Keijzer, Koza and Pagie as in J. McDermott et al., Genetic Programming Needs Better Benchmarks, GECCO
2012, where their sources are; physics from S.-M. Udrescu and M. Tegmark, AI Feynman, Science Advances 6(16), 2020,
I.16.6 (velocities that are added, c = 1) and I.41.16 (Planck's law, all constants 1). Points are drawn again.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from itertools import combinations, product
from typing import Any, ClassVar, NamedTuple

import numpy as np

import gramarye as gm

FORMULAS, BOOLEANS = "formulas", "booleans"  # domains: their tasks share all rules but that of the variables
EXPRESSION, VARIABLE = "<expr>", "<var>"
STANDARD, EXPENSIVE = 50_000, 5_000  # evaluations of a run; those of Python functions take a hundred times as long

# The rules of the PGE paper (Mégane, Lourenço, Machado 2021).
FORMULA_RULES = """
<start>  ::= <expr>
<expr>   ::= <expr> <op> <expr> | (<expr> <op> <expr>) | <pre_op>(<expr>) | <var>
<op>     ::= + | - | * | /
<pre_op> ::= sin | cos | exp | log | inv
<var>    ::= {names} | 1.0
"""
# Over 0 and 1, min is "and", max is "or", 1 - a is "not".
BOOLEAN_RULES = """
<start> ::= <expr>
<expr>  ::= <op>(<expr>, <expr>) | (1 - <expr>) | <var>
<op>    ::= min | max
<var>   ::= {names}
"""


class Task(NamedTuple):
    """A problem with what the study must know of it."""

    family: str  # a prior from other tasks is learned from other families
    domain: str  # of tasks whose rules are the same
    solution: str  # a program without error
    make: Callable[[int], gm.Regression | gm.Objective]  # from a number of decoys: variables without influence
    evaluations: int = STANDARD


class Formula(NamedTuple):
    """A formula over variables that are drawn uniformly between two bounds."""

    family: str
    solution: str  # as the grammar writes it
    function: Callable[[Any], Any]
    columns: int
    low: float
    high: float


def drawn(name: str, formula: Formula) -> Callable[[int], gm.Regression]:
    """100 points, always the same; decoys are drawn from the same range."""

    def make(decoys: int) -> gm.Regression:
        seed = zlib.crc32(name.encode())
        X = np.random.default_rng(seed).uniform(formula.low, formula.high, (formula.columns, 100))
        others = np.random.default_rng(seed + 1).uniform(formula.low, formula.high, (decoys, 100))
        return table(name, np.vstack([X, others]).T, formula.function(X), FORMULA_RULES)

    return make


def table(name: str, X: Any, y: Any, rules: str) -> gm.Regression:
    """A task from a table, and rules that lack the names of its columns."""
    names = " | ".join(f"x{column}" for column in range(X.shape[1]))
    return gm.Regression(X, y, gm.Grammar.from_text(rules.format(names=names)), name=name)


class Whole(gm.Objective):
    """A function of the program whose runs are made as a whole in worker processes, as those of formulas are.

    It takes so little time that sending each program to a worker would cost more than the function itself.
    """

    compiled: ClassVar[bool] = True


def starting(problem: gm.Regression | gm.Objective, prior: gm.Grammar) -> gm.Regression | gm.Objective:
    """The same problem, whose grammar has the probabilities of a prior."""
    if isinstance(problem, gm.Objective):
        return Whole(problem.functions[0], prior, name=problem.name)
    return gm.Regression(problem.dataset.columns.T, problem.dataset.target, prior, name=problem.name)


def pagie(decoys: int) -> gm.Regression:
    """The grid of the PGE paper."""
    axis = -5 + 0.4 * np.arange(26)
    X = np.array(list(product(axis, axis)))
    fourth = X * X * X * X
    others = np.random.default_rng(1).uniform(-5, 5, (decoys, len(X)))
    return table("pagie", np.hstack([X, others.T]), (1 / (1 + 1 / fourth)).sum(axis=1), FORMULA_RULES)


def boolean(name: str, function: Callable[..., int], inputs: int) -> Callable[[int], gm.Regression]:
    """A truth table; the error is that of a regression, which grows with the number of wrong rows."""

    def make(decoys: int) -> gm.Regression:
        X = np.array(list(product((0.0, 1.0), repeat=inputs + decoys)))
        y = np.array([function(*map(int, row[:inputs])) for row in X], float)
        return table(name, X, y, BOOLEAN_RULES)

    return make


def built_in(name: str) -> Callable[[int], gm.Objective]:
    """A problem of the package, without its test cases."""

    def make(_decoys: int) -> gm.Objective:
        problem = gm.problems.load(name)
        return Whole(problem.functions[0], problem.grammar, name=name)

    return make


def _xor(a: str, b: str) -> str:
    return f"min(max({a}, {b}), (1 - min({a}, {b})))"


def _any_of(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"max({parts[0]}, {_any_of(parts[1:])})"


def _multiplexer(*bits: int) -> int:
    return bits[2 + 2 * bits[0] + bits[1]]


PARITY = f"(1 - {_xor(_xor('x0', 'x1'), _xor('x2', 'x3'))})"
MULTIPLEXER = _any_of(
    [
        f"min(min({'x0' if a else '(1 - x0)'}, {'x1' if b else '(1 - x1)'}), x{2 + 2 * a + b})"
        for a, b in product((0, 1), repeat=2)
    ]
)
MAJORITY = _any_of([f"min(x{a}, min(x{b}, x{c}))" for a, b, c in combinations(range(5), 3)])
FIZZ_BUZZ = r"""def fizz_buzz(x):{:result = ''
if x % 3 == 0:{:result = 'Fizz':}
if x % 5 == 0:{:result = result + 'Buzz':}else:{:if not x % 3 == 0:{:result = str(x):}:}
return result:}"""
COUNT_ODDS = r"""def count_odds(numbers):{:result = n = 0
for n in numbers:{:result = (result + (n % 2)):}
return result:}"""


def _nguyen5(x: Any) -> Any:
    return np.sin(x[0] ** 2) * np.cos(x[0]) - 1


def _nguyen12(x: Any) -> Any:
    return x[0] ** 4 - x[0] ** 3 + x[1] ** 2 / 2 - x[1]


def _keijzer4(x: Any) -> Any:
    sine, cosine = np.sin(x[0]), np.cos(x[0])
    return x[0] ** 3 * np.exp(-x[0]) * cosine * sine * (sine**2 * cosine - 1)


DRAWN = {
    "nguyen5": Formula("nguyen", "sin(x0 * x0) * cos(x0) - 1.0", _nguyen5, 1, -1, 1),
    "nguyen7": Formula(
        "nguyen", "log(x0 + 1.0) + log(x0 * x0 + 1.0)", lambda x: np.log(x[0] + 1) + np.log(x[0] ** 2 + 1), 1, 0, 2
    ),
    "nguyen9": Formula("nguyen", "sin(x0) + sin(x1 * x1)", lambda x: np.sin(x[0]) + np.sin(x[1] ** 2), 2, -1, 1),
    "nguyen12": Formula("nguyen", "x0 * x0 * x0 * (x0 - 1.0) + x1 * (x1 / (1.0 + 1.0) - 1.0)", _nguyen12, 2, 0, 1),
    "keijzer4": Formula(
        "keijzer",
        "x0 * x0 * x0 * exp(1.0 - 1.0 - x0) * cos(x0) * sin(x0) * (sin(x0) * sin(x0) * cos(x0) - 1.0)",
        _keijzer4,
        *(1, 0, 10),
    ),
    "keijzer13": Formula(
        "keijzer",
        "(1.0 + 1.0) * (1.0 + 1.0 + 1.0) * sin(x0) * cos(x1)",
        lambda x: 6 * np.sin(x[0]) * np.cos(x[1]),
        *(2, -3, 3),
    ),
    "keijzer14": Formula(
        "keijzer",
        "(1.0 + 1.0) * (1.0 + 1.0) * (1.0 + 1.0) / (1.0 + 1.0 + x0 * x0 + x1 * x1)",
        lambda x: 8 / (2 + x[0] ** 2 + x[1] ** 2),
        *(2, -3, 3),
    ),
    "koza2": Formula(
        "koza", "x0 * (x0 * x0 - 1.0) * (x0 * x0 - 1.0)", lambda x: x[0] ** 5 - 2 * x[0] ** 3 + x[0], 1, -1, 1
    ),
    "koza3": Formula(
        "koza",
        "x0 * x0 * (x0 * x0 - 1.0) * (x0 * x0 - 1.0)",
        lambda x: x[0] ** 6 - 2 * x[0] ** 4 + x[0] ** 2,
        *(1, -1, 1),
    ),
    "velocities": Formula(
        "physics", "(x0 + x1) / (1.0 + x0 * x1)", lambda x: (x[0] + x[1]) / (1 + x[0] * x[1]), 2, -0.9, 0.9
    ),
    "planck": Formula(
        "physics", "x0 * x0 * x0 / (exp(x0 / x1) - 1.0)", lambda x: x[0] ** 3 / (np.exp(x[0] / x[1]) - 1), 2, 1, 5
    ),
}
PAGIE = "inv(1.0 + inv(x0 * x0 * x0 * x0)) + inv(1.0 + inv(x1 * x1 * x1 * x1))"
TASKS = {
    **{name: Task(each.family, FORMULAS, each.solution, drawn(name, each)) for name, each in DRAWN.items()},
    "pagie": Task("pagie", FORMULAS, PAGIE, pagie),
    "parity": Task("parity", BOOLEANS, PARITY, boolean("parity", lambda *bits: 1 - sum(bits) % 2, 4)),
    "multiplexer": Task("multiplexer", BOOLEANS, MULTIPLEXER, boolean("multiplexer", _multiplexer, 6)),
    "majority": Task("majority", BOOLEANS, MAJORITY, boolean("majority", lambda *bits: int(sum(bits) > 2), 5)),
    "string-match": Task("string-match", "string-match", "Hello world!", built_in("string-match")),
    "fizz-buzz": Task("fizz-buzz", "fizz-buzz", FIZZ_BUZZ, built_in("fizz-buzz"), EXPENSIVE),
    "count-odds": Task("count-odds", "count-odds", COUNT_ODDS, built_in("count-odds"), EXPENSIVE),
}
WITH_DECOYS = ("nguyen7", "nguyen12", "keijzer13", "koza3", "pagie", "planck")  # also the tasks of the controls
