"""`compare`: an experiment from its methods and problems to its report."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from os import PathLike

from gramarye.comparison.comparison import Comparison
from gramarye.comparison.report_files import check_extras
from gramarye.errors import SettingsError, warn
from gramarye.execution import HERE, InProcess, WorkerProcesses, Workers, cores, dask_executor
from gramarye.execution.workers import check_count
from gramarye.experiment.driving import Watch, compile_first, drive
from gramarye.experiment.plan import Experiment, named_methods, named_problems, with_evaluations
from gramarye.methods.base import MethodBase
from gramarye.objectives.problem import Problem
from gramarye.store import Store


def compare(
    methods: Sequence[MethodBase] | Mapping[str, MethodBase],
    problems: Sequence[Problem] | Mapping[str, Problem],
    runs: int = 30,
    *,
    seed: int = 1,
    evaluations: int | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    store: str | PathLike[str] | None = None,
    name: str = "comparison",
    progress: bool | None = None,
) -> Comparison:
    """Run every method on every problem with several seeds, and compare what comes out.

    Parameters
    ----------
    methods, problems
        Lists, or dictionaries with the names that reports use.
    runs
        Runs of each method on each problem.
    seed
        Random seed of the first run; the following runs use seed + 1, seed + 2, …
    evaluations
        The same budget of evaluations for all methods, instead of their numbers of generations. Where constants are
        tuned, evaluations are passes over the data.
    workers
        Number of worker processes that share the runs, or the evaluations of an `Objective` (default: all cores; 1:
        this process alone, unless an objective has limits).
    executor
        Any `concurrent.futures.Executor` instead of worker processes.
    store
        A file that the experiment is kept in. It can be interrupted at any point: the same call resumes it.
    name
        The title of the report.
    progress
        Whether to show a live display (default: in a terminal).

    Returns
    -------
    Comparison
        Tables, tests and figures; `comparison.write(folder)` makes a report.

    Examples
    --------
    >>> import gramarye as gm
    >>> small = {"population": 20, "generations": 3}
    >>> comparison = gm.compare([gm.GE(**small), gm.SGE(**small)], [gm.problems.load("quartic")], runs=2, workers=1)
    >>> comparison.runs["evaluations"].tolist()
    [56.0, 56.0, 56.0, 56.0]
    """
    if executor is not None and workers is not None:
        raise SettingsError("give workers or an executor, not both")
    if executor is not None and not isinstance(executor, Executor):
        raise SettingsError(f"executor is {executor!r}: it must be a concurrent.futures.Executor")
    check_extras()
    chosen = named_methods(methods)
    if evaluations is not None:
        chosen = {label: with_evaluations(method, evaluations) for label, method in chosen.items()}
    experiment = Experiment(chosen, named_problems(problems), runs, seed, name)
    if store is None:
        memory = Store()
        with _shown(experiment, progress) as watch:
            carry_out(experiment, memory, workers, executor, watch=watch)
        return _told(Comparison(memory.results()))
    with Store(store) as file, _shown(experiment, progress) as watch:
        carry_out(experiment, file, workers, executor, watch=watch)
    return _told(Comparison.open(store))


def _told(comparison: Comparison) -> Comparison:
    """Say it where runs have failed."""
    failures = comparison.results.failures
    if failures:
        warn(f"{len(failures)} of the runs failed, the first is {failures[0]}")
    return comparison


def carry_out(
    experiment: Experiment,
    store: Store,
    workers: int | None = None,
    executor: Executor | None = None,
    dask: str | None = None,
    watch: Watch | None = None,
    *,
    apart: bool = False,
) -> None:
    """Plan an experiment and run what is still to be run, wherever it is to run.

    `apart`: functions of the user's run in other processes than this one, even with one worker.
    """
    if workers is not None:
        check_count(workers)
    store.plan(experiment.facts, experiment.cells(), experiment.seeds)
    waiting = len(store.pending())
    if waiting:
        compile_first(experiment)
        given = None if executor is None else nullcontext((executor, Workers(executor=executor)))
        with given or executing(workers, dask, waiting, apart) as (chosen, evaluating):
            drive(experiment, store, chosen, watch, workers=evaluating)


@contextmanager
def executing(
    workers: int | None, dask: str | None, waiting: int, apart: bool = False
) -> Iterator[tuple[Executor, Workers]]:
    """The executor of runs that was asked for, and who evaluates programs by functions of the user's.

    A Dask cluster, this process, or as many worker processes as there is work.
    """
    if dask is not None:
        with dask_executor(dask, workers) as cluster:
            yield cluster, Workers(executor=cluster)
        return
    count = cores() if workers is None else workers
    if count == 1:
        yield InProcess(), Workers(1) if apart else HERE
        return
    with WorkerProcesses(min(count, waiting)) as processes:
        yield processes, Workers(count)


@contextmanager
def _shown(experiment: Experiment, progress: bool | None) -> Iterator[Watch | None]:
    """A live display, if it is wanted, or if there is a terminal to show it on."""
    if not (sys.stderr.isatty() if progress is None else progress):
        yield None
        return
    from rich.console import Console

    from gramarye.experiment.watching import watching
    from gramarye.terminal.screen import Screen

    with Screen(Console(stderr=True, markup=False, emoji=False, highlight=False)) as screen:
        yield watching(screen, experiment.name)
