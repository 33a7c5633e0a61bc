"""Shows that kernels are being compiled, and how much is left: the one wait that a user would not understand."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gramarye.cli.console import note
from gramarye.cli.signals import Interrupts

if TYPE_CHECKING:
    from rich.text import Text

    from gramarye.terminal.screen import Screen

# How many passes of Numba's compiler the first start of a command takes: the same number each time, measured for each
# method; these are in the middle, and at most a fifth off.
RUN = 3000
MAPPING = 620
ANALYSIS = 1400
ANALYSIS_OF_RUNS = 3200
WARMING = 5500
TUNING = 1200  # more where programs are fitted to data
FURTHER_METHOD = 300  # more for each: methods share most kernels


class Compiling:
    """How far compiling has come."""

    def __init__(self, screen: Screen, expected: int) -> None:
        from gramarye.terminal.screen import REFRESH, every

        self.seen = False  # whether anything had to be compiled
        self._screen, self._expected = screen, expected  # passes of the compiler
        self._done = 0
        self._draw = every(REFRESH, screen.add, at_once=True)

    def load(self, passes: int) -> None:
        """Count what was compiled earlier and is only loaded: it is not left."""
        self._done += passes

    def compile(self) -> None:
        """Count a pass of the compiler, and show it: a bar on a terminal, one note elsewhere."""
        if not self.seen:
            self._began, self._loaded = time.monotonic(), self._done
        if not self.seen and not self._screen.is_live:
            note("compiling for this machine; this takes some seconds, and happens once", self._screen.console)
        self.seen = True
        self._done += 1
        if self._screen.is_live:
            self._draw(self._bar())

    def _bar(self) -> Text:
        from rich.text import Text

        from gramarye.terminal.screen import done_bar

        done = min(self._done, self._expected)
        bar = done_bar(done, self._expected, self._screen.console.width - 20)
        return Text.assemble(
            *(bar, f" {done * 100 // self._expected:>3} %{self._left(done)}; compiling for this machine, only once"),
            no_wrap=True,
            overflow="ellipsis",
        )

    def _left(self, done: int) -> str:
        """How long it will take; nothing until a tenth of the passes was timed."""
        from gramarye.terminal.screen import clock_time

        timed = done - self._loaded
        if timed < self._expected / 10:
            return ""
        seconds = (time.monotonic() - self._began) * (self._expected - done) / timed
        return f", {clock_time(seconds)} left"


@contextmanager
def told_when_compiling(interrupts: Interrupts, screen: Screen, expected: int) -> Iterator[Compiling]:
    """Show it as soon as Numba compiles something, instead of taking it from its cache.

    Ctrl-C has its turn between two passes of the compiler: within one, LLVM might lose it.
    """
    from gramarye.kernels.compiler_hooks import loads, watches

    found = Compiling(screen, expected)

    def watch() -> None:
        interrupts.check()
        found.compile()

    watches.append(watch)
    loads.append(found.load)
    try:
        yield found
    finally:
        watches.remove(watch)
        loads.remove(found.load)
