"""Tournament selection: the fittest of a few, drawn with replacement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.populations.population import Population
from gramarye.selection.base import Selection
from gramarye.settings import HUGE, setting


@dataclass(frozen=True)
class Tournament(Selection):
    """The fittest of `size` individuals drawn at random; of equals the first drawn."""

    size: int = setting(3, low=1, high=HUGE, doc="individuals drawn for each tournament")

    def parents(
        self, population: Population, n: int, seed: np.uint64, generation: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        mothers, fathers = kernels.tournaments.tournaments(population.rank, n, self.size, seed, generation)
        return mothers, fathers
