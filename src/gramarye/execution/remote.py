"""Evaluations by an executor, such as a Dask cluster: each of its processes has evaluation workers of its own."""

from __future__ import annotations

import hashlib
import math
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait

from gramarye.errors import WorkerLost
from gramarye.execution.capacity import slots
from gramarye.execution.evaluation_workers import InWorkers
from gramarye.execution.evaluations import Evaluations, Functions, packed
from gramarye.execution.outcomes import Limits, Outcome

CHUNK = 0.2  # seconds that a call should take: it may travel far
TRIES = 5  # of a call whose worker is lost: programs can't kill it, so it is not to blame

Answer = list[Outcome] | None  # None: the process does not know the functions yet


class ByExecutor(Evaluations):
    """Evaluations as calls of an executor."""

    def __init__(self, functions: Functions, limits: Limits, executor: Executor) -> None:
        self._payload = packed(functions, limits)
        self._key = hashlib.sha256(self._payload).hexdigest()
        self._limits, self._executor = limits, executor
        self._measured = 0

    def outcomes(self, programs: Sequence[str], which: int = 0) -> list[Outcome]:
        waiting = deque(range(len(programs)))
        found: dict[int, Outcome] = {}
        flying: dict[Future[Answer], tuple[list[int], int]] = {}  # numbers of programs, and how often they were lost
        try:
            while waiting or flying:
                while waiting and len(flying) < 2 * slots(self._executor):
                    chunk = [waiting.popleft() for _ in range(self._size(len(waiting)))]
                    flying[self._submit([programs[k] for k in chunk], which, None)] = chunk, 0
                done, _ = wait(flying, return_when=FIRST_COMPLETED)
                for future in done:
                    chunk, losses = flying.pop(future)
                    outcomes, lost = _received(future, losses)
                    if outcomes is None:
                        again = self._submit([programs[k] for k in chunk], which, self._payload)
                        flying[again] = chunk, losses + lost
                    else:
                        found.update(zip(chunk, outcomes, strict=True))
                        self._note(outcomes)
        except BaseException:
            for future in flying:
                future.cancel()
            raise
        return [found[k] for k in range(len(programs))]

    def _submit(self, programs: list[str], which: int, payload: bytes | None) -> Future[Answer]:
        return self._executor.submit(evaluated, self._key, payload, self._limits, programs, which)

    def _note(self, outcomes: list[Outcome]) -> None:
        self.seconds += sum(outcome.seconds for outcome in outcomes)
        self._measured += len(outcomes)

    def _size(self, waiting: int) -> int:
        """How many programs are worth a call."""
        mean = self.seconds / self._measured if self._measured else CHUNK
        return max(1, min(int(CHUNK / max(mean, 1e-9)), math.ceil(waiting / (2 * slots(self._executor)))))


def _received(future: Future[Answer], losses: int) -> tuple[Answer, bool]:
    """What a call has found, and whether it was lost."""
    try:
        return future.result(), False
    except WorkerLost:
        if losses + 1 >= TRIES:
            raise
        return None, True


_IDLE: dict[str, list[InWorkers]] = {}  # by what they can evaluate; calls in several threads don't share one
_LOCK = threading.Lock()


def evaluated(key: str, payload: bytes | None, limits: Limits, programs: list[str], which: int) -> Answer:
    """Evaluate programs in a process of this process. Runs in a worker of the executor."""
    with _LOCK:
        idle = _IDLE.get(key, [])
        evaluations = idle.pop() if idle else None
    if evaluations is None:
        if payload is None:
            return None
        evaluations = InWorkers(payload, limits, 1)
    try:
        return evaluations.outcomes(programs, which)
    finally:
        _put_back(key, evaluations)


def _put_back(key: str, evaluations: InWorkers) -> None:
    """Keep it for the next call; those of other objectives have had their time."""
    with _LOCK:
        others = [each for other in list(_IDLE) if other != key for each in _IDLE.pop(other)]
        _IDLE.setdefault(key, []).append(evaluations)
    for each in others:
        each.close()
