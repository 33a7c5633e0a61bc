"""Constant factors and signs of a formula: those of a term become one number, and no sign follows an operator.

A number in the numerator of a protected division stays there: the factor of x / 0 = 1 is not that of x. A sign leaves
it only where the data never touch this case.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye.languages.arithmetic.formulas import steps_of
from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.expression import NUMBER, Guard, Step, fold, number

DIGITS = 15  # of products: 2, not 1.9999999999999998
TIMES, OVER = Step("mul", 2), Step("div", 2)
_SUMS, _PRODUCTS = ("add", "sub"), ("mul", "div", "neg")
_OPPOSITE = {"add": "sub", "sub": "add"}


class Power(NamedTuple):
    """A number that is a factor of a product."""

    name: int
    power: int = 1  # or -1
    divided: bool = False  # whether it belongs to the numerator of a division


class _Factor(NamedTuple):
    """A factor of a product, positive where it is a number; or a number that the product is divided by."""

    steps: list[Step]
    by: Step = TIMES

    @property
    def number(self) -> float | None:
        """The number that it is, if it is one; of a divisor, its reciprocal."""
        if len(self.steps) > 1 or self.steps[0].name != NUMBER:
            return None
        value = self.steps[0].value
        return value if self.by is TIMES or value == 0 else 1 / value


class _Product(NamedTuple):
    """A part of a formula as a product, with its sign apart; what is none is its only factor."""

    negative: bool
    factors: list[_Factor]

    @property
    def number(self) -> float | None:
        """The number that it is, if it is one."""
        return self.factors[0].number if len(self.factors) == 1 else None

    @property
    def positive(self) -> list[Step]:
        """Its steps without its sign."""
        rest = (step for factor in self.factors[1:] for step in (*factor.steps, factor.by))
        return [*self.factors[0].steps, *rest]

    @property
    def steps(self) -> list[Step]:
        """Its steps, a sign at its first factor."""
        if not self.negative:
            return self.positive
        first, *rest = self.factors
        value = first.number
        steps = [*first.steps, Step("neg", 1)] if value is None else [number(-value)]
        return _Product(False, [_Factor(steps), *rest]).positive


def tidied(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The same formula with the constant factors of each term multiplied, and `x - 2` for `x + -2`."""
    merging = _in_terms(steps)

    def leaf(step: Step) -> _Product:
        next(merging)
        if step.name != NUMBER:
            return _one([step])
        return _Product(math.copysign(1.0, step.value) < 0, [_Factor([number(abs(step.value))])])

    def join(step: Step, operands: list[_Product]) -> _Product:
        merges, a, b = next(merging), operands[0], operands[-1]
        negative = a.negative != b.negative
        if step.name == "neg":
            return a._replace(negative=not a.negative)
        if step.name == "mul":
            return _Product(negative, _product(a, b, merges))
        if step.name == "div" and b.number:  # a number that is not 0
            return _Product(negative, _quotient(a, b, merges))
        if step.name == "div" and step.guard is Guard.UNTOUCHED:
            return _Product(negative, [_Factor([*a.positive, *b.positive, step])])
        if step.name in _SUMS:
            sign = step._replace(name=_OPPOSITE[step.name]) if b.negative else step
            return _one([*a.steps, *b.positive, sign])
        return _one([*(each for operand in operands for each in operand.steps), step])

    return tuple(fold(steps, leaf, join).steps)


def tuned_factors(words: NDArray[np.int32], names: Iterator[int]) -> list[list[Power]]:
    """Which of the tuned numbers, called by these names, are factors of each product in the sum that a program is.

    Those in numerators are among them. Where something is divided by 0, the product is another without them.
    """
    kinds = (word for word in _words(words) if word <= codes.CONSTANT)

    def leaf(step: Step) -> list[list[Power]]:
        tuned = step.name == NUMBER and next(kinds) < codes.CONSTANT
        return [[Power(next(names))] if tuned else []]

    def join(step: Step, operands: list[list[list[Power]]]) -> list[list[Power]]:
        first, last = (each[0] if len(each) == 1 else [] for each in (operands[0], operands[-1]))  # none of a sum
        match step.name:
            case "add" | "sub":
                return [*operands[0], *operands[1]]
            case "neg":
                return operands[0]
            case "mul":
                return [[*first, *last]]
            case "div":
                return [[*(each._replace(divided=True) for each in first), *map(_inverse, last)]]
            case "inv":
                return [[*map(_inverse, last)]]
        return [[]]

    return fold(steps_of(words), leaf, join)


def _inverse(factor: Power) -> Power:
    return factor._replace(power=-factor.power)


def _words(words: NDArray[np.int32]) -> Iterator[int]:
    """The words of a program without the bits of its numbers."""
    place = 0
    while place < len(words):
        yield int(words[place])
        place += 3 if words[place] <= codes.CONSTANT else 1


def _one(steps: list[Step]) -> _Product:
    return _Product(False, [_Factor(steps)])


def _in_terms(steps: Sequence[Step]) -> Iterator[bool]:
    """Whether each step belongs to a product that is a term, or the whole: rounding matters least there."""
    found: list[bool] = []
    inside: list[tuple[str, ...]] = [_SUMS + _PRODUCTS]  # operations that continue a term
    for step in reversed(steps):
        allowed = inside.pop()
        found.append(bool(allowed))
        below = allowed if step.name in _SUMS else _PRODUCTS
        inside += [below if step.name in allowed else ()] * step.operands
    return reversed(found)


def _product(a: _Product, b: _Product, merges: bool) -> list[_Factor]:
    """The factors of a product; numbers are multiplied where it merges them."""
    if a.number == 1 or b.number == 1:
        return b.factors if a.number == 1 else a.factors
    if merges and (total := _total(a, b)) is not None:
        return total
    if b.number is not None and b.negative:
        return [*b.factors, _Factor(a.positive)]
    return [*a.factors, _Factor(b.positive)]


def _quotient(a: _Product, b: _Product, merges: bool) -> list[_Factor]:
    """The factors of a product that is divided by a number."""
    divisor = _Factor(b.positive, OVER)
    if b.number == 1:
        return a.factors
    total = _total(a, _Product(False, [divisor])) if merges else None
    return [*a.factors, divisor] if total is None else total


def _total(a: _Product, b: _Product) -> list[_Factor] | None:
    """The factors of two products behind one number; None where not both have numbers, or it has no digits."""
    values = [[factor.number for factor in each.factors if factor.number is not None] for each in (a, b)]
    if not all(values):
        return None
    total = float(f"{math.prod(map(math.prod, values)):.{DIGITS}g}")
    if not sys.float_info.min <= total < math.inf:
        return None
    first, second = ([factor for factor in each.factors if factor.number is None] for each in (a, b))
    rest = [*first, _Factor(_Product(False, second).positive)] if first and second else [*first, *second]
    if not rest:
        return [_Factor([number(total)])]
    if total == 1:
        return rest
    return [_Factor([number(total)]), _Factor(_Product(False, rest).positive)]
