"""A maximised problem and its negated twin: the same runs, and mirrored numbers wherever people look."""

from __future__ import annotations

import io
import json
import math
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from rich.console import Console

import gramarye as gm
from gramarye.analysis.plan import Plan
from gramarye.analysis.study import follow
from gramarye.direction import signed
from gramarye.engine.state import State
from gramarye.execution import InProcess
from gramarye.experiment import Experiment, Progress, carry_out, watching
from gramarye.experiment.driving import drive
from gramarye.populations.history import FITNESSES, RECORDED
from gramarye.records.run import document
from gramarye.store import Store
from gramarye.terminal.live import Clock, line
from gramarye.terminal.run import page

GRAMMAR = gm.Grammar.from_text("<e> ::= <e> + <e> | <e> * <e> | x | y | 1\n")
METHODS = {"strong": gm.SGE(population=30, generations=6), "weak": gm.PGE(population=4, generations=6, elitism=0)}
RUNS = 8


def score(text: str) -> float:
    """Larger is better; programs that begin with 1 have none."""
    return math.inf if text.startswith("1") else 2 * text.count("x") - text.count("y") - 0.01 * len(text)


UP = gm.Objective(score, GRAMMAR, maximise=True, name="words")
DOWN = gm.Objective(lambda text: -score(text), GRAMMAR, name="words")


