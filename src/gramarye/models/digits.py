"""Which numbers of a formula may be simpler: the data can't tell them from the best ones.

The numbers are an intercept, weights of terms, and constants. An intercept may become 0, a weight ±1, and all of them
numbers with few digits; the others are refitted each time. What a simpler number costs is n ln(squared error), as when
a formula is picked from a front, and what it may cost depends on how simple it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gramarye.languages.arithmetic.quadratic import Quadratic
from gramarye.objectives.worth import price

NEAR = 0.05  # of a number: how far a simpler one may be; of the target's standard deviation: an intercept that may be 0
HARMLESS = 0.1  # what a number with three digits or more may cost


def nodes_of_digits(digits: int) -> int:
    """What a number with so many digits counts for, in nodes of a program: two digits for one, more for two."""
    return min(max(digits - 1, 0), 2)


class Fix(NamedTuple):
    """A number that is fixed."""

    number: int
    value: float
    price: float  # that it may have


@dataclass(frozen=True)
class Precision:
    """What says how precise the numbers of a formula are."""

    rows: int
    floor: float  # squared errors below come from rounding
    deviation: float  # the standard deviation of the target

    def cost(self, error: float, before: float) -> float:
        """What it costs that the squared error has grown."""
        return self.rows * math.log(max(error, self.floor) / max(before, self.floor))

    def price(self, digits: int) -> float:
        """What a number with so many digits may cost, the price of each node less; 0 digits: it is 0 or ±1."""
        return max(float(price(nodes_of_digits(3) - nodes_of_digits(digits), self.rows)), HARMLESS)

    def simpler(self, near: Quadratic, error: float, terms: int, digits: Iterable[int]) -> list[Fix]:
        """The numbers to fix, those with few digits first, and of equal ones those that cost least.

        `error` is the least squared error while none of them is fixed.
        """
        found: list[Fix] = []
        for count in digits:
            while options := [
                (near.increase(i, value), i, value)
                for i in near.free
                for value in self._candidates(i, float(near.values[i]), terms, count)
            ]:
                increase, i, value = min(options)
                if self.cost(error + increase, error) > self.price(count):
                    break
                near, error = near.fixed(i, value), error + increase
                found.append(Fix(i, value, self.price(count)))
        return found

    def _candidates(self, number: int, value: float, terms: int, digits: int) -> Iterator[float]:
        """Simpler values of the intercept (number 0), of the weight of a term (from 1 on), or of a constant."""
        if digits == 0 and number == 0:
            if abs(value) < NEAR * self.deviation:
                yield 0.0
        elif digits > 0 or number <= terms:
            simpler = float(f"{value:.{digits - 1}e}") if digits else math.copysign(1.0, value)
            if abs(simpler - value) <= NEAR * abs(value):
                yield simpler
