"""The front of a run: the best program of every size that is better than all smaller ones."""

from __future__ import annotations

from collections.abc import Callable

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


def grown(
    front: Evaluation, evaluation: Evaluation, fresh: int, safe: Callable[[Evaluation], NDArray[np.bool_]]
) -> Evaluation:
    """The front with those of the first `fresh` individuals that belong to it and are safe.

    Only those are looked at that would join: whom a safe one beats stays out in any case.
    """
    left = np.arange(len(evaluation)) < fresh
    while True:
        chosen = candidates(front, evaluation)
        chosen = chosen[left[chosen]]
        if len(chosen) == 0:
            return front
        new = evaluation.take(chosen)
        first = leaders(new.fitness, new.size)
        left[chosen[first]] = False
        new = new.take(first)
        front = joined(front, new.take(np.flatnonzero(safe(new))))


def joined(front: Evaluation, new: Evaluation) -> Evaluation:
    """The front with some new individuals; of equals, those that were there first."""
    both = new if len(front) == 0 else Evaluation.join([front, new])
    return both.take(leaders(both.fitness, both.size))


def leaders(fitness: NDArray[np.float64], size: NDArray[np.int64]) -> NDArray[np.int64]:
    """The individuals that are better than all that are not larger, smallest first; of equals, the first."""
    order = np.lexsort([fitness, size])
    least = np.minimum.accumulate(np.concatenate([[np.inf], fitness[order]]))[:-1]
    return order[fitness[order] < least]


def clear_steps(fitness: NDArray[np.float64]) -> list[int]:
    """The members of a front, by their fitness, that are better than the one before them by more than rounding."""
    found: list[int] = []
    for i, value in enumerate(fitness.tolist()):
        if not found or value < fitness[found[-1]] - LEAST_GAIN * abs(fitness[found[-1]]):
            found.append(i)
    return found
