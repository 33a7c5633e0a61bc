"""Formulas as LaTeX, for the mathematics of a document that loads amsmath."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from gramarye.errors import SettingsError
from gramarye.export.exported import Exported, exported, number_text, settled, special
from gramarye.languages.arithmetic.writer import Piece
from gramarye.languages.expression import NUMBER, SPECIAL_CASES, Expression, Guard, Step, fold
from gramarye.latex import latex_text

# How tightly a piece binds; one that is negative begins with its sign
SUM, NEGATIVE, PRODUCT, POWER, ALONE = range(1, 6)

_INDEXED = re.compile(r"(?!\d)(.*?[^\W\d_])_?(?:\[[\s:,]*)?(\d+)\s*\]?")  # x1, x_1, x[1], x[:, 1]
_SUBSCRIPT = re.compile(r"([A-Za-z])_([A-Za-z]+)")  # E_n
_RELATIONS = {"≤": r"\leq"}
_PLAIN = 1e-2, 1e6  # numbers between these are written without a power of ten


def to_latex(expression: Expression, digits: int | None = None) -> Exported[str]:
    """A formula as LaTeX; numbers with that many significant digits, or with all they have."""
    if digits is not None and (isinstance(digits, bool) or not isinstance(digits, int) or digits < 1):
        raise SettingsError(f"digits is {digits!r}: it must be an integer ≥ 1, or None for all digits")
    names = _variables(expression.labels)

    def leaf(step: Step) -> Piece:
        return _number(step.value, digits) if step.name == NUMBER else (names[step.column], ALONE)

    return exported(fold(settled(expression), leaf, _join)[0], expression, names)


def _variables(labels: Sequence[str]) -> list[str]:
    """The columns in LaTeX: x_{1}, or their names as text; names that would look alike, as they are."""
    short = [_variable(label) for label in labels]
    count = Counter(short)
    return [name if count[name] == 1 else _text(label) for name, label in zip(short, labels, strict=True)]


def _variable(label: str) -> str:
    if match := _INDEXED.fullmatch(label):
        return f"{_variable(match[1])}_{{{match[2]}}}" if "_" not in match[1] else _text(label)
    if match := _SUBSCRIPT.fullmatch(label):
        return f"{match[1]}_{{{match[2] if len(match[2]) == 1 else _text(match[2])}}}"
    plain = len(label) == 1 and label.isascii() and label.isalpha() and label != "e"  # that is the base of exp
    return label if plain else _text(label)


def _text(text: str) -> str:
    return f"\\text{{{latex_text(text, keep_letters=True)}}}"


def _number(value: float, digits: int | None) -> Piece:
    """A number as people write it: 0.25, 3, 1.5 times a power of ten."""
    if not math.isfinite(value):
        return (
            ("\\text{NaN}", ALONE) if math.isnan(value) else ("\\infty", ALONE) if value > 0 else ("-\\infty", NEGATIVE)
        )
    value = value if digits is None else float(f"{value:.{digits}g}")
    mantissa, exponent, strength = repr(value), 0, ALONE
    if value != 0 and not _PLAIN[0] <= abs(value) < _PLAIN[1]:
        mantissa, exponent = _scientific(value)
        strength = PRODUCT
    mantissa = mantissa.removesuffix(".0")
    ten = f"10^{{{exponent}}}"
    text = mantissa if not exponent else ten if mantissa == "1" else f"{mantissa} \\cdot {ten}"
    return text, NEGATIVE if value < 0 else strength


def _scientific(value: float) -> tuple[str, int]:
    """The digits that a number needs, and its power of ten."""
    for precision in range(17):
        text = f"{value:.{precision}e}"
        if float(text) == value:
            break
    mantissa, _, exponent = text.partition("e")
    return mantissa, int(exponent)


def _join(step: Step, operands: list[Piece]) -> Piece:
    a, b = operands[0], operands[-1]
    if step.guard is Guard.TOUCHED:
        case = SPECIAL_CASES[step.name]
        condition = f"{_RELATIONS.get(case.relation, case.relation)} {number_text(case.limit)}"
        plain = _plain(step.name, a, b)[0]
        cases = f"{special(step)} & \\text{{if }} {b[0]} {condition} \\\\ {plain} & \\text{{otherwise}}"
        return f"\\begin{{cases}} {cases} \\end{{cases}}", SUM
    return _plain(step.name, a, b)


def _plain(name: str, a: Piece, b: Piece) -> Piece:
    match name:
        case "add" if b[1] == SUM and not b[0].startswith("-"):
            return f"{a[0]} + {b[0]}", SUM
        case "add" | "sub":
            return f"{a[0]} {'+' if name == 'add' else '-'} {_inside(b, PRODUCT)}", SUM
        case "mul":
            return f"{_inside(a, NEGATIVE)} \\cdot {_inside(b, PRODUCT)}", min(max(a[1], NEGATIVE), PRODUCT)
        case "div":
            return f"\\frac{{{a[0]}}}{{{b[0]}}}", POWER
        case "pow":
            return f"{_inside(a, ALONE)}^{{{b[0]}}}", POWER
        case "neg":
            return f"-{_inside(a, PRODUCT)}", NEGATIVE
        case "exp" | "pexp":
            return f"e^{{{a[0]}}}", POWER
        case "abs":
            return f"\\left|{a[0]}\\right|", ALONE
        case "sqrt":
            return f"\\sqrt{{{a[0]}}}", ALONE
        case "min" | "max":
            return f"\\{name}\\left({a[0]}, {b[0]}\\right)", ALONE
        case _:
            name = "ln" if name == "log" else name
            return f"\\{name}\\left({a[0]}\\right)", ALONE


def _inside(piece: Piece, strength: int) -> str:
    """A text that binds at least so tightly, if need be in brackets."""
    return piece[0] if piece[1] >= strength else f"\\left({piece[0]}\\right)"
