"""Formulas as Python source that needs NumPy alone."""

from __future__ import annotations

import math
from typing import NamedTuple

from gramarye.export.exported import Exported, number_text
from gramarye.export.identifiers import identifiers
from gramarye.languages.arithmetic.writer import ALONE, Piece, joined, leaf_writer
from gramarye.languages.expression import Expression, Guard, Step, fold
from gramarye.text import counted

FUNCTIONS = {name: f"np.{name}" for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "abs", "tanh")} | {
    "min": "np.minimum",
    "max": "np.maximum",
}
HELPERS = {
    "div": '''def protected_div(a, b):
    """a / b, but 1 where b is 0."""
    return np.where(b == 0, 1.0, a / np.where(b == 0, 1.0, b))''',
    "log": '''def protected_log(a):
    """The natural logarithm of a, but 0 where a is not positive."""
    return np.log(np.where(a <= 0, 1.0, a))''',
    "pexp": '''def protected_exp(a):
    """e to the power of a, but 1 where that is too large for a number."""
    return np.where(np.exp(a) == np.inf, 1.0, np.exp(a))''',
}
PROTECTED = {"div": "protected_div", "log": "protected_log", "pexp": "protected_exp"}
RESERVED = {"np", "X", "predict", "predicted", "len", "hasattr", "float", "str", *PROTECTED.values()}
DEEPEST = 40  # operations inside each other on one line; Python reads no more than some hundred
PART = "part_"


class _Line(NamedTuple):
    """A piece of source, and how many operations inside each other it is."""

    piece: Piece
    depth: int


def to_python(expression: Expression) -> Exported[str]:
    """A formula as Python source whose function `predict` computes the predictions of rows."""
    parts = {f"{PART}{number}" for number in range(len(expression.steps))}
    names = identifiers(expression.labels, {*RESERVED, *parts})
    body: list[str] = []
    leaf = leaf_writer(names, _number)

    def join(step: Step, operands: list[_Line]) -> _Line:
        depth = 1 + max(operand.depth for operand in operands)
        piece = _join(step, [operand.piece for operand in operands])
        if depth < DEEPEST:
            return _Line(piece, depth)
        body.append(f"{PART}{len(body)} = {piece[0]}")
        return _Line((f"{PART}{len(body) - 1}", ALONE), 0)

    formula = fold(expression.steps, lambda step: _Line(leaf(step), 0), join).piece[0]
    used = expression.columns or [0]  # one for the number of rows
    if not expression.columns:
        formula = f"np.full(len({names[0]}), {formula}, float)"
    body += [f"predicted = {formula}", *_limits(expression)]
    guarded = {step.name for step in expression.steps if step.guard is not Guard.NEVER}
    helpers = [HELPERS[name] for name in HELPERS if name in guarded]
    source = "\n\n\n".join(["import numpy as np", *helpers, _function(expression, used, names, body)]) + "\n"
    return Exported(source, {names[column]: expression.labels[column] for column in expression.columns})


def _function(expression: Expression, used: list[int], names: list[str], body: list[str]) -> str:
    labels = expression.labels
    reading = ["X = np.asarray(X, float).reshape(len(X), -1)", *(f"{names[place]} = X[:, {place}]" for place in used)]
    columns = ", ".join(f"{labels[place]!r} ({place})" for place in used)
    what = [f"X is an array with {counted(len(labels), 'column')}."]
    if expression.named:
        what = [f"X is an array with the columns {', '.join(map(repr, labels))}, or a data frame or dictionary."]
        by_name = [f"{names[place]} = np.asarray({_by_name(labels[place])}, float)" for place in used]
        reading = [
            'if hasattr(X, "keys") or hasattr(X, "columns"):',
            *(f"    {line}" for line in by_name),
            "else:",
            *(f"    {line}" for line in reading),
        ]
    lines = [
        "def predict(X):",
        '    """The prediction of a formula found by gramarye for each row of X.',
        "",
        *(f"    {_quoted(line)}" for line in [*what, f"Columns that are used, and their positions: {columns}."]),
        '    """',
        *(f"    {line}" for line in reading),
        '    with np.errstate(all="ignore"):',
        *(f"        {line}" for line in body),
        "    return predicted",
    ]
    return "\n".join(lines)


def _by_name(label: str) -> str:
    """A column of a data frame; where `colour=red` is none, that of the texts in which it is 1 for red."""
    forms = [(label, f"X[{label!r}]")]
    for place in range(len(label) - 1, -1, -1):  # a=b=c is made of a=b rather than of a
        if label[place] == "=":
            column, text = label[:place], label[place + 1 :]
            forms.append((column, f"np.asarray(X[{column!r}], str) == {text!r}"))
    _, found = forms.pop()
    for column, form in reversed(forms):
        found = f"{form} if {column!r} in X else {found}"
    return found


def _quoted(text: str) -> str:
    """A text as part of a docstring."""
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _limits(expression: Expression) -> list[str]:
    """What keeps predictions in their range; one that is not a number becomes its middle."""
    if expression.limits is None:
        return []
    low, high = expression.limits
    middle = low + 0.5 * (high - low)
    return [f"predicted = np.where(np.isnan(predicted), {middle!r}, np.clip(predicted, {low!r}, {high!r}))"]


def _number(value: float) -> str:
    if math.isfinite(value):
        return number_text(value)
    return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"


def _join(step: Step, operands: list[Piece]) -> Piece:
    if step.name == "psqrt":
        return f"np.sqrt(np.abs({operands[0][0]}))", ALONE
    if step.guard is not Guard.NEVER and step.name in PROTECTED:
        return f"{PROTECTED[step.name]}({', '.join(text for text, _ in operands)})", ALONE
    return joined(step.name, operands, FUNCTIONS)
