"""Says when kernels are being compiled: the one wait that a user would not understand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gramarye.cli.console import note
from gramarye.cli.signals import Interrupts

if TYPE_CHECKING:
    from rich.console import Console


@dataclass
class Compiling:
    """Whether anything had to be compiled."""

    console: Console | None
    seen: bool = False

    def begins(self) -> None:
        """Say it, once."""
        if not self.seen:
            note("compiling for this machine; this takes some seconds, and happens once", self.console)
        self.seen = True


@contextmanager
def told_when_compiling(interrupts: Interrupts, console: Console | None = None) -> Iterator[Compiling]:
    """Tell the user as soon as Numba compiles something, instead of taking it from its cache.

    The console is the one that shows progress at the same time, if any: the note then stands above its bar or picture.
    Ctrl-C has its turn between two passes of the compiler: within one, LLVM might lose it.
    """
    from gramarye.kernels.compiler_hooks import watches

    found = Compiling(console)

    def watch() -> None:
        interrupts.check()
        found.begins()

    watches.append(watch)
    try:
        yield found
    finally:
        watches.remove(watch)
