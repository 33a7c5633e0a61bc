"""Ctrl-C that waits for the end of a generation."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interrupts:
    """What Ctrl-C does: it raises at once, or is noted for later."""

    gentle = False  # whether there is something worth finishing
    asked = False  # whether Ctrl-C was pressed

    def handle(self, *_: Any) -> None:
        """Note the first one; the second one is impatient."""
        if self.asked or not self.gentle:
            raise KeyboardInterrupt
        self.asked = True


@contextmanager
def gentle_interrupts() -> Iterator[Interrupts]:
    """Take Ctrl-C over, unless someone else has done so, or it is ignored (as in a background job)."""
    interrupts = Interrupts()
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield interrupts
        return
    signal.signal(signal.SIGINT, interrupts.handle)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def is_interrupt(error: BaseException) -> bool:
    """Whether Ctrl-C was pressed: inside a kernel, Numba makes a SystemError of it."""
    return isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)
