"""The executor that is this process itself."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")


class InProcess(Executor):
    """Runs each call at once, where it is submitted. Ctrl-C ends `submit`, it is no result of the call."""

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
