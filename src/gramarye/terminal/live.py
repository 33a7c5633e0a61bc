"""A run while it is running: a live display on a terminal, otherwise a line from time to time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from gramarye.engine.evolution import Evolution
from gramarye.engine.run import Generation
from gramarye.terminal.parts import pairs
from gramarye.terminal.run import title
from gramarye.text import large, measure_name, number, shown

Shown = TypeVar("Shown")

REFRESH = 0.1  # seconds between two pictures of a live display
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


@contextmanager
def watching(console: Console, evolution: Evolution) -> Iterator[Callable[[Generation], None]]:
    """A function to be called with every generation; it shows some of them."""
    clock = Clock(evolution.method.generations)
    measure = measure_name(getattr(evolution.problem, "error", "fitness"))
    head = title(evolution.method.name, evolution.problem.name, evolution.seed)
    with display(
        console, line, LINE, lambda progress: picture(progress, head, measure, console.width), REFRESH
    ) as show:
        yield lambda generation: show(clock.progress(generation))


@contextmanager
def display(
    console: Console,
    line: Callable[[Shown], str],
    pause: float,
    picture: Callable[[Shown], RenderableType],
    refresh: float = 0.0,
) -> Iterator[Callable[[Shown], None]]:
    """A function that shows what it is given: a live picture on a terminal, a line after each pause elsewhere."""
    if not console.is_interactive:
        yield _every(pause, lambda progress: console.print(line(progress), soft_wrap=True), at_once=False)
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield _every(refresh, lambda progress: live.update(picture(progress), refresh=True), at_once=True)


def _every(seconds: float, draw: Callable[[Shown], None], at_once: bool) -> Callable[[Shown], None]:
    """Draw at most once in so many seconds: most steps are too quick to be looked at."""
    last = float("-inf") if at_once else time.monotonic()

    def watch(progress: Shown) -> None:
        nonlocal last
        if time.monotonic() - last >= seconds:
            last = time.monotonic()
            draw(progress)

    return watch


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


def done_bar(done: int, total: int, width: int) -> Text:
    """How much is done, as a bar for a terminal of this width."""
    track = max(min(width - 40, 40), 4)
    full = track * done // max(total, 1)
    return Text.assemble(("█" * full, "blue"), ("░" * (track - full), "dim"))


def clock_time(seconds: float) -> str:
    """Seconds as people read them: 0:07, 12:30, 1:05:00."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
