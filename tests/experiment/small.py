"""A small experiment, what is compared of its results, and problems that end badly."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

import gramarye as gm
from gramarye.execution import InProcess, Threads
from gramarye.experiment import Experiment
from gramarye.experiment.plan import named_methods, named_problems
from gramarye.objectives.problem import AS_THEY_ARE, Tuning
from gramarye.objectives.regression import Regression
from gramarye.objectives.table_evaluator import TableEvaluator
from gramarye.problems.quartic import problem as quartic
from gramarye.store import Results

ROOT = Path(__file__).parents[2]
SMALL: dict[str, Any] = {"population": 30, "generations": 6}
DEPENDS_ON_CACHING = {"seconds", "distinct", "node_rows"}


def small(runs: int = 3, seed: int = 1, **settings: Any) -> Experiment:
    """PGE, GE and SGE on two problems, one of them with rows for testing."""
    chosen = SMALL | settings
    methods = named_methods([gm.PGE(**chosen), gm.GE(**chosen), gm.SGE(**chosen)])
    return Experiment(methods, named_problems([gm.problems.load("quartic"), gm.problems.load("boston")]), runs, seed)


def kept(results: Results) -> dict[str, Any]:
    """All that must not depend on where and how an experiment ran; as bits, for NaN is not equal to itself."""
    tables = {
        "runs": results.runs,
        "generations": results.generations,
        "programs": results.programs,
        "probabilities": results.probabilities,
    }
    return {
        f"{table}.{name}": np.asarray(column).tobytes() if isinstance(column, np.ndarray) else [*map(repr, column)]
        for table, columns in tables.items()
        for name, column in columns.items()
        if name not in DEPENDS_ON_CACHING
    }


def wait_until(true: Callable[[], bool], seconds: float = 60) -> bool:
    """Whether it becomes true before the time is up."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.003)
    return True


def asked(path: Path, query: str) -> list[tuple[Any, ...]]:
    """What a file of results answers, as someone beside its writer sees it; nothing before it has its tables."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=10)) as connection:
            return connection.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []


def done(path: Path) -> int:
    """Runs that are done."""
    rows = asked(path, "SELECT count(*) FROM runs WHERE status = 'done'")
    return rows[0][0] if rows else 0


def processes_below(pid: int) -> set[tuple[int, str]]:
    """The processes that one has started, and those that these have started, each with when it began."""
    parents = {child: parent for child, parent, _ in _processes()}
    began = {child: when for child, _, when in _processes()}
    found: set[int] = set()
    new = {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return {(child, began[child]) for child in found if child in began}


def alive(processes: Iterable[tuple[int, str]]) -> set[tuple[int, str]]:
    """Those that have not ended."""
    return set(processes) & {(pid, began) for pid, _, began in _processes()}


def _processes() -> list[tuple[int, int, str]]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent, *rest = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if state != "Z":
            found.append((int(folder.name), int(parent), rest[17]))
    return found


class Counting(InProcess):
    """Counts the generations that were computed."""

    made = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = super().submit(fn, *args, **kwargs)
        self.made += future.result().made
        return future


class Deadly(Regression):
    """The quartic polynomial, but some times the run of one seed kills the worker that it is in."""

    def __init__(self, folder: Path, seed: int, times: int) -> None:
        plain = quartic(None)
        super().__init__(plain.dataset.columns.T, plain.dataset.target, plain.grammar, name="quartic")
        self.folder, self.seed, self.times, self.home = folder, seed, times, os.getpid()

    def evaluator(self, seed: np.uint64, threads: Threads, tuning: Tuning = AS_THEY_ARE) -> TableEvaluator:
        deaths = len(list(self.folder.glob("death*")))
        if seed == self.seed and os.getpid() != self.home and deaths < self.times:
            (self.folder / f"death {deaths}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().evaluator(seed, threads, tuning)


class Failing(Regression):
    """The quartic polynomial, but the run of one seed raises an error as long as a file is there."""

    def __init__(self, file: Path, seed: int) -> None:
        plain = quartic(None)
        super().__init__(plain.dataset.columns.T, plain.dataset.target, plain.grammar, name="quartic")
        self.file, self.seed = file, seed

    def evaluator(self, seed: np.uint64, threads: Threads, tuning: Tuning = AS_THEY_ARE) -> TableEvaluator:
        if seed == self.seed and self.file.exists():
            raise ArithmeticError("the moon is in the wrong place")
        return super().evaluator(seed, threads, tuning)
