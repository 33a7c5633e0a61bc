"""A worker process: how its driver holds it, and what it does itself."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gramarye.errors import WorkerLost, WorkerStartError
from gramarye.execution.calls import answer

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

NAMES = ("gramarye worker", "Dask Worker process")  # how our processes, and those of a local Dask cluster, are called
NO_GUARD = 96  # the exit code of a worker that was about to start workers of its own
LOOK = 0.5  # seconds between two looks whether the other end lives, should the pipe not tell
PATIENCE = 5.0  # seconds for a worker to end by itself


class Worker:
    """One worker process, and the pipe to it."""

    def __init__(self) -> None:
        from multiprocessing import get_context

        context = get_context("spawn")  # a fork would copy locks that other threads hold
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs,), name=NAMES[0])
        with contextlib.ExitStack() as failed:
            failed.callback(self._pipe.close)
            with theirs, _without_ctrl_c():
                self._process.start()
            failed.pop_all()

    def wait_until_ready(self) -> None:
        """Return once the process has loaded what it needs; raise if it died before."""
        try:
            self._receive()
        except (EOFError, OSError):
            raise WorkerStartError(_why_not_ready(self._end())) from None

    def run(self, call: bytes) -> bytes:
        """The answer to the call."""
        try:
            self._pipe.send_bytes(call)
            return self._receive()
        except (EOFError, OSError):
            pid = self._process.pid
            raise WorkerLost(f"worker process {pid} died in the middle of a call: {_told(self._end())}") from None

    def is_alive(self) -> bool:
        """Whether the process can take a call."""
        return self._process.is_alive()

    def kill(self) -> None:
        """End the process at once, whatever it does."""
        self._process.kill()

    def close(self) -> None:
        """Let the process end, and see it off."""
        self._pipe.close()
        self._end()
        self._process.close()

    def _receive(self) -> bytes:
        # The end of the process closes the pipe, unless a process that it forked holds it open.
        while not self._pipe.poll(LOOK):
            if not self._process.is_alive() and not self._pipe.poll():
                raise EOFError
        return self._pipe.recv_bytes()

    def _end(self) -> int | None:
        """The exit code, once the process has ended."""
        self._process.join(PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        return self._process.exitcode


@contextlib.contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """A process that this thread starts here is deaf to Ctrl-C from its first moment."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # in older Pythons its start lets the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _told(code: int | None) -> str:
    if code is None or code >= 0:
        return f"it ended with exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    perhaps = "; perhaps the memory was used up: try fewer workers" if name == "SIGKILL" else ""
    return f"it was killed by {name}{perhaps}"


def _why_not_ready(code: int | None) -> str:
    if code == NO_GUARD:
        return ask_for_guard()
    return f"a worker process was not ready when {_told(code)}; see what it wrote above, and {ask_for_guard()}"


def ask_for_guard() -> str:
    """What to do about workers that don't start, most likely."""
    script = getattr(sys.modules["__main__"], "__file__", None)  # there is none in a notebook, or at a prompt
    if script is None:
        return "try `import gramarye` in a new process"
    if not Path(script).is_file():  # read from standard input
        return "save the script as a file, or use one worker: worker processes load the script too"
    return f'put the work of {script} under `if __name__ == "__main__":`, for worker processes load the script too'


def check_guard() -> None:
    """End this process, if it is a worker that still loads the script: then nothing guards what the script does."""
    if "--multiprocessing-fork" not in sys.orig_argv:
        return
    from multiprocessing import current_process, parent_process

    loading = parent_process() is None  # it learns of its parent after the script
    if loading and current_process().name.startswith(NAMES):
        raise SystemExit(NO_GUARD)


def serve(pipe: Connection) -> None:
    """Answer calls until the driver closes the pipe. Runs in the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _end_with_the_driver()
    pipe.send_bytes(b"ready")
    with contextlib.suppress(EOFError, OSError):
        while True:
            pipe.send_bytes(answer(pipe.recv_bytes()))


def _end_with_the_driver() -> None:
    """End this process soon after its driver has died, in whatever way, and whatever this process does."""
    from multiprocessing import parent_process

    driver = cast("BaseProcess", parent_process())  # None in the driver only

    def watch() -> None:
        # The pipe ends with the driver, unless a process that it forked holds it open: then we are orphans.
        while driver.is_alive() and (os.name == "nt" or os.getppid() == driver.pid):
            driver.join(LOOK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    if sys.platform != "win32":
        import fcntl

        # A call into C that keeps the interpreter's lock keeps the thread from running: the system itself sends SIGIO,
        # whose default is to end the process, when the pipe ends.
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(driver.sentinel, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(driver.sentinel, fcntl.F_SETFL, fcntl.fcntl(driver.sentinel, fcntl.F_GETFL) | os.O_ASYNC)
