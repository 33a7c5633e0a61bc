"""Drawing parents, and who is crossed."""

from __future__ import annotations

import numpy as np

from gramarye.kernels.codes import SELECT
from gramarye.kernels.compiler import kernel
from gramarye.kernels.random import advance, below, stream, unit


@kernel
def coins(n: int, rate: float, seed: np.uint64, generation: int) -> np.ndarray:
    """Which of n children [n] are to have a father: the first number of their stream."""
    heads = np.empty(n, np.bool_)
    for i in range(n):
        heads[i] = unit(advance(stream(seed, generation, SELECT, i))) < rate
    return heads


@kernel
def draws_of(seed: np.uint64, generation: int, child: int) -> np.uint64:
    """Where the draws of a child's parents begin: behind its coin."""
    return advance(stream(seed, generation, SELECT, child))


@kernel
def tournament_winner(rank: np.ndarray, size: int, state: np.uint64) -> tuple[np.int64, np.uint64]:
    """The best of `size` individuals drawn with replacement (the first drawn of equals), and the next state."""
    state = advance(state)
    winner = below(state, len(rank))
    for _ in range(size - 1):
        state = advance(state)
        rival = below(state, len(rank))
        if rank[rival] < rank[winner]:
            winner = rival
    return winner, state


@kernel
def tournaments(rank: np.ndarray, n: int, size: int, seed: np.uint64, generation: int) -> tuple[np.ndarray, np.ndarray]:
    """Mothers [n] and fathers [n] of n children."""
    mothers = np.empty(n, np.int64)
    fathers = np.empty(n, np.int64)
    for i in range(n):
        state = draws_of(seed, generation, i)
        mothers[i], state = tournament_winner(rank, size, state)
        fathers[i], state = tournament_winner(rank, size, state)
    return mothers, fathers
