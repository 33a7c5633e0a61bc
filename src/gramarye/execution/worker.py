"""A worker process, as its driver holds it.

There are libraries for pools of processes, and they were tried. In Pebble all workers share one pipe for results: one
that is killed while it writes to it stalls the others. In loky one worker that crashes breaks the whole executor. Here
each worker has its own pipe, so that killing it costs only its own call.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gramarye.errors import WorkerLost, WorkerStartError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

LOOK = 0.5  # seconds between two looks whether the other end lives, should the pipe not tell
MOMENT = 0.2  # seconds for a process that has closed its pipe to be gone
PATIENCE = 5.0  # seconds for a worker to end by itself


class Worker:
    """One worker process, and the pipe to it.

    It is a plain interpreter that loads `serve` of one module, not the script of its driver: a script needs no
    `if __name__ == "__main__"`. Its process group is its own: Ctrl-C does not reach it, and killing it ends what it
    has started, too.
    """

    def __init__(self, module: str = "gramarye.execution.serving", **environment: str) -> None:
        from multiprocessing.connection import Pipe

        self.pipe, theirs = Pipe()
        with contextlib.ExitStack() as failed:
            failed.callback(self.pipe.close)
            with theirs, _without_ctrl_c():
                self._process = _started(module, theirs, environment)
            failed.pop_all()
        self._forgotten = weakref.finalize(self, _end, self._process, self.pipe)

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._process.pid

    def wait_until_ready(self) -> None:
        """Return once the process has loaded what it needs; raise if it died before."""
        try:
            self._receive()
        except (EOFError, OSError):
            raise WorkerStartError(f"a worker process was not ready when {self.death()}; {ADVICE}") from None

    def run(self, call: bytes) -> bytes:
        """The answer to the call."""
        try:
            self.pipe.send_bytes(call)
            return self._receive()
        except (EOFError, OSError):
            raise WorkerLost(f"worker process {self.pid} died in the middle of a call: {self.death()}") from None

    def is_alive(self) -> bool:
        """Whether the process can take a call."""
        return self._process.poll() is None

    def is_stopped(self) -> bool:
        """Whether the process was halted by a signal, and does nothing until another one."""
        if sys.platform == "win32" or not self.is_alive():
            return False
        return os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None

    def death(self) -> str:
        """How the process ended, in words; one that still lives, but can't be understood any more, is killed."""
        try:
            return _told(self._process.wait(MOMENT))
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
            return "it broke its connection and was killed"

    def kill(self) -> None:
        """End the process at once, whatever it does."""
        _kill(self._process)

    def close(self) -> None:
        """Let the process end, and see it off."""
        self._forgotten()

    def _receive(self) -> bytes:
        # The end of the process closes the pipe, unless a process that it forked holds it open.
        while not self.pipe.poll(LOOK):
            if not self.is_alive() and not self.pipe.poll():
                raise EOFError
        return self.pipe.recv_bytes()


ADVICE = "see what it wrote above, and try `import gramarye` in a new process"


def _started(module: str, pipe: Connection[Any, Any], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """An interpreter like this one that serves the other end of a pipe; its standard input ends with this process."""
    path, call = [*map(str, sys.path)], f"serve({pipe.fileno()}, {os.getpid()})"
    code = f"import sys; sys.path[:] = {path}; from {module} import serve; {call}"
    inherited: dict[str, Any] = {"pass_fds": [pipe.fileno()], "start_new_session": True}
    if sys.platform == "win32":
        os.set_handle_inheritable(pipe.fileno(), True)
        inherited = {"startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": [pipe.fileno()]})}
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]  # as multiprocessing does
    command = [sys.executable, *flags, "-c", code]  # nothing in it is a user's
    return subprocess.Popen(command, stdin=subprocess.PIPE, env={**os.environ, **environment}, **inherited)  # noqa: S603


@contextlib.contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """A process that this thread starts here is deaf to Ctrl-C from its first moment, before it leaves our group."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process with all that it has started; where it has just ended by itself, what it has left behind."""
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes], pipe: Connection[Any, Any]) -> None:
    """See a process off; one that does not end by itself is killed."""
    pipe.close()
    if process.stdin is not None:
        process.stdin.close()
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.001)
    _kill(process)
    process.wait()


def _told(code: int) -> str:
    if code >= 0:
        return f"it ended with exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    perhaps = "; perhaps the memory was used up: try fewer workers" if name == "SIGKILL" else ""
    return f"it was killed by {name}{perhaps}"
