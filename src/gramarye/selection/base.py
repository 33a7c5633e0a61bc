"""Who becomes a parent: the interface of all selections."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray


class Selection(ABC):
    """Draws parents by their fitness (smaller is better, +inf is invalid)."""

    @abstractmethod
    def pairs(
        self, fitness: NDArray[np.float64], n: int, crossover: float, seed: np.uint64, generation: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Mothers and fathers of n children; a child without crossover has the father -1."""
