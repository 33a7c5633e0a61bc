"""Elitism: the best are kept, offspring replace all others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramarye.population import Population
from gramarye.replacement.base import Replacement
from gramarye.settings import check_settings


@dataclass(frozen=True)
class Elitism(Replacement):
    """Keeps the best individuals of a population: a fraction of it if `elitism` < 1, that many if ≥ 1."""

    elitism: float = 0.1

    def __post_init__(self) -> None:
        check_settings(self)

    def keeps(self, n: int) -> int:
        share = self.elitism * n if self.elitism < 1 else self.elitism
        return math.floor(share + 1e-9)  # 0.29 * 100 is a little below 29

    def kept(self, population: Population) -> NDArray[np.int64]:
        order = np.argsort(population.rank, kind="stable")
        return order[: self.keeps(len(population))]
