"""Evaluated populations for learners to look at."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gramarye.derivation import Derivations
from gramarye.learners import Candidate, Ranked

# The better individuals of the worked examples, in productions of G1: x * 1.0 - x, x * 1.0 + x, x * x
BETTER = [[0, 1, 2, 6, 4, 1, 2, 7, 5, 2, 6], [0, 1, 2, 6, 4, 1, 2, 7, 3, 2, 6], [0, 1, 2, 6, 4, 2, 6]]
# The same below <start>, <expr.0>, <expr.1>, <op.1>, <var.2>: <expr> has a row below p0 (1, 2) and one below p1 (3, 4)
BETTER_IN_CONTEXT = [[0, 1, 4, 8, 6, 3, 4, 9, 7, 4, 8], [0, 1, 4, 8, 6, 3, 4, 9, 5, 4, 8], [0, 1, 4, 8, 6, 4, 8]]


def ranked(
    derivations: Sequence[Sequence[int]],
    fitness: Sequence[float],
    generation: int = 0,
    origins: NDArray[np.int32] | None = None,
) -> Ranked:
    """A population of these derivations, all of them offspring."""
    rows = [np.array(row, np.int32) for row in derivations]
    population = Derivations.join([Derivations.of(row) for row in rows])
    order = sorted(range(len(rows)), key=lambda i: fitness[i] if math.isfinite(fitness[i]) else math.inf)
    best = Candidate(rows[order[0]], fitness[order[0]])
    return Ranked(generation, best, best, best, population, np.array(fitness, np.float64), origins)
