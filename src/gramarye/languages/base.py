"""What phenotypes mean to the engine: the interface of all languages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations
from gramarye.populations.evaluation import Work


@dataclass(frozen=True)
class Programs:
    """The code of a population, one program after another; its words mean something to its language only."""

    words: NDArray[np.int32]
    offsets: NDArray[
        np.int64
    ]  # [N+1] program i has the words from offsets[i] to offsets[i + 1]; without words it is none
    status: NDArray[np.int8]  # [N]

    def __len__(self) -> int:
        return len(self.status)

    def part(self, first: int, last: int) -> Programs:
        """Some of the programs, those from `first` to before `last`."""
        return Programs(self.words, self.offsets[first : last + 1], self.status[first:last])


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
    def scaled(self, text: str, intercept: float, slope: float) -> str:
        """The text of intercept + slope * program, as a person would write it."""
