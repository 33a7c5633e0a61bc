"""Driving an experiment: here, in processes, through executors of others; runs and workers that fail."""

from __future__ import annotations

import math
import os
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.errors import ObjectiveError, WorkerStartError
from gramarye.execution import InProcess, WorkerProcesses
from gramarye.experiment import Experiment, Progress, carry_out, drive, driving
from gramarye.experiment.driving import TRIES, _Driver
from gramarye.experiment.plan import named_methods, named_problems
from gramarye.populations.history import Slice
from gramarye.store import Results, Store
from tests.experiment.small import Counting, Deadly, Failing, done, kept, small

TINY: dict[str, Any] = {"population": 8, "generations": 3}
GRAMMAR = gm.Grammar.from_text("<e> ::= <e> + <e> | x\n")


def planned(experiment: Experiment, path: Path | None = None) -> Store:
    store = Store(path)
    store.plan(experiment.facts, experiment.cells(), experiment.seeds)
    return store


def statuses(results: Results) -> dict[str, int]:
    return {name: sum(results.count(cell, name) for cell in results.cells) for name in ("waiting", "done", "failed")}


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, Any]:
    store = planned(small())
    progress = drive(small(), store, InProcess())
    assert (progress.total, progress.done, progress.failed, progress.running) == (18, 18, 0, 0)
    return kept(store.results())


@pytest.mark.slow
def test_what_is_stored_is_what_each_run_alone_gives(undisturbed: dict[str, Any]) -> None:
    experiment = small()
    bests = [
        gm.evolve(experiment.problems[problem], experiment.methods[method], seed).best.fitness
        for method, problem in experiment.grid
        for seed in experiment.seeds
    ]
    assert np.frombuffer(undisturbed["runs.best_so_far"]).tolist() == bests
    assert len(undisturbed["programs.program"]) > 18


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "seconds"), [(1, 0), (1, 1e9), (2, 1e9), (3, 0)])
def test_results_are_the_same_whatever_the_number_of_workers(
    undisturbed: dict[str, Any], workers: int, seconds: float
) -> None:
    store = planned(small())
    with InProcess() if workers == 1 else WorkerProcesses(workers) as executor:
        drive(small(), store, executor, seconds=seconds)
    assert kept(store.results()) == undisturbed


@pytest.mark.slow
@pytest.mark.parametrize(
    "make", [lambda: ThreadPoolExecutor(2), lambda: ProcessPoolExecutor(2, mp_context=get_context("spawn"))]
)
def test_any_executor_of_the_standard_library_will_do(undisturbed: dict[str, Any], make: Any) -> None:
    store = Store()
    with make() as executor:
        carry_out(small(), store, executor=executor)
        assert executor.submit(abs, -1).result() == 1  # it belongs to its owner, who closes it
    assert kept(store.results()) == undisturbed


@pytest.mark.slow
def test_progress_counts_up_to_the_end_and_tells_the_best_of_each_cell() -> None:
    seen: list[Progress] = []
    store = planned(small(2))
    with ThreadPoolExecutor(2) as executor:
        last = drive(small(2), store, executor, seen.append, seconds=0)
    counts = [progress.done for progress in seen]
    assert counts == sorted(counts)
    assert all(0 <= progress.running <= 2 for progress in seen)
    assert (last.done, last.failed, last.running) == (12, 0, 0)
    assert last.elapsed >= seen[-1].elapsed >= 0
    results = store.results()
    for cell in last.cells:
        assert (cell.done, cell.failed) == (2, 0)
        assert cell.best == results.final(results.cell(cell.method, cell.problem), "best_so_far").min()


@pytest.mark.slow
def test_the_time_that_is_left_is_told_by_the_speed_since_the_first_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(driving, "time", SimpleNamespace(monotonic=lambda: now))
    seen: list[float | None] = []

    def watch(progress: Progress) -> None:
        nonlocal now
        seen.append(progress.remaining)
        now += 2  # seconds, for each generation

    drive(small(1), planned(small(1)), InProcess(), watch, seconds=0)
    assert seen[:3] == [None, None, None]  # no time, 2 and 4 seconds after the first slice
    assert seen[3:] == pytest.approx([2.0 * left for left in range(32, -1, -1)], abs=1e-9)


