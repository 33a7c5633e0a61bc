"""No learning: the grammar stays as it is (GE, SGE), or each individual carries probabilities of its own (Co-PSGE)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye.grammar import Grammar
from gramarye.learners.base import REMAP_ELITES, Learner
from gramarye.populations.history import Wording
from gramarye.populations.population import Population
from gramarye.settings import setting

BEST = Wording(
    "the probabilities of its best individual",
    "Probabilities of {} in the best individual",
    "probability",
    "probabilities",
)


@dataclass(frozen=True)
class NoLearning(Learner):
    """Probabilities never change."""

    learns: ClassVar[bool] = False
    remap_elites: bool = setting(False, doc=REMAP_ELITES)

    def update(
        self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        return probabilities


@dataclass(frozen=True)
class OwnProbabilities(Learner):
    """Probabilities change, but in the individuals: a run records those of its best one."""

    learns: ClassVar[bool] = True
    remap_elites: bool = setting(False, doc=REMAP_ELITES)

    def update(
        self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        return probabilities

    @property
    def wording(self) -> Wording:
        return BEST
