"""Who becomes a parent: the interface of all selections."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from gramarye.populations.population import Population
from gramarye.settings import HasSettings


class Selection(HasSettings, ABC):
    """Draws parents from an evaluated population."""

    @abstractmethod
    def parents(
        self, population: Population, n: int, seed: np.uint64, generation: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Mothers and fathers of n children. Whether a child has a father is not for a selection to say.

        Draws for child i come from the stream (seed, generation, SELECT, i); its first number is the crossover's coin.
        """