def printed(part: Any) -> str:
    console = Console(file=io.StringIO(), width=200, color_system=None, markup=False, emoji=False, highlight=False)
    console.print(part)
    return console.file.getvalue()  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def runs() -> tuple[gm.Run, gm.Run]:
    return gm.evolve(UP, METHODS["strong"], seed=3), gm.evolve(DOWN, METHODS["strong"], seed=3)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment with the score as one problem, and its negative number as another."""
    path = tmp_path_factory.mktemp("twins") / "results.db"
    with Store(path) as store:
        carry_out(Experiment(METHODS, {"up": UP, "down": DOWN}, RUNS), store, workers=1)
    return path


@pytest.fixture(scope="module")
def comparison(file: Path) -> gm.Comparison:
    return gm.Comparison.open(file)


def test_nothing_is_minus_zero() -> None:
    assert math.copysign(1, signed(0.0, "maximise")) == 1
    assert not np.signbit(signed(np.array([0.0, -0.0]), "maximise")).any()
    assert signed(-0.5, "minimise") == -0.5


class TestRun:
    def test_fitness_has_the_sign_that_the_function_returned(self, runs: tuple[gm.Run, gm.Run]) -> None:
        up, down = runs
        assert up.best.phenotype is not None
        assert up.best.phenotype == down.best.phenotype
        assert up.best.fitness == score(up.best.phenotype) == -down.best.fitness > 0
        for name in RECORDED:
            mirrored = -down.history[name] if name in FITNESSES else down.history[name]
            assert np.array_equal(up.history[name], mirrored, equal_nan=True), name
            assert np.array_equal(up.table[name], mirrored, equal_nan=True), name
        assert np.array_equal(up.probabilities, down.probabilities)
        assert f"{up.best.fitness:.4g}" in repr(up)
        assert f"fitness {up.best.fitness:.6g}" in up._repr_html_()

    def test_generations_are_mirrored_and_the_invalid_are_the_worst(self) -> None:
        with gm.Evolution(UP, METHODS["strong"], 3) as rising, gm.Evolution(DOWN, METHODS["strong"], 3) as falling:
            for up, down in zip(rising, falling, strict=True):
                assert np.array_equal(up.fitness, -down.fitness)
                assert (
                    up.best_of_generation.fitness
                    == up.fitness.max()
                    == up.record["best"]
                    == -down.best_of_generation.fitness
                )
                assert up.best_of_run.fitness == up.record["best_so_far"] == -down.record["best_so_far"]
                assert (up.fitness == -np.inf).sum() == up.record["invalid"] == down.record["invalid"]
                assert up.validity == down.validity
        assert rising.state is not None
        assert rising.state.best_of_run.fitness == -up.best_of_run.fitness  # minimised inside

    def test_a_run_that_finds_nothing_has_the_worst_fitness(self) -> None:
        never = gm.Objective(lambda text: math.inf, GRAMMAR, maximise=True)
        best = gm.evolve(never, METHODS["weak"], seed=1).best
        assert (best.fitness, best.phenotype) == (-math.inf, None)

    def test_a_saved_state_continues_with_the_same_numbers(self, runs: tuple[gm.Run, gm.Run], tmp_path: Path) -> None:
        with gm.Evolution(UP, METHODS["strong"], 3) as evolution:
            evolution.advance()
            assert evolution.state is not None
            evolution.state.save(tmp_path / "a.npz")
        with gm.Evolution(UP, METHODS["strong"], state=State.load(tmp_path / "a.npz")) as resumed:
            last = [*resumed][-1]
            assert last.best_of_run.fitness == runs[0].best.fitness
            assert resumed.run.history["best_so_far"].tolist() == runs[0].history["best_so_far"].tolist()

    def test_pages_json_and_live_lines_show_it(self, runs: tuple[gm.Run, gm.Run]) -> None:
        up, down = runs
        assert ["fitness", f"{up.best.fitness:.6g}"] in [row.split() for row in printed(page(up, {})).splitlines()]
        told, other = document(up, {}), document(down, {})
        assert (told["direction"], other["direction"]) == ("maximise", "minimise")
        assert told["best"]["fitness"] == -other["best"]["fitness"]
        assert told["history"]["mean"].tolist() == (-other["history"]["mean"]).tolist()
        with gm.Evolution(UP, METHODS["strong"], 3) as evolution:
            first, limit = evolution.advance(), evolution.limit
        assert f"best {first.best_of_run.fitness:.6g}, " in line(Clock().progress(first, limit))

    def test_an_analysis_along_a_run_shows_it(self, runs: tuple[gm.Run, gm.Run]) -> None:
        plan = Plan(bases=5, neighbours=2, changes=(1,), sample=5, generations=(5,))
        (found,) = follow(UP, "SGE", METHODS["strong"], plan, 3, 1, lambda _: None)
        assert found.best == runs[0].best.fitness


class TestResults:
    def test_what_is_read_is_what_the_run_showed(self, comparison: gm.Comparison) -> None:
        results = comparison.results
        run = gm.evolve(UP, METHODS["strong"], seed=1)
        cell = results.cell("strong", "up")
        assert cell.direction == "maximise"
        for name in RECORDED:
            assert np.array_equal(results.history(cell, name)[0], run.history[name], equal_nan=True)
        assert results.winners(cell)[0].found.fitness == run.best.fitness == results.final(cell, "best_so_far")[0]

    def test_tables_for_data_frames_are_mirrored(self, comparison: gm.Comparison) -> None:
        for table in (comparison.results.runs, comparison.results.generations, comparison.results.programs):
            rows = {
                name: [value for value, problem in zip(column, table["problem"], strict=True) if problem == side]
                for side in ("up", "down")
                for name, column in ((f"{side} {name}", table[name]) for name in table)
            }
            for name in {*table} - {"problem", "seconds"}:
                shown, other = rows[f"up {name}"], rows[f"down {name}"]
                mirrored = [-value for value in other] if name in (*FITNESSES, "fitness") and name != "test" else other
                assert repr(shown) == repr(mirrored), name

    def test_the_file_holds_minimised_numbers(self, file: Path, comparison: gm.Comparison) -> None:
        with closing(sqlite3.connect(file)) as connection:
            query = "SELECT min(fitness) FROM programs JOIN runs ON run = runs.id GROUP BY cell ORDER BY cell"
            least = [row[0] for row in connection.execute(query)]
        assert least[:2] == least[2:]
        assert -least[0] == comparison.data[0].finals["strong"].max()

    @pytest.mark.parametrize(("said", "best"), [({"maximise": True}, max), ({}, min)])
    def test_files_of_older_versions_are_read(
        self, file: Path, tmp_path: Path, said: dict[str, Any], best: Callable[[Any], float]
    ) -> None:
        old = tmp_path / "old.db"
        old.write_bytes(file.read_bytes())
        with closing(sqlite3.connect(old)) as connection, connection:
            connection.execute("UPDATE cells SET facts = ?", (json.dumps({"description": "a function", **said}),))
        read = gm.Comparison.open(old)
        for data in read.data:
            assert read.programs.columns["fitness"][0] == best(read.data[0].finals["strong"])
            assert data.direction == ("maximise" if said else "minimise")

    def test_progress_shows_the_best_with_its_sign(self) -> None:
        with Store() as store:
            experiment = Experiment(METHODS, {"up": UP, "down": DOWN}, 2)
            store.plan(experiment.facts, experiment.cells(), experiment.seeds)
            seen: list[Progress] = []
            ended = drive(experiment, store, InProcess(), seen.append)
            again = drive(experiment, store, InProcess())  # from the file alone
        bests = [cell.best for cell in ended.cells]
        assert bests[:2] == [-best for best in bests[2:]]
        assert bests[0] > 0
        assert bests == [cell.best for cell in again.cells]
        assert seen[0].cells[1].best == -math.inf  # weak has not begun
        rows = [row.split() for row in printed(watching.picture(ended, "twins", 100)).splitlines()]
        assert ["up", "strong", "2", "–", f"{bests[0]:.4g}"] in rows


class TestComparison:
    def test_the_best_is_marked_and_every_problem_says_what_is_better(self, comparison: gm.Comparison) -> None:
        assert comparison.table.emphasised == {("strong", 0), ("strong", 1)}
        assert "; larger is better on up (smaller elsewhere), the best is marked" in comparison.table.title
        up, down = comparison.table.columns["strong"]
        assert str(down) == f"-{up}"

    @pytest.mark.usefixtures("unpainted")
    @pytest.mark.parametrize(("problem", "better"), [(UP, "larger is better,"), (DOWN, "smaller is better,")])
    def test_problems_of_one_direction_need_no_names(self, problem: gm.Objective, better: str, tmp_path: Path) -> None:
        found = gm.compare(METHODS, [problem], runs=2, workers=1)
        assert f"; {better} the best is marked" in found.table.title
        assert f"; {better.replace(' is', ' fitness is')[:-1]}." in found.write(tmp_path).read_text("utf-8")

    def test_descriptions_are_mirrored_and_the_best_is_the_largest(self, comparison: gm.Comparison) -> None:
        summary, finals = comparison.summary.columns, comparison.data[0].finals
        assert list(summary["problem"]) == ["up", "up", "down", "down"]
        assert summary["best"][0] == finals["strong"].max()
        assert summary["worst"][0] == finals["strong"].min()
        for name, twin in {
            "mean": "mean",
            "median": "median",
            "25 %": "75 %",
            "best": "best",
            "worst": "worst",
        }.items():
            assert [-float(value) for value in summary[name][:2]] == pytest.approx(list(summary[twin][2:]))  # type: ignore[arg-type]
        assert summary["sd"][:2] == pytest.approx(summary["sd"][2:])
        best = comparison.programs.columns
        assert [-float(value) for value in best["fitness"][:2]] == list(best["fitness"][2:])  # type: ignore[arg-type]
        assert best["program"][:2] == best["program"][2:]

    def test_tests_and_effect_sizes_are_those_of_the_twin(self, comparison: gm.Comparison) -> None:
        tests = comparison.tests.columns
        assert tests["data"] == ("up", "down")
        assert tests["better"] == ("strong", "strong")
        assert all(size > 0.8 for size in tests["A12"])  # type: ignore[operator]
        for table in (comparison.tests, comparison.kruskal):
            for name, (up, down) in table.columns.items():
                assert name == "data" or up == down, name
        assert comparison.ranks is not None
        assert list(comparison.ranks.columns["mean rank"]) == [1, 2]
        assert comparison.data[0].minimised["weak"].tolist() == comparison.data[1].finals["weak"].tolist()

    def test_a_run_without_a_valid_program_counts_as_the_worst(self) -> None:
        never = gm.Objective(lambda text: math.inf, GRAMMAR, maximise=True, name="never")
        data = gm.compare(METHODS, [never], runs=2, workers=1).data[0]
        assert data.finals["weak"].tolist() == [-math.inf, -math.inf]
        assert data.minimised["weak"].tolist() == [math.inf, math.inf]

    def test_figures_are_mirrored(self, comparison: gm.Comparison) -> None:
        drawn = comparison.figures()
        for kind, across in (("progress", False), ("runs", True)):
            up, down = (drawn[f"{kind}-{name}"].figure.axes[0] for name in ("up", "down"))
            for first, second in zip(inside(up), inside(down), strict=True):
                values = (first.get_xdata(), second.get_xdata()) if across else (first.get_ydata(), second.get_ydata())
                assert np.allclose(values[0], -np.asarray(values[1]), equal_nan=True)
            ends, others = (up.get_xlim(), down.get_xlim()) if across else (up.get_ylim(), down.get_ylim())
            assert ends == pytest.approx((-others[1], -others[0]))
            assert ends[0] < ends[1]
            assert drawn[f"{kind}-up"].caption.endswith("larger is better.")
            assert drawn[f"{kind}-down"].caption.endswith("smaller is better.")

    @pytest.mark.usefixtures("unpainted")
    def test_the_report_says_so(self, comparison: gm.Comparison, tmp_path: Path) -> None:
        written = comparison.write(tmp_path).read_text("utf-8")
        assert "; larger fitness is better on up (smaller elsewhere)." in written
        assert f"{comparison.data[0].finals['strong'].max():.4f}" in written
        finals = [float(row.split(",")[3]) for row in (tmp_path / "tables" / "runs.csv").read_text().splitlines()[1:]]
        assert finals[: 2 * RUNS] == [-value for value in finals[2 * RUNS :]]


def inside(axes: Axes) -> list[Any]:
    """The lines of a panel, without the key beside it."""
    return [each for each in axes.lines if each.get_transform() != axes.transAxes]
