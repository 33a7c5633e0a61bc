from __future__ import annotations

import gc
import operator
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gramarye.errors import SettingsError, WorkerError, WorkerLost, WorkerStartError
from gramarye.execution import WorkerProcesses, processes
from tests.execution import tasks

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks are those of POSIX")


def everything_is_gone() -> bool:
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("gramarye")]
    return not threads and not tasks.worker_processes()


@pytest.fixture
def pool() -> Iterator[WorkerProcesses]:
    with WorkerProcesses(2) as pool:
        yield pool
    assert everything_is_gone()


@pytest.fixture
def single() -> Iterator[WorkerProcesses]:
    with WorkerProcesses(1) as pool:
        yield pool
    assert everything_is_gone()


class TestCalls:
    def test_results_come_back_in_order(self, pool: WorkerProcesses) -> None:
        assert list(pool.map(operator.mul, range(20), range(20))) == [k * k for k in range(20)]

    def test_they_run_in_other_processes_at_the_same_time(self, pool: WorkerProcesses, tmp_path: Path) -> None:
        pids = {future.result() for future in [pool.submit(tasks.meet, str(tmp_path), 2) for _ in range(2)]}
        assert len(pids) == 2
        assert os.getpid() not in pids

    def test_no_more_processes_start_than_there_are_calls_for(self) -> None:
        with WorkerProcesses(100) as pool:
            assert not tasks.worker_processes()
            assert len({pool.submit(os.getpid).result() for _ in range(3)}) <= 3

    @pytest.mark.parametrize("count", [0, -1, 1.5, "2", None])
    def test_a_number_of_workers_that_is_none_is_refused(self, count: Any) -> None:
        with pytest.raises(SettingsError, match=r"workers is .*: it must be an integer ≥ 1"):
            WorkerProcesses(count)

    def test_errors_come_back_and_the_worker_lives_on(self, single: WorkerProcesses) -> None:
        pid = single.submit(os.getpid).result()
        bad: list[tuple[type[BaseException], Callable[..., Any], tuple[Any, ...]]] = [
            (ZeroDivisionError, operator.truediv, (1, 0)),
            (SystemExit, sys.exit, (3,)),
            (WorkerError, len, (threading.Lock(),)),
            (WorkerError, threading.Lock, ()),
            (WorkerError, tasks.raise_what_cannot_be_pickled, ()),
        ]
        for kind, function, args in bad:
            assert type(single.submit(function, *args).exception()) is kind
        assert single.submit(os.getpid).result() == pid

    def test_large_arguments_and_results_pass(self, single: WorkerProcesses) -> None:
        large = os.urandom(5_000_000)
        assert single.submit(bytes, large).result() == large


class TestDeath:
    @posix
    def test_a_killed_worker_loses_its_call_alone(self, pool: WorkerProcesses, tmp_path: Path) -> None:
        lost = pool.submit(tasks.sleeping, str(tmp_path))
        (pid,) = tasks.signed(tmp_path, 1)
        others = [pool.submit(time.sleep, 0.1) for _ in range(10)]
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(
            WorkerLost, match=rf"worker process {pid} died .*: it was killed by SIGKILL; perhaps the mem"
        ):
            lost.result()
        assert [future.result() for future in others] == [None] * 10
        pids = {future.result() for future in [pool.submit(tasks.meet, str(tmp_path), 3) for _ in range(2)]}
        assert pid not in pids
        assert len(pids) == 2

    def test_its_exit_code_is_told(self, single: WorkerProcesses) -> None:
        with pytest.raises(WorkerLost, match="it ended with exit code 3"):
            single.submit(os._exit, 3).result()
        assert single.submit(operator.add, 1, 2).result() == 3

    @posix
    @pytest.mark.parametrize(("number", "name"), [(signal.SIGSEGV, "SIGSEGV"), (40, "signal 40")])
    def test_its_signal_is_told(self, single: WorkerProcesses, number: int, name: str) -> None:
        with pytest.raises(WorkerLost, match=f"it was killed by {name}$"):
            single.submit(signal.raise_signal, number).result()

    @posix
    def test_one_that_dies_without_a_call_is_replaced_without_a_word(self, single: WorkerProcesses) -> None:
        pid = single.submit(os.getpid).result()
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert single.submit(os.getpid).result() != pid

    @posix
    @pytest.mark.slow
    def test_a_child_of_the_dead_does_not_hide_its_death(self, single: WorkerProcesses) -> None:
        with pytest.raises(WorkerLost, match="exit code 7"):
            single.submit(tasks.fork_and_die).result(timeout=60)

    @posix
    def test_a_worker_that_can_no_longer_answer_is_killed(self, single: WorkerProcesses) -> None:
        with pytest.raises(WorkerLost, match="it broke its connection and was killed"):
            single.submit(tasks.cut_off).result()


