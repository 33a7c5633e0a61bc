"""Formulas as expressions of sympy."""

from __future__ import annotations

import math
from typing import Any

from gramarye.errors import MissingExtraError
from gramarye.export.exported import Exported, exported, is_whole, settled
from gramarye.export.identifiers import identifiers
from gramarye.export.infix import RESERVED
from gramarye.languages.expression import NUMBER, SPECIAL_CASES, SPECIAL_VALUES, Expression, Guard, Step, fold


def to_sympy(expression: Expression) -> Exported[Any]:
    """A formula as an expression of sympy, over symbols without assumptions."""
    sympy = _sympy()
    names = identifiers(expression.labels, RESERVED)

    def leaf(step: Step) -> Any:
        return _number(sympy, step.value) if step.name == NUMBER else sympy.Symbol(names[step.column])

    def join(step: Step, operands: list[Any]) -> Any:
        return _join(sympy, step, operands)

    return exported(fold(settled(expression), leaf, join), expression, names)


def _sympy() -> Any:
    try:
        import sympy
    except ImportError as error:
        raise MissingExtraError("sympy", "sympy") from error
    return sympy


def _number(sympy: Any, value: float) -> Any:
    """A number with all its digits; infinities and NaN are sympy's."""
    if is_whole(value):
        return sympy.Integer(int(value))
    return sympy.Float(value) if math.isfinite(value) else sympy.sympify(value)


def _join(sympy: Any, step: Step, operands: list[Any]) -> Any:
    if step.guard is Guard.TOUCHED:
        return _protected(sympy, step, operands)
    return _plain(sympy, step.name, operands[0], operands[-1])


def _plain(sympy: Any, name: str, a: Any, b: Any) -> Any:
    match name:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "div":
            return a / b
        case "pow":
            return a**b
        case "neg":
            return -a
        case "min" | "max":  # not evaluated: sympy would compare all with all, which takes it minutes
            return (sympy.Min if name == "min" else sympy.Max)(a, b, evaluate=False)
        case _:
            return getattr(sympy, {"abs": "Abs", "pexp": "exp"}.get(name, name))(a)


def _protected(sympy: Any, step: Step, operands: list[Any]) -> Any:
    """An operation with its special case."""
    a, b = operands[0], operands[-1]
    case = SPECIAL_CASES[step.name]
    limit = _number(sympy, case.limit)
    if not b.has(sympy.Piecewise, sympy.sign):
        relation = {"=": sympy.Eq, "≤": sympy.Le, ">": sympy.Gt}[case.relation]
        special = _number(sympy, SPECIAL_VALUES[step.name]), relation(b, limit, evaluate=False)
        return sympy.Piecewise(special, (_plain(sympy, step.name, a, b), True), evaluate=False)
    # By signs, because sympy unfolds cases in conditions of others: that takes it minutes, and often fails
    if step.name == "log":
        return sympy.log(b ** sympy.Max(sympy.sign(b), 0, evaluate=False))
    if step.name == "pexp":
        return sympy.exp(b * sympy.Max(sympy.sign(limit - b), 0, evaluate=False))
    power = sympy.Abs(sympy.sign(b))  # 0 if b is 0, otherwise 1
    return a**power / b**power
