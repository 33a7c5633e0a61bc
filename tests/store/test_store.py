"""Writing results and reading them back."""

from __future__ import annotations

import math
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import gramarye as gm
from gramarye.comparison.comparison import Comparison
from gramarye.engine.slices import Task, advance
from gramarye.errors import OutputError, SettingsError
from gramarye.experiment.plan import Experiment, named_methods, named_problems
from gramarye.populations.history import LEARNED, RECORDED
from gramarye.store import Results, Store
from gramarye.store.database import VERSION, told

SMALL: dict[str, Any] = {"population": 20, "generations": 4}


def experiment(runs: int = 2, **changes: Any) -> Experiment:
    methods = named_methods([gm.PGE(**SMALL), gm.SGE(**SMALL)])
    problems = named_problems([gm.problems.load("quartic"), gm.problems.load("boston")])
    return replace(Experiment(methods, problems, runs), **changes)


def carry_out(store: Store, plan: Experiment, limit: int = 10**9, seconds: float = 1e9) -> None:
    """Compute what is pending, one slice after the other, up to a limit."""
    store.plan(plan.facts, plan.cells(), plan.seeds)
    for run in store.pending()[:limit]:
        method, problem = plan.grid[run.cell]
        task = Task(plan.problems[problem], plan.methods[method], run.seed, store.state(run.id), seconds)
        store.save(run.id, advance(task))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("finished") / "results.db"
    with Store(path) as store:
        carry_out(store, experiment())
    return path


def test_what_is_written_is_read_back_to_the_last_bit(finished: Path) -> None:
    with Results.open(finished) as results:
        assert results.methods == ("PGE", "SGE")
        assert results.problems == ("quartic", "boston")
        for cell in results.cells:
            assert results.seeds(cell).tolist() == [1, 2]
            for i, seed in enumerate((1, 2)):
                run = gm.evolve(gm.problems.load(cell.problem), gm.methods.METHODS[cell.kind](**SMALL), seed)
                for name in RECORDED:
                    assert np.array_equal(results.history(cell, name)[i], run.history[name], equal_nan=True)
                assert results.winners(cell)[i].found.phenotype == run.best.phenotype
                assert results.final(cell, "best_so_far")[i] == run.best.fitness


def test_the_learned_probabilities_are_averaged_over_the_runs(finished: Path) -> None:
    runs = [gm.evolve(gm.problems.load("quartic"), gm.PGE(**SMALL), seed) for seed in (1, 2)]
    with Results.open(finished) as results:
        cell = results.cell("PGE", "quartic")
        assert np.allclose(results.mean_probabilities(cell), (runs[0].probabilities + runs[1].probabilities) / 2)
        assert cell.learns
        assert not results.cell("SGE", "quartic").learns


def test_what_was_read_out_of_fronts_is_kept_with_what_it_is_called(tmp_path: Path) -> None:
    methods = named_methods([gm.TunedTrees(**SMALL), gm.PGE(**SMALL), gm.SGE(**SMALL)])
    plan = Experiment(methods, named_problems([gm.problems.load("quartic")]), 1)
    with Store(tmp_path / "results.db") as store:
        carry_out(store, plan)
    with Results.open(tmp_path / "results.db") as results:
        trees, pge, sge = results.cells
        assert [cell.learns for cell in results.cells] == [False, True, False]
        assert [cell.wording for cell in results.cells] == [each.learner.wording for each in methods.values()]
        run = gm.evolve(gm.problems.load("quartic"), gm.TunedTrees(**SMALL), 1)
        assert results.mean_probabilities(trees).tolist() == run.probabilities.tolist()
        assert set(results.probabilities["method"]) == {"TunedTrees", "PGE"}
        older = [replace(cell, facts={}) for cell in (trees, pge, sge)]
        assert [cell.wording for cell in older] == [None, LEARNED, None]