class TestStart:
    def test_a_process_that_cannot_be_started_is_told(
        self, single: WorkerProcesses, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full() -> None:
            raise BlockingIOError("too many processes")

        with monkeypatch.context() as patch:
            patch.setattr(processes, "Worker", full)
            with pytest.raises(WorkerStartError, match=r"no worker process can be started \(too many processes\)"):
                single.submit(int).result()
        assert single.submit(int).result() == 0

    def test_its_pipe_is_closed(self, single: WorkerProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", "/nowhere/python")
            with pytest.raises(WorkerStartError, match="/nowhere/python"):  # an open pipe would be a ResourceWarning
                single.submit(int).result()

    def test_one_that_was_never_ready_is_not_tried_again(
        self, single: WorkerProcesses, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "path", [])
            text = r"a worker process was not ready when it ended with exit code 1; see what it wrote above, and"
            with pytest.raises(WorkerStartError, match=text):
                single.submit(int).result()
        with pytest.raises(WorkerStartError, match=text):
            single.submit(int).result()

    def test_where_others_were_ready_it_is(self, single: WorkerProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
        assert isinstance(single.submit(os._exit, 1).exception(), WorkerLost)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "path", [])
            assert isinstance(single.submit(int).exception(), WorkerStartError)
        assert single.submit(int).result() == 0


class TestEnd:
    def test_it_waits_for_all_calls(self) -> None:
        pool = WorkerProcesses(1)
        futures = [pool.submit(operator.neg, k) for k in range(5)]
        pool.shutdown()
        assert [future.result(0) for future in futures] == [0, -1, -2, -3, -4]
        assert everything_is_gone()

    def test_it_takes_no_more(self) -> None:
        pool = WorkerProcesses(1)
        pool.shutdown()
        pool.shutdown()
        with pytest.raises(RuntimeError, match="after shutdown"):
            pool.submit(int)

    def test_it_may_cancel_what_waits(self, tmp_path: Path) -> None:
        pool = WorkerProcesses(1)
        running = pool.submit(tasks.meet, str(tmp_path), 2)
        waiting = [pool.submit(int) for _ in range(3)]
        tasks.signed(tmp_path, 1)
        assert waiting[0].cancel()
        pool.shutdown(wait=False, cancel_futures=True)
        assert all(future.cancelled() for future in waiting)
        (tmp_path / "0").touch()
        assert running.result() > 0
        pool.shutdown()
        assert everything_is_gone()

    def test_a_call_that_was_cancelled_does_not_run(self, single: WorkerProcesses, tmp_path: Path) -> None:
        running = single.submit(tasks.meet, str(tmp_path), 2)
        waiting = single.submit(tasks.sign, str(tmp_path))
        assert waiting.cancel()
        (tmp_path / "0").touch()
        running.result()
        assert single.submit(int).result() == 0
        assert len(list(tmp_path.iterdir())) == 2

    def test_leaving_by_an_error_kills_the_workers(self, tmp_path: Path) -> None:
        pool = WorkerProcesses(2)
        running = [pool.submit(tasks.spinning, str(tmp_path)) for _ in range(2)]
        waiting = pool.submit(int)
        tasks.signed(tmp_path, 2)
        with pytest.raises(KeyboardInterrupt), pool:
            raise KeyboardInterrupt
        assert everything_is_gone()
        for future in running:
            with pytest.raises(WorkerLost, match="stopped before the call was done"):
                future.result(0)
        with pytest.raises(CancelledError):
            waiting.result(0)

    def test_leaving_while_they_start_does_too(self) -> None:
        pool = WorkerProcesses(2)
        futures = [pool.submit(time.sleep, 60) for _ in range(2)]
        with pytest.raises(KeyError), pool:
            raise KeyError
        assert everything_is_gone()
        assert all(future.cancelled() or isinstance(future.exception(0), WorkerLost) for future in futures)

    def test_ctrl_c_while_it_waits_does_too(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        pool = WorkerProcesses(1)
        future = pool.submit(tasks.spinning, str(tmp_path))
        tasks.signed(tmp_path, 1)
        shutdown = ThreadPoolExecutor.shutdown

        def interrupted(*_: Any, **__: Any) -> None:
            monkeypatch.setattr(ThreadPoolExecutor, "shutdown", shutdown)
            raise KeyboardInterrupt

        monkeypatch.setattr(ThreadPoolExecutor, "shutdown", interrupted)
        with pytest.raises(KeyboardInterrupt):
            pool.shutdown()
        assert isinstance(future.exception(0), WorkerLost)
        assert everything_is_gone()

    def test_one_that_is_forgotten_finishes_its_calls_and_ends(self) -> None:
        future = WorkerProcesses(2).submit(operator.add, 1, 2)
        gc.collect()
        assert future.result() == 3
        end = time.monotonic() + 60
        while not everything_is_gone() and time.monotonic() < end:
            time.sleep(0.01)
        assert everything_is_gone()

    def test_a_fork_of_the_driver_does_not_end_its_workers(
        self, single: WorkerProcesses, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pid = single.submit(os.getpid).result()
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: -1)
            single._crew.kill()
        assert single.submit(os.getpid).result() == pid
