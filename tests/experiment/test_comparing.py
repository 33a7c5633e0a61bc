"""`compare`, from methods and problems to what they show."""

from __future__ import annotations

import importlib.util
import io
import math
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import gramarye as gm
from gramarye.errors import MissingExtraError, OutputError, SettingsError
from gramarye.execution import WorkerProcesses, Workers
from gramarye.experiment import carry_out, compare
from gramarye.experiment.comparing import executing
from gramarye.store import Results, Store
from tests.experiment.small import SMALL, kept, small

QUARTIC = gm.problems.load("quartic")
METHODS = [gm.PGE(**SMALL), gm.GE(**SMALL)]


def test_a_comparison_is_made_in_memory_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    comparison = compare(METHODS, [QUARTIC], 3, seed=5, workers=1)
    assert comparison.runs["seed"].tolist() == [5, 6, 7] * 2
    assert comparison.table.columns["problem"] == ("quartic",)
    assert len(comparison.tests.columns["data"]) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_comparison_with_a_file_goes_on_and_grows(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    first = compare(METHODS, [QUARTIC], 1, workers=1, store=path)
    created = first.results.facts["created"]
    first.results.close()
    second = compare(METHODS, [QUARTIC, gm.problems.load("boston")], 2, workers=1, store=str(path))
    alone = compare(METHODS, [QUARTIC, gm.problems.load("boston")], 2, workers=1)
    assert kept(second.results) == kept(alone.results)
    assert second.results.facts["runs"] == 2
    seconds = [value for cell in second.results.cells for value in second.results.seconds(cell)]
    assert seconds == second.runs["seconds"].tolist()
    assert min(seconds) > 0
    assert second.results.facts["created"] == created
    assert len(second.results.sessions) == 2
    second.results.close()
    assert [other.name for other in tmp_path.iterdir()] == ["results.db"]


def test_a_finished_comparison_starts_no_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "results.db"
    compare(METHODS, [QUARTIC], 2, workers=1, store=path).results.close()
    closed = ThreadPoolExecutor(1)
    closed.shutdown()
    again = compare(METHODS, [QUARTIC], 2, executor=closed, store=path)  # nothing is left to be submitted
    assert again.results.count(again.results.cells[0], "done") == 2
    again.results.close()


def test_another_experiment_in_the_same_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    compare(METHODS, [QUARTIC], 1, workers=1, store=path).results.close()
    wrong = "holds another experiment: PGE on quartic is not what was run: population was 30 and is now 31"
    with pytest.raises(OutputError, match=wrong):
        compare([gm.PGE(population=31, generations=6), METHODS[1]], [QUARTIC], 1, workers=1, store=path)


def test_all_get_the_same_budget_of_evaluations() -> None:
    comparison = compare([gm.PGE(population=30), gm.GE(population=30)], [QUARTIC], 1, evaluations=200, workers=1)
    assert comparison.runs["evaluations"].tolist() == [180, 192]  # one more generation would cost 30, or 27
    with pytest.raises(SettingsError, match="evaluations is 20"):
        compare([gm.PGE(population=30)], [QUARTIC], 1, evaluations=20)


def test_names_may_be_given() -> None:
    comparison = compare({"a": METHODS[0], "b": METHODS[0]}, {"easy": QUARTIC}, 2, workers=1)
    assert (comparison.results.methods, comparison.results.problems) == (("a", "b"), ("easy",))
    a, b = (comparison.results.final(cell, "best_so_far").tolist() for cell in comparison.results.cells)
    assert a == b


@pytest.mark.parametrize("workers", [0, -1, 1.5, "2"])
def test_a_number_of_workers_is_checked_before_anything_is_written(tmp_path: Path, workers: Any) -> None:
    with Store(tmp_path / "results.db") as store:
        with pytest.raises(SettingsError, match=f"workers is {workers!r}: it must be an integer ≥ 1"):
            carry_out(small(), store, workers)
        assert store.results().cells == ()


def test_there_are_no_more_workers_than_there_is_work() -> None:
    with executing(8, None, 3) as (executor, evaluating):
        assert evaluating == Workers(8)
        assert isinstance(executor, WorkerProcesses)
        assert executor._max_workers == 3
    with executing(None, None, 100) as (executor, _):
        assert executor._max_workers == gm.execution.cores()  # type: ignore[attr-defined]


def test_progress_is_shown_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gramarye.experiment.watching.LINE", 0.0)
    for wanted, expected in ((True, "runs, 0 running"), (False, ""), (None, "")):
        monkeypatch.setattr("sys.stderr", io.StringIO())
        compare(METHODS, [QUARTIC], 2, workers=1, progress=wanted)
        text = sys.stderr.getvalue()  # type: ignore[union-attr]
        assert bool(text) == bool(expected)
        assert expected in text
        if wanted:
            assert text.splitlines()[-1].startswith("4/4 runs, 0 running")


@pytest.mark.parametrize("package", ["scipy", "matplotlib"])
def test_what_is_missing_for_the_report_is_told_before_the_first_run(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else found(name))
    with pytest.raises(MissingExtraError, match=r"pip install 'gramarye\[report\]'"):
        compare(METHODS, [QUARTIC], 1, store=tmp_path / "results.db")
    assert list(tmp_path.iterdir()) == []


def test_runs_without_any_valid_program_are_results_too() -> None:
    never = gm.Objective(lambda text: math.inf, gm.Grammar.from_text("<e> ::= <e> + <e> | x\n"), name="never")
    comparison = compare(METHODS, [never], 2, workers=1)
    assert comparison.runs["best_so_far"].tolist() == [math.inf] * 4
    assert comparison.runs["program"] == [None] * 4
    assert "Runs without a finite value" in comparison.table.note


@pytest.mark.slow
def test_all_cores_are_used_from_a_script_without_a_guard(tmp_path: Path) -> None:
    script = tmp_path / "study.py"
    call = (
        f"gm.compare([gm.GE(population=20, generations=2)], [problem], 3, workers=2, store={str(tmp_path / 'a.db')!r})"
    )
    head = "import gramarye as gm\nproblem = gm.problems.load('quartic')\n"
    script.write_text(f"{head}print({call})\n", encoding="utf-8")
    found = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert (found.stdout, found.stderr) == ("Comparison(GE on quartic)\n", "")


@pytest.mark.slow
def test_a_file_may_be_read_while_it_is_written(tmp_path: Path) -> None:
    path, seen = tmp_path / "results.db", []

    def watch(progress: gm.experiment.Progress) -> None:
        with Results.open(path) as results:
            seen.append(sum(results.count(cell, "done") for cell in results.cells))
            assert seen[-1] == progress.done
            assert len(results.runs["seed"]) == progress.done

    with Store(path) as store:
        carry_out(small(2), store, 1, watch=watch)
    assert seen == list(range(1, 13))


@pytest.mark.slow
def test_a_reader_beside_it_neither_delays_nor_breaks_the_end_of_an_experiment(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    store = Store(path)
    carry_out(small(1), store, 1)
    with Results.open(path) as results:
        before = kept(results)
        store.close()
        assert kept(results) == before
    with Results.open(path) as results:
        assert kept(results) == before
    with Store(path):
        pass
    assert [other.name for other in tmp_path.iterdir()] == ["results.db"]


@pytest.mark.slow
def test_a_comparison_stays_what_it_was_when_its_file_grows(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    first = compare(METHODS, [QUARTIC], 3, workers=1, store=path)
    before = first.results.seeds(first.results.cells[0]).tolist()
    second = compare(METHODS, [QUARTIC], 40, workers=1, store=path)
    assert before == first.results.seeds(first.results.cells[0]).tolist() == [1, 2, 3]
    assert {len(column) for column in second.runs.values()} == {80}
    assert len(first.results.final(first.results.cells[1], "best")) == 40  # it had not looked there before
    assert {len(column) for column in first.runs.values()} == {43}
    first.results.close()
    second.results.close()


def test_a_file_that_was_just_begun_holds_no_results(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    with pytest.raises(OutputError, match=r"results\.db holds no results so far"):
        Results.open(path)
