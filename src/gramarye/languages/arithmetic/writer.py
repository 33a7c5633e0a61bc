"""From the steps of a formula to its text, as a person would write it: with no more brackets than it needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from gramarye.languages.arithmetic.reader import FUNCTIONS
from gramarye.languages.expression import NUMBER, Step, fold

# How tightly operators bind, as in reader and postfix code: sums, products, signs, powers; what stands alone.
SUM, PRODUCT, SIGN, POWER, ALONE = range(1, 6)

_OPERATORS = {"add": ("+", SUM), "sub": ("-", SUM), "mul": ("*", PRODUCT), "div": ("/", PRODUCT), "pow": ("**", POWER)}
_OWN_NAMES = {name: name for name in FUNCTIONS}

Piece = tuple[str, int]  # a text, and how tightly its loosest operator binds


def text_of(steps: Iterable[Step], labels: Sequence[str]) -> str:
    """The text of a formula whose columns have these names."""
    return fold(steps, leaf_writer(labels), lambda step, operands: joined(step.name, operands))[0]


def leaf_writer(labels: Sequence[str], written: Callable[[float], str] = repr) -> Callable[[Step], Piece]:
    """What writes columns by these names, and numbers by this function."""

    def leaf(step: Step) -> Piece:
        if step.name != NUMBER:
            return labels[step.column], ALONE
        return written(step.value), ALONE if math.copysign(1.0, step.value) > 0 else SIGN

    return leaf


def joined(name: str, operands: Sequence[Piece], functions: Mapping[str, str] = _OWN_NAMES) -> Piece:
    """An operation on operands; those that are not operators are called by the names of `functions`."""
    if name == "neg":
        return f"-{bracketed(operands[0], SIGN)}", SIGN
    if name not in _OPERATORS:
        return f"{functions[name]}({', '.join(text for text, _ in operands)})", ALONE
    (left, right), (sign, strength) = operands, _OPERATORS[name]
    if sign == "**":  # read from right to left
        return f"{bracketed(left, ALONE)}**{bracketed(right, POWER)}", strength
    last = f"({right[0]})" if right[0].startswith("-") else bracketed(right, strength + 1)
    return f"{bracketed(left, strength)} {sign} {last}", strength


def bracketed(piece: Piece, strength: int) -> str:
    """A text that binds at least so tightly, if need be in brackets."""
    return piece[0] if piece[1] >= strength else f"({piece[0]})"
