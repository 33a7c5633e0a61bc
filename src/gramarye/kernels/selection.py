"""Drawing parents."""

from __future__ import annotations

import numpy as np

from gramarye.kernels.codes import SELECT
from gramarye.kernels.compiler import kernel
from gramarye.kernels.random import advance, below, stream, unit


@kernel
def tournament_winner(fitness: np.ndarray, size: int, state: np.uint64) -> tuple[np.int64, np.uint64]:
    """The fittest of `size` individuals drawn with replacement (the first drawn of equals), and the next state."""
    state = advance(state)
    winner = below(state, len(fitness))
    for _ in range(size - 1):
        state = advance(state)
        rival = below(state, len(fitness))
        if fitness[rival] < fitness[winner]:
            winner = rival
    return winner, state


@kernel
def tournament_pairs(
    fitness: np.ndarray, n: int, size: int, crossover: float, seed: np.uint64, generation: int
) -> tuple[np.ndarray, np.ndarray]:
    """Mothers [n] and fathers [n] of n children; a child without crossover has the father -1."""
    mothers = np.empty(n, np.int64)
    fathers = np.full(n, -1)
    for i in range(n):
        state = advance(stream(seed, generation, SELECT, i))
        crosses = unit(state) < crossover
        mothers[i], state = tournament_winner(fitness, size, state)
        if crosses:
            fathers[i], state = tournament_winner(fitness, size, state)
    return mothers, fathers
