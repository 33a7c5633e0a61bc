"""When a run ends. Each limit gives a prefix of the same, longer run."""

from __future__ import annotations

from typing import NamedTuple

from gramarye.direction import signed
from gramarye.engine.setup import Setup
from gramarye.engine.state import State
from gramarye.populations.history import RECORDED

SHORTENING = 20  # generations in which a run that has found an exact program looks for a shorter one


class Limit(NamedTuple):
    """How far a run has come towards one of its limits."""

    name: str  # of the setting
    spent: float
    allowed: float

    @property
    def share(self) -> float:
        """How much of it is used up: 1 ends the run."""
        return min(self.spent / self.allowed, 1.0) if self.allowed else 1.0


def limits(setup: Setup, state: State, seconds: float) -> list[Limit]:
    """What a run that has taken so many seconds so far is counted by; a target is not among them."""
    method = setup.method
    counted = {
        "generations": (state.generation + 1, method.generations),
        "max_evaluations": (state.record()["evaluations"], method.max_evaluations),
        "max_time": (seconds, method.max_time),
    }
    return [Limit(name, spent, allowed) for name, (spent, allowed) in counted.items() if allowed is not None]


def nearest(setup: Setup, state: State, seconds: float) -> Limit:
    """The limit closest to being reached."""
    return max(limits(setup, state, seconds), key=lambda limit: limit.share)


def ended_by(setup: Setup, state: State, seconds: float) -> str | None:
    """The limit that a run has reached, as its setting is called; None where it may continue."""
    target = setup.method.target
    least = signed(target, setup.problem.direction) if target is not None else None
    if least is not None and state.best_of_run.fitness <= least:
        return "target"
    if least is None and setup.method.stops_when_exact and _generations_exact(setup, state) > SHORTENING:
        return "target"
    found = nearest(setup, state, seconds)
    return found.name if found.spent >= found.allowed else None


def _generations_exact(setup: Setup, state: State) -> int:
    """In how many generations the best of the run had only rounding left of its error."""
    least = setup.problem.exact
    if least is None:
        return 0
    return int((state.history[:, RECORDED.index("best_so_far")] <= least).sum())


def has_ended(setup: Setup, state: State, seconds: float) -> bool:
    """Whether a run that has taken so many seconds so far has reached one of its method's limits."""
    return ended_by(setup, state, seconds) is not None
