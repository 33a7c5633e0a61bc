"""From the words of a program back to its text, as a person would write it: with no more brackets than it needs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.arithmetic.reader import FUNCTIONS, OPERATORS

# How tightly operators bind, as in reader and postfix code: sums, products, signs, powers; what stands alone.
SUM, PRODUCT, SIGN, POWER, ALONE = range(1, 6)

_SIGNS = {word: sign for sign, word in OPERATORS.items()}
_STRENGTH = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "**": POWER}
_NAMES = {word: name for name, word in reversed(FUNCTIONS.items())}  # the first name of each function

Piece = tuple[str, int]  # a text, and how tightly its loosest operator binds


def text_of(words: NDArray[np.int32], names: Sequence[str]) -> Piece:
    """The text of one program whose columns have these names."""
    stack: list[Piece] = []
    for word, value in _steps(words):
        if word >= codes.VARIABLE:
            stack.append((names[word - codes.VARIABLE], ALONE))
        elif word <= codes.CONSTANT:
            stack.append((repr(value), ALONE if math.copysign(1.0, value) > 0 else SIGN))
        elif word in _SIGNS:
            right, left = stack.pop(), stack.pop()
            stack.append(_joined(left, _SIGNS[word], right))
        elif word == codes.NEGATE:
            stack.append((f"-{bracketed(stack.pop(), SIGN)}", SIGN))
        else:
            operands = [stack.pop()[0] for _ in range(2 if word < codes.UNARY else 1)]
            stack.append((f"{_NAMES[word]}({', '.join(reversed(operands))})", ALONE))
    return stack[0]


def _steps(words: NDArray[np.int32]) -> Iterator[tuple[int, float]]:
    """The words of a program, each with its number where it is one."""
    place = 0
    while place < len(words):
        word, number = int(words[place]), 0.0
        if word <= codes.CONSTANT:
            number = float(np.ascontiguousarray(words[place + 1 : place + 3]).view(np.float64)[0])
            place += 2
        place += 1
        yield word, number


def _joined(left: Piece, sign: str, right: Piece) -> Piece:
    strength = _STRENGTH[sign]
    tighter = sign in ("-", "/", "+", "*")  # left to right; a power is read from right to left
    first, second = bracketed(left, strength + (not tighter)), bracketed(right, strength + tighter)
    return (f"{first}**{second}" if sign == "**" else f"{first} {sign} {second}"), strength


def bracketed(piece: Piece, strength: int) -> str:
    """A text that binds at least so tightly, if need be in brackets."""
    return piece[0] if piece[1] >= strength else f"({piece[0]})"


def weighted(intercept: float, terms: Sequence[tuple[float, Piece]]) -> str:
    """The text of an intercept plus weighted terms; what is 0 is left out."""
    parts = [] if intercept == 0 else [repr(intercept)]
    for weight, piece in terms:
        if weight == 0:
            continue
        factor = "" if abs(weight) == 1 else f"{abs(weight)!r} * "
        text = factor + bracketed(piece, PRODUCT + 1 if factor else PRODUCT)
        sign = "-" if weight < 0 else "+"
        parts.append(f" {sign} {text}" if parts else f"-{text}" if weight < 0 else text)
    return "".join(parts) or "0.0"
