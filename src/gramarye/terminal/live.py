"""A run while it is running: a live display on a terminal, otherwise a line from time to time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from gramarye.engine.evolution import Evolution
from gramarye.engine.run import Generation
from gramarye.engine.stopping import Limit
from gramarye.populations.history import FAILURES
from gramarye.terminal.parts import pairs
from gramarye.terminal.run import title
from gramarye.terminal.screen import REFRESH, Screen, clock_time, display, done_bar
from gramarye.text import large, measure_name, number, shown

LINE = 1.0  # seconds between two lines of a log
ROOM = 20  # characters of what is counted, beside a bar of full length
HUGE = 1e7  # counts from here on are written in words


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    generation: Generation
    limit: Limit  # the nearest one
    rate: float | None  # evaluations per second; None until a second generation was timed
    remaining: float | None  # seconds
    objective: float | None = None  # the share of the time in a function of the user's; None where there is none

    @property
    def done(self) -> int:
        """Generations that have been evaluated."""
        return self.generation.index + 1

    @property
    def counted(self) -> str:
        """What the nearest limit counts: so many of so many."""
        show = (
            clock_time if self.limit.name == "max_time" else large if self.limit.allowed >= HUGE else "{:,.0f}".format
        )
        return f"{show(self.limit.spent)}/{show(self.limit.allowed)}"


class Clock:
    """Times generations from the end of the first one on: that one may include compilation."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._first: tuple[float, int, float, float] | None = None

    def progress(self, generation: Generation, limit: Limit, objective: float | None = None) -> Progress:
        """How far the run has come with this generation."""
        now, evaluations = self._now(), generation.record["evaluations"]
        if self._first is None:
            self._first = (now, generation.index, evaluations, limit.share)
        began, index, before, share = self._first
        passed = now - began
        if generation.index == index or passed <= 0:
            return Progress(generation, limit, None, None, objective)
        gained = limit.share - share
        remaining = (1 - limit.share) * passed / gained if gained > 0 else None
        return Progress(generation, limit, (evaluations - before) / passed, remaining, objective)


def watching(screen: Screen, evolution: Evolution) -> Callable[[Generation], None]:
    """A function to be called with every generation; it shows some of them."""
    clock = Clock()
    measure = measure_name(getattr(evolution.problem, "error", "fitness"))
    head = title(evolution.method.name, evolution.problem.name, evolution.seed)
    width = screen.console.width
    show = display(screen, line, LINE, lambda progress: picture(progress, head, measure, width), REFRESH)
    return lambda generation: show(clock.progress(generation, evolution.limit, evolution.objective_share))


def line(progress: Progress) -> str:
    """Progress as a line of a log."""
    far = {
        "generations": f"/{progress.counted.partition('/')[2]}",
        "max_evaluations": f", {progress.counted} evaluations",
        "max_time": f", {progress.counted}",
    }[progress.limit.name]
    rate = "" if progress.rate is None else f", {large(progress.rate)} evaluations/s"
    best = number(progress.generation.best_of_run.fitness, 6)
    share = f"{progress.generation.validity:.0%} valid"
    return f"generation {progress.done:,}{far}: best {best}, {share}{rate}{_failed(progress, ', ')}"


def picture(progress: Progress, head: Text, measure: str, width: int) -> RenderableType:
    """Progress as a small page that is drawn again and again."""
    best = progress.generation.best_of_run
    formula = Text(shown(best.phenotype or "no valid program yet"), style="bold green")
    formula.truncate(max(width - 16, 8), overflow="ellipsis")
    speed = "–" if progress.rate is None else f"{large(progress.rate)} evaluations/s"
    left = "–" if progress.remaining is None else clock_time(progress.remaining)
    return Group(
        head,
        pairs(
            [
                *bars(progress, width),
                (f"best {measure}", number(best.fitness, 6)),
                ("best program", formula),
                ("valid", f"{progress.generation.validity:.0%}"),
                *_objective(progress),
                ("speed", speed),
                ("time left", left),
            ]
        ),
    )


def _objective(progress: Progress) -> list[tuple[str, RenderableType]]:
    """What a function of the user's takes, and how often it fails."""
    if progress.objective is None:
        return []
    record = progress.generation.record
    remembered = max(0.0, 1 - record["distinct"] / record["evaluations"])
    return [
        ("failed", _failed(progress) or "none"),
        ("objective", f"{progress.objective:.0%} of the time, {remembered:.0%} of evaluations remembered"),
    ]


def _failed(progress: Progress, before: str = "") -> str:
    """Why individuals of this generation have no fitness, where a function of the user's was called."""
    if progress.objective is None:
        return ""
    record = progress.generation.record
    counts = [f"{name.replace('_', ' ')} {record[name]:.0f}" for name in FAILURES if record[name]]
    return before + ", ".join(counts) if counts else ""


def bars(progress: Progress, width: int) -> list[tuple[str, RenderableType]]:
    """How far it has come, with a bar beside what the nearest limit counts."""
    room = width - max(0, len(progress.counted) - ROOM)
    bar = done_bar(round(1000 * progress.limit.share), 1000, room)
    counted = Text.assemble(f"{progress.counted}  ", bar)
    names = {"generations": "generation", "max_evaluations": "evaluations", "max_time": "time"}
    generation = [] if progress.limit.name == "generations" else [("generation", f"{progress.done:,}")]
    return [*generation, (names[progress.limit.name], counted)]
