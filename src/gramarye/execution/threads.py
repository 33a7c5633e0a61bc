"""Slices of a population, in this thread or in several."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from gramarye.errors import SettingsError

Result = TypeVar("Result")

_SMALL = 64  # a slice smaller than this is not worth a thread


def check_count(count: int, what: str = "workers") -> None:
    """Raise unless it is a number of threads, or of worker processes."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise SettingsError(f"{what} is {count!r}: it must be an integer ≥ 1")


class Threads:
    """Threads that take slices of a population. Kernels release the interpreter's lock; results never depend on it."""

    def __init__(self, count: int = 1) -> None:
        check_count(count, "threads")
        self._count = count
        self._pool = ThreadPoolExecutor(count) if count > 1 else None

    def map(self, work: Callable[[int, int], Result], n: int) -> list[Result]:
        """`work(first, last)` for slices that cover 0 … n-1 in order."""
        slices = min(self._count, max(1, n // _SMALL))
        bounds = [n * k // slices for k in range(slices + 1)]
        if self._pool is None or slices == 1:
            return [work(0, n)]
        return list(self._pool.map(work, bounds[:-1], bounds[1:]))

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown()
