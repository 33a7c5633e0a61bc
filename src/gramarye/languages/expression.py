"""A formula as its steps in postfix order: what the writers and exports of all languages share."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

NUMBER, COLUMN = "number", "column"


class Guard(Enum):
    """What the data say of the special case of an operation, such as 1 for a division by 0, or -x for abs(x)."""

    NEVER = "it can't occur"
    UNTOUCHED = "it does not occur in the data"
    TOUCHED = "it occurs in the data"
    ALWAYS = "it occurs in every row of the data"


class SpecialCase(NamedTuple):
    """Where the last operand of an operation is not one that it is made for."""

    relation: str  # of the operand to the limit, where the case occurs
    otherwise: str  # the opposite
    limit: float

    def occurs(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether it is the case, for each value of the operand."""
        return _RELATIONS[self.relation](values, self.limit)


_RELATIONS = {"=": np.equal, "<": np.less, "≤": np.less_equal, ">": np.greater}
SPECIAL_CASES = {
    "div": SpecialCase("=", "≠", 0.0),
    "log": SpecialCase("≤", ">", 0.0),
    "pexp": SpecialCase(">", "≤", math.log(sys.float_info.max)),
    "abs": SpecialCase("<", "≥", 0.0),
    "psqrt": SpecialCase("<", "≥", 0.0),
}
SPECIAL_VALUES = {"div": 1.0, "log": 0.0, "pexp": 1.0}  # the others give there what they give for -x


class Step(NamedTuple):
    """A number, a column, or an operation on what the last steps gave."""

    name: str  # NUMBER, COLUMN, or that of an operation: "add", "sin"
    operands: int = 0
    value: float = 0.0  # of a number
    column: int = 0  # its position
    guard: Guard = Guard.NEVER


def number(value: float) -> Step:
    """The step that gives a number."""
    return Step(NUMBER, value=value)


def fold(steps: Iterable[Step], leaf: Callable[[Step], T], join: Callable[[Step, list[T]], T]) -> T:
    """Whatever is built of a formula from its leaves on: `join` gets an operation and what its operands became."""
    stack: list[T] = []
    for step in steps:
        if step.operands == 0:
            stack.append(leaf(step))
        else:
            operands = stack[-step.operands :]
            del stack[-step.operands :]
            stack.append(join(step, operands))
    return stack[0]


@dataclass(frozen=True)
class Expression:
    """A program with its weights and constants as one formula over the columns of a table."""

    steps: tuple[Step, ...]
    labels: tuple[str, ...]  # [V] what the columns are called
    named: bool  # whether they have these names in the table too; otherwise they are found by position
    limits: tuple[float, float] | None = None  # between which predictions are kept, where they are

    @property
    def columns(self) -> list[int]:
        """The columns that it uses, in the order of the table."""
        return sorted({step.column for step in self.steps if step.name == COLUMN})
