"""Survivors by error and size together: NSGA-II.

K. Deb, A. Pratap, S. Agarwal, T. Meyarivan. A fast and elitist multiobjective genetic algorithm: NSGA-II. IEEE
Trans. Evol. Comput. 6(2), 2002, 182-197. doi 10.1109/4235.996017
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.populations.evaluation import Evaluation
from gramarye.populations.population import Population
from gramarye.replacement.base import Replacement

SMALLEST = 1e-300  # errors below are alike; crowding takes their logarithms


@dataclass(frozen=True)
class Fronts(Replacement):
    """Of parents and offspring, those that no other beats in both error and size survive, front by front."""

    seeks_front: ClassVar[bool] = True

    def keeps(self, n: int) -> int:
        return 0

    def kept(self, population: Population) -> NDArray[np.int64]:
        return np.zeros(0, np.int64)

    def survivors(self, parents: Population, offspring: Population) -> NDArray[np.int64]:
        both = Evaluation.join([parents.evaluation, offspring.evaluation])
        return np.sort(np.argsort(self.rank(both), kind="stable")[: len(parents)])

    def rank(self, evaluation: Evaluation) -> NDArray[np.float64]:
        errors, sizes = evaluation.fitness, evaluation.size.astype(np.float64)
        order = np.lexsort([errors, sizes, errors == np.inf])
        fronts = kernels.fronts.front_numbers(errors, order)
        logarithms = np.empty(len(errors))
        kernels.vectormath.log(logarithms, np.maximum(errors, SMALLEST))
        apart = kernels.fronts.crowding(logarithms, sizes, fronts, order)
        places = np.empty(len(errors))
        places[np.lexsort([-apart, fronts])] = np.arange(len(errors))
        return places
