"""A run while it is running: a live display on a terminal, otherwise a line from time to time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from gramarye.engine.evolution import Evolution
from gramarye.engine.run import Generation
from gramarye.terminal.parts import pairs
from gramarye.terminal.run import title
from gramarye.terminal.screen import REFRESH, Screen, clock_time, display, done_bar
from gramarye.text import large, measure_name, number, shown

LINE = 1.0  # seconds between two lines of a log


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    generation: Generation
    generations: int
    rate: float | None  # evaluations per second; None until a second generation was timed
    remaining: float | None  # seconds

    @property
    def done(self) -> int:
        """Generations that have been evaluated."""
        return self.generation.index + 1


class Clock:
    """Times generations from the end of the first one on: that one may include compilation."""

    def __init__(self, generations: int, now: Callable[[], float] = time.monotonic) -> None:
        self._generations = generations
        self._now = now
        self._first: tuple[float, int, float] | None = None

    def progress(self, generation: Generation) -> Progress:
        """How far the run has come with this generation."""
        now, evaluations = self._now(), generation.record["evaluations"]
        if self._first is None:
            self._first = (now, generation.index, evaluations)
        began, index, before = self._first
        passed = now - began
        if generation.index == index or passed <= 0:
            return Progress(generation, self._generations, None, None)
        remaining = (self._generations - 1 - generation.index) * passed / (generation.index - index)
        return Progress(generation, self._generations, (evaluations - before) / passed, remaining)


def watching(screen: Screen, evolution: Evolution) -> Callable[[Generation], None]:
    """A function to be called with every generation; it shows some of them."""
    clock = Clock(evolution.method.generations)
    measure = measure_name(getattr(evolution.problem, "error", "fitness"))
    head = title(evolution.method.name, evolution.problem.name, evolution.seed)
    width = screen.console.width
    show = display(screen, line, LINE, lambda progress: picture(progress, head, measure, width), REFRESH)
    return lambda generation: show(clock.progress(generation))


def line(progress: Progress) -> str:
    """Progress as a line of a log."""
    rate = "" if progress.rate is None else f", {large(progress.rate)} evaluations/s"
    best = number(progress.generation.best_of_run.fitness, 6)
    share = f"{progress.generation.validity:.0%} valid"
    return f"generation {progress.done}/{progress.generations}: best {best}, {share}{rate}"


def picture(progress: Progress, head: Text, measure: str, width: int) -> RenderableType:
    """Progress as a small page that is drawn again and again."""
    best = progress.generation.best_of_run
    formula = Text(shown(best.phenotype or "no valid program yet"), style="bold green")
    formula.truncate(max(width - 16, 8), overflow="ellipsis")
    speed = "–" if progress.rate is None else f"{large(progress.rate)} evaluations/s"
    left = "–" if progress.remaining is None else clock_time(progress.remaining)
    bar = done_bar(progress.done, progress.generations, width)
    return Group(
        head,
        pairs(
            [
                ("generation", Text.assemble(f"{progress.done}/{progress.generations}  ", bar)),
                (f"best {measure}", number(best.fitness, 6)),
                ("best program", formula),
                ("valid", f"{progress.generation.validity:.0%}"),
                ("speed", speed),
                ("time left", left),
            ]
        ),
    )
