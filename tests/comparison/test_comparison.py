"""What an experiment shows: tables and figures."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import gramarye as gm
from gramarye.comparison.comparison import Comparison
from gramarye.comparison.comparison_figures import _over_evaluations, progress_figure
from gramarye.comparison.result_tables import decimals_of, plus_minus
from gramarye.errors import SettingsError
from gramarye.statistics import describe
from gramarye.text import slug

SMALL: dict[str, Any] = {"population": 30, "generations": 5}
GRAMMAR = gm.Grammar.from_text("<e> ::= <e> + <e> | x\n")


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    methods = [gm.PGE(**SMALL), gm.GE(**SMALL), gm.SGE(**SMALL)]
    return gm.compare(methods, [gm.problems.load("quartic"), gm.problems.load("boston")], runs=6, workers=1)


def test_the_first_table_is_laid_out_as_papers_do(comparison: Comparison) -> None:
    columns = comparison.table.columns
    assert list(columns) == ["problem", "PGE", "GE", "SGE"]
    assert list(columns["problem"]) == ["quartic", "boston train", "boston test"]
    finals = comparison.data[0].finals["PGE"]
    assert columns["PGE"][0] == f"{finals.mean():.2f} ± {finals.std(ddof=1):.2f}"
    best = min(("PGE", "GE", "SGE"), key=lambda method: comparison.data[0].finals[method].mean())
    assert (best, 0) in comparison.table.emphasised


def test_finals_are_those_of_the_runs(comparison: Comparison) -> None:
    runs = [gm.evolve(gm.problems.load("boston"), gm.SGE(**SMALL), seed) for seed in range(1, 7)]
    train, test = comparison.data[1], comparison.data[2]
    assert train.finals["SGE"].tolist() == [run.best.fitness for run in runs]
    assert test.finals["SGE"].tolist() == [run.best.test_fitness for run in runs]
    assert (train.part, test.part, comparison.data[0].part) == ("train", "test", "")
    assert train.measure == "RRSE"


def test_functions_for_testing_are_compared_as_test_rows_are(tmp_path: Path) -> None:
    problem = gm.Objective(len, GRAMMAR, test=lambda text: text.count("x"), timeout=5.0, name="short")
    found = gm.compare([gm.GE(**SMALL)], [problem], runs=2, workers=1)
    assert list(found.table.columns["problem"]) == ["short train", "short test"]
    assert set(found.results.fronts["test"]) == {1.0}
    page = found.write(tmp_path).read_text(encoding="utf-8")
    assert "the fitness function builtins:len; an evaluation may take 5 s" in page
    assert "repeated to the last bit" not in page  # a time limit may strike elsewhere


def test_tests_are_scipys_with_bonferroni_over_the_pairs_of_a_column(comparison: Comparison) -> None:
    columns, data = comparison.tests.columns, comparison.data[0]
    assert len(columns["data"]) == 9
    p = stats.mannwhitneyu(data.finals["PGE"], data.finals["GE"]).pvalue
    assert columns["p"][0] == pytest.approx(p)
    assert columns["corrected"][0] == pytest.approx(min(1, 3 * p))
    paired = stats.wilcoxon(data.finals["PGE"], data.finals["GE"]).pvalue
    assert columns["paired p"][0] == pytest.approx(paired)
    kruskal = comparison.kruskal.columns
    assert kruskal["p"][0] == pytest.approx(stats.kruskal(*data.finals.values()).pvalue)
    assert list(kruskal["df"]) == [2, 2, 2]


def test_the_better_of_a_pair_is_named_only_where_the_difference_is_significant() -> None:
    weak = gm.GE(population=2, generations=1, elitism=0)
    found = gm.compare({"strong": gm.SGE(**SMALL), "weak": weak}, [gm.problems.load("quartic")], runs=12, workers=1)
    assert found.tests.columns["better"] == ("strong",)
    effect: Any = found.tests.columns["A12"][0]
    assert effect > 0.9
    assert found.kruskal.columns["differences"] == ("yes",)
    turned = gm.compare({"weak": weak, "strong": gm.SGE(**SMALL)}, [gm.problems.load("quartic")], runs=12, workers=1)
    assert turned.tests.columns["better"] == ("strong",)
    assert turned.tests.columns["A12"][0] == pytest.approx(1 - effect)


def test_ranks_over_several_problems(comparison: Comparison) -> None:
    assert comparison.ranks is not None
    ranks: Any = comparison.ranks.columns["mean rank"]
    assert sum(ranks) == pytest.approx(6)
    assert "Friedman over 2 problems" in comparison.ranks.note
    assert "by median fitness" in comparison.ranks.title
    assert "by median fitness" in comparison.figures()["ranks"].caption
    assert "ranks" in comparison.figures()


def test_programs_settings_and_runs_are_listed(comparison: Comparison) -> None:
    programs = comparison.programs.columns
    assert len(programs["program"]) == 6
    assert programs["fitness"][0] == comparison.data[0].finals["PGE"].min()
    assert comparison.settings.columns["setting"][0] == "population"
    assert comparison.settings.columns["SGE"][0] == "30"
    runs = comparison.each_run.columns
    assert len(runs["seed"]) == 36
    assert runs["test"][0] is None
    assert runs["test"][-1] == comparison.data[2].finals["SGE"][-1]
    assert list(runs["evaluations"][:1]) == [150]
    assert len(pd.DataFrame(comparison.runs)) == 36


def test_tables_have_full_precision_as_csv(comparison: Comparison) -> None:
    (first, *_) = csv.DictReader(io.StringIO(comparison.summary.to_csv()))
    assert float(first["mean"]) == describe(comparison.data[0].finals["PGE"]).mean


def test_one_method_alone_is_described_without_tests() -> None:
    found = gm.compare([gm.GE(**SMALL)], [gm.problems.load("quartic")], runs=3, workers=1)
    names = ["final-fitness", "summary", "best-programs", "fronts", "settings", "runs"]
    assert [table.name for table in found.tables] == names
    assert found.headlines == [found.table]
    assert set(found.figures()) == {"progress-quartic", "runs-quartic", "front-quartic"}
    assert repr(found) == "Comparison(GE on quartic)"
    assert found.fronts is not None
    marked = [row["picked"] for row in csv.DictReader(io.StringIO(found.fronts.to_csv()))]
    assert (marked.count("yes"), marked.count("no")) == (1, len(marked) - 1)


def test_one_run_of_each_is_answered_without_a_test() -> None:
    found = gm.compare([gm.GE(**SMALL), gm.SGE(**SMALL)], [gm.problems.load("quartic")], runs=1, workers=1)
    assert "±" not in str(found.table.columns["GE"][0])
    assert found.tests.columns["p"] == found.tests.columns["effect"] == (None,)
    assert "1 run;" in found.table.title
    assert "remark" in found.headlines[1].columns


@pytest.mark.usefixtures("unpainted")
def test_runs_that_found_nothing_are_said(tmp_path: Path) -> None:
    never = gm.Objective(lambda text: math.inf, GRAMMAR, name="never")
    found = gm.compare({"A": gm.GE(**SMALL), "B": gm.SGE(**SMALL)}, [never], runs=3, workers=1)
    assert found.table.columns["A"] == (None,)
    assert "A on never: 3 of 3" in found.table.note
    assert found.programs.columns["program"] == ()
    page = found.write(tmp_path).read_text(encoding="utf-8")
    assert "A on never: 3 of 3" in page


def test_different_numbers_of_generations_are_compared_over_evaluations() -> None:
    methods = [gm.PGE(**SMALL), gm.GE(**SMALL)]
    found = gm.compare(methods, [gm.problems.load("quartic")], runs=2, workers=1, evaluations=140)
    assert [cell.generations for cell in found.results.cells] == [4, 5]
    (axes,) = found.figure().axes
    assert axes.get_xlabel() == "evaluation"
    assert found.results.final(found.results.cells[1], "evaluations").tolist() == [138, 138]


def test_the_figure_has_a_panel_for_each_column_of_data(comparison: Comparison) -> None:
    assert len(comparison.figure().axes) == 3
    assert len(comparison.figure("boston").axes) == 2
    lines: list[Any] = [line.get_ydata() for line in comparison.figure("quartic").axes[0].get_lines()]
    for method in ("PGE", "GE", "SGE"):
        history = comparison.results.history(comparison.results.cell(method, "quartic"), "best_so_far")
        for wanted in (history.mean(axis=0), np.median(history, axis=0)):
            assert any(len(line) == 5 and np.allclose(line, wanted) for line in lines)
    assert progress_figure(comparison.results, comparison.data[:1]).axes[0].get_xlabel() == "generation"


def test_what_was_learned_is_drawn_of_the_rule_that_changed_most_or_of_another(comparison: Comparison) -> None:
    drawn = comparison.figures()["probabilities-boston-pge"]
    cell = comparison.results.cell("PGE", "boston")
    means, grammar = comparison.results.mean_probabilities(cell), comparison.results.grammar(cell)
    moved = {name: np.abs(means[-1] - means[0])[span].sum() for name, span in grammar.spans.items()}
    assert f"Probabilities of {max(moved, key=lambda name: moved[name])}:" in drawn.caption
    other = comparison.figures({"boston": "<op>"})["probabilities-boston-pge"]
    assert other.caption == "Probabilities of <op>: PGE on boston, mean of 6 runs."


def test_what_was_learned_and_is_not_drawn_is_told(comparison: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gramarye.comparison.comparison_figures.MOST_RULES", 1)
    drawn = [each for name, each in comparison.figures().items() if name.startswith("probabilities-")]
    assert [each.caption.partition("runs. ")[2] for each in drawn] == [
        "What was recorded in 1 more is not drawn; it is in results.db."
    ]


def test_what_was_read_out_of_fronts_is_not_called_learned(tmp_path: Path) -> None:
    small: dict[str, Any] = {"population": 20, "generations": 3}
    methods = [gm.PGE(**small), gm.TunedTrees(**small), gm.CoPSGE(**small)]
    found = gm.compare(methods, [gm.problems.load("quartic")], runs=2, workers=1)
    drawings = found.figures({"quartic": "<op>"})
    captions = {name: drawings[name].caption for name in drawings if name.startswith(("probabilities", "frequencies"))}
    assert captions == {
        "probabilities-quartic-pge": "Probabilities of <op>: PGE on quartic, mean of 2 runs.",
        "frequencies-quartic-tunedtrees": "Frequencies of <op> in the front: TunedTrees on quartic, mean of 2 runs. "
        "They did not guide the search.",
        "probabilities-quartic-copsge": "Probabilities of <op> in the best individual: CoPSGE on quartic, "
        "mean of 2 runs.",
    }
    assert drawings["frequencies-quartic-tunedtrees"].figure.axes[0].get_ylabel() == "frequency"
    assert drawings["probabilities-quartic-pge"].figure.axes[0].get_ylabel() == "probability"
    page = found.write(tmp_path).read_text(encoding="utf-8")
    learned, _, used = page.partition("What was learned</h2>")[2].partition("What the fronts use</h2>")
    assert "PGE on quartic, mean" in learned
    assert "TunedTrees on quartic, mean" not in learned
    assert "They did not guide the search." in used


def test_a_comparison_shows_itself_in_a_notebook(comparison: Comparison) -> None:
    assert "<table" in comparison._repr_html_()
    assert "0." in str(comparison.table)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1, 2], "1.50 ± 0.71"),
        ([0.5], "0.50"),
        ([-1000, -2000], "-1500.00 ± 707.11"),
        ([0.0012, 0.0016], "0.0014 ± 0.0003"),
        ([1e-7, 3e-7], "2e-07 ± 1.4e-07"),
        ([4.9e11, 4.9e11 + 2], "490000000001 ± 1.4"),
        ([1e60, 1], "5e+59 ± 7.1e+59"),
        ([3.0, 3.0], "3.00 ± 0.00"),
        ([0.0, 0.0], "0.00 ± 0.00"),
        ([math.inf], None),
    ],
)
def test_means_are_written_with_their_deviation(values: list[float], text: str | None) -> None:
    described = describe(values)
    assert plus_minus(described, decimals_of([described])) == text


def test_a_row_has_the_decimals_of_its_smallest_deviation() -> None:
    row = [describe([1.0, 1.001]), describe([1.0, 2.0])]
    assert [plus_minus(each, decimals_of(row)) for each in row] == ["1.0005 ± 0.0007", "1.5000 ± 0.7071"]


@pytest.mark.usefixtures("unpainted")
def test_methods_made_of_parts_have_short_names_and_a_report(tmp_path: Path) -> None:
    parts = (gm.representations.FlatReal(20), gm.representations.FlatReal(30), gm.representations.IntegerLists())
    methods = [gm.Method(representation=part, **SMALL) for part in parts]
    found = gm.compare(methods, [gm.problems.load("quartic")], runs=2, workers=1)
    assert found.results.methods == ("Method FlatReal 1", "Method FlatReal 2", "Method IntegerLists")
    assert found.write(tmp_path).exists()


@pytest.mark.usefixtures("unpainted")
def test_labels_that_look_the_same_as_files_keep_a_figure_each(tmp_path: Path) -> None:
    quartic = gm.problems.load("quartic")
    problems = {"a/b": quartic, "a b": quartic, "α": quartic, "é" * 300: quartic}
    found = gm.compare({"x": gm.PGE(**SMALL)}, problems, runs=1, workers=1)
    names = list(found.figures())
    progress = [name for name in names if name.startswith("progress-")]
    assert progress[:3] == ["progress-a-b", "progress-a-b-2", "progress-x"]
    assert len([name for name in names if name.startswith("probabilities-")]) == 4
    assert found.write(tmp_path).exists()
    assert max(len(path.name) for path in (tmp_path / "figures").iterdir()) < 100


def test_columns_of_the_headlines_are_there_even_where_they_are_empty() -> None:
    found = gm.compare([gm.GE(**SMALL), gm.PGE(**SMALL)], [gm.problems.load("quartic")], runs=2, workers=1)
    assert found.tests.only("data", "better").columns["better"] == (None,)
    with pytest.raises(SettingsError, match=r"table pairs: there is no column 'beter'; did you mean better\?"):
        found.tests.only("beter")
    with pytest.raises(SettingsError, match=r"no problem is called 'quartc'; did you mean quartic\?"):
        found.figure("quartc")
    assert found.ranks is None


def test_two_methods_are_compared_over_problems_by_wilcoxon() -> None:
    problems = {name: gm.problems.load("quartic") for name in ("one", "two", "three")}
    found = gm.compare([gm.GE(**SMALL), gm.PGE(**SMALL)], problems, runs=2, workers=1)
    assert found.ranks is not None
    assert found.ranks.note.startswith("Wilcoxon over 3 problems")


def test_runs_that_failed_are_said_and_warned_of() -> None:
    def never(text: str) -> float:
        raise ValueError("never")

    problem = gm.Objective(never, GRAMMAR, name="bad")
    with pytest.warns(UserWarning, match=r"2 of the runs failed, the first is GE on bad, seed 1: .*never"):
        found = gm.compare([gm.GE(**SMALL)], [problem], runs=2, workers=1)
    assert found.table.note == "Runs that failed: GE on bad: 2 of 2."
    assert "of 0 runs" in found.table.title


def test_names_become_file_names() -> None:
    assert slug("Boston Housing, test") == "boston-housing-test"
    assert slug("πλ") == "x"
    assert slug("Müßig é") == "mu-ig-e"
    assert len(slug("long " * 50)) <= 50
    assert slug("long " * 50) != slug("long " * 51)


def test_runs_that_spent_their_evaluations_differently_are_averaged_over_evaluations() -> None:
    evaluations = np.array([[10.0, 20, 40, 40], [10, 30, 60, 90]])
    history = np.array([[4.0, 3, 2, 2], [8, 7, 6, 5]])
    x, found = _over_evaluations(evaluations, history)
    assert (x[0], x[-1]) == (10, 90)
    assert found[:, 0].tolist() == [4, 8]
    assert found[:, -1].tolist() == [2, 5]
    at = int(np.searchsorted(x, 50))
    assert found[:, at].tolist() == [2, 7]
    same = _over_evaluations(evaluations[:1].repeat(2, axis=0), history)
    assert same[0].tolist() == evaluations[0].tolist()
    assert same[1] is history


def test_methods_with_a_budget_are_drawn_over_evaluations() -> None:
    methods = {"GE": gm.GE(**SMALL, max_evaluations=100), "SGE": gm.SGE(**SMALL)}
    found = gm.compare(methods, [gm.problems.load("quartic")], runs=2, workers=1)
    assert found.figure().axes[0].get_xlabel() == "evaluation"
