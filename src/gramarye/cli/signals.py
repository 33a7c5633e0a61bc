"""Ctrl-C that waits for a good moment; SIGTERM, with which batch systems end a job, is the same."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec

INTERRUPTED = 130  # the exit code
DEFAULTS: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
P = ParamSpec("P")


class Interrupts:
    """What Ctrl-C does: it raises at once, or is noted for later."""

    gentle = False  # whether someone looks at `asked` now and then
    slow = False  # whether that may take seconds
    asked = False  # whether Ctrl-C was pressed

    def handle(self, *_: Any) -> None:
        """Note the first one; the second one is impatient."""
        again, self.asked = self.asked, True
        if again or not self.gentle:
            raise KeyboardInterrupt
        if self.slow:  # not through Python's buffers: they may be in the middle of writing
            os.write(2, b"stopping...\n")

    def check(self) -> None:
        """A good moment to stop, if that was asked for."""
        if self.asked:
            raise KeyboardInterrupt

    def before(self, call: Callable[P, None]) -> Callable[P, None]:
        """A call that is a good moment to stop, too: LLVM may have swallowed the exception."""

        def checked(*args: P.args, **named: P.kwargs) -> None:
            self.check()
            call(*args, **named)

        return checked

    def explains(self, error: BaseException) -> bool:
        """Whether an error is Ctrl-C: Numba makes a SystemError of it, LLVM loses it and breaks later."""
        causes = (error, error.__cause__)
        return self.asked or any(isinstance(cause, KeyboardInterrupt) for cause in causes)


@contextmanager
def catching_interrupts() -> Iterator[Interrupts]:
    """Take Ctrl-C and SIGTERM over, unless someone else has done so, or they are ignored (as in a background job)."""
    interrupts = Interrupts()
    ours = [number for number, default in DEFAULTS.items() if signal.getsignal(number) is default]
    for number in ours:
        signal.signal(number, interrupts.handle)
    try:
        yield interrupts
    finally:
        for number in ours:
            signal.signal(number, DEFAULTS[number])
