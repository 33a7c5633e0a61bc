"""What the tests let workers do: they import it by its name."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from gramarye.errors import MissingExtraError
from gramarye.execution import WorkerProcesses


def sign(folder: str) -> int:
    """Leave the process's id as the name of a file."""
    (Path(folder) / str(os.getpid())).touch()
    return os.getpid()


def signed(folder: Path, count: int) -> list[int]:
    """The ids, once there are that many."""
    end = time.monotonic() + 60
    while len(names := [path.name for path in folder.iterdir() if path.name.isdigit()]) < count:
        assert time.monotonic() < end, f"{names} of {count}"
        time.sleep(0.01)
    return [int(name) for name in names]


def meet(folder: str, count: int) -> int:
    sign(folder)
    signed(Path(folder), count)
    return os.getpid()


def idle(folder: str) -> None:
    meet(folder, 2)


def sleeping(folder: str) -> None:
    sign(folder)
    time.sleep(60)


def spinning(folder: str) -> None:
    sign(folder)
    while True:
        pass


def holding_the_lock(folder: str) -> None:
    sign(folder)
    sum(range(10**11))  # one call into C: no other thread of the process runs


def in_a_kernel(folder: str) -> None:
    import numba

    @numba.njit(nogil=True)  # type: ignore[untyped-decorator]
    def count(n: int) -> int:
        total = 0
        for k in range(n):
            total ^= k * total + 1
        return total

    count(1)
    sign(folder)
    count(10**13)


def drive(folder: str, task: Callable[[str], object]) -> None:
    """Be a driver of two workers, until killed."""
    pool = WorkerProcesses(2)
    for _ in range(2):
        pool.submit(task, folder)
    time.sleep(60)


def fork_and_die() -> None:
    """Die, while a child keeps all pipes open for a while."""
    if os.fork() == 0:
        time.sleep(3)
        os._exit(0)
    os._exit(7)


def cut_off() -> None:
    """Close the pipe to the driver, and stay."""
    for fd in Path("/proc/self/fd").iterdir():
        if int(fd.name) > 2 and fd.is_symlink() and str(fd.readlink()).startswith("socket:"):
            os.close(int(fd.name))
    time.sleep(60)


def raise_what_cannot_be_pickled() -> None:
    error = ValueError("it broke")
    error.lock = threading.Lock()  # type: ignore[attr-defined]
    raise error


def raise_what_cannot_be_made_again() -> None:
    raise MissingExtraError("Cheese", "board")


class Unloadable:
    def __reduce__(self) -> tuple[Any, ...]:
        return int, ("no number",)


def worker_processes() -> list[int]:
    """The ids of the worker processes that this process has for calls."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (
                "gramarye.execution.serving" in (folder / "cmdline").read_text()
                and f"PPid:\t{os.getpid()}\n" in (folder / "status").read_text()
            ):
                found.append(int(folder.name))
    return found


def is_gone(pid: int) -> bool:
    """Whether the process has ended; one that nobody has waited for yet has ended too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def remaining(pids: Iterable[int], seconds: float) -> list[int]:
    """Those that are still there after so many seconds."""
    end = time.monotonic() + seconds
    while (left := [pid for pid in pids if not is_gone(pid)]) and time.monotonic() < end:
        time.sleep(0.02)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 9)
    return left
