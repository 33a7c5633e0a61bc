from __future__ import annotations

import logging
import operator
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, Future
from pathlib import Path
from typing import Any

import pytest

from gramarye.errors import MissingExtraError, SettingsError, WorkerError, WorkerLost, WorkerStartError
from gramarye.execution import dask_cluster, dask_executor, slots
from tests.execution import tasks

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[Executor]:
    """Two processes of this machine."""
    with dask_executor("local", 2) as executor:
        yield executor


@pytest.fixture
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "PATIENCE", 0.5)


class TestCalls:
    def test_results_come_back_in_order(self, cluster: Executor) -> None:
        assert list(cluster.map(operator.mul, range(20), range(20))) == [k * k for k in range(20)]

    def test_they_run_in_two_processes_at_the_same_time(self, cluster: Executor, tmp_path: Path) -> None:
        assert slots(cluster) == 2
        pids = {future.result() for future in [cluster.submit(tasks.meet, str(tmp_path), 2) for _ in range(2)]}
        assert len(pids) == 2
        assert os.getpid() not in pids

    def test_the_same_call_twice_runs_twice(self, cluster: Executor) -> None:
        assert cluster.submit(time.perf_counter_ns).result() != cluster.submit(time.perf_counter_ns).result()

    def test_keywords_of_dask_belong_to_the_call(self, cluster: Executor) -> None:
        assert cluster.submit(dict, workers=1, pure=2, key=3).result() == {"workers": 1, "pure": 2, "key": 3}

    def test_large_arguments_pass_without_a_warning(self, cluster: Executor) -> None:
        assert cluster.submit(len, bytes(12_000_000)).result() == 12_000_000

    @pytest.mark.parametrize(
        ("kind", "function", "args"),
        [
            (ZeroDivisionError, operator.truediv, (1, 0)),
            (WorkerError, len, (threading.Lock(),)),
            (WorkerError, threading.Lock, ()),
            (WorkerError, tasks.raise_what_cannot_be_pickled, ()),
        ],
    )
    def test_errors_come_back(
        self,
        cluster: Executor,
        capfd: pytest.CaptureFixture[str],
        kind: type[Exception],
        function: Any,
        args: tuple[Any, ...],
    ) -> None:
        assert type(cluster.submit(function, *args).exception(timeout=60)) is kind
        assert capfd.readouterr() == ("", "")

    def test_a_call_that_waits_can_be_cancelled(self, cluster: Executor, tmp_path: Path) -> None:
        running = [cluster.submit(tasks.meet, str(tmp_path), 3) for _ in range(2)]
        waiting = cluster.submit(int)
        assert waiting.cancel()
        with pytest.raises(CancelledError):
            waiting.result()
        (tmp_path / "0").touch()
        assert all(future.result(timeout=60) for future in running)

    def test_a_call_that_kills_its_workers_is_lost_alone(self, cluster: Any, capfd: pytest.CaptureFixture[str]) -> None:
        lost = cluster.submit(os._exit, 3)
        with pytest.raises(WorkerLost, match="all Dask workers that took the call died of it; look at the log of"):
            lost.result(timeout=120)
        assert cluster.submit(operator.add, 1, 2).result(timeout=120) == 3
        cluster._client.wait_for_workers(2, timeout=120)  # they are replaced, after a while
        assert slots(cluster) == 2
        assert capfd.readouterr() == ("", "")


class TestAddresses:
    def test_a_scheduler_is_found_by_its_address(self, cluster: Any) -> None:
        with dask_executor(cluster._client.scheduler.address) as executor:
            assert executor.submit(operator.add, 1, 2).result() == 3
            assert slots(executor) == 2
        with pytest.raises(RuntimeError, match="after shutdown"):
            executor.submit(int)
        assert cluster.submit(int).result() == 0

    def test_it_has_its_own_number_of_workers(self) -> None:
        with pytest.raises(SettingsError, match=r"workers is 3: the cluster at tcp://1\.2\.3\.4:5 has its own"):
            dask_executor("tcp://1.2.3.4:5", 3).__enter__()

    @pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "http://127.0.0.1:9", "tcp://x", ""])
    def test_an_address_where_nobody_answers_is_told(
        self, quickly: None, address: str, capfd: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(WorkerStartError, match=rf"^{address}: no Dask scheduler answers \(.*\); is it tcp://host"):
            dask_executor(address).__enter__()
        assert capfd.readouterr() == ("", "")

    def test_where_no_worker_has_come_it_says_so_and_waits(self, quickly: None) -> None:
        with distributed.LocalCluster(
            n_workers=0, scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"}
        ) as late:
            said: list[str] = []

            def begin(message: str) -> None:
                said.append(message)
                late.scale(1)

            with dask_executor(late.scheduler_address, say=begin) as executor:
                assert executor.submit(operator.add, 1, 2).result() == 3
        assert said == [
            f"{late.scheduler_address}: the Dask scheduler has no workers yet; waiting for one (Ctrl-C gives up)"
        ]

    @pytest.mark.parametrize("count", [0, 1.5, "2"])
    def test_a_number_of_workers_that_is_none_is_refused(self, count: Any) -> None:
        with pytest.raises(SettingsError, match=r"workers is .*: it must be an integer ≥ 1"):
            dask_executor("local", count).__enter__()

    def test_without_dask_the_extra_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "distributed", None)
        with pytest.raises(MissingExtraError, match=r"Dask is not installed: pip install 'gramarye\[dask\]'"):
            dask_executor("local").__enter__()

    def test_a_cluster_that_does_not_start_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(**_: Any) -> None:
            raise RuntimeError("Nanny failed to start.")

        monkeypatch.setattr(distributed, "LocalCluster", broken)
        with pytest.raises(WorkerStartError, match=r"no Dask worker can be started here \(Nanny failed to start\.\); "):
            dask_executor("local").__enter__()


