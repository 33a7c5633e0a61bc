"""What is recorded of a generation: a row of numbers, and probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramarye.engine import front
from gramarye.engine.setup import Setup
from gramarye.engine.state import State
from gramarye.populations.evaluation import Work
from gramarye.populations.history import FAILURES, RECORDED


def probabilities(setup: Setup, state: State, before: State | None) -> NDArray[np.float64]:
    """[R] the probabilities that are recorded; they need not be those that the next population is made by."""
    wording = setup.method.wording
    if wording is None or wording.guided:
        return state.probabilities
    if before and before.front is state.front and before.probabilities is state.probabilities:
        row: NDArray[np.float64] = before.probability_history[-1]
        return row
    shown = state.front.take(np.array(front.clear_steps(state.front.fitness), np.int64))
    return setup.method.learner.recorded(setup.grammar, state.probabilities, shown)


def numbers(state: State, evaluations: int, work: Work) -> list[float]:
    """One row of history."""
    valid = state.fitness[np.isfinite(state.fitness)]
    before = state.record() if len(state.history) else dict.fromkeys(RECORDED, 0.0)
    record = {
        "best": float(state.fitness.min()),
        "best_so_far": state.best_of_run.fitness,
        "test": state.test_fitness,
        "mean": _mean(valid),
        "median": _median(valid),
        "invalid": len(state.fitness) - len(valid),
        "evaluations": before["evaluations"] + max(evaluations, work.passes),
        "distinct": before["distinct"] + work.distinct,
        "node_rows": before["node_rows"] + work.node_rows,
        **dict(zip(FAILURES, work.failed, strict=True)),
    }
    return [record[name] for name in RECORDED]


def _median(values: NDArray[np.float64]) -> float:
    """The median; infinite where it is beyond all floats, or where there is nothing."""
    with np.errstate(over="ignore"):
        return float(np.median(values)) if len(values) else float("inf")


def _mean(values: NDArray[np.float64]) -> float:
    """The mean; infinite where the sum is beyond all floats, or where there is nothing."""
    total = 0.0
    for value in values.tolist():  # left to right: NumPy's order of addition differs between processors
        total += value
    return total / len(values) if len(values) else float("inf")