def test_settings_versions_and_machine_are_kept(finished: Path) -> None:
    with Results.open(finished) as results:
        cell = results.cell("SGE", "boston")
        assert cell.settings == {**gm.SGE(**SMALL).settings}
        assert cell.facts["error"] == "rrse"
        assert cell.tests
        assert not results.cell("SGE", "quartic").tests
        (session,) = results.sessions
        assert session.process == os.getpid()
        assert session.versions["numpy"] == np.__version__
        assert set(session.machine) == {"host", "system", "processor", "cores"}
        assert results.facts["runs"] == 2
        assert results.path == finished


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_results_become_frames_of_both_libraries(finished: Path, frame: type) -> None:
    with Results.open(finished) as results:
        runs, generations = frame(results.runs), frame(results.generations)
        programs, probabilities = frame(results.programs), frame(results.probabilities)
    assert runs.shape == (8, 3 + len(RECORDED) + 2)
    assert generations.shape == (8 * 4, 4 + len(RECORDED))
    assert {"problem", "method", "seed", "generation", "program", "fitness", "test"} == set(programs.columns)
    assert len(programs) >= 8
    assert set(probabilities["method"]) == {"PGE"}
    rules = 3 + 5  # of the two grammars; the probabilities of each add up to 1
    assert math.isclose(sum(probabilities["probability"]), rules * SMALL["generations"])


def test_a_file_without_learning_methods_has_an_empty_table_of_probabilities() -> None:
    plan = experiment(1, methods=named_methods([gm.GE(**SMALL)]))
    with Store() as store:
        carry_out(store, plan)
        assert store.results().probabilities == {}


def test_one_plain_file_is_left_behind(finished: Path) -> None:
    assert [path.name for path in finished.parent.iterdir()] == ["results.db"]


def test_an_unfinished_run_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    path, plan = tmp_path / "results.db", experiment(1)
    with Store(path) as store:
        carry_out(store, plan, seconds=0)
        assert all(store.state(run.id) is not None for run in store.pending())
        results = store.results()
        assert [results.count(cell, "waiting") for cell in results.cells] == [1] * 4
        assert results.runs["seed"].tolist() == []
    with Store(path) as store:
        carry_out(store, plan)
        assert store.pending() == []
        (first, *_), (cell, *_) = store.results().history(store.results().cells[0], "best"), store.results().cells
        assert (first == gm.evolve(gm.problems.load("quartic"), gm.PGE(**SMALL), 1).history["best"]).all()
        assert store._connection.execute("SELECT count(*) FROM runs WHERE state IS NOT NULL").fetchone()[0] == 0
        assert store.results().count(cell, "done") == 1
        assert len(store.results().sessions) == 2


def test_finished_runs_are_not_pending_again(tmp_path: Path) -> None:
    with Store(tmp_path / "results.db") as store:
        carry_out(store, experiment(), limit=3)
    with Store(tmp_path / "results.db") as store:
        plan = experiment()
        store.plan(plan.facts, plan.cells(), plan.seeds)
        assert len(store.pending()) == 5


def test_more_runs_methods_and_problems_may_be_added(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    with Store(path) as store:
        carry_out(store, experiment(1))
    more = experiment(3)
    more = replace(more, methods={**more.methods, "GE": gm.GE(**SMALL)})
    with Store(path) as store:
        carry_out(store, more)
        results = store.results()
        assert results.methods == ("PGE", "SGE", "GE")
        assert [results.count(cell, "done") for cell in results.cells] == [3] * 6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": {"PGE": gm.PGE(**SMALL)}}, "it holds runs of SGE on quartic, which are not asked for"),
        ({"methods": {"PGE": gm.PGE(**SMALL, wraps=2), "SGE": gm.SGE(**SMALL)}}, "wraps was 0 and is now 2"),
        (
            {"methods": {"PGE": gm.PGE(population=20, generations=5), "SGE": gm.SGE(**SMALL)}},
            "PGE on quartic was run with generations 4, not 5",
        ),
        (
            {"methods": {"PGE": gm.GE(**SMALL), "SGE": gm.SGE(**SMALL)}},
            "PGE on quartic is not what was run: method",
        ),
        ({"runs": 1}, "it holds 2 runs of each, seed 2 among them"),
        ({"seed": 7}, "seed 1 among them"),
        ({"paper": True}, "not the same kind of experiment"),
        (
            {"problems": {"quartic": gm.problems.load("pagie"), "boston": gm.problems.load("boston")}},
            "PGE on quartic is not what was run: the problem's name was quartic and is now pagie",
        ),
    ],
)
def test_another_experiment_in_the_same_file_is_refused_and_changes_nothing(
    finished: Path, change: dict[str, Any], message: str
) -> None:
    before = finished.read_bytes()
    with Store(finished) as store, pytest.raises(OutputError, match=message):
        carry_out(store, experiment(**change))
    with Results.open(finished) as results:
        assert len(results.sessions) == 1
    assert sorted(finished.parent.iterdir()) == [finished]
    assert len(before) == finished.stat().st_size


