"""What phenotypes mean to the engine: the interface of all languages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye.data import Dataset
from gramarye.derivations import Derivations
from gramarye.languages.expression import Step
from gramarye.populations.evaluation import Work


@dataclass(frozen=True)
class Programs:
    """The code of a population, one program after another; its words mean something to its language only."""

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]  # [N+1] program i has the words from offsets[i] to offsets[i + 1]; without, it is none
    status: NDArray[np.int8]  # [N]

    def __len__(self) -> int:
        return len(self.status)

    def take(self, which: NDArray[np.int64]) -> Programs:
        """Some of the programs, one after another."""
        lengths = np.diff(self.offsets)[which]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        places = np.repeat(self.offsets[:-1][which] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Programs(self.words[places], offsets, self.status[which])

    def part(self, first: int, last: int) -> Programs:
        """Some of the programs, those from `first` to before `last`."""
        return Programs(self.words, self.offsets[first : last + 1], self.status[first:last])


class Fitted(NamedTuple):
    """What fitting N programs to a dataset has found out."""

    words: NDArray[np.int32]  # the programs with tuned constants, where they stood before
    weights: NDArray[np.float64]  # [N, 1 + terms] the intercept and a weight for each term; 0 where there is no term
    errors: NDArray[np.float64]  # [N] the sum of squared errors; not finite where an output is not
    blur: NDArray[np.float64]  # [N] errors below have few digits; they are to be computed from predictions
    passes: NDArray[np.int64]  # [N] how often each was run over the data
    work: Work


class Subtrees(ABC):
    """Makes children of programs by fitting a subtree to what the target asks of it."""

    @abstractmethod
    def children(
        self, derivations: Derivations, weights: NDArray[np.float64] | None, count: int, generation: int
    ) -> Derivations:
        """At most so many children of programs with these weights [N, 1 + T]; fewer where nothing can be fitted."""


class Language(ABC):
    """Compiles the derivations of one grammar, and runs programs over tables."""

    noun: ClassVar[str]  # what its programs are called: "an arithmetic expression"

    @abstractmethod
    def programs(self, derivations: Derivations) -> Programs:
        """The programs of a population; what is not one has the status SYNTAX. Equal programs have equal words."""

    @abstractmethod
    def sizes(self, programs: Programs) -> NDArray[np.int64]:
        """The nodes of each program [N]; 0 where there is none."""

    @abstractmethod
    def columns_of(self, programs: Programs) -> set[int]:
        """The columns that some of the programs use."""

    @abstractmethod
    def column(self, name: str) -> int | None:
        """The column that a name means; None where it means none."""

    @abstractmethod
    def outputs(self, programs: Programs, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each program gives for each row [N, rows] of a table [V, rows]; NaN where there is none."""

    @abstractmethod
    def sum_errors(
        self,
        programs: Programs,
        columns: NDArray[np.float64],
        target: NDArray[np.float64],
        weights: NDArray[np.float64],
        absolute: bool = False,
    ) -> tuple[NDArray[np.float64], Work]:
        """Σe² or Σ|e| of each program [N], and what that took; not finite where an output is not.

        `weights` [rows] are those of rows, or [0] where all count alike.
        """

    @abstractmethod
    def fit(self, programs: Programs, data: Dataset, terms: int, iterations: int, least_gain: float) -> Fitted:
        """Fit programs, none of which is empty, to data by least squares.

        With the weights of up to so many terms of the sum that each program is, and an intercept (0 terms: without
        them); and with up to so many steps of the constants that the search tunes, until one gains too little.
        """

    @abstractmethod
    def subtrees(self, data: Dataset, seed: np.uint64) -> Subtrees:
        """What fits subtrees to a dataset in the run of this seed."""

    @abstractmethod
    def terms(self, programs: Programs, most: int) -> list[Programs]:
        """The first, second … term of each program; without words where there are not so many."""

    def predictions(
        self, programs: Programs, columns: NDArray[np.float64], weights: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        """What programs predict for each row [N, rows], with weights [N, 1 + terms] or without; NaN where none is."""
        if weights is None:
            return self.outputs(programs, columns)
        if weights.shape[1] == 2:
            scaled = weights[:, 1:] * self.outputs(programs, columns)
            scaled[weights[:, 1] == 0] = 0.0  # whatever the output is
            return weights[:, :1] + scaled
        total: NDArray[np.float64] = weights[:, :1] + np.zeros(columns.shape[1])
        for t, term in enumerate(self.terms(programs, weights.shape[1] - 1), start=1):
            own = np.flatnonzero(weights[:, t])
            total[own] += weights[own, t, None] * self.outputs(term.take(own), columns)
        return total

    def columns_needed(self, program: Programs, weights: NDArray[np.float64] | None) -> set[int]:
        """The columns that one program with weights [1 + terms], or without, predicts from: none for a weight of 0."""
        if weights is None:
            return self.columns_of(program)
        terms = [program] if len(weights) == 2 else self.terms(program, len(weights) - 1)
        found = (self.columns_of(term) for term, weight in zip(terms, weights[1:], strict=True) if weight != 0)
        return {column for columns in found for column in columns}

    @abstractmethod
    def enclosures(
        self,
        programs: Programs,
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
    ) -> NDArray[np.float64]:
        """[N, 2] between which numbers all predictions lie where columns are between low [V] and high [V].

        NaN where that can't be told, as for predictions that may not be numbers.
        """

    @abstractmethod
    def exceed(
        self,
        programs: Programs,
        limits: tuple[float, float],
        starts: NDArray[np.float64],
        ends: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
    ) -> NDArray[np.bool_]:
        """[N] which programs are found to predict more or less than the limits on straight lines [L, V].

        A pole is such a place, however narrow; single points that are not numbers are not.
        """

    @abstractmethod
    def keeps_units(self, programs: Programs, columns: NDArray[np.float64]) -> NDArray[np.bool_]:
        """[N] which programs of a dimensional grammar meet no special case in a row of the columns [V, rows].

        In it, as in x / 0 = 1, a protected operation gives a pure number. All programs of other grammars are meant.
        """

    @abstractmethod
    def tuned(self, derivations: Derivations, programs: Programs) -> Derivations:
        """Derivations with the constants that their programs have; those without a program keep theirs."""

    @abstractmethod
    def written(self, programs: Programs, weights: NDArray[np.float64] | None) -> str:
        """The text of one program with weights [1 + terms], or without, as a person would write it."""

    @property
    @abstractmethod
    def labels(self) -> list[str]:
        """[V] a name for each column by which programs can refer to it."""

    @abstractmethod
    def steps(
        self, programs: Programs, weights: NDArray[np.float64] | None, columns: NDArray[np.float64]
    ) -> tuple[Step, ...]:
        """The formula of one program with weights [1 + terms], or without, by the names of its operations.

        It knows which special cases of protected operations occur in the columns [V, rows].
        """

    @abstractmethod
    def scaled(self, text: str, intercept: float, slope: float) -> str:
        """The text of intercept + slope * program, as a person would write it."""
