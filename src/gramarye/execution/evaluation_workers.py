"""Evaluations in worker processes: one that exceeds a limit, or crashes, costs itself and nothing else."""

from __future__ import annotations

import math
import pickle
import time
from collections import deque
from collections.abc import Sequence

from gramarye.errors import WorkerStartError
from gramarye.execution.evaluations import Evaluations
from gramarye.execution.outcomes import Limits, Outcome
from gramarye.execution.worker import LOOK, Worker

CHUNK = 0.02  # seconds that a chunk of cheap programs should take
LONGEST = 32_768  # characters of a chunk: what a pipe holds without a reader
LARGEST = 2**26  # bytes of an outcome; a longer one is rubbish that a program has written
STARTS = 3  # workers in a row that may die before they are ready


class _Hand:
    """A worker with what it has to do."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.ready = False  # whether it has loaded the functions
        self.numbers: deque[int] = deque()  # of programs; it is at work on the first one
        self.since = 0.0  # when it began with that, as far as is known here


class InWorkers(Evaluations):
    """Evaluations in up to `count` worker processes, started once and reused.

    A program that exceeds a limit, or crashes its process, costs only itself: the process is replaced.
    """

    def __init__(self, payload: bytes, limits: Limits, count: int) -> None:
        self._payload = payload  # what `packed` made of the functions
        self._limits, self._count = limits, count
        self._hands: list[_Hand] = []
        self._starts = 0  # since one was ready
        self._measured = 0  # evaluations
        self._looked = 0.0  # when all processes were last looked at

    def outcomes(self, programs: Sequence[str], which: int = 0) -> list[Outcome]:
        work = _Work(programs, which)
        for hand in list(self._hands):  # none of them has anything to do
            if not hand.worker.is_alive() or hand.worker.is_stopped():
                self._see_off(hand)
        try:
            while work.left:
                self._hand_out(work)
                self._collect(work)
        except BaseException:
            self.close()
            raise
        return [found for found in work.found if found is not None]

    def close(self) -> None:
        while self._hands:
            self._see_off(self._hands[-1])

    def _hand_out(self, work: _Work) -> None:
        """Give a chunk to all who have nothing to do; start as many workers as there is work for."""
        idle = [hand for hand in self._hands if not hand.numbers]
        for _ in range(min(self._count - len(self._hands), len(work.waiting) - len(idle))):
            self._start()
        for hand in idle:
            if hand.ready and work.waiting:
                self._give(hand, work)

    def _give(self, hand: _Hand, work: _Work) -> None:
        chunk = work.chunk(self._size(len(work.waiting)))
        try:
            hand.worker.pipe.send_bytes(pickle.dumps((work.which, [work.programs[k] for k in chunk])))
        except OSError:  # it died when it had nothing to do
            work.waiting.extendleft(reversed(chunk))
            self._see_off(hand)
        else:
            hand.numbers.extend(chunk)
            hand.since = time.monotonic()

    def _size(self, waiting: int) -> int:
        """How many programs are worth a message, by the time that they took so far, and leave enough for others."""
        mean = self.seconds / self._measured if self._measured else CHUNK
        return max(1, min(int(CHUNK / max(mean, 1e-9)), math.ceil(waiting / (2 * self._count))))

    def _start(self) -> None:
        hand = _Hand(Worker("gramarye.execution.evaluating", PYTHONHASHSEED="0"))  # sets have the same order in all
        self._hands.append(hand)
        self._starts += 1
        try:
            hand.worker.pipe.send_bytes(self._payload)
        except OSError:
            self._lost(hand, None)

    def _collect(self, work: _Work) -> None:
        """Wait for outcomes, until the first limit is reached."""
        from multiprocessing.connection import wait

        now, limit = time.monotonic(), math.inf if self._limits.seconds is None else self._limits.seconds
        first = min((hand.since + limit for hand in self._hands if hand.numbers), default=math.inf)
        pause = max(0.0, min(LOOK, first - now))
        readable = set(wait([hand.worker.pipe for hand in self._hands], pause))
        for hand in list(self._hands):
            if hand.worker.pipe in readable:
                self._read(hand, work)
            elif hand.numbers and time.monotonic() >= hand.since + limit:
                self._fail(hand, work, Outcome(None, "timeout", f"took longer than {limit:g} s"))
        if time.monotonic() - self._looked >= LOOK:
            self._looked = time.monotonic()
            self._look(work)

    def _read(self, hand: _Hand, work: _Work) -> None:
        """All that a worker has sent."""
        try:
            while True:
                message = hand.worker.pipe.recv_bytes(LARGEST)
                if hand.ready:
                    self._settle(hand, work, _read(message))
                else:
                    self._welcome(hand, message)
                if hand not in self._hands or not hand.worker.pipe.poll():
                    return
        except (EOFError, OSError, IndexError):  # it died, or said what nobody has asked for
            self._lost(hand, work)

    def _welcome(self, hand: _Hand, message: bytes) -> None:
        if message:
            raise WorkerStartError(
                f"a worker process can't load the objective ({message.decode(errors='replace')}); its modules must be "
                "importable there, and what it holds must survive pickling"
            )
        hand.ready, self._starts = True, 0

    def _settle(self, hand: _Hand, work: _Work, outcome: Outcome) -> None:
        """An outcome has come."""
        limit = self._limits.seconds
        if limit is not None and outcome.seconds > limit:
            outcome = Outcome(None, "timeout", f"took longer than {limit:g} s", seconds=outcome.seconds)
        if outcome.failure == "memory":  # what it still holds is not known
            self._fail(hand, work, outcome)
            return
        self._note(work, hand.numbers.popleft(), outcome)
        hand.since = time.monotonic()

    def _look(self, work: _Work) -> None:
        """Find processes that died though a child holds their pipe open, and those that were halted."""
        for hand in list(self._hands):
            if not hand.worker.is_alive() and not hand.worker.pipe.poll():
                self._lost(hand, work)
            elif hand.worker.is_stopped():
                self._fail(hand, work, Outcome(None, "timeout", "was stopped by a signal"))

    def _lost(self, hand: _Hand, work: _Work | None) -> None:
        """A process has died."""
        died = hand.worker.death()
        if not hand.ready and self._starts >= STARTS:
            raise WorkerStartError(f"worker processes die before they are ready ({died})")
        if self._limits.memory is not None and died.endswith("exit code 1"):  # as Python does when imports fail
            died += "; perhaps its memory limit was reached"
        self._fail(hand, work, Outcome(None, "crash", f"crashed ({died})"))

    def _fail(self, hand: _Hand, work: _Work | None, outcome: Outcome) -> None:
        """End a process; the program that it was at work on has failed, others of its chunk wait again."""
        self._see_off(hand)
        if work is not None and hand.numbers:
            self._note(work, hand.numbers.popleft(), outcome._replace(seconds=time.monotonic() - hand.since))
            work.waiting.extendleft(reversed(hand.numbers))

    def _note(self, work: _Work, number: int, outcome: Outcome) -> None:
        work.found[number] = outcome
        work.left -= 1
        self.seconds += outcome.seconds
        self._measured += 1

    def _see_off(self, hand: _Hand) -> None:
        self._hands.remove(hand)
        hand.worker.kill()
        hand.worker.close()


def _read(message: bytes) -> Outcome:
    """An outcome; an OSError where it is something else, because a program has written to our pipe."""
    try:
        return Outcome(*pickle.loads(message))  # noqa: S301, from our own worker
    except Exception as error:
        raise OSError("not an outcome") from error


class _Work:
    """Programs to be evaluated, and what was found."""

    def __init__(self, programs: Sequence[str], which: int) -> None:
        self.programs, self.which = programs, which
        self.waiting = deque(range(len(programs)))
        self.found: list[Outcome | None] = [None] * len(programs)
        self.left = len(programs)

    def chunk(self, size: int) -> list[int]:
        """The next programs: at most so many, and not too long together."""
        chunk: list[int] = []
        length = 0
        while self.waiting and len(chunk) < size and length < LONGEST:
            chunk.append(self.waiting.popleft())
            length += len(self.programs[chunk[-1]])
        return chunk
