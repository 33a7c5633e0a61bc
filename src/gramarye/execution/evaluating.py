"""The worker's side of evaluations: a process that calls functions of the user's, within limits.

It imports neither NumPy nor the engine: one that was killed is replaced quickly, and leaves its memory to the function.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import traceback

from gramarye.execution.outcomes import outcome_of
from gramarye.execution.serving import connected

IDLE = 600.0  # seconds without work after which a worker ends: one on a cluster is not told when its run has ended


def serve(handle: int, driver: int) -> None:
    """Evaluate programs until the driver closes the pipe: an outcome for each, as soon as it is known."""
    pipe, own = connected(handle, driver), os.getpid()
    _be_quiet(1)  # modules may print when they are imported
    try:
        functions, memory = pickle.loads(pipe.recv_bytes())  # noqa: S301, from our own driver
    except BaseException as error:
        pipe.send_bytes("".join(traceback.format_exception_only(error)).strip().encode())
        return
    _be_quiet(1, 2)
    if memory is not None:
        _limit_memory(memory)
    pipe.send_bytes(b"")
    with contextlib.suppress(EOFError, OSError):
        while pipe.poll(IDLE):
            which, programs = pickle.loads(pipe.recv_bytes())  # noqa: S301, the same
            for program in programs:
                outcome = outcome_of(functions[which], program)
                if os.getpid() != own:  # the program has forked, and this is its child
                    os._exit(0)
                pipe.send_bytes(pickle.dumps(tuple(outcome)))
    os._exit(0)  # threads that the function has left behind are not waited for


def _be_quiet(*streams: int) -> None:
    """Keep what programs print away from what the driver shows."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nothing, stream)


def _limit_memory(limit: int) -> None:
    """Let the address space grow by so many bytes from now on, where the system can tell its size (Linux)."""
    try:
        with open("/proc/self/statm", encoding="ascii") as sizes:  # noqa: PTH123, a path would have to be imported
            pages = int(sizes.read().split()[0])
    except OSError:
        return
    import resource

    most = pages * resource.getpagesize() + limit
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
