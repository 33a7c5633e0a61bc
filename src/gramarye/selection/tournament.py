"""Tournament selection: the fittest of a few, drawn with replacement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.selection.base import Selection
from gramarye.settings import check_settings


@dataclass(frozen=True)
class Tournament(Selection):
    """The fittest of `size` individuals drawn at random; of equals the first drawn."""

    size: int = 3

    def __post_init__(self) -> None:
        check_settings(self)

    def pairs(
        self, fitness: NDArray[np.float64], n: int, crossover: float, seed: np.uint64, generation: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        mothers, fathers = kernels.selection.tournament_pairs(fitness, n, self.size, crossover, seed, generation)
        return mothers, fathers
