"""What all checks share: whom a broken law belongs to, and when two populations are the same."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.grammar import Grammar

SEEDS = (1, 2**64 - 1)
PRECISION = 1e-9  # of the sum of a row of probabilities


@dataclass(frozen=True)
class Case:
    """Who is tested, on what, with which seed."""

    who: str
    where: str
    number: int

    @property
    def seed(self) -> np.uint64:
        """The seed as kernels take it."""
        return np.uint64(self.number)

    def broken(self, law: str, detail: str = "") -> AssertionError:
        """What to raise where a law does not hold."""
        more = f": {detail}" if detail else ""
        return AssertionError(f"{self.who} on {self.where}, seed {self.number}, breaks the law “{law}”{more}")

    def require(self, holds: bool | np.bool_, law: str, detail: str = "") -> None:
        """An AssertionError that names the law, unless it holds."""
        if not holds:
            raise self.broken(law, detail)

    @contextmanager
    def unchanged(self, law: str, *given: Any) -> Iterator[None]:
        """What was given, arrays or dataclasses of arrays, must be the same afterwards."""
        before = deepcopy(given)
        yield
        self.require(all(map(same, before, given)), law)


def same(first: Any, second: Any) -> bool:
    """Whether two arrays, or two dataclasses or mappings of arrays, hold the same."""
    if isinstance(first, np.ndarray):
        return np.array_equal(first, second, equal_nan=first.dtype.kind == "f")
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, Mapping):
        return list(first) == list(second) and all(same(first[name], second[name]) for name in first)
    if not hasattr(first, "__dataclass_fields__"):
        nothing = isinstance(first, float) and math.isnan(first) and math.isnan(second)  # no test rows
        return nothing or bool(first == second)
    names = [field.name for field in fields(first) if field.compare]
    return type(first) is type(second) and all(same(getattr(first, name), getattr(second, name)) for name in names)


def complaint(grammar: Grammar, probabilities: Any) -> str | None:
    """Why these are no probabilities of the grammar's productions, or None where they are."""
    if not isinstance(probabilities, np.ndarray) or probabilities.shape != (len(grammar.productions),):
        return f"{len(grammar.productions)} productions need an array of as many numbers, not {probabilities!r}"
    for name, span in grammar.spans.items():
        row = probabilities[span].tolist()
        if not all(p >= 0 for p in row) or not abs(math.fsum(row) - 1) <= PRECISION:
            return f"those of {name} are {row}, with the sum {math.fsum(row)!r}"
    return None


def uneven(grammar: Grammar) -> NDArray[np.float64]:
    """Probabilities that are not all the same: weights of 1, 2 and 3 in turn; 0 where the grammar says 0."""
    turns = np.arange(len(grammar.productions)) % 3 + 1
    weights = np.where(grammar.start_probabilities() > 0, turns, 0).astype(np.float64)
    for span in grammar.spans.values():
        weights[span] /= math.fsum(weights[span].tolist())
    return weights
