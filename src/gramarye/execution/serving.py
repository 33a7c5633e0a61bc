"""The worker's side: a process that answers calls, and ends with its driver, whatever happens to it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from multiprocessing import connection
from typing import Any

from gramarye.execution.calls import answer

LOOK = 0.5  # seconds between two looks whether the driver lives


def serve(handle: int, driver: int) -> None:
    """Answer calls until the driver closes the pipe."""
    pipe = connected(handle, driver)
    pipe.send_bytes(b"ready")
    with contextlib.suppress(EOFError, OSError):
        while True:
            pipe.send_bytes(answer(pipe.recv_bytes()))


def connected(handle: int, driver: int) -> connection.Connection[Any, Any]:
    """The pipe to the driver, from whose end on this process ends, too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if sys.platform == "win32":
        threading.Thread(target=_end_with_the_input, args=(os.dup(0),), daemon=True).start()
        return connection.PipeConnection(handle)
    _end_with(driver)
    return connection.Connection(handle)


def _end_with(driver: int) -> None:
    """End this process soon after its driver has died, in whatever way, and whatever this process does."""
    import fcntl

    lifeline = os.dup(0)
    with open(os.devnull) as nothing:  # noqa: PTH123, a path would have to be imported
        os.dup2(nothing.fileno(), 0)

    def watch() -> None:
        while os.getppid() == driver:
            time.sleep(LOOK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    # A call into C that keeps the interpreter's lock keeps the thread from running: the system itself sends SIGIO,
    # whose default is to end the process, when the pipe that was the standard input ends.
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def _end_with_the_input(lifeline: int) -> None:
    """The same, where there are no such signals."""
    os.read(lifeline, 1)
    os._exit(1)
