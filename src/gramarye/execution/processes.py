"""The executor of worker processes: one that dies takes its own call with it, and nothing else."""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Executor, Future
from types import TracebackType
from typing import Any, NamedTuple, ParamSpec, TypeVar

from gramarye.errors import WorkerLost, WorkerStartError
from gramarye.execution.calls import pack, unpack
from gramarye.execution.threads import check_count
from gramarye.execution.worker import Worker, check_guard

P = ParamSpec("P")
Result = TypeVar("Result")


class WorkerProcesses(Executor):
    """Up to `count` worker processes, started when there are calls for them.

    `concurrent.futures.ProcessPoolExecutor` gives up for good when one of its processes dies; this one loses the call
    of that process (`WorkerLost`) and starts another. The processes end with their driver, whatever happens to it, and
    a program that ends without `shutdown` does not wait for them.
    """

    def __init__(self, count: int) -> None:
        check_count(count)
        check_guard()
        self._max_workers = count
        self._crew = _Crew()
        self._lock = threading.Lock()
        self._closed = False
        # Where the executor is forgotten, its threads end after the calls that wait.
        weakref.finalize(self, self._crew.calls.put, None).atexit = False

    def submit(self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Future[Result]:
        with self._lock:
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            future: Future[Result] = Future()
            self._crew.calls.put(_Call(future, fn, args, kwargs))
            if not self._crew.idle.acquire(blocking=False) and len(self._crew.threads) < self._max_workers:
                self._crew.enlist()
            return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._lock:
            self._closed = True
        if cancel_futures:
            self._crew.cancel()
        self._crew.calls.put(None)
        if wait:
            try:
                self._crew.join()
            except BaseException:  # Ctrl-C
                self.kill_workers()
                raise

    def kill_workers(self) -> None:
        """End all processes at once: calls that wait are cancelled, those that run raise `WorkerLost`."""
        with self._lock:
            self._closed = True
        self._crew.kill()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.shutdown()
        else:
            self.kill_workers()


class _Call(NamedTuple):
    future: Future[Any]
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class _Crew:
    """What the threads of an executor share. It does not know the executor, so that one may be forgotten."""

    def __init__(self) -> None:
        self.calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()  # None, always the last: go home
        self.idle = threading.Semaphore(0)  # threads that wait for a call
        self.threads: list[threading.Thread] = []
        self._pid = os.getpid()
        self._workers: set[Worker] = set()
        self._lock = threading.Lock()
        self._any_was_ready = False
        self._killed = False
        self._failure = ""

    def enlist(self) -> None:
        """Start one thread more. It is a daemon: at the end of the program nobody waits for it."""
        thread = threading.Thread(target=self.work, name="gramarye worker's driver", daemon=True)
        thread.start()
        self.threads.append(thread)

    def join(self) -> None:
        """Wait until all threads have gone home."""
        for thread in self.threads:
            thread.join()

    def work(self) -> None:
        """Take calls, one after the other, to a worker of one's own. Each thread of the executor runs this."""
        worker: Worker | None = None
        while (call := self.calls.get()) is not None:
            if call.future.set_running_or_notify_cancel():
                worker = self._run(call, worker)
            del call  # or its arguments would live until the next one
            self.idle.release()
        self.calls.put(None)  # for the next thread
        if worker is not None:
            self._see_off(worker)

    def _run(self, call: _Call, worker: Worker | None) -> Worker | None:
        """Run the call on the worker, or on a new one; give back the worker for the next call."""
        try:
            packed = pack(call.function, call.args, call.kwargs)
            if worker is not None and not worker.is_alive():
                self._see_off(worker)
                worker = None
            worker = worker or self._start()
            call.future.set_result(unpack(worker.run(packed)))
        except BaseException as error:
            stopped = WorkerLost("the worker processes were stopped before the call was done")
            # Without its traceback, which leads to the future itself: such a circle would live until it is looked for.
            call.future.set_exception(stopped if self._killed else error.with_traceback(None))
        return worker

    def _start(self) -> Worker:
        import multiprocessing.util  # noqa: F401, it says what it does at exit; what is registered later comes first

        with self._lock:  # one at a time, and none that `kill` doesn't know of
            if self._killed or self._failure:
                raise WorkerStartError(self._failure)
            atexit.unregister(self.kill)
            atexit.register(self.kill)  # multiprocessing would wait for the processes
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
            if not self._workers:
                atexit.unregister(self.kill)
        worker.close()

    def cancel(self) -> None:
        """Cancel the calls that wait."""
        with contextlib.suppress(queue.Empty):
            while True:
                call = self.calls.get_nowait()
                if call is not None and call.future.cancel():
                    call.future.set_running_or_notify_cancel()  # or nobody tells those who wait for it

    def kill(self) -> None:
        """End all processes and threads, and let no more start."""
        if os.getpid() != self._pid:  # a fork of the driver comes to its end: they are not its own
            return
        with self._lock:
            self._killed = True
            for worker in self._workers:
                worker.kill()
        self.cancel()
        self.calls.put(None)
        self.join()
