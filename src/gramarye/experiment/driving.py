"""Driving an experiment: slices go out to an executor, what comes back goes into the store."""

from __future__ import annotations

import time
import traceback
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace

from gramarye.engine.evolution import Evolution, evolve
from gramarye.engine.slices import Task, advance, begun, next_slice
from gramarye.errors import GramaryeError, WorkerStartError
from gramarye.execution import HERE, InProcess, Workers, slots
from gramarye.experiment.plan import Experiment
from gramarye.methods.base import MethodBase
from gramarye.objectives.problem import Problem
from gramarye.populations.history import RECORDED, Slice
from gramarye.store import Pending, Store

SLICE = 5.0  # seconds after which a run comes back to be stored
TRIES = 3
REFRESH = 0.25  # seconds between two looks at the clock
_BEST = RECORDED.index("best_so_far")


@dataclass(frozen=True)
class CellProgress:
    """How far one method has come on one problem."""

    method: str
    problem: str
    done: int
    failed: int
    best: float  # the best fitness of its runs so far, with the sign that people see; infinite: none


@dataclass(frozen=True)
class Progress:
    """How far an experiment has come."""

    total: int  # runs
    done: int
    running: int
    failed: int
    cells: tuple[CellProgress, ...]
    elapsed: float  # seconds
    remaining: float | None  # seconds; None until something was timed


Watch = Callable[[Progress], None]


def drive(
    experiment: Experiment,
    store: Store,
    executor: Executor,
    watch: Watch | None = None,
    seconds: float = SLICE,
    workers: Workers = HERE,
) -> Progress:
    """Run what is still to be run; how it ended. The workers evaluate programs by functions of the user's."""
    return _Driver(experiment, store, executor, watch, seconds, workers).drive()