class Stopping(Counting):
    """Counts, and stops everything after some calls."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.calls = calls

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.calls == 0:
            raise KeyboardInterrupt
        self.calls -= 1
        return super().submit(fn, *args, **kwargs)


@pytest.mark.slow
@pytest.mark.parametrize("calls", [0, 1, 7, 50, 107])
def test_an_interrupted_experiment_goes_on_from_its_checkpoints(
    undisturbed: dict[str, Any], tmp_path: Path, calls: int
) -> None:
    path, executor = tmp_path / "results.db", Stopping(calls)
    with planned(small(), path) as store, pytest.raises(KeyboardInterrupt):
        drive(small(), store, executor, seconds=0)
    rest = Counting()
    with planned(small(), path) as store:
        drive(small(), store, rest, seconds=0)
        assert kept(store.results()) == undisturbed
    assert executor.made + rest.made == 18 * 6  # nothing was computed twice
    with planned(small(), path) as store:
        last = drive(small(), store, rest)
        assert (last.done, last.remaining) == (18, None)
    assert executor.made + rest.made == 18 * 6


def deadly(folder: Path, times: int, runs: int = 4) -> Experiment:
    return Experiment(named_methods([gm.GE(**TINY)]), named_problems([Deadly(folder, 2, times)]), runs)


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced_and_its_run_repeated(tmp_path: Path) -> None:
    calm, store = Store(), Store()
    carry_out(deadly(tmp_path, 0), calm, workers=1)
    carry_out(deadly(tmp_path, TRIES - 1), store, workers=2)
    assert len(list(tmp_path.iterdir())) == TRIES - 1
    assert kept(store.results()) == kept(calm.results())
    assert statuses(store.results()) == {"waiting": 0, "done": 4, "failed": 0}


@pytest.mark.slow
def test_a_run_that_kills_every_worker_fails_and_is_tried_again_next_time(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    with Store(path) as store:
        carry_out(deadly(tmp_path, TRIES), store, workers=2)
        results = store.results()
        assert statuses(results) == {"waiting": 0, "done": 3, "failed": 1}
        (failure,) = results.failures
        assert (failure.cell.method, failure.seed) == ("GE", 2)
        assert "WorkerLost: worker process" in failure.error
        assert "it was killed by SIGKILL" in failure.error
    with Store(path) as store:
        carry_out(deadly(tmp_path, TRIES), store, workers=1)
        assert statuses(store.results()) == {"waiting": 0, "done": 4, "failed": 0}
        assert len(list(tmp_path.glob("death*"))) == TRIES


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_fails_is_told_with_the_error_and_where_it_was(tmp_path: Path, workers: int) -> None:
    path, cause = tmp_path / "results.db", tmp_path / "moon"
    experiment = Experiment(named_methods([gm.GE(**TINY)]), named_problems([Failing(cause, 2)]), 3)
    cause.touch()
    seen: list[Progress] = []
    with Store(path) as store:
        carry_out(experiment, store, workers, watch=seen.append)
        (failure,) = store.results().failures
        assert statuses(store.results()) == {"waiting": 0, "done": 2, "failed": 1}
    assert (seen[-1].done, seen[-1].failed) == (2, 1)
    assert [(cell.done, cell.failed) for cell in seen[-1].cells] == [(2, 1)]
    assert "ArithmeticError: the moon is in the wrong place" in failure.error
    assert "small.py" in failure.error
    assert "in evaluator" in failure.error
    cause.unlink()
    with Store(path) as store:
        carry_out(experiment, store, workers=1)
        assert store.results().failures == []
        assert statuses(store.results()) == {"waiting": 0, "done": 3, "failed": 0}


def test_a_run_may_fail_in_the_middle_and_keeps_what_it_had(tmp_path: Path) -> None:
    path, calls = tmp_path / "results.db", []

    def moody(text: str) -> float:
        calls.append(text)
        if len(calls) > 20 and (tmp_path / "storm").exists():
            raise OSError("no connection")
        return len(text)

    problem = gm.Objective(moody, GRAMMAR, noisy=True, on_error="raise", name="moody")
    experiment = Experiment(named_methods([gm.GE(population=10, generations=6)]), named_problems([problem]), 1)
    (tmp_path / "storm").touch()
    with planned(experiment, path) as store:
        progress = drive(experiment, store, InProcess(), seconds=0)
        assert (progress.done, progress.failed) == (0, 1)
        assert "no connection" in store.results().failures[0].error
    (tmp_path / "storm").unlink()
    counting = Counting()
    with planned(experiment, path) as store:
        drive(experiment, store, counting, seconds=1e9)
        assert statuses(store.results()) == {"waiting": 0, "done": 1, "failed": 0}
        calm = gm.evolve(problem, gm.GE(population=10, generations=6), 1)
        assert store.results().final(store.results().cells[0], "best_so_far").tolist() == [calm.best.fitness]


@pytest.mark.slow
@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor])
def test_evaluations_of_a_function_are_spread_over_workers_and_each_is_made_once_in_a_run(
    tmp_path: Path, executor: type[ThreadPoolExecutor] | None
) -> None:
    def shortest(text: str) -> float:
        with (tmp_path / str(os.getpid())).open("a") as file:
            file.write(f"{text}\n")
        return len(text)

    problems = [gm.Objective(shortest, GRAMMAR, name="shortest"), gm.problems.load("quartic")]
    experiment = Experiment(named_methods([gm.PGE(**TINY)]), named_problems(problems), 1)
    alone, several = Store(), Store()
    carry_out(experiment, alone, workers=1)
    here = (tmp_path / str(os.getpid())).read_text().splitlines()
    (tmp_path / str(os.getpid())).unlink()
    if executor is None:
        carry_out(experiment, several, workers=2)
    else:
        with executor(2) as pool:
            carry_out(experiment, several, executor=pool)
    there = [text for path in tmp_path.iterdir() for text in path.read_text().splitlines()]
    assert sorted(there) == sorted(here)
    assert len(here) == len(set(here))
    assert not (tmp_path / str(os.getpid())).exists()
    assert kept(several.results()) == kept(alone.results())


def test_slices_of_a_run_remember_its_programs(tmp_path: Path) -> None:
    calls: list[str] = []
    problem = gm.Objective(lambda text: calls.append(text) or len(text), GRAMMAR)  # type: ignore[func-returns-value]
    experiment = Experiment(named_methods([gm.GE(population=10, generations=6)]), named_problems([problem]), 1)
    drive(experiment, planned(experiment), InProcess(), seconds=0)  # a slice for each generation
    assert len(calls) == len(set(calls)) > 0


def test_a_function_that_raises_fails_its_runs_and_no_others() -> None:
    problems = [gm.Objective(lambda text: 1 / 0, GRAMMAR, name="bad"), gm.Objective(len, GRAMMAR, name="good")]
    experiment = Experiment(named_methods([gm.GE(**TINY)]), named_problems(problems), 2)
    store = planned(experiment)
    progress = drive(experiment, store, InProcess())
    assert [(cell.problem, cell.done, cell.failed) for cell in progress.cells] == [("bad", 0, 2), ("good", 2, 0)]
    assert progress.cells[0].best == math.inf
    failures = store.results().failures
    assert [failure.seed for failure in failures] == [1, 2]
    for failure in failures:
        assert (
            f"{ObjectiveError.__name__}: all individuals of a generation failed; the first: for the program '"
            in str(failure)
        )
        assert "test_driving.py" in failure.error


def test_an_error_may_tell_of_a_file_whose_name_is_no_unicode() -> None:
    def lost(text: str) -> float:
        raise FileNotFoundError(os.fsdecode(b"caf\xe9"))

    experiment = Experiment(named_methods([gm.GE(**TINY)]), named_problems([gm.Objective(lost, GRAMMAR)]), 1)
    store = planned(experiment)
    drive(experiment, store, InProcess())
    assert r"caf\udce9" in store.results().failures[0].error


@pytest.mark.slow
def test_a_slow_function_is_stored_after_each_of_its_slices_and_lets_the_workers_work(tmp_path: Path) -> None:
    path, seen = tmp_path / "results.db", []

    def slow(text: str) -> float:
        seen.append(done(path))
        return len(text)

    problems = [gm.Objective(slow, GRAMMAR, noisy=True, name="slow"), gm.problems.load("quartic")]
    experiment = Experiment(named_methods([gm.GE(population=4, generations=1)]), named_problems(problems), 6)
    with planned(experiment, path) as store, ThreadPoolExecutor(8) as executor:
        drive(experiment, store, executor)
    runs = [seen[4 * k] for k in range(6)]
    assert all(before >= k for k, before in enumerate(runs))  # what was done before is in the file


@pytest.mark.slow
def test_ctrl_c_in_a_function_of_the_user_ends_everything_and_loses_nothing(tmp_path: Path) -> None:
    runs = 0

    def impatient(text: str) -> float:
        nonlocal runs
        runs += 1
        if runs == 30:
            raise KeyboardInterrupt
        return len(text)

    problems = [gm.Objective(impatient, GRAMMAR, noisy=True, name="slow"), gm.problems.load("quartic")]
    experiment = Experiment(named_methods([gm.GE(**TINY)]), named_problems(problems), 4)
    path = tmp_path / "results.db"
    with Store(path) as store, pytest.raises(KeyboardInterrupt):
        carry_out(experiment, store, workers=1)
    with Results.open(path) as results:
        assert results.count(results.cell("GE", "slow"), "done") >= 1
        assert statuses(results)["failed"] == 0
    with Store(path) as store:
        carry_out(experiment, store, workers=1)
        assert statuses(store.results()) == {"waiting": 0, "done": 8, "failed": 0}


def test_ctrl_c_that_became_another_error_is_ctrl_c_and_no_failure() -> None:
    def compiled(text: str) -> float:
        raise SystemError("a kernel returned a result with an exception set") from KeyboardInterrupt()

    experiment = Experiment(named_methods([gm.GE(**TINY)]), named_problems([gm.Objective(compiled, GRAMMAR)]), 2)
    store = planned(experiment)
    with pytest.raises(KeyboardInterrupt):
        drive(experiment, store, InProcess())
    assert statuses(store.results()) == {"waiting": 2, "done": 0, "failed": 0}


class Unreliable(Executor):
    """Answers some calls, and then gives up in its own way."""

    _max_workers = 2

    def __init__(self, good: int, how: BaseException | None) -> None:
        self.good, self.how = good, how
        self.waiting: list[Future[Slice]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.good -= 1
        if self.good >= 0:
            return InProcess().submit(fn, *args, **kwargs)
        future: Future[Slice] = Future()
        self.waiting.append(future)
        if self.how is None:
            future.cancel()
            future.set_running_or_notify_cancel()
        elif self.good == -1:
            future.set_exception(self.how)
        return future


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "message"),
    [
        (
            None,
            r"the executor gave up \(concurrent.futures._base.CancelledError\); what was stored is safe: start it",
        ),
        (
            BrokenProcessPool("all died"),
            r"the executor gave up \(.*BrokenProcessPool: all died\); what was stored is safe",
        ),
        (WorkerStartError("no worker can be started"), "^no worker can be started$"),
    ],
)
def test_an_executor_that_gives_up_ends_the_experiment_which_goes_on_later(
    undisturbed: dict[str, Any], tmp_path: Path, how: BaseException | None, message: str
) -> None:
    path, executor = tmp_path / "results.db", Unreliable(8, how)
    with planned(small(), path) as store, pytest.raises(WorkerStartError, match=message):
        drive(small(), store, executor)
    assert all(future.done() for future in executor.waiting)  # nobody computes what nobody will store
    with planned(small(), path) as store:
        assert 4 <= statuses(store.results())["done"] <= 8
        assert statuses(store.results())["failed"] == 0
        drive(small(), store, InProcess())
        assert kept(store.results()) == undisturbed


def test_an_executor_that_is_closed_is_told() -> None:
    for executor in (ThreadPoolExecutor(1), InProcess(), WorkerProcesses(1)):
        executor.shutdown()
        with pytest.raises(
            WorkerStartError, match=r"the executor gave up .*cannot schedule new futures after shutdown"
        ):
            drive(small(), planned(small()), executor)


@pytest.mark.slow
def test_a_pool_whose_process_dies_is_told_and_the_next_start_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    with (
        Store(path) as store,
        ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor,
        pytest.raises(WorkerStartError, match=r"the executor gave up .*BrokenProcessPool"),
    ):
        carry_out(deadly(tmp_path, 1), store, executor=executor)
    with Store(path) as store:
        carry_out(deadly(tmp_path, 1), store, workers=1)
        assert statuses(store.results()) == {"waiting": 0, "done": 4, "failed": 0}


def test_a_watcher_that_raises_ends_the_experiment() -> None:
    def watch(progress: Progress) -> None:
        raise ValueError(f"{progress.total} runs are too many")

    with pytest.raises(ValueError, match="18 runs are too many"):
        drive(small(), planned(small()), InProcess(), watch)


def test_a_seed_that_fails_while_compiling_fails_no_other_run() -> None:
    rows = np.arange(6.0)
    target = np.array([0, 0, 0, 0, 0, 1.0])  # some seeds keep the only other value for testing
    problem = gm.Regression(rows, target, GRAMMAR, test_rows=3)
    good = []
    for seed in range(20):
        try:
            problem.split(np.uint64(seed))
            good.append(seed)
        except gm.errors.DataError:
            continue
    assert 0 < len(good) < 20
    experiment = Experiment(named_methods([gm.GE(**TINY)]), named_problems([problem]), 20, seed=0)
    store = Store()
    carry_out(experiment, store, workers=1)
    results = store.results()
    assert results.seeds(results.cells[0]).tolist() == good
    assert all("y is constant in the 3 training rows" in failure.error for failure in results.failures)


def test_memory_does_not_grow_with_the_number_of_runs_that_are_done() -> None:
    experiment = replace(small(60, population=4, generations=1), problems={"quartic": gm.problems.load("quartic")})
    store = planned(experiment)
    driver = _Driver(experiment, store, InProcess(), None, 0)
    driver.drive()
    assert not driver._flying
    assert not driver._shares
    assert not driver._tries


def test_a_run_that_ends_early_is_no_longer_waited_for() -> None:
    early = gm.GE(population=30, generations=1000, max_evaluations=60)
    methods = {"early": early, "late": gm.GE(population=30, generations=6)}
    experiment = replace(small(2), methods=methods, problems={"quartic": gm.problems.load("quartic")})
    store = planned(experiment)
    driver = _Driver(experiment, store, InProcess(), None, 0)
    last = driver.drive()
    assert (last.done, last.failed) == (4, 0)
    assert driver._left == pytest.approx(0)
    assert driver._made == pytest.approx(4)
    assert not store.pending()


@pytest.mark.slow
def test_the_time_of_a_run_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    method = gm.GE(population=200, generations=10**6, max_time=0.5)
    experiment = replace(small(1), methods={"GE": method}, problems={"quartic": gm.problems.load("quartic")})
    path = tmp_path / "results.db"
    with planned(experiment, path) as store, pytest.raises(KeyboardInterrupt):
        drive(experiment, store, Stopping(3), seconds=0.1)
    with planned(experiment, path) as store:
        (waiting,) = store.pending()
        before = store.elapsed(waiting.id)
        assert 0.2 <= before < 0.5
        drive(experiment, store, InProcess(), seconds=0.1)
        assert before < store.elapsed(waiting.id)
        assert store.elapsed(waiting.id) == pytest.approx(0.5, abs=0.2)
        assert not store.pending()


def test_compiling_first_is_not_cut_short_by_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def noted(*args: Any, **more: Any) -> gm.Run:
        run = gm.evolve(*args, **more)
        made.append(run.generations)
        return run

    monkeypatch.setattr(driving, "evolve", noted)
    experiment = small(1, max_evaluations=1, max_time=0, target=1e9)
    driving.compile_first(experiment)
    assert made == [2] * 6
