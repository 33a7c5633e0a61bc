"""Elitism: the best are kept, offspring replace all others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramarye.errors import SettingsError
from gramarye.populations.population import Population
from gramarye.replacement.base import Replacement
from gramarye.settings import INT_MAX, setting


@dataclass(frozen=True)
class Elitism(Replacement):
    """Keeps the best individuals of a population."""

    elitism: float = setting(
        0.1,
        low=0,
        high=INT_MAX,
        doc="elites kept: a fraction of the population if < 1, a number of individuals if ≥ 1",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.elitism >= 1 and self.elitism % 1:
            raise SettingsError(f"elitism is {self.elitism}: a number of individuals must be whole; a fraction is < 1")

    def keeps(self, n: int) -> int:
        share = self.elitism * n if self.elitism < 1 else self.elitism
        return math.floor(share + 1e-9)  # 0.29 * 100 is a little below 29

    def kept(self, population: Population) -> NDArray[np.int64]:
        order = np.argsort(population.rank, kind="stable")
        return order[: self.keeps(len(population))]
