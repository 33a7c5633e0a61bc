"""Symbolic regression at equal processor time: gramarye and other packages on formulas and real tables.

    python -m benchmarks.regression RESULTS.csv --minutes 50     # run it again to resume
    python -m benchmarks.regression RESULTS.csv --tables
    python -m benchmarks.regression RESULTS.csv --judge          # judges formulas with absolute values again
    python -m benchmarks.regression RECOVERY.csv --recovery      # physics formulas without noise, 60 seconds

Every fit has the same seconds of processor time, on a core of its own. Fits are appended to the file, seed by seed and
task by task, each task with all methods, so that what is there can be compared at any time.
"""

from __future__ import annotations

import argparse
import functools
import importlib.metadata
import os
import platform
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from benchmarks.methods import METHODS, Fit
from benchmarks.recovery import Judge, Question
from benchmarks.results import Key, Log, Result, coefficient, read
from benchmarks.tables import report
from benchmarks.tasks import Split, Task, tasks

FIRST_SEED = 2_000  # other seeds than those of docs/experiments and bench
SEEDS, SECONDS = 5, 5.0
RECOVERY_SEEDS, RECOVERY_SECONDS = 1, 60.0
WORTHWHILE = 0.5  # SRBench looks for recovery only where R² in test rows is above
OVERHEAD = 1.2  # recovery in sympy, data, starting of processes
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True)
class Job:
    """A fit that is to be made."""

    task: str
    noise: float
    method: str
    seed: int
    seconds: float

    @property
    def key(self) -> Key:
        """As of its result."""
        return self.task, self.noise, self.method, self.seed


def jobs(chosen: Sequence[Task], methods: Iterable[str], seeds: int, seconds: float, done: set[Key]) -> Iterator[Job]:
    """What is left to do: all methods on a task, then the next task, then the next seed."""
    for seed in range(FIRST_SEED, FIRST_SEED + seeds):
        for task in chosen:
            for method in methods:
                job = Job(task.name, task.noise, method, seed, seconds)
                if job.key not in done:
                    yield job


def duration(left: Sequence[Job], workers: int) -> float:
    """Seconds of wall time that these fits will take, roughly."""
    return OVERHEAD * sum(job.seconds for job in left if METHODS[job.method].budgeted) / workers


@functools.cache
def known() -> dict[tuple[str, float], Task]:
    """All tasks by name and noise."""
    return {(task.name, task.noise): task for task in tasks()}


@functools.cache
def judge() -> Judge:
    """One for each process that fits."""
    return Judge()


def measured(job: Job) -> Result:
    """Make a fit; one that fails is a result too."""
    task = known()[job.task, job.noise]
    split = task.split(job.seed)
    try:
        fit = METHODS[job.method].fit(*split.train, job.seed, job.seconds)
        return scored(job, task, split, fit)
    except Exception as error:  # a rival may fail in any way
        text = f"{type(error).__name__}: {error}"
        return _result(job, task, 0.0, (float("-inf"), float("-inf")), 0, "", text)


def scored(job: Job, task: Task, split: Split, fit: Fit) -> Result:
    """What a fit has come to."""
    train, test = (coefficient(fit.predict(X), y) for X, y in split)
    recovered = ""
    if task.formula and fit.formula:
        recovered = judged(fit.formula, task, split) if test > WORTHWHILE else "no"
    return _result(job, task, fit.seconds, (train, test), fit.size, recovered, fit.formula)


def judged(formula: str, task: Task, split: Split) -> str:
    """Whether a formula is the true one."""
    return judge().ask(Question(formula, task.formula, task.columns, task.positive, split.test[0]))


def judged_again(result: Result) -> Result:
    """A result as it is judged today; by sign, a formula can be recovered only if it has absolute values."""
    if result.recovered in ("", "yes") or result.test <= WORTHWHILE or "Abs" not in result.formula:
        return result
    task = known()[result.instance]
    return replace(result, recovered=judged(result.formula, task, task.split(result.seed)))


def _result(
    job: Job, task: Task, seconds: float, scores: tuple[float, float], size: int, recovered: str, formula: str
) -> Result:
    return Result(
        task=job.task,
        family=task.family,
        noise=job.noise,
        method=job.method,
        seed=job.seed,
        limit=job.seconds,
        seconds=round(seconds, 3),
        train=scores[0],
        test=scores[1],
        size=size,
        recovered=recovered,
        versions=versions(job.method),
        formula=formula,
    )


@functools.cache
def versions(method: str) -> str:
    """The package of a method, and what all of them run on."""
    package = METHODS[method].package
    found = {name: importlib.metadata.version(name) for name in (package, "numpy")}
    return ", ".join([*(f"{name} {version}" for name, version in found.items()), f"Python {platform.python_version()}"])


