"""Runs of different lengths in one file, and the fronts that they left."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import gramarye as gm
from gramarye.comparison.comparison import Comparison
from gramarye.errors import OutputError
from gramarye.experiment.comparing import carry_out
from gramarye.experiment.plan import Experiment, named_problems
from gramarye.store import Results, Store
from gramarye.store.database import VERSION

SMALL: dict[str, Any] = {"population": 30, "generations": 12}
METHODS = {"until": gm.SGE(**SMALL, target=0.4), "PGE": gm.PGE(**SMALL, max_evaluations=200)}
PROBLEMS = named_problems([gm.problems.load("quartic"), gm.problems.load("boston")])


def experiment(**changes: Any) -> Experiment:
    return replace(Experiment(METHODS, PROBLEMS, 4), **changes)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("stopped") / "results.db"
    with Store(found) as store:
        carry_out(experiment(), store, workers=1)
    return found


@pytest.fixture(scope="module")
def runs() -> dict[tuple[str, str], list[gm.Run]]:
    return {
        (label, name): [gm.evolve(problem, method, seed) for seed in range(1, 5)]
        for label, method in METHODS.items()
        for name, problem in PROBLEMS.items()
    }


def test_a_run_that_ended_early_is_done_and_keeps_its_last_record(
    path: Path, runs: dict[tuple[str, str], list[gm.Run]]
) -> None:
    with Results.open(path) as results:
        for cell in results.cells:
            meant = runs[cell.method, cell.problem]
            lengths = [run.generations for run in meant]
            assert results.count(cell, "done") == 4
            assert results.lengths(cell).tolist() == lengths
            found = results.history(cell, "best_so_far")
            assert found.shape == (4, max(lengths))
            for row, run in zip(found, meant, strict=True):
                assert row[: run.generations].tolist() == run.history["best_so_far"].tolist()
                assert (row[run.generations :] == run.best.fitness).all()
            assert results.final(cell, "evaluations").tolist() == [run.evaluations for run in meant]
        quartic = results.cell("until", "quartic")
        assert len(set(results.lengths(quartic).tolist())) > 1  # or nothing was tested


def test_the_table_of_generations_has_those_that_there_were(
    path: Path, runs: dict[tuple[str, str], list[gm.Run]]
) -> None:
    with Results.open(path) as results:
        table = pd.DataFrame(results.generations)
    for (method, problem), meant in runs.items():
        for seed, run in enumerate(meant, 1):
            rows = table[(table.method == method) & (table.problem == problem) & (table.seed == seed)]
            assert rows.generation.tolist() == list(range(run.generations))
            assert rows.best.tolist() == run.history["best"].tolist()


def test_probabilities_of_a_run_that_ended_early_stay_as_they_were() -> None:
    method = gm.PGE(population=30, generations=12, target=0.7)
    with Store() as store:
        carry_out(experiment(methods={"PGE": method}, problems={"quartic": PROBLEMS["quartic"]}), store, workers=1)
        results = store.results()
        cell, meant = results.cells[0], [gm.evolve(PROBLEMS["quartic"], method, seed) for seed in range(1, 5)]
        longest = max(run.generations for run in meant)
        assert min(run.generations for run in meant) < longest
        places = [np.minimum(np.arange(longest), run.generations - 1) for run in meant]
        mean = np.mean([run.probabilities[place] for run, place in zip(meant, places, strict=True)], axis=0)
        assert np.allclose(results.mean_probabilities(cell), mean)
        assert max(results.probabilities["generation"]) == longest - 1


def test_fronts_are_read_back(path: Path, runs: dict[tuple[str, str], list[gm.Run]]) -> None:
    with Results.open(path) as results:
        for cell in results.cells:
            for seed, run in enumerate(runs[cell.method, cell.problem], 1):
                found = results.front(cell, seed)
                assert [(each.nodes, each.fitness, each.formula) for each in found] == [
                    (each.nodes, each.fitness, each.formula) for each in run.front
                ]
                assert [each.test for each in found] == pytest.approx(
                    [each.test_fitness for each in run.front], nan_ok=True
                )
                assert [each.nodes for each in found if each.picked] == [run.picked.nodes]
        table = pd.DataFrame(results.fronts)
    assert list(table) == ["problem", "method", "seed", "nodes", "fitness", "test", "program", "picked"]
    assert table.picked.sum() == 16
    assert table[table.problem == "quartic"].test.isna().all()


@pytest.mark.slow
def test_the_report_shows_the_front_of_each_methods_best_run(path: Path, tmp_path: Path) -> None:
    with Results.open(path) as results:
        comparison = Comparison(results)
        page = comparison.write(tmp_path).read_text(encoding="utf-8")
        assert comparison.fronts is not None
        columns = comparison.fronts.columns
        best = {
            (cell.problem, cell.method): int(results.seeds(cell)[results.final(cell, "best_so_far").argmin()])
            for cell in results.cells
        }
        assert {(p, m): s for p, m, s in zip(*(columns[n] for n in ("problem", "method", "seed")), strict=True)} == best
    assert (tmp_path / "figures" / "front-quartic.svg").exists()
    assert (tmp_path / "figures" / "front-boston.svg").exists()
    assert ">Error against size</h2>" in page
    assert "A run that ended early counts with its last value from there on." in page


def test_a_changed_limit_is_another_experiment(path: Path) -> None:
    methods = {**METHODS, "PGE": gm.PGE(**SMALL, max_evaluations=300)}
    with (
        Store(path) as store,
        pytest.raises(OutputError, match="PGE on quartic was run with max_evaluations 200, not 300"),
    ):
        carry_out(experiment(methods=methods), store, workers=1)
    methods = {**METHODS, "until": gm.SGE(**SMALL)}
    with Store(path) as store, pytest.raises(OutputError, match=r"was run with target 0\.4, not none"):
        carry_out(experiment(methods=methods), store, workers=1)


def test_the_time_of_a_run_is_kept(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert all(elapsed > 0 for (elapsed,) in connection.execute("SELECT elapsed FROM runs"))


def test_a_file_without_fronts_is_read_and_reported(path: Path, tmp_path: Path) -> None:
    """As format 2 had it."""
    older = tmp_path / "results.db"
    older.write_bytes(path.read_bytes())
    with closing(sqlite3.connect(older)) as connection:
        connection.execute("DROP TABLE front")
        connection.execute("ALTER TABLE runs DROP COLUMN elapsed")
        connection.execute(f"PRAGMA user_version = {VERSION - 1}")
        connection.commit()
    with Results.open(older) as results:
        assert results.fronts["nodes"] == []
        comparison = Comparison(results)
        assert comparison.fronts is None
        assert not [name for name in comparison.figures() if name.startswith("front-")]
        assert len(comparison.runs["seed"]) == 16
    with pytest.raises(OutputError, match="begun by an older version of gramarye"):
        Store(older)
