from __future__ import annotations

import multiprocessing
import sys

import pytest

from gramarye.execution import guard


@pytest.fixture
def spawned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "orig_argv", ["python", "-c", "...", "--multiprocessing-fork"])


NAME = "Dask Worker process (from Nanny)"


def test_a_worker_that_loads_the_script_leaves_without_a_word(spawned: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiprocessing.current_process(), "name", NAME)
    with pytest.raises(SystemExit) as caught:
        guard.check_guard()
    assert caught.value.code == guard.NO_GUARD


def test_processes_of_others_are_left_alone(spawned: None) -> None:
    guard.check_guard()


def test_a_worker_that_has_loaded_it_may_have_workers(spawned: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiprocessing.current_process(), "name", NAME)
    monkeypatch.setattr(multiprocessing, "parent_process", multiprocessing.current_process)
    guard.check_guard()


def test_without_a_script_the_environment_is_suspected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    assert guard.ask_for_guard() == "try `import gramarye` in a new process"
