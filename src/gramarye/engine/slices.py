"""A slice of a run: what is computed between two visits to the store. Where slices end never changes a result."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, cast

from gramarye.engine.evolution import Evolution
from gramarye.engine.run import Run
from gramarye.engine.state import State
from gramarye.execution import HERE, Workers
from gramarye.methods.base import MethodBase
from gramarye.objectives.problem import Problem
from gramarye.populations.history import Found, Sized, Slice


@dataclass(frozen=True)
class Task:
    """A run, and how far to go with it: all that a worker needs to know."""

    problem: Problem
    method: MethodBase
    seed: int
    state: bytes | None  # where the last slice ended; None: the run begins
    seconds: float  # the slice ends with the first generation after so many
    elapsed: float = 0.0  # seconds that earlier slices took


def advance(task: Task) -> Slice:
    """Go on with a run until its time is up, or it has ended."""
    with begun(task) as evolution:
        return next_slice(evolution, task.seconds)


def begun(task: Task, workers: Workers = HERE) -> Evolution:
    """The run as far as it has come."""
    state = None if task.state is None else State.from_bytes(task.state)
    who: dict[str, Any] = {"workers": workers.count, "executor": workers.executor}
    return Evolution(task.problem, task.method, task.seed, state=state, seconds=task.elapsed, **who)


def next_slice(evolution: Evolution, seconds: float) -> Slice:
    """Go on with a run that keeps its workers, and what it remembers, between two slices."""
    began, clock, state = time.monotonic(), time.process_time(), evolution.state
    first = -1 if state is None else state.generation
    last = None if state is None else evolution.run.best.phenotype
    found: list[Found] = []
    for generation in evolution:
        best, state = generation.best_of_run, cast(State, evolution.state)
        if best.phenotype is not None and best.phenotype != last:
            last, fitness, formula = best.phenotype, state.best_of_run.fitness, str(best.formula)
            found.append(Found(generation.index, last, fitness, state.test_fitness, formula))
        if time.monotonic() - began >= seconds:
            break
    state = cast(State, evolution.state)  # a run has a generation at least
    has_ended = evolution.ended_by is not None
    return Slice(
        history=state.history,
        probabilities=state.probability_history if evolution.method.wording else None,
        made=state.generation - first,
        found=tuple(found),
        seconds=time.process_time() - clock,
        elapsed=evolution.seconds,
        share=1.0 if has_ended else evolution.limit.share,
        front=_front(evolution.run) if has_ended else (),
        state=None if has_ended else state.to_bytes(),
    )


def _front(run: Run) -> tuple[Sized, ...]:
    """The front of a run as the store takes it."""
    minimised, picked = run.problem.shown, run.picked  # a sign that is changed twice is the same
    return tuple(
        Sized(
            member.nodes,
            str(member.phenotype),
            minimised(member.fitness),
            minimised(member.test_fitness),
            str(member.formula),
            member is picked,
        )
        for member in run.front
    )
