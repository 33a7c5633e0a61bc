from __future__ import annotations

import os
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import pytest

from gramarye.execution import InProcess, WorkerProcesses, cores, slots
from gramarye.execution.capacity import _quota


def test_an_executor_tells_how_many_calls_it_runs_at_the_same_time() -> None:
    assert slots(InProcess()) == 1
    assert slots(WorkerProcesses(3)) == 3
    with ThreadPoolExecutor(5) as threads:
        assert slots(threads) == 5


def test_one_that_does_not_tell_is_taken_for_the_cores() -> None:
    assert slots(Executor()) == cores()


class TestCores:
    @pytest.fixture(autouse=True)
    def no_quota(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("gramarye.execution.capacity._quota", lambda _: 1000)

    def test_they_are_those_that_this_process_may_use(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(os, "process_cpu_count", raising=False)
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 4, 5}, raising=False)
        assert cores() == 3

    def test_newer_pythons_know_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "process_cpu_count", lambda: 7, raising=False)
        assert cores() == 7

    @pytest.mark.parametrize(("told", "expected"), [(6, 6), (None, 1)])
    def test_other_systems_know_those_of_the_machine(
        self, monkeypatch: pytest.MonkeyPatch, told: int | None, expected: int
    ) -> None:
        monkeypatch.delattr(os, "process_cpu_count", raising=False)
        monkeypatch.delattr(os, "sched_getaffinity", raising=False)
        monkeypatch.setattr(os, "cpu_count", lambda: told)
        assert cores() == expected


def test_a_quota_leaves_fewer_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gramarye.execution.capacity._quota", lambda _: 2)
    monkeypatch.setattr(os, "process_cpu_count", lambda: 64, raising=False)
    assert cores() == 2


class TestQuota:
    def group(self, root: Path, name: str, limit: str) -> None:
        folder = root / "sys/fs/cgroup" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cpu.max").write_text(limit)

    def own(self, root: Path, text: str) -> None:
        (root / "proc/self").mkdir(parents=True)
        (root / "proc/self/cgroup").write_text(text)

    def test_the_least_of_the_groups_around_counts_rounded_up(self, tmp_path: Path) -> None:
        self.own(tmp_path, "0::/batch/job\n")
        self.group(tmp_path, "batch", "250000 100000\n")
        self.group(tmp_path, "batch/job", "800000 100000\n")
        assert _quota(tmp_path) == 3

    def test_in_a_container_the_group_is_the_root(self, tmp_path: Path) -> None:
        self.own(tmp_path, "12:cpu:/old\n0::/\n")
        self.group(tmp_path, "", "50000 100000")
        assert _quota(tmp_path) == 1

    @pytest.mark.parametrize("limit", ["max 100000", "", "0 0"])
    def test_what_is_no_limit_does_not_count(self, tmp_path: Path, limit: str) -> None:
        self.own(tmp_path, "0::/a\n")
        self.group(tmp_path, "a", limit)
        assert _quota(tmp_path) > 10_000

    @pytest.mark.parametrize("text", [None, "", "4:cpu:/only/version/1\n"])
    def test_without_such_groups_there_is_no_limit(self, tmp_path: Path, text: str | None) -> None:
        if text is not None:
            self.own(tmp_path, text)
        assert _quota(tmp_path) > 10_000
