"""What a terminal shows while something is running; elsewhere there is a line from time to time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Self, TypeVar

from rich.console import Console, Group, RenderableType
from rich.constrain import Constrain
from rich.live import Live
from rich.text import Text

Shown = TypeVar("Shown")

REFRESH = 0.1  # seconds between two pictures
ECHOED = "^C^C"  # at most, before a program ends


class Screen:
    """A picture at the bottom of a terminal that is drawn again and again, and is gone at the end.

    Rich shows one at a time on a console: a command's progress and the bar of the compiler share it.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.is_live = console.is_interactive  # otherwise nothing is drawn
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._picture: RenderableType = Group()

    def __enter__(self) -> Self:
        if self.is_live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def draw(self, picture: RenderableType) -> None:
        """Draw this instead of all that is there."""
        self._picture = picture
        self._update(picture)

    def add(self, line: RenderableType) -> None:
        """Draw a line below the picture; it is gone with the next picture."""
        self._update(Group(self._picture, line))

    def _update(self, picture: RenderableType) -> None:
        # After a full line, the ^C that terminals echo would begin another one, and a line would be left at the end.
        self._live.update(Constrain(picture, self.console.width - len(ECHOED)), refresh=True)


def display(
    screen: Screen,
    line: Callable[[Shown], str],
    pause: float,
    picture: Callable[[Shown], RenderableType],
    refresh: float = 0.0,
) -> Callable[[Shown], None]:
    """A function that shows what it is given: a picture on a terminal, a line after each pause elsewhere."""
    if screen.is_live:
        return every(refresh, lambda progress: screen.draw(picture(progress)), at_once=True)
    return every(pause, lambda progress: screen.console.print(line(progress), soft_wrap=True), at_once=False)


def every(seconds: float, draw: Callable[[Shown], None], at_once: bool) -> Callable[[Shown], None]:
    """Draw at most once in that many seconds: most steps are too quick to be looked at."""
    last = float("-inf") if at_once else time.monotonic()

    def watch(progress: Shown) -> None:
        nonlocal last
        if time.monotonic() - last >= seconds:
            last = time.monotonic()
            draw(progress)

    return watch


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
