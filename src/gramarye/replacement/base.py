"""Who survives: the interface of all replacements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye.populations.evaluation import Evaluation
from gramarye.populations.population import Population
from gramarye.settings import HasSettings


class Replacement(HasSettings, ABC):
    """Decides who is kept before variation, and who survives after evaluation."""

    seeks_front: ClassVar[bool] = False  # whether size matters, so that a run is looked at by its front

    @abstractmethod
    def keeps(self, n: int) -> int:
        """How many of n individuals are kept unchanged; offspring take the other places."""

    @abstractmethod
    def kept(self, population: Population) -> NDArray[np.int64]:
        """Who is kept, as many as `keeps` says. They come last in the next population."""

    def survivors(self, parents: Population, offspring: Population) -> NDArray[np.int64] | None:
        """Who makes up the next population: numbers of parents, then of offspring (those kept among them).

        None, the default: all offspring, and no parent that was not kept.
        """
        return None

    def rank(self, evaluation: Evaluation) -> NDArray[np.float64]:
        """[N] what parents are selected by, smaller is better: by default the fitness."""
        return evaluation.fitness
