"""The executor of worker processes: one that dies takes its own call with it, and nothing else."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from gramarye.errors import WorkerLost, WorkerStartError
from gramarye.execution.calls import pack, unpack
from gramarye.execution.worker import Worker
from gramarye.execution.workers import check_count

P = ParamSpec("P")
Result = TypeVar("Result")


class WorkerProcesses(ThreadPoolExecutor):
    """Up to `count` worker processes, started when there are calls for them; a thread takes a call to one of them.

    `concurrent.futures.ProcessPoolExecutor` gives up for good when one of its processes dies; this one loses the call
    of that process (`WorkerLost`) and starts another. The processes end with their driver, whatever happens to it, and
    a program that ends without `shutdown` does not wait for them.
    """

    def __init__(self, count: int) -> None:
        check_count(count)
        super().__init__(count, "gramarye worker's driver")
        self._crew = _Crew()

    def submit(self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Future[Result]:
        return super().submit(self._crew.run, fn, args, kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        try:
            super().shutdown(wait, cancel_futures=cancel_futures)
        except BaseException:  # Ctrl-C
            self.kill_workers()
            raise
        if wait:
            self._crew.close()

    def kill_workers(self) -> None:
        """End all processes at once: calls that wait are cancelled, those that run raise `WorkerLost`."""
        self._crew.kill()
        super().shutdown(cancel_futures=True)
        self._crew.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.shutdown()
        else:
            self.kill_workers()


class _Crew:
    """The processes of an executor. It does not know the executor, so that one may be forgotten."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._workers: set[Worker] = set()
        self._idle: list[Worker] = []
        self._lock = threading.Lock()
        self._any_was_ready = False
        self._killed = False
        self._failure = ""
        _CREWS.add(self)

    def run(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a call on a worker that is idle, or on a new one."""
        packed = pack(function, args, kwargs)
        try:
            worker = self._idle_worker() or self._start()
            try:
                answer = worker.run(packed)
            finally:
                self._idle.append(worker)
        except Exception:
            if self._killed:
                raise WorkerLost("the worker processes were stopped before the call was done") from None
            raise
        return unpack(answer)

    def _idle_worker(self) -> Worker | None:
        while True:
            try:
                worker = self._idle.pop()
            except IndexError:
                return None
            if worker.is_alive():
                return worker
            self._see_off(worker)

    def _start(self) -> Worker:
        with self._lock:  # one at a time, and none that `kill` doesn't know of
            if self._killed or self._failure:
                raise WorkerStartError(self._failure)
            try:
                worker = Worker()
            except Exception as error:
                raise WorkerStartError(f"no worker process can be started ({error})") from error
            self._workers.add(worker)
        try:
            worker.wait_until_ready()
        except WorkerStartError as error:
            self._see_off(worker)
            if not self._any_was_ready:  # nor will another be
                self._failure = str(error)
            raise
        self._any_was_ready = True
        return worker

    def _see_off(self, worker: Worker) -> None:
        with self._lock:
            self._workers.discard(worker)
        worker.close()

    def close(self) -> None:
        """Let all processes end; none of them has a call."""
        while self._idle:
            self._see_off(self._idle.pop())

    def kill(self) -> None:
        """End all processes, and let no more start."""
        if os.getpid() != self._pid:  # a fork of the driver comes to its end: they are not its own
            return
        with self._lock:
            self._killed = True
            for worker in self._workers:
                worker.kill()


_CREWS: weakref.WeakSet[_Crew] = weakref.WeakSet()


def _kill_all() -> None:
    for crew in list(_CREWS):
        crew.kill()


# The interpreter waits for the threads before it comes to what is registered with `atexit`; what is registered here
# later than by concurrent.futures comes before that.
threading._register_atexit(_kill_all)  # type: ignore[attr-defined]
