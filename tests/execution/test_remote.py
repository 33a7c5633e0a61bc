"""Evaluations by an executor: the same results and limits, wherever the calls go."""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.errors import WorkerLost
from gramarye.execution import InProcess, WorkerProcesses, dask_executor, remote
from gramarye.execution.outcomes import Limits
from gramarye.execution.remote import TRIES, ByExecutor
from tests.execution import tasks

GRAMMAR = gm.Grammar.from_text("<e> ::= <e> + <e> | <e> * <e> | x | 1 | 1/0 | crash | hang\n")
METHOD = gm.GE(population=30, generations=4)


def dangerous(text: str) -> float:
    if "crash" in text:
        os._exit(3)
    if "hang" in text:
        time.sleep(60)
    return float(abs(eval(text, {"x": 3}) - 17))


def evolved(**who: Any) -> gm.Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem = gm.Objective(dangerous, GRAMMAR, timeout=0.3, memory="300MB")
        return gm.evolve(problem, METHOD, seed=1, **who)


def same(first: gm.Run, second: gm.Run) -> None:
    assert first.best.phenotype == second.best.phenotype
    for name in first.history:
        np.testing.assert_array_equal(first.history[name], second.history[name])
    assert [str(failure) for failure in first.failures] == [str(failure) for failure in second.failures]


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Workers that calls in this process have started."""
    yield
    while remote._IDLE:
        for evaluations in remote._IDLE.popitem()[1]:
            evaluations.close()


@pytest.mark.slow
def test_a_dask_cluster_finds_the_same_within_the_same_limits(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with dask_executor("local", 2) as cluster:
        same(evolved(), evolved(executor=cluster))


@pytest.mark.slow
def test_a_lost_worker_of_a_cluster_costs_nothing_but_time(tmp_path: Path) -> None:
    pytest.importorskip("distributed")

    def slow(text: str, here: int = os.getpid()) -> float:
        if os.getpid() != here:
            (tmp_path / str(os.getppid())).touch()  # the worker of the cluster
            time.sleep(0.02)
        return float(len(text))

    def kill_one() -> None:
        os.kill(tasks.signed(tmp_path, 2)[0], signal.SIGKILL)

    problem = gm.Objective(slow, GRAMMAR)
    with dask_executor("local", 2) as cluster, ThreadPoolExecutor(1) as killer:
        killed = killer.submit(kill_one)
        same(gm.evolve(problem, METHOD, seed=1, executor=cluster), gm.evolve(problem, METHOD, seed=1))
        killed.result()


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, WorkerProcesses])
def test_any_executor_will_do(kind: Any) -> None:
    with kind(2) as executor:
        same(evolved(), evolved(executor=executor))


def test_functions_travel_once_to_each_process() -> None:
    sent: list[bool] = []

    class Watching(InProcess):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            sent.append(args[1] is not None)
            return super().submit(fn, *args, **kwargs)

    evaluations = ByExecutor([len], Limits(), Watching())
    for _ in range(3):
        assert [outcome.value for outcome in evaluations.outcomes(["a", "bb", "ccc"])] == [1, 2, 3]
    assert sent.count(True) <= 2  # as many as run at the same time


def test_processes_of_an_earlier_objective_end() -> None:
    first = ByExecutor([len], Limits(), InProcess())
    first.outcomes(["a"])
    (idle,) = remote._IDLE.values()
    pids = [hand.worker.pid for hand in idle[0]._hands]
    ByExecutor([lambda text: 1.0], Limits(), InProcess()).outcomes(["a"])
    assert len(remote._IDLE) == 1
    assert not tasks.remaining(pids, 5)
    assert first.outcomes(["bb"])[0].value == 2.0


class Losing(Executor):
    """Loses some calls."""

    def __init__(self, losses: int) -> None:
        self.losses = losses

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.losses:
            self.losses -= 1
            future: Future[Any] = Future()
            future.set_exception(WorkerLost("gone"))
            return future
        return InProcess().submit(fn, *args, **kwargs)


def test_a_lost_call_is_made_again_but_not_for_ever() -> None:
    assert ByExecutor([len], Limits(), Losing(TRIES - 1)).outcomes(["a"])[0].value == 1.0
    with pytest.raises(WorkerLost, match="gone"):
        ByExecutor([len], Limits(), Losing(TRIES)).outcomes(["a"])


def test_an_interruption_gives_the_calls_up() -> None:
    class Interrupted(Executor):
        flying: list[Future[Any]] = []  # noqa: RUF012

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            if self.flying:
                raise KeyboardInterrupt
            self.flying.append(Future())
            return self.flying[0]

    with pytest.raises(KeyboardInterrupt):
        ByExecutor([len], Limits(), Interrupted()).outcomes(["a", "b"])
    assert Interrupted.flying[0].cancelled()