class _Driver:
    def __init__(
        self,
        experiment: Experiment,
        store: Store,
        executor: Executor,
        watch: Watch | None,
        seconds: float,
        workers: Workers = HERE,
    ) -> None:
        self._experiment, self._store, self._watch, self._seconds = experiment, store, watch, seconds
        self._executor, self._slots = executor, slots(executor)
        # Runs with a function of the user's are driven from here, and their evaluations spread.
        self._here = executor if isinstance(executor, InProcess) else InProcess()
        self._workers = workers
        self._kept: tuple[int, Evolution] | None = None  # the run with such a function that is under way
        self._grid = experiment.grid
        self._waiting: deque[Pending] = deque()  # for the executor
        self._own: deque[Pending] = deque()  # for this process
        self._flying: dict[Future[Slice], Pending] = {}
        self._tries: dict[int, int] = {}
        self._failed = [0] * len(self._grid)
        known = store.bests()
        self._best = [known.get(cell, float("inf")) for cell in range(len(self._grid))]  # minimised
        self._open = [0] * len(self._grid)  # runs of each cell that are neither done nor failed
        pending = store.pending()
        for run in pending:
            self._queue(run).append(run)
            self._open[run.cell] += 1
        self._shares: dict[int, float] = {}  # of runs that are under way: how much of each is done
        self._made = 0.0  # runs and parts of runs, in this session
        self._left = float(len(pending))  # runs and parts of runs, as far as is known
        self._began = time.monotonic()
        self._first: tuple[float, float] | None = None  # when the first slice came back, and what was made by then

    def drive(self) -> Progress:
        try:
            while self._waiting or self._own or self._flying:
                while self._waiting and len(self._flying) < 2 * self._slots:
                    self._submit(self._waiting.popleft(), self._executor)
                if self._own and not self._flying:  # one at a time, so that it is stored before the next one
                    self._submit(self._own.popleft(), self._here)
                done, _ = wait(self._flying, timeout=REFRESH, return_when=FIRST_COMPLETED)
                for future in done:
                    self._take(future, self._flying.pop(future))
                if self._watch is not None:
                    self._watch(self.progress())
        except BaseException:
            for future in self._flying:
                future.cancel()
            raise
        finally:
            self._let_go()
        return self.progress()

    def _method(self, run: Pending) -> MethodBase:
        return self._experiment.methods[self._grid[run.cell][0]]

    def _problem(self, run: Pending) -> Problem:
        return self._experiment.problems[self._grid[run.cell][1]]

    def _queue(self, run: Pending) -> deque[Pending]:
        """Where a run waits."""
        return self._own if self._here is self._executor or not self._problem(run).compiled else self._waiting

    def _submit(self, run: Pending, executor: Executor) -> None:
        before = self._store.state(run.id), self._seconds, self._store.elapsed(run.id)
        task = Task(self._problem(run), self._method(run), run.seed, *before)
        try:
            if task.problem.compiled:
                future = executor.submit(advance, task)
            else:
                future = executor.submit(self._advance, run.id, task)
        except RuntimeError as error:  # it is broken, or closed
            raise _gave_up(error) from error
        self._flying[future] = run

    def _advance(self, number: int, task: Task) -> Slice:
        """The next slice of a run with a function of the user's; it remembers what it has evaluated."""
        if self._kept is None or self._kept[0] != number:
            self._let_go()
            self._kept = number, begun(task, self._workers)
        try:
            return next_slice(self._kept[1], task.seconds)
        except BaseException:
            self._let_go()
            raise

    def _let_go(self) -> None:
        if self._kept is not None:
            self._kept[1].close()
            self._kept = None

    def _take(self, future: Future[Slice], run: Pending) -> None:
        try:
            piece = future.result()
        except (BrokenExecutor, CancelledError) as error:
            raise _gave_up(error) from error
        except WorkerStartError:  # to try again is of no use
            raise
        except (Exception, SystemExit) as error:
            if _is_ctrl_c(error):
                raise KeyboardInterrupt from error
            self._retry(run, error)
            return
        self._store.save(run.id, piece)
        self._best[run.cell] = min(self._best[run.cell], float(piece.history[-1, _BEST]))
        before = piece.share * (1 - piece.made / len(piece.history))  # of a run that another session began
        self._made += piece.share - self._shares.get(run.id, before)
        self._first = self._first or (time.monotonic(), self._made)
        self._left -= piece.share - self._shares.get(run.id, 0.0)
        self._shares[run.id] = piece.share
        if piece.state is None:
            self._end(run)
        else:
            self._queue(run).appendleft(run)

    def _retry(self, run: Pending, error: BaseException) -> None:
        """A run that failed is tried again from its last slice: a worker may have died. Three times is enough."""
        self._tries[run.id] = self._tries.get(run.id, 0) + 1
        if self._tries[run.id] < TRIES:
            self._queue(run).append(run)
            return
        self._store.fail(run.id, _told(error))
        self._failed[run.cell] += 1
        self._left -= 1 - self._shares.get(run.id, 0.0)
        self._end(run)

    def _end(self, run: Pending) -> None:
        self._open[run.cell] -= 1
        self._shares.pop(run.id, None)  # what is kept does not grow with the number of runs
        self._tries.pop(run.id, None)

    def progress(self) -> Progress:
        """How far it has come."""
        cells = tuple(self._cell(i) for i in range(len(self._grid)))
        return Progress(
            total=self._experiment.runs * len(self._grid),
            done=sum(cell.done for cell in cells),
            running=min(len(self._flying), self._slots),
            failed=sum(self._failed),
            cells=cells,
            elapsed=time.monotonic() - self._began,
            remaining=self._remaining(),
        )

    def _cell(self, i: int) -> CellProgress:
        method, problem = self._grid[i]
        done = self._experiment.runs - self._open[i] - self._failed[i]
        best = self._experiment.problems[problem].shown(self._best[i])
        return CellProgress(method, problem, done, self._failed[i], best)

    def _remaining(self) -> float | None:
        """Seconds to go, by the speed since the first slice came back: workers take their time to start."""
        if self._first is None or self._made == self._first[1]:
            return None
        passed = time.monotonic() - self._first[0]
        if passed < SLICE:  # the first slices come back at the same time, as if they had taken none
            return None
        return passed * max(self._left, 0.0) / (self._made - self._first[1])


def _is_ctrl_c(error: BaseException | None) -> bool:
    """Whether Ctrl-C is at the bottom of an error: Numba makes a SystemError of it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _told(error: BaseException) -> str:
    """An error with its notes and where it was raised; what it says itself is the end."""
    formatted = traceback.TracebackException.from_exception(error)
    formatted.__notes__ = []
    return "\n".join([*getattr(error, "__notes__", ()), "".join(formatted.format())])


def _gave_up(error: BaseException) -> WorkerStartError:
    what = "".join(traceback.format_exception_only(error)).strip()
    return WorkerStartError(f"the executor gave up ({what}); what was stored is safe: start it again to resume")


def compile_first(experiment: Experiment) -> None:
    """Let this process compile what the workers will need, so that they find it ready."""
    for problem in experiment.problems.values():
        for method in experiment.methods.values():
            if problem.compiled:
                few = min(method.population, max(method.elites + 2, 20))
                short = {"population": few, "generations": min(method.generations, 2)}
                unlimited = {"max_evaluations": None, "max_time": None, "target": None}  # not shorter than that
                with suppress(GramaryeError):  # a run of the experiment that fails is told with its seed
                    evolve(problem, replace(method, **short, **unlimited), seed=0)  # type: ignore[arg-type]
