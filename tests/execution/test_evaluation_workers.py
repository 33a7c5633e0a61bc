"""Programs that hang, crash, stop or use up memory on purpose cost themselves, and nothing else."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gramarye.errors import SettingsError, WorkerStartError
from gramarye.execution.evaluation_workers import InWorkers
from gramarye.execution.evaluations import packed
from gramarye.execution.outcomes import Limits
from tests.execution import tasks

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and limits are those of POSIX")

LIMITS = Limits(seconds=0.5, memory=200_000_000)
SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
GOOD = ["a", "bb", "ccc"]


def fork_and_die() -> None:
    if os.fork() == 0:
        time.sleep(5)
        os._exit(0)
    os._exit(7)


def write_rubbish() -> None:
    for descriptor in range(3, 40):
        try:
            os.write(descriptor, b"rubbish" * 3)
        except OSError:
            continue


def talk() -> None:
    """Say something in the middle of the conversation of worker and driver."""
    for descriptor in range(3, 40):
        link = Path(f"/proc/self/fd/{descriptor}")
        if link.is_symlink() and str(link.readlink()).startswith("socket:"):
            os.write(descriptor, b"\0\0\0\3abc")


def recurse() -> Any:
    return recurse()


DEEDS: dict[str, Callable[[], Any]] = {
    "hang": lambda: time.sleep(60),
    "spin": lambda: [None for _ in iter(int, 1)],
    "hold the lock": lambda: sum(range(10**11)),
    "wait for a child": lambda: subprocess.run(SLEEP, check=False),
    "stop": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "exit": lambda: os._exit(3),
    "segfault": lambda: ctypes.string_at(0),
    "abort": os.abort,
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "fork and die": fork_and_die,
    "give up": lambda: os._exit(1),
    "close": lambda: os.closerange(0, 50),
    "rubbish": write_rubbish,
    "memory": lambda: bytearray(10**9),
    "recursion": recurse,
    "leave": lambda: sys.exit(3),
    "raise": lambda: 1 / 0,
    "nothing": lambda: None,
    "fork": lambda: float(os.fork() >= 0),
    "talk": talk,
}


def deed(program: str) -> float:
    """The length of a program, once it has done what it says."""
    if program in DEEDS:
        return DEEDS[program]()
    return len(program)


def in_workers(function: Any, limits: Limits = LIMITS, count: int = 2) -> InWorkers:
    return InWorkers(packed([function], limits), limits, count)


@pytest.fixture(scope="module")
def shared() -> Iterator[InWorkers]:
    """Two workers that no test spoils for the next one."""
    evaluations = in_workers(deed)
    yield evaluations
    evaluations.close()


@pytest.mark.parametrize(
    ("program", "failure", "told"),
    [
        ("hang", "timeout", "took longer than 0.5 s"),
        ("spin", "timeout", "took longer than 0.5 s"),
        ("hold the lock", "timeout", "took longer than 0.5 s"),
        ("wait for a child", "timeout", "took longer than 0.5 s"),
        ("stop", "timeout", "took longer than 0.5 s"),
        ("exit", "crash", "crashed (it ended with exit code 3)"),
        ("give up", "crash", "crashed (it ended with exit code 1; perhaps its memory limit was reached)"),
        ("segfault", "crash", "crashed (it was killed by SIGSEGV)"),
        ("abort", "crash", "crashed (it was killed by SIGABRT)"),
        ("kill", "crash", "crashed (it was killed by SIGKILL; perhaps the memory was used up: try fewer workers)"),
        ("rubbish", "crash", "crashed (it broke its connection and was killed)"),
        ("talk", "crash", "crashed (it broke its connection and was killed)"),
        ("close", "crash", "crashed (it ended with exit code 0)"),
        ("memory", "memory", "ran out of memory"),
        ("recursion", "exception", "raised RecursionError: maximum recursion depth exceeded"),
        ("leave", "exception", "raised SystemExit: 3"),
        ("raise", "exception", "raised ZeroDivisionError: division by zero"),
        ("nothing", "exception", "returned None, which is neither a number nor a list of at least one number"),
    ],
)
def test_what_goes_wrong_costs_that_program_only(shared: InWorkers, program: str, failure: str, told: str) -> None:
    found = shared.outcomes([*GOOD, program, *GOOD])
    assert [outcome.value for outcome in found] == [1, 2, 3, None, 1, 2, 3]
    assert (found[3].failure, found[3].told) == (failure, told)
    assert found[3].seconds <= 5


@pytest.mark.slow
@pytest.mark.parametrize("program", ["stop", "fork and die"])
def test_without_a_time_limit_one_that_can_never_answer_is_found_out(program: str) -> None:
    evaluations = in_workers(deed, Limits())
    (found,) = evaluations.outcomes([program])
    assert found.told in ("was stopped by a signal", "crashed (it ended with exit code 7)")
    assert [outcome.value for outcome in evaluations.outcomes(GOOD)] == [1, 2, 3]
    evaluations.close()


def test_a_program_that_forks_answers_once(shared: InWorkers) -> None:
    found = shared.outcomes([*GOOD, "fork", *GOOD])
    assert [outcome.value for outcome in found] == [1, 2, 3, 1, 1, 2, 3]
    assert [outcome.value for outcome in shared.outcomes(GOOD)] == [1, 2, 3]


@pytest.mark.parametrize("crash", [False, True])
def test_children_of_a_program_end_with_it(tmp_path: Path, crash: bool) -> None:
    def start(program: str) -> float:
        child = subprocess.Popen(SLEEP)
        (tmp_path / str(child.pid)).touch()
        if crash:
            os._exit(3)
        time.sleep(60)
        return 1.0

    evaluations = in_workers(start)
    evaluations.outcomes(["x"])
    assert not tasks.remaining(tasks.signed(tmp_path, 1), 5)
    evaluations.close()


@pytest.mark.parametrize("death", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_that_is_lost_between_two_calls_is_replaced_without_a_word(death: signal.Signals) -> None:
    evaluations = in_workers(len)
    evaluations.outcomes(GOOD)
    for hand in evaluations._hands:
        os.kill(hand.worker.pid, death)
    time.sleep(0.1)
    assert [outcome.value for outcome in evaluations.outcomes(GOOD)] == [1, 2, 3]
    evaluations.close()


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    def order(program: str) -> list[float]:
        return [hash(word) % 1000 for word in {*program.split()}]  # of a set: salted for each process, but not here

    programs = [f"alpha beta {k} gamma" for k in range(200)]
    found = []
    for count in (1, 3):
        evaluations = in_workers(order, count=count)
        found.append([outcome.value for outcome in evaluations.outcomes(programs)])
        evaluations.close()
    assert found[0] == found[1]


def test_workers_are_started_once_and_no_more_than_there_is_work_for() -> None:
    evaluations = in_workers(lambda _: os.getpid(), count=50)
    pids = {outcome.value for _ in range(5) for outcome in evaluations.outcomes(["x", "y"])}
    assert len(pids) <= 2
    assert len(evaluations._hands) <= 2
    evaluations.close()


def test_a_worker_loads_neither_numpy_nor_numba_nor_the_engine() -> None:
    def loaded(program: str) -> float:
        return float(any(name.split(".")[0] in ("numpy", "numba") or "engine" in name for name in sys.modules))

    evaluations = in_workers(loaded)
    assert evaluations.outcomes(["x"])[0].value == 0.0
    evaluations.close()


def test_what_programs_print_is_kept_away(capfd: pytest.CaptureFixture[str]) -> None:
    def loud(program: str) -> float:
        print("noise")  # noqa: T201
        os.system("echo noise; echo noise >&2")  # noqa: S605, S607
        return len(sys.stdin.read())

    evaluations = in_workers(loud)
    assert evaluations.outcomes(["x"])[0].value == 0.0
    evaluations.close()
    assert capfd.readouterr() == ("", "")


def test_long_programs_and_long_lists_pass() -> None:
    evaluations = in_workers(lambda text: [float(len(text))] * 200_000, count=2)
    found = evaluations.outcomes(["x" * 500_000] * 3)
    assert [outcome.value for outcome in found] == [[500_000.0] * 200_000] * 3
    evaluations.close()


def test_an_interruption_ends_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    evaluations = in_workers(deed, Limits())
    evaluations.outcomes(GOOD)
    monkeypatch.setattr("multiprocessing.connection.wait", interrupted)
    pids = [hand.worker.pid for hand in evaluations._hands]
    with pytest.raises(KeyboardInterrupt):
        evaluations.outcomes(["hang"])
    assert not tasks.remaining(pids, 0)


def test_workers_that_are_forgotten_end() -> None:
    evaluations = in_workers(len)
    evaluations.outcomes(GOOD)
    pids = [hand.worker.pid for hand in evaluations._hands]
    del evaluations
    assert not tasks.remaining(pids, 5)


def test_what_cannot_be_sent_is_told_before_a_worker_starts() -> None:
    with pytest.raises(
        SettingsError, match=r"the objective can't be sent to a worker process \(TypeError: cannot pick"
    ):
        packed([threading.Lock().__enter__], Limits())  # type: ignore[list-item]


class Unloadable:
    def __reduce__(self) -> tuple[Any, ...]:
        return int, ("no number",)

    def __call__(self, program: str) -> float:
        return 1.0


class Deadly(Unloadable):
    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (9,)


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (Unloadable(), r"can't load the objective \(ValueError: invalid literal for int.*\); its modules must be"),
        (Deadly(), r"worker processes die before they are ready \(it ended with exit code 9\)"),
    ],
)
def test_workers_that_never_become_ready_are_not_started_for_ever(function: Any, told: str) -> None:
    evaluations = in_workers(function)
    with pytest.raises(WorkerStartError, match=told):
        evaluations.outcomes(GOOD)
    assert not evaluations._hands