def test_a_failure_is_noted_and_the_run_is_tried_again_next_time(tmp_path: Path) -> None:
    path, plan = tmp_path / "results.db", experiment(1)
    with Store(path) as store:
        carry_out(store, plan, limit=0)
        run, *_ = store.pending()
        store.fail(run.id, "ZeroDivisionError: why not")
        (failure,) = store.results().failures
        assert (failure.cell.method, failure.seed, failure.error) == ("PGE", 1, "ZeroDivisionError: why not")
        assert len(store.pending()) == 3
    with Store(path) as store:
        carry_out(store, plan)
        assert store.results().failures == []


def test_a_second_driver_is_refused_in_this_process_and_in_another(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    code = f"from gramarye.store import Store; Store({str(path)!r})"
    with Store(path):
        with pytest.raises(OutputError, match="another process is working on this experiment; wait"):
            Store(path)
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert "another process is working on this experiment" in other.stderr
        with Results.open(path) as results:  # but everybody may read
            assert results.cells == ()
    with Store(path) as store:
        carry_out(store, experiment(1), limit=1)


def test_a_driver_that_was_killed_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    code = f"import os, signal; from gramarye.store import Store; s = Store({str(path)!r}); os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert path.with_name("results.db-lock").exists()
    with Store(path) as store:
        carry_out(store, experiment(1), limit=1)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["results.db"]


def files_that_are_not_ours(folder: Path) -> Sequence[tuple[Path, str]]:
    text, other, newer = folder / "notes.txt", folder / "other.db", folder / "newer.db"
    text.write_text("some notes", encoding="utf-8")
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE songs (name TEXT)")
    connection.close()
    with Store(newer):
        pass
    connection = sqlite3.connect(newer)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    return (
        (text, r"notes\.txt is not a gramarye results file"),
        (other, r"other\.db is the SQLite file of another program"),
        (
            newer,
            rf"newer\.db was written by a newer gramarye \(format {VERSION + 1}; this version reads format {VERSION}\)",
        ),
        (folder, "is a folder; give the results.db inside it"),
    )


def test_a_file_that_is_not_ours_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    for path, message in files_that_are_not_ours(tmp_path):
        before = path.read_bytes() if path.is_file() else b""
        for opening in (Results.open, Store):
            with pytest.raises(OutputError, match=message):
                opening(path)
        assert not path.is_file() or path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["newer.db", "notes.txt", "other.db"]


def test_a_damaged_file_is_refused_and_stays_as_it_is(finished: Path, tmp_path: Path) -> None:
    content = finished.read_bytes()
    path = tmp_path / "results.db"
    for damage in (content[:5000], content[: len(content) // 2], content[:4096] + bytes(4096) + content[8192:]):
        path.write_bytes(damage)
        for opening in (Results.open, Store):
            with pytest.raises(OutputError, match=r"results\.db.* damaged"):
                opening(path)
        assert path.read_bytes() == damage


def test_a_file_that_does_not_exist_can_only_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="does not exist, or is empty"):
        Results.open(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OutputError, match="No such file or directory"):
        Store(tmp_path / "no folder" / "results.db")


def test_a_file_whose_creation_was_interrupted_is_completed(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    path.touch()
    with Store(path):
        pass
    half = tmp_path / "half.db"
    connection = sqlite3.connect(half)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    with Store(half) as store:
        carry_out(store, experiment(1), limit=1)


def test_a_full_disk_is_told_and_leaves_an_intact_file(tmp_path: Path) -> None:
    path, plan = tmp_path / "results.db", experiment(3)
    with Store(path) as store:
        carry_out(store, plan, limit=2)
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(OutputError, match=r"results\.db: the disk is full; what was stored is safe"):
            carry_out(store, plan)
    with Store(path) as store:
        carry_out(store, plan)
        results = store.results()
        assert [results.count(cell, "done") for cell in results.cells] == [3] * 4
    with Results.open(path) as results:
        assert results._connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def as_nobody(code: str) -> subprocess.CompletedProcess[str]:
    """Run some code as a user without rights (root ignores permissions), who may not even read Python's own files."""
    head = "import os, encodings.idna\nfrom gramarye.store import Store, Results\n"
    drop = "if os.getuid() == 0: os.setgid(65534); os.setuid(65534)\n"
    return subprocess.run([sys.executable, "-c", head + drop + code], capture_output=True, text=True, check=False)


def test_a_folder_without_permission_can_be_read_but_not_written(finished: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)  # let nobody in
        folder = Path(name) / "locked"
        folder.mkdir()
        path = folder / "results.db"
        path.write_bytes(finished.read_bytes())
        path.chmod(0o444)
        folder.chmod(0o555)
        read = as_nobody(f"print(len(Results.open({str(path)!r}).runs['seed']))")
        assert read.stdout == "8\n", read.stderr
        for wanted in (path, folder / "new.db"):
            write = as_nobody(f"Store({str(wanted)!r})")
            assert f"OutputError: {wanted}: Permission denied" in write.stderr
        assert path.read_bytes() == finished.read_bytes()
        assert [p.name for p in folder.iterdir()] == ["results.db"]
        folder.chmod(0o755)


def test_a_test_error_that_is_not_there_is_nan_and_an_infinite_fitness_stays_infinite(tmp_path: Path) -> None:
    grammar = gm.Grammar.from_text("<e> ::= log(<e>) / <e> | x\n")
    never = gm.Objective(lambda text: math.inf, grammar, name="never")
    plan = Experiment({"GE": gm.GE(**SMALL)}, {"never": never}, 1)
    with Store(tmp_path / "results.db") as store:
        carry_out(store, plan)
        results = store.results()
        (cell,) = results.cells
        assert results.final(cell, "best_so_far").tolist() == [math.inf]
        assert math.isnan(results.final(cell, "test")[0])
        assert results.winners(cell) == []
        assert results.runs["program"] == [None]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("SQLITE_BUSY", "another process is using the file"),
        ("SQLITE_CORRUPT", "the file is damaged"),
        ("SQLITE_TOOBIG", "larger than SQLite can hold; choose a smaller population"),
        ("SQLITE_IOERR_WRITE", "the disk is full"),
        ("SQLITE_CANTOPEN", "no permission to write here"),
        ("SQLITE_ERROR", "something else"),
    ],
)
def test_what_sqlite_says_becomes_words_that_help(name: str, message: str) -> None:
    error = sqlite3.OperationalError("something else")
    error.sqlite_errorname = name
    with pytest.raises(OutputError, match=rf"results\.db: .*{message}"), told(Path("results.db")):
        raise error


def test_a_lock_file_that_was_removed_in_between_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    same = os.path.samestat
    answers = iter([False])  # the last owner removed the file between our opening and our locking it
    monkeypatch.setattr(os.path, "samestat", lambda a, b: next(answers, True) and same(a, b))
    with Store(tmp_path / "results.db"), pytest.raises(OutputError, match="another process is working"):
        Store(tmp_path / "results.db")


def test_a_lock_that_cannot_be_taken_for_another_reason_is_told(tmp_path: Path) -> None:
    (tmp_path / "results.db-lock").write_text("no database at all, but long enough " * 20, encoding="utf-8")
    with pytest.raises(OutputError, match=r"results\.db: the file is damaged"):
        Store(tmp_path / "results.db")


def test_a_file_that_is_removed_while_it_is_written_is_told_and_rescued(tmp_path: Path) -> None:
    path, plan = tmp_path / "results.db", experiment(1)
    store = Store(path)
    carry_out(store, plan, limit=2)
    path.unlink()
    with pytest.raises(OutputError, match=r"results\.db was removed or replaced while the experiment was running"):
        carry_out(store, plan)
    store.close()
    with Store(path) as again:
        carry_out(again, plan)
        assert [again.results().count(cell, "done") for cell in again.results().cells] == [1] * 4
        assert len(again.results().sessions) == 2


def test_a_file_that_is_replaced_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    store = Store(path)
    carry_out(store, experiment(1), limit=1)
    path.unlink()
    path.write_text("mine", encoding="utf-8")
    store.close()
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_killed_experiment_in_a_folder_without_permission_can_be_read() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, copy = Path(name), Path(name) / "copy"
        copy.mkdir()
        store = Store(folder / "results.db")
        carry_out(store, experiment(1))
        for each in ("results.db", "results.db-wal"):  # as a kill would leave them
            (copy / each).write_bytes((folder / each).read_bytes())
        store.close()
        folder.chmod(0o755)
        copy.chmod(0o555)
        read = as_nobody(f"print(len(Results.open({str(copy / 'results.db')!r}).runs['seed']))")
        assert read.stdout == "4\n", read.stderr
        copy.chmod(0o755)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE runs SET history = x'00'",
        "UPDATE runs SET probabilities = x'00'",
        "UPDATE cells SET facts = '{'",
        "UPDATE experiment SET value = '{'",
    ],
)
def test_damage_inside_a_valid_file_is_told(finished: Path, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "results.db"
    path.write_bytes(finished.read_bytes())
    connection = sqlite3.connect(path)
    connection.execute(damage)
    connection.commit()
    connection.close()
    with Results.open(path) as results, pytest.raises(OutputError, match=r"results\.db: the file is damaged"):
        results.runs, results.probabilities  # noqa: B018


def test_a_method_that_was_renamed_is_recognised(finished: Path) -> None:
    methods = {"PGE learning_factor=0.01": gm.PGE(**SMALL), "SGE": gm.SGE(**SMALL)}
    with Store(finished) as store, pytest.raises(OutputError, match="is the same: call it 'PGE' as before"):
        carry_out(store, experiment(methods=methods))


def test_what_is_not_there_is_told(finished: Path) -> None:
    with Results.open(finished) as results:
        with pytest.raises(SettingsError, match="no 'GE' on 'quartic'; there are PGE, SGE on quartic, boston"):
            results.cell("GE", "quartic")
        with pytest.raises(SettingsError, match=r"nothing was recorded under 'bset'; did you mean best\?"):
            results.history(results.cells[0], "bset")


def test_a_file_without_a_plan_holds_no_experiment(tmp_path: Path) -> None:
    with Store(tmp_path / "results.db"):
        pass
    with Results.open(tmp_path / "results.db") as results, pytest.raises(OutputError, match="no experiment so far"):
        assert results.facts


def test_the_best_so_far_is_known_when_an_experiment_goes_on(finished: Path, tmp_path: Path) -> None:
    path, plan = tmp_path / "results.db", experiment()
    path.write_bytes(finished.read_bytes())
    with Store(path) as store:
        store.plan(plan.facts, plan.cells(), plan.seeds)
        results = store.results()
        assert store.bests() == {i: results.final(cell, "best_so_far").min() for i, cell in enumerate(results.cells)}


class TestAnOlderFile:
    """format-1.db was written before runs had formulas, and holds a problem that is maximised."""

    @pytest.fixture
    def older(self, tmp_path: Path) -> Path:
        return Path(shutil.copy(Path(__file__).with_name("format-1.db"), tmp_path / "results.db"))

    def test_its_runs_are_read(self, older: Path) -> None:
        with Results.open(older) as results:
            runs = results.runs
        assert runs["seed"].tolist() == [1, 2] * 4
        assert runs["best"].tolist()[-4:] == [4.0, 3.0, 3.0, 2.0]  # as the function returned them
        assert runs["program"] == ["(x + (x / x) * 1.0)", "x", "x", "1.0 + x", "aaaa", "aaa", "aaa", "baaa"]

    @pytest.mark.usefixtures("unpainted")
    @pytest.mark.slow
    def test_it_is_reported(self, older: Path, tmp_path: Path) -> None:
        with Results.open(older) as results:
            Comparison(results).write(tmp_path)
        assert "baaa" in (tmp_path / "report.html").read_text(encoding="utf-8")

    def test_it_can_not_be_continued(self, older: Path) -> None:
        before = older.read_bytes()
        with pytest.raises(OutputError, match=r"begun by an older version of gramarye: its results can be read"):
            Store(older)
        assert older.read_bytes() == before
