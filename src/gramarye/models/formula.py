"""A formula that predicts and is exported without the data it was fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from gramarye.data import Dataset
from gramarye.derivations import Derivation
from gramarye.engine.individual import Individual
from gramarye.languages import Arithmetic, Programs
from gramarye.languages.expression import Expression, Guard
from gramarye.objectives.regression import Regression, formula_text
from gramarye.objectives.table_evaluator import limited_to


@dataclass(frozen=True, eq=False, repr=False)
class Formula:
    """A program with its weights; `str` gives its text."""

    language: Arithmetic
    names: tuple[str, ...] | None  # [V] of the columns; None where they are only numbered
    derivation: Derivation
    weights: NDArray[np.float64] | None  # [1 + T] intercept and weights of terms, where they were fitted
    guards: tuple[Guard, ...]  # what the data said of each operation with a special case
    limits: tuple[float, float] | None  # between which predictions are kept
    nodes: int
    error: float

    @classmethod
    def of(cls, found: Individual) -> Formula:
        """The formula of an individual that was evaluated on a table."""
        problem = cast(Regression, found.problem)
        expression = problem.expression(found.derivation, found.weights, found.seed)
        guards = tuple(step.guard for step in expression.steps if step.guard is not Guard.NEVER)
        names, limits = problem.dataset.names, expression.limits
        parts = problem.language, names, found.derivation, found.weights
        return cls(*parts, guards, limits, found.nodes, found.fitness)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """What the formula gives for each row of an array, or of a data frame whose columns are found by name."""
        shape = Dataset(np.zeros((self.language.reader.columns, 0)), np.zeros(0), self.names)
        columns = shape.like(X, self.columns, self.language.column)
        weights = None if self.weights is None else self.weights[None]
        with np.errstate(all="ignore"):
            found = np.asarray(self.language.predictions(self.program, columns, weights)[0])
        return found if self.limits is None else limited_to(found, *self.limits)

    @property
    def columns(self) -> list[int]:
        """The columns that it uses."""
        return sorted(self.language.columns_needed(self.program, self.weights))

    @cached_property
    def program(self) -> Programs:
        """Its code."""
        return self.language.programs(self.derivation.alone)

    @property
    def terms(self) -> int:
        """How many terms have a weight."""
        most = 0 if self.weights is None else len(self.weights) - 1
        return sum(len(term.words) > 0 for term in self.language.terms(self.program, most)) if most else 0

    @property
    def expression(self) -> Expression:
        """The formula as exports read it."""
        steps, guards = self.unguarded.steps, iter(self.guards)
        found = tuple(step if step.guard is Guard.NEVER else step._replace(guard=next(guards)) for step in steps)
        return Expression(found, self.unguarded.labels, self.unguarded.named, self.limits)

    @cached_property
    def unguarded(self) -> Expression:
        """The formula, with guards as if its data were a single row of zeros: those of the same operations."""
        row = np.zeros((self.language.reader.columns, 1))
        labels = tuple(self.language.labels if self.names is None else self.names)
        return Expression(self.language.steps(self.program, self.weights, row), labels, named=self.names is not None)

    def __str__(self) -> str:
        return formula_text(self.language, self.derivation, self.weights)


@dataclass
class Front:
    """The formulas that are more accurate than all smaller ones, smallest first, and which of them predicts."""

    formulas: tuple[Formula, ...]
    picked: int

    @classmethod
    def of(cls, members: Sequence[Individual], picked: Individual) -> Front:
        """The front of a search."""
        place = next(i for i, member in enumerate(members) if member is picked)
        return cls(tuple(map(Formula.of, members)), place)

    @property
    def formula(self) -> Formula:
        """The one that predicts."""
        return self.formulas[self.picked]
