"""Evaluated populations for learners to look at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations
from gramarye.populations.population import Population

# The better individuals of the worked examples, in productions of G1: x * 1.0 - x, x * 1.0 + x, x * x
BETTER = [[0, 1, 2, 6, 4, 1, 2, 7, 5, 2, 6], [0, 1, 2, 6, 4, 1, 2, 7, 3, 2, 6], [0, 1, 2, 6, 4, 2, 6]]
# The same below <start>, <expr.0>, <expr.1>, <op.1>, <var.2>: <expr> has a row below p0 (1, 2) and one below p1 (3, 4)
BETTER_IN_CONTEXT = [[0, 1, 4, 8, 6, 3, 4, 9, 7, 4, 8], [0, 1, 4, 8, 6, 3, 4, 9, 5, 4, 8], [0, 1, 4, 8, 6, 4, 8]]


def ranked(
    derivations: Sequence[Sequence[int]],
    fitness: Sequence[float],
    generation: int = 0,
    origins: NDArray[np.int32] | None = None,
) -> Population:
    """A population of these derivations, all of them offspring."""
    made = Derivations.join([Derivations.of(np.array(row, np.int32)) for row in derivations])
    return Population.of(made, np.array(fitness, np.float64), generation=generation, origins=origins)
