"""Every form of a formula computes what `predict` computes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.export import to_infix, to_python, to_sympy
from gramarye.export.exported import is_whole
from gramarye.grammar import Grammar
from gramarye.languages import Arithmetic, Programs
from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.expression import NUMBER, Expression, Guard, Step, fold
from tests.languages.arithmetic.test_machine import BINARY, Program, code
from tests.languages.arithmetic.test_terms import terms_of, tuned_programs

sympy = pytest.importorskip("sympy")

Floats = NDArray[np.float64]
LANGUAGE = Arithmetic(Grammar.from_text("<e> ::= x | y"), 2)
VALUES = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]) | st.floats(-3, 3)  # zeros and equal numbers are frequent
TABLES = st.lists(st.tuples(VALUES, VALUES), min_size=4, max_size=12).map(lambda rows: np.array(rows).T.copy())
WEIGHTS = st.none() | st.lists(VALUES, min_size=2, max_size=4).map(np.array)


class Case(NamedTuple):
    """A formula, a table, and what is predicted for it."""

    expression: Expression
    columns: Floats
    predicted: Floats


def case(program: Program, columns: Floats, weights: Floats | None = None) -> Case:
    programs = Programs(*code([program]), np.zeros(1, np.int8))
    if weights is not None:  # those of terms that are not there are 0
        weights[1 + len(terms_of(program, len(weights) - 1)) :] = 0
    with np.errstate(all="ignore"):
        predicted = LANGUAGE.predictions(programs, columns, None if weights is None else weights[None])[0]
    return Case(Expression(LANGUAGE.steps(programs, weights, columns), ("x", "y"), named=False), columns, predicted)


ANY = tuned_programs(most=6)
PROTECTED = st.tuples(ANY, st.sampled_from([[codes.LOG], [codes.INVERSE], [codes.PROTECTED_EXP]])).map(
    lambda t: [*t[0], *t[1]]
) | st.tuples(ANY, tuned_programs(most=3)).map(lambda t: [*t[0], *t[1], codes.DIVIDE])
NESTED = st.tuples(PROTECTED, PROTECTED, st.sampled_from(BINARY)).map(lambda t: [*t[0], *t[1], t[2]])
CASES = st.builds(case, tuned_programs(most=8) | PROTECTED | NESTED, TABLES, WEIGHTS)
VALID = CASES.filter(lambda case: bool(np.isfinite(case.predicted).all()))


class Bounded(NamedTuple):
    """Values, how far they are known at least, and whether all that led to them is ordinary numbers."""

    value: Floats
    bound: Floats
    sound: NDArray[np.bool_]


PLAIN: dict[str, Callable[..., Floats]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": lambda a, b: np.where(b == 0, 1.0, a / np.where(b == 0, 1.0, b)),
    "log": lambda a: np.log(np.where(a <= 0, 1.0, a)),
    "pexp": lambda a: np.where(np.exp(a) == np.inf, 1.0, np.exp(a)),
    "pow": np.power,
    "min": np.minimum,
    "max": np.maximum,
    "neg": np.negative,
    "psqrt": lambda a: np.sqrt(np.abs(a)),
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "exp", "sqrt", "abs", "tanh")},
}


def certain(expression: Expression, columns: Floats) -> NDArray[np.bool_]:
    """The rows in which rounding does not decide: sympy puts terms into another order, NumPy has another sin."""

    def leaf(step: Step) -> Bounded:
        if step.name != NUMBER:
            value = columns[step.column]
            return Bounded(value, 1e-15 * np.abs(value), np.full(len(value), True))
        value = np.full(columns.shape[1], step.value)
        return Bounded(value, 0.0 * value if is_whole(step.value) else 1e-15 * np.abs(value), np.isfinite(value))

    def join(step: Step, operands: list[Bounded]) -> Bounded:
        compute, last = PLAIN[step.name], operands[-1]
        value = compute(*(operand.value for operand in operands))
        corners = itertools.product(*((o.value - o.bound, o.value, o.value + o.bound) for o in operands))
        bound = 1e-15 * np.abs(value) + np.max([np.abs(compute(*corner) - value) for corner in corners], axis=0)
        ordinary = (value == 0) | ((np.abs(value) < 1e50) & (np.abs(value) > 1e-50))
        if step.guard is not Guard.NEVER:
            ordinary &= (np.abs(last.value) > 2 * last.bound) | ((last.value == 0) & (last.bound == 0))
        return Bounded(value, bound, ordinary & np.isfinite(bound) & np.all([o.sound for o in operands], axis=0))

    with np.errstate(all="ignore"):
        value, bound, sound = fold(expression.steps, leaf, join)
    return sound & (bound <= 1e-10 * np.abs(value))


def check(case: Case, found: Any) -> None:
    rows = certain(case.expression, case.columns) & np.isfinite(case.predicted)
    found = np.broadcast_to(np.asarray(found, float), case.predicted.shape)
    assert found[rows] == pytest.approx(case.predicted[rows], rel=1e-9, abs=0.0)


def executed(source: str) -> Callable[[Any], Floats]:
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    return namespace["predict"]


def computed(form: Any, columns: Floats) -> Any:
    """What an expression of sympy gives."""
    assume(not form.has(sympy.zoo))  # sympy finds that something is 0, up to rounding, by which programs divide
    with np.errstate(all="ignore"):
        return sympy.lambdify(sympy.symbols("x y"), form, "numpy")(*columns)


@given(CASES)
def test_python_source_computes_what_is_predicted(case: Case) -> None:
    found = executed(str(to_python(case.expression)))(case.columns.T)
    check(case, found)
    assert found.shape == case.predicted.shape


@given(VALID)
def test_an_expression_of_sympy_computes_what_is_predicted(case: Case) -> None:
    check(case, computed(to_sympy(case.expression).form, case.columns))


@given(VALID)
def test_a_string_for_sympy_computes_what_is_predicted(case: Case) -> None:
    check(case, computed(sympy.sympify(to_infix(case.expression).form), case.columns))