class TestEnd:
    def test_it_waits_for_its_calls(self, cluster: Any) -> None:
        with dask_executor(cluster._client.scheduler.address) as executor:
            futures = [executor.submit(time.sleep, 0.2) for _ in range(3)]
        assert [future.result(timeout=60) for future in futures] == [None] * 3

    def test_leaving_by_an_error_gives_up_its_calls(self, cluster: Any, tmp_path: Path) -> None:
        leaving = dask_executor(cluster._client.scheduler.address)
        executor = leaving.__enter__()
        futures = [executor.submit(tasks.meet, str(tmp_path), 3) for _ in range(4)]
        tasks.signed(tmp_path, 2)
        error = KeyboardInterrupt()
        assert not leaving.__exit__(KeyboardInterrupt, error, None)
        (tmp_path / "0").touch()
        for future in futures:
            with pytest.raises(WorkerLost, match="its scheduler is gone, or the executor was closed"):
                future.result(timeout=60)

    def test_its_logs_are_as_before(self, cluster: Any) -> None:
        levels = [handler.level for handler in logging.getLogger("distributed").handlers]
        with dask_executor(cluster._client.scheduler.address):
            pass
        assert [handler.level for handler in logging.getLogger("distributed").handlers] == levels

    def test_what_dask_itself_stumbles_over_is_told(self) -> None:
        theirs: Future[bytes] = Future()
        ours: Future[Any] = Future()
        theirs.set_exception(ModuleNotFoundError("No module named 'gramarye'"))
        dask_cluster._settle(ours, theirs)
        with pytest.raises(
            WorkerError, match=r"couldn't take the call \(.*'gramarye'.*\); is gramarye installed there"
        ):
            ours.result()


class TestDrivers:
    """Programs that have a local cluster."""

    def script(self, tmp_path: Path, body: str) -> subprocess.Popen[str]:
        script = tmp_path / "script.py"
        head = "import sys, time\nfrom gramarye.execution import dask_executor\nfrom tests.execution import tasks\n"
        script.write_text(head + body)
        root = str(Path(__file__).parents[2])
        return subprocess.Popen(
            [sys.executable, str(script), str(tmp_path)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join([root, *sys.path])},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def test_starting_and_ending_make_no_noise(self, tmp_path: Path) -> None:
        body = """
if __name__ == "__main__":
    with dask_executor("local", 2) as executor:
        print(list(executor.map(abs, [-1, -2])))
"""
        assert self.script(tmp_path, body).communicate(timeout=120) == ("[1, 2]\n", "")

    def test_one_without_a_guard_gets_a_single_message(self, tmp_path: Path) -> None:
        body = 'with dask_executor("local", 2) as executor:\n    print(executor.submit(int).result())\n'
        out, err = self.script(tmp_path, body).communicate(timeout=120)
        assert not out
        assert err.count("Traceback") == 1
        assert "gramarye.errors.WorkerStartError: no Dask worker can be started here" in err.splitlines()[-1]
        assert 'script.py under `if __name__ == "__main__":`' in err.splitlines()[-1]

    @pytest.mark.parametrize("kind", ["idle", "sleeping", "spinning"])
    def test_workers_end_with_a_killed_driver(self, tmp_path: Path, kind: str) -> None:
        body = f"""
if __name__ == "__main__":
    with dask_executor("local", 2) as executor:
        for _ in range(2):
            executor.submit(tasks.{kind}, sys.argv[1])
        time.sleep(60)
"""
        driver = self.script(tmp_path, body)
        pids = tasks.signed(tmp_path, 2)
        os.kill(driver.pid, signal.SIGKILL)
        assert not tasks.remaining(pids, 20)
        driver.communicate()
