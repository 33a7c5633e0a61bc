"""When a run ends. Each limit gives a prefix of the same, longer run."""

from __future__ import annotations

from gramarye.direction import signed
from gramarye.engine.setup import Setup
from gramarye.engine.state import State


def has_ended(setup: Setup, state: State, seconds: float) -> bool:
    """Whether a run that has taken so many seconds so far has reached one of its method's limits."""
    method = setup.method
    if state.generation + 1 >= method.generations:
        return True
    if method.max_evaluations is not None and state.record()["evaluations"] >= method.max_evaluations:
        return True
    if method.max_time is not None and seconds >= method.max_time:
        return True
    return method.target is not None and state.best_of_run.fitness <= signed(method.target, setup.problem.direction)