def missing(methods: Iterable[str]) -> list[str]:
    """Packages that are not installed."""
    found = []
    for package in dict.fromkeys(METHODS[method].package for method in methods):
        try:
            importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found.append(package)
    return found


def run(left: Sequence[Job], log: Log, workers: int, minutes: float) -> int:
    """Make fits until the time is over, one on each core at a time; the number of those that were made."""
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))  # read by the processes that are started
    until, made, waiting = time.monotonic() + 60 * minutes, 0, iter(left)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        running: set[Future[Result]] = set()
        while True:
            while len(running) < workers and time.monotonic() < until and (job := next(waiting, None)):
                running.add(pool.submit(measured, job))
            if not running:
                return made
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                result = future.result()
                log.add(result)
                made += 1
                print(_line(result), flush=True)


def judge_again(path: Path, workers: int) -> None:
    """Judge the formulas of a file again, and write it anew at the end."""
    before, new = read(path), path.with_suffix(".new")
    new.unlink(missing_ok=True)
    log = Log(new)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for old, result in zip(before, pool.map(judged_again, before), strict=True):
            log.add(result)
            if result != old:
                what = f"{old.task}, noise {old.noise:g}, {old.method}, seed {old.seed}"
                print(f"{what}: {old.recovered} → {result.recovered}", flush=True)
    new.replace(path)


def _line(result: Result) -> str:
    what = f"{result.task}, noise {result.noise:g}, {result.method}, seed {result.seed}"
    found = f"R² {result.test:.4f}, {result.size} nodes, recovered: {result.recovered or '–'}"
    return f"{what}: {found}, {result.seconds:.2f} s"


def options(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="CSV file that results are appended to")
    parser.add_argument("--tables", action="store_true", help="print tables of the results, make no fits")
    parser.add_argument("--judge", action="store_true", help="judge formulas with absolute values again, make no fits")
    parser.add_argument("--recovery", action="store_true", help="physics formulas without noise, 60 seconds, one seed")
    parser.add_argument("--minutes", type=float, default=50.0, help="stop after this time (default: %(default)s)")
    parser.add_argument("--seconds", type=float, help="processor time for a fit (default: 5, for --recovery 60)")
    parser.add_argument("--seeds", type=int, help="number of seeds (default: 5, for --recovery 1)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="fits at a time (default: cores)")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), metavar="METHOD", help="methods (default: all)")
    parser.add_argument("--tasks", nargs="+", metavar="TASK", help="names of tasks (default: all)")
    parser.add_argument("--dry-run", action="store_true", help="print methods, number of fits and duration only")
    return parser.parse_args(given)


def chosen_tasks(given: argparse.Namespace) -> list[Task]:
    """The tasks that are asked for."""
    found = list(known().values())
    if given.recovery:
        found = [task for task in found if task.family == "physics" and not task.noise]
    if given.tasks:
        unknown = sorted(set(given.tasks) - {task.name for task in found})
        if unknown:
            names = ", ".join(dict.fromkeys(task.name for task in found))
            raise SystemExit(f"there is no task {', '.join(unknown)}; choose from {names}")
        found = [task for task in found if task.name in given.tasks]
    return found


def planned(given: argparse.Namespace) -> list[Job]:
    """The fits that are asked for and not in the file."""
    results = read(given.results)
    seconds = given.seconds or (RECOVERY_SECONDS if given.recovery else SECONDS)
    if other := {result.limit for result in results} - {seconds}:
        raise SystemExit(f"{given.results} has fits of {other.pop():g} s, not {seconds:g} s; choose another file")
    methods = given.methods or [name for name in METHODS if METHODS[name].budgeted or not given.recovery]
    seeds = given.seeds or (RECOVERY_SEEDS if given.recovery else SEEDS)
    return list(jobs(chosen_tasks(given), methods, seeds, seconds, {result.key for result in results}))


def main() -> None:
    """Make the fits that are missing, or print tables."""
    given = options()
    if given.tables:
        print(report(read(given.results)))
        return
    if given.judge:
        judge_again(given.results, given.workers)
        return
    left = planned(given)
    names = list(dict.fromkeys(job.method for job in left))
    if absent := missing(names):
        raise SystemExit(f"{', '.join(absent)} not installed: run `make benchmarks`, or choose others with --methods")
    for name in names:
        print(f"{name}: {METHODS[name].settings}. Stopping: {METHODS[name].stopping}.")
    print(f"{len(left)} fits to make, about {duration(left, given.workers) / 3600:.1f} hours")
    if not given.dry_run:
        made = run(left, Log(given.results), given.workers, given.minutes)
        print(
            f"{made} fits made, {len(left) - made} left{'; run the same command again to resume' * (made < len(left))}"
        )


if __name__ == "__main__":
    main()
