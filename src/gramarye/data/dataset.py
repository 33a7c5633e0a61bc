"""A table, a target, and how much each row counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.data.frames import check_is_table, check_rows, column_names, read_column, read_numbers, read_table
from gramarye.data.indicators import indicators_like
from gramarye.errors import DataError, did_you_mean
from gramarye.identity import digest
from gramarye.kernels import codes
from gramarye.text import counted, cut

EQUAL = np.zeros(0)  # the weights of rows that all count alike


@dataclass(frozen=True)
class Dataset:
    """Columns and a target, with what every error measure needs to know about them."""

    columns: NDArray[np.float64]  # [V, rows]
    target: NDArray[np.float64]  # [rows]
    names: tuple[str, ...] | None = None  # [V]; None where the columns are only numbered
    weights: NDArray[np.float64] = field(default_factory=lambda: EQUAL)  # [rows] ≥ 0, or [0]: all rows count alike

    @classmethod
    def read(cls, X: Any, y: Any, sample_weight: Any = None) -> Dataset:
        """A dataset of arrays or data frames, checked."""
        columns, names = read_table(X, "X")
        rows = columns.shape[1]
        target = read_column(y, rows, "y")
        weights = EQUAL if sample_weight is None else _check_weights(read_column(sample_weight, rows, "sample_weight"))
        if rows < 2:
            raise DataError("the table has one row only: there is nothing to learn")
        return cls(columns, target, None if names is None else tuple(names), weights)

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(self.target)

    @cached_property
    def weight(self) -> float:
        """What all rows count for together: their number, or the sum of their weights."""
        return _sum(self.weights) if len(self.weights) else self.rows

    @cached_property
    def mean(self) -> float:
        """The (weighted) mean of the target; of a constant one exactly its value, so that nothing is left to learn."""
        if self.constant:
            return float(self.target[np.argmax(self.weights > 0)] if len(self.weights) else self.target[0])
        with np.errstate(over="ignore"):
            return _sum(self._weighted(self.target)) / self.weight

    @cached_property
    def spread(self) -> float:
        """The (weighted) sum of squared distances of the target from its mean."""
        with np.errstate(over="ignore", under="ignore"):
            return _sum(self._weighted((self.target - self.mean) ** 2))

    @property
    def constant(self) -> bool:
        """Whether the target is the same in every row that counts."""
        counted = self.target[self.weights > 0] if len(self.weights) else self.target
        return len(counted) == 0 or bool(counted.min() == counted.max())

    @property
    def identity(self) -> str:
        """What distinguishes its numbers from others."""
        parts = self.columns, self.target, self.weights
        return digest(b"".join(part.tobytes() for part in parts))

    def some(self, rows: NDArray[np.int64]) -> Dataset:
        """Some of its rows."""
        weights = self.weights[rows] if len(self.weights) else EQUAL
        return Dataset(np.ascontiguousarray(self.columns[:, rows]), self.target[rows], self.names, weights)

    def split(self, test_rows: int, seed: np.uint64) -> tuple[Dataset, Dataset | None]:
        """The rows for training and those for testing, drawn by the seed."""
        if test_rows == 0:
            return self, None
        order = kernels.random.permutation(seed, self.rows)
        kept = self.rows - test_rows
        return self.some(np.sort(order[:kept])), self.some(np.sort(order[kept:]))

    def sample(self, rows: int, seed: np.uint64) -> Dataset:
        """So many of its rows, drawn by the seed; all of them where there are less than twice as many."""
        if self.rows < 2 * rows:
            return self
        key = np.uint64(kernels.random.stream(seed, 0, codes.SAMPLE, 0))
        return self.some(np.sort(kernels.random.permutation(key, self.rows)[:rows]))

    def counted(self) -> Dataset:
        """The rows whose weight is not 0."""
        return self if not len(self.weights) or self.weights.all() else self.some(np.flatnonzero(self.weights))

    def like(self, X: Any, needed: Collection[int], index: Callable[[str], int | None]) -> NDArray[np.float64]:
        """The columns [V, rows] of another table, found by name where it has names; NaN in those that are not needed.

        `index` says which column of this dataset a name means.
        """
        check_is_table(X, "X")
        names = column_names(X)
        if names is None or (self.names is None and not any(index(name) is not None for name in names)):
            columns = read_numbers(X, "X")
            if len(columns) != len(self.columns):
                wanted = f"{len(self.columns)}{self._listed}"
                raise DataError(f"X has {counted(len(columns), 'column')}, but the formula was fitted to {wanted}")
            return columns
        check_rows(X, "X")
        own = {name: column for column, name in enumerate(self.names or ())}
        places = {own.get(name, index(name)): label for name, label in zip(names, X.columns, strict=True)}
        named = {column: f"x[{column}]" if self.names is None else self.names[column] for column in needed}
        absent = [name for column, name in named.items() if column not in places]
        flags = indicators_like(X, absent, self.names or (), "X")
        for name in absent:
            if name not in flags:
                known = f"; its columns are {', '.join(names)}" if names else "; it has none"
                near = did_you_mean(name, names) or known
                raise DataError(f"X has no column {name!r}{near}")
        found = np.full((len(self.columns), len(X)), np.nan)
        for column, name in named.items():
            found[column] = flags[name] if name in flags else read_numbers(X[[places[column]]], "X")[0]
        return found

    @property
    def _listed(self) -> str:
        """Its columns as the end of a sentence, where they have names."""
        return "" if self.names is None else f" ({cut(', '.join(self.names))}); give a data frame"

    def _weighted(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values * self.weights if len(self.weights) else values


def _check_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise DataError(f"sample_weight, row {row}: the value is {weights[row]}; weights must be ≥ 0")
    positive = int((weights > 0).sum())
    if positive < 2:
        raise DataError(f"sample_weight is positive in {counted(positive, 'row')}; at least two rows must count")
    if not math.isfinite(_sum(weights)):
        raise DataError("the sum of sample_weight overflows; rescale the weights")
    return weights


def _sum(values: NDArray[np.float64]) -> float:
    """The sum, exactly rounded; infinite where it overflows."""
    try:
        return math.fsum(values) if np.isfinite(values).all() else math.inf
    except OverflowError:
        return math.inf
