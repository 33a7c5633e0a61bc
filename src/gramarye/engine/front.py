"""The front of a run: the best program of every size that is better than all smaller ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations
from gramarye.populations.evaluation import Evaluation

NOTHING = Derivations(np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0, np.int8))
LEAST_GAIN = 1e-6  # of the fitness: what is less comes from rounding, and is not worth a larger program
EMPTY = Evaluation(NOTHING, np.zeros(0), np.zeros(0, np.int8), np.zeros(0, np.int64))


def candidates(front: Evaluation, evaluation: Evaluation) -> NDArray[np.int64]:
    """The individuals that may belong to the front: those better than every member that is not larger."""
    fitness, size = evaluation.fitness, evaluation.size
    smaller = np.searchsorted(front.size, size, side="right")
    bound = np.concatenate([[np.inf], front.fitness])[smaller]
    return np.flatnonzero(fitness < bound)


def joined(front: Evaluation, new: Evaluation) -> Evaluation:
    """The front with some new individuals; of equals, those that were there first."""
    both = new if len(front) == 0 else Evaluation.join([front, new])
    order = np.lexsort([both.fitness, both.size])
    least = np.minimum.accumulate(np.concatenate([[np.inf], both.fitness[order]]))[:-1]
    return both.take(order[both.fitness[order] < least])


def clear_steps(fitness: NDArray[np.float64]) -> list[int]:
    """The members of a front, by their fitness, that are better than the one before them by more than rounding."""
    found: list[int] = []
    for i, value in enumerate(fitness.tolist()):
        if not found or value < fitness[found[-1]] - LEAST_GAIN * abs(fitness[found[-1]]):
            found.append(i)
    return found
