"""An experiment while it is running: a live display on a terminal, otherwise a line from time to time."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from gramarye.experiment.driving import CellProgress, Progress, Watch
from gramarye.terminal.parts import HEADING, listing, pairs
from gramarye.terminal.screen import Screen, clock_time, display, done_bar
from gramarye.text import number, shown

LINE = 10.0  # seconds between two lines of a log
MOST_CELLS = 20  # on a screen


def watching(screen: Screen, name: str) -> Watch:
    """A function to be called with every progress; it shows some of them."""
    return display(screen, line, LINE, lambda progress: picture(progress, name, screen.console.width))


def line(progress: Progress) -> str:
    """Progress as a line of a log."""
    failed = f", {progress.failed} failed" if progress.failed else ""
    left = "" if progress.remaining is None else f", {clock_time(progress.remaining)} left"
    return f"{progress.done}/{progress.total} runs, {progress.running} running{failed}{left}"


def picture(progress: Progress, name: str, width: int) -> RenderableType:
    """Progress as a small page that is drawn again and again."""
    left = "–" if progress.remaining is None else clock_time(progress.remaining)
    bar = done_bar(progress.done + progress.failed, progress.total, width)
    return Group(
        Text(shown(name), style=HEADING),
        pairs(
            [
                ("runs", Text.assemble(f"{progress.done}/{progress.total}  ", bar)),
                ("running", str(progress.running)),
                ("failed", Text(str(progress.failed), style="bold red" if progress.failed else "")),
                ("time", f"{clock_time(progress.elapsed)}, {left} left"),
            ]
        ),
        _cells(progress.cells),
    )


def _cells(cells: tuple[CellProgress, ...]) -> RenderableType:
    table = listing(["problem", "method", "done", "failed", "best"], right=["done", "failed", "best"])
    for cell in cells[:MOST_CELLS]:
        table.add_row(
            shown(cell.problem), shown(cell.method), str(cell.done), str(cell.failed or "–"), number(cell.best)
        )
    if len(cells) > MOST_CELLS:
        table.add_row(f"… and {len(cells) - MOST_CELLS} more", "", "", "", "")
    return table
