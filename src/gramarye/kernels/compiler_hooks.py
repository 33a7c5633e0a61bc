"""What is called when Numba is about to compile: functions that add to it, and those who watch it work."""

from __future__ import annotations

from collections.abc import Callable

watches: list[Callable[[], None]] = []  # called at each pass of the compiler
loads: list[Callable[[int], None]] = []  # called with the passes that a kernel once took, when it is loaded instead
_extensions: list[Callable[[], None]] = []


def when_compiling(extend: Callable[[], None]) -> Callable[[], None]:
    """Have something added to Numba before it compiles anything."""
    _extensions.append(extend)
    return extend


def extend_numba() -> None:
    """Add what modules have asked for."""
    while _extensions:
        _extensions.pop()()
