"""Work inside this process: slices of a population in one thread or in several, calls one after another."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from gramarye.execution.workers import HERE, Workers, check_count

P = ParamSpec("P")
Result = TypeVar("Result")

_SMALL = 64  # a slice smaller than this is not worth a thread


class Threads:
    """Who shares the work of one run: threads that take slices of a population, and workers that evaluate programs.

    Kernels release the interpreter's lock. Results never depend on who does the work.
    """

    def __init__(self, count: int = 1, workers: Workers = HERE) -> None:
        check_count(count, "threads")
        self._count = count
        self.workers = workers
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


class InProcess(Executor):
    """Runs each call at once, where it is submitted. Ctrl-C ends `submit` and is not a result of the call."""

    _max_workers = 1

    def __init__(self) -> None:
        self._closed = False

    def submit(self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Future[Result]:
        if self._closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future: Future[Result] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._closed = True
