"""Formulas as strings that sympy reads, in the form that SRBench asks for."""

from __future__ import annotations

import math

from gramarye.export.exported import Exported, exported, number_text, settled, special
from gramarye.export.identifiers import identifiers
from gramarye.languages.arithmetic.writer import ALONE, PRODUCT, Piece, bracketed, joined, leaf_writer
from gramarye.languages.expression import SPECIAL_CASES, Expression, Guard, Step, fold

FUNCTIONS = {name: name for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "tanh")} | {
    "abs": "Abs",
    "min": "Min",
    "max": "Max",
    "pexp": "exp",
}
CASES = "Piecewise"
# The last four are names that sympify puts around numbers and variables.
RESERVED = {*FUNCTIONS.values(), CASES, "Eq", "sign", "oo", "nan", "Integer", "Float", "Symbol", "Function"}


def to_infix(expression: Expression) -> Exported[str]:
    """A formula as a string that `sympy.sympify` reads."""
    names = identifiers(expression.labels, RESERVED)
    text, _ = fold(settled(expression), leaf_writer(names, _number), _join)
    return exported(text, expression, names)


def _number(value: float) -> str:
    if math.isfinite(value):
        return number_text(value)
    return "nan" if math.isnan(value) else "oo" if value > 0 else "-oo"


def _join(step: Step, operands: list[Piece]) -> Piece:
    if step.guard is not Guard.TOUCHED:
        return joined(step.name, operands, FUNCTIONS)
    last = operands[-1]
    if f"{CASES}(" in last[0] or "sign(" in last[0]:
        return _by_signs(step, operands)
    plain = joined(step.name, operands, FUNCTIONS)[0]
    case = SPECIAL_CASES[step.name]
    sign = {"≤": "<=", ">": ">"}.get(case.relation)
    condition = f"Eq({last[0]}, 0)" if sign is None else f"{last[0]} {sign} {number_text(case.limit)}"
    return f"{CASES}(({special(step)}, {condition}), ({plain}, True))", ALONE


def _by_signs(step: Step, operands: list[Piece]) -> Piece:
    """The same without cases, which sympy does not handle in conditions of others."""
    a, b = bracketed(operands[0], ALONE), bracketed(operands[-1], ALONE)
    if step.name == "log":
        return f"log({b}**Max(sign({b}), 0))", ALONE
    if step.name == "pexp":
        return f"exp({b}*Max(sign({SPECIAL_CASES[step.name].limit!r} - {b}), 0))", ALONE
    power = f"Abs(sign({b}))"  # 0 if b is 0, otherwise 1
    return f"{a}**{power} / {b}**{power}", PRODUCT
