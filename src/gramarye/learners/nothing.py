"""No learning: the grammar stays as it is (GE, SGE)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye.grammar import Grammar
from gramarye.learners.base import Learner
from gramarye.population import Population


@dataclass(frozen=True)
class NoLearning(Learner):
    """Probabilities never change."""

    learns: ClassVar[bool] = False
    remap_elites: bool = False

    def update(
        self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        return probabilities
