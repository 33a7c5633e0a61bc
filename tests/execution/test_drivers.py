"""Programs that have worker processes: how they end, and that their workers end with them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.execution import tasks

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals and /proc")]

ROOT = Path(__file__).parents[2]
HEAD = (
    "import os, signal, sys, time\nfrom gramarye.execution import WorkerProcesses\nfrom tests.execution import tasks\n"
)
KINDS = ["idle", "sleeping", "spinning", "holding_the_lock", "in_a_kernel"]

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a script, in a session of its own, with the folder where its workers sign as its argument."""
    started: list[subprocess.Popen[str]] = []

    def start(body: str) -> subprocess.Popen[str]:
        script = tmp_path / "script.py"
        script.write_text(HEAD + body)
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), "PYTHONWARNINGS": "error"}
        (tmp_path / "signed").mkdir()
        started.append(
            subprocess.Popen(
                [sys.executable, str(script), str(tmp_path / "signed")],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


class TestKilled:
    """A driver that gets SIGKILL can do nothing for its workers any more."""

    @pytest.mark.parametrize("kind", KINDS)
    def test_all_workers_end_with_it(self, start: Start, tmp_path: Path, kind: str) -> None:
        driver = start(f'if __name__ == "__main__":\n    tasks.drive(sys.argv[1], tasks.{kind})\n')
        pids = tasks.signed(tmp_path / "signed", 2)
        driver.kill()
        assert not tasks.remaining(pids, 2.0)
        driver.wait()

    @pytest.mark.parametrize("method", ["spawn", "fork"])
    def test_they_do_where_it_was_a_process_of_multiprocessing(self, tmp_path: Path, method: str) -> None:
        context: Any = multiprocessing.get_context(method)
        driver = context.Process(target=tasks.drive, args=(str(tmp_path), tasks.spinning))
        driver.start()
        pids = tasks.signed(tmp_path, 2)
        driver.kill()
        assert not tasks.remaining(pids, 2.0)
        driver.join()
        driver.close()

    def test_they_do_where_a_fork_of_it_keeps_their_pipes_open(self, start: Start, tmp_path: Path) -> None:
        body = """
if __name__ == "__main__":
    pool = WorkerProcesses(2)
    for _ in range(2):
        pool.submit(tasks.spinning, sys.argv[1])
    tasks.signed(tasks.Path(sys.argv[1]), 2)
    if os.fork() == 0:
        time.sleep(20)
        os._exit(0)
    print("forked", flush=True)
    time.sleep(60)
"""
        driver = start(body)
        pids = tasks.signed(tmp_path / "signed", 2)
        assert driver.stdout is not None
        assert driver.stdout.readline() == "forked\n"
        driver.kill()
        assert not tasks.remaining(pids, 2.0)
        os.killpg(driver.pid, signal.SIGKILL)

    def test_a_worker_that_is_still_starting_ends_as_well(self, start: Start, tmp_path: Path) -> None:
        (tmp_path / "slow.py").write_text(
            "import os, pathlib, time\n"
            f"pathlib.Path({str(tmp_path)!r}, 'signed', str(os.getpid())).touch()\n"
            "time.sleep(1)\n"
            "from gramarye.execution.serving import serve\n"
        )
        body = f"""
from gramarye.execution.worker import Worker
sys.path.insert(0, {str(tmp_path)!r})
worker = Worker("slow")
time.sleep(60)
"""
        driver = start(body)
        pids = tasks.signed(tmp_path / "signed", 1)
        driver.kill()
        assert not tasks.remaining(pids, 5.0)


class TestInterrupted:
    def test_ctrl_c_is_for_the_driver_not_for_its_workers(self, start: Start, tmp_path: Path) -> None:
        body = """
if __name__ == "__main__":
    signal.signal(signal.SIGINT, lambda *_: None)
    print("ready", flush=True)
    with WorkerProcesses(2) as pool:
        for pid in [pool.submit(tasks.meet, sys.argv[1], 3) for _ in range(2)]:
            pid.result()
    print("done")
"""
        driver = start(body)
        assert driver.stdout is not None
        assert driver.stdout.readline() == "ready\n"
        while len(list((tmp_path / "signed").iterdir())) < 2:  # while the workers start, too
            os.killpg(driver.pid, signal.SIGINT)
            time.sleep(0.01)
        os.killpg(driver.pid, signal.SIGINT)
        (tmp_path / "signed" / "0").touch()
        out, err = driver.communicate(timeout=60)
        assert (out, err, driver.returncode) == ("done\n", "", 0)

    def test_a_driver_that_is_interrupted_takes_its_workers_along(self, start: Start, tmp_path: Path) -> None:
        body = """
if __name__ == "__main__":
    with WorkerProcesses(2) as pool:
        [future.result() for future in [pool.submit(tasks.spinning, sys.argv[1]) for _ in range(2)]]
"""
        driver = start(body)
        pids = tasks.signed(tmp_path / "signed", 2)
        os.killpg(driver.pid, signal.SIGINT)
        _, err = driver.communicate(timeout=60)
        assert driver.returncode == -signal.SIGINT
        assert err.count("Traceback") == 1
        assert err.endswith("KeyboardInterrupt\n")
        assert all(tasks.is_gone(pid) for pid in pids)


class TestWithoutShutdown:
    def test_a_busy_pool_does_not_keep_the_program_from_ending(self, start: Start, tmp_path: Path) -> None:
        body = """
if __name__ == "__main__":
    pool = WorkerProcesses(2)
    futures = [pool.submit(tasks.spinning, sys.argv[1]) for _ in range(4)]
    tasks.signed(tasks.Path(sys.argv[1]), 2)
"""
        driver = start(body)
        _, err = driver.communicate(timeout=60)
        assert (err, driver.returncode) == ("", 0)
        assert all(tasks.is_gone(pid) for pid in tasks.signed(tmp_path / "signed", 2))

    @pytest.mark.parametrize("pause", [0.0, 0.002, 0.02, 0.1])
    def test_nor_does_one_that_is_just_starting(self, start: Start, pause: float) -> None:
        body = f"""
if __name__ == "__main__":
    pool = WorkerProcesses(2)
    futures = [pool.submit(time.sleep, 100) for _ in range(4)]
    time.sleep({pause})
"""
        driver = start(body)
        _, err = driver.communicate(timeout=60)
        assert (err, driver.returncode) == ("", 0)

    def test_nor_does_one_that_is_idle(self, start: Start) -> None:
        driver = start('if __name__ == "__main__":\n    pool = WorkerProcesses(1)\n    pool.submit(int).result()\n')
        _, err = driver.communicate(timeout=60)
        assert (err, driver.returncode) == ("", 0)


class TestScripts:
    def test_one_needs_no_guard(self, start: Start) -> None:
        body = """
print("once", flush=True)
with WorkerProcesses(2) as pool:
    print(list(pool.map(lambda k: -k, [-1, -2, -3])))
"""
        assert start(body).communicate(timeout=60) == ("once\n[1, 2, 3]\n", "")

    def test_its_classes_come_back_as_themselves(self, start: Start) -> None:
        body = """
class Point:
    pass
class Trouble(Exception):
    pass
def fail():
    raise Trouble
with WorkerProcesses(1) as pool:
    print(type(pool.submit(Point).result()) is Point, type(pool.submit(fail).exception()) is Trouble)
"""
        assert start(body).communicate(timeout=60) == ("True True\n", "")

    def test_its_functions_can_be_calls(self, start: Start) -> None:
        body = """
def square(k):
    return k * k
if __name__ == "__main__":
    with WorkerProcesses(2) as pool:
        print(list(pool.map(square, range(4))))
"""
        assert start(body).communicate(timeout=60) == ("[0, 1, 4, 9]\n", "")

    def test_workers_may_have_workers(self, start: Start) -> None:
        body = """
def inner():
    with WorkerProcesses(1) as pool:
        return pool.submit(os.getppid).result() == os.getpid()
if __name__ == "__main__":
    with WorkerProcesses(1) as pool:
        print(pool.submit(inner).result())
"""
        assert start(body).communicate(timeout=60) == ("True\n", "")
