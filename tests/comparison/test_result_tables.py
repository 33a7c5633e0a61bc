"""Experiments with many methods: tables with a row for each, and pairs at a glance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gramarye as gm
from gramarye.comparison.comparison import Comparison
from gramarye.comparison.comparison_figures import MOST_PAIRS, of_pairs
from gramarye.comparison.result_tables import MANY, decisions, effect_matrix, turned
from gramarye.show.tables.table import Table

PAIRS: list[dict[str, Any]] = [
    {"data": "easy", "first": "a", "second": "b", "A12": 0.9, "low": 0.8, "high": 0.95, "better": "a"},
    {"data": "easy", "first": "a", "second": "c", "A12": 0.25, "low": 0.1, "high": 0.4, "better": "c"},
    {"data": "easy", "first": "b", "second": "c", "A12": None, "low": None, "high": None, "better": None},
]


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    settings: dict[str, Any] = {"population": 60, "generations": 4}
    methods = {f"PGE {k}": gm.PGE(learning_factor=k / 100, **settings) for k in range(1, MANY + 1)}
    weak = gm.GE(population=2, generations=1, elitism=0)
    return gm.compare({**methods, "weak": weak}, [gm.problems.load("quartic")], runs=12, workers=1)


class TestTurned:
    def test_rows_become_columns_and_what_is_bold_stays_so(self) -> None:
        table = Table(
            "t", "T", {"problem": ["p", "q"], "a": ["1", "2"], "b": ["3", None]}, emphasised=frozenset({("b", 0)})
        )
        found = turned(table)
        assert found.columns == {"method": ("a", "b"), "p": ("1", "3"), "q": ("2", None)}
        assert found.emphasised == {("p", 1)}

    @pytest.mark.parametrize("labels", [["p", "p"], ["p", "method"]])
    def test_a_table_whose_columns_would_be_mixed_up_stays_as_it_is(self, labels: list[str]) -> None:
        table = Table("t", "T", {"problem": labels, "a": ["1", "2"]})
        assert turned(table) is table


def test_decisions_count_who_is_better_with_significance() -> None:
    pairs = [*PAIRS, {**PAIRS[0], "data": "method", "better": None}]
    assert decisions(["a", "b", "c"], pairs).columns == {
        "method": ("a", "b", "c"),
        "easy": ("1 / 1", "0 / 1", "1 / 0"),
        "method (data)": ("0 / 0", "0 / 0", "0 / 0"),
    }


def test_a_matrix_has_each_pair_from_both_sides() -> None:
    matrix = effect_matrix("effects-easy", "easy", PAIRS)
    assert matrix.columns["method"] == ("a", "b", "c")
    assert matrix.columns["a"] == (None, pytest.approx(0.1), 0.75)
    assert matrix.columns["b"] == (0.9, None, None)
    assert matrix.emphasised == {("a", 1), ("b", 0), ("a", 2), ("c", 0)}
    assert "on easy" in matrix.title


@pytest.mark.slow
class TestManyMethods:
    def test_each_has_a_row(self, comparison: Comparison) -> None:
        assert list(comparison.table.columns) == ["method", "quartic"]
        assert comparison.table.columns["method"] == comparison.results.methods

    def test_the_overviews_agree_with_the_pairs(self, comparison: Comparison) -> None:
        table, matrix = comparison.overviews
        better = [name for name in comparison.tests.columns["better"] if name]
        assert better
        wins: dict[Any, Any] = dict(zip(table.columns["method"], table.columns["quartic"], strict=True))
        assert sum(int(cell.split(" / ")[0]) for cell in wins.values()) == len(better)
        assert sum(int(cell.split(" / ")[1]) for cell in wins.values()) == len(better)
        assert len(matrix.emphasised) == 2 * len(better)
        assert matrix.columns["weak"][0] == comparison.tests.columns["A12"][MANY - 1]

    def test_they_are_what_a_terminal_shows_first(self, comparison: Comparison) -> None:
        assert comparison.headlines == [comparison.table, comparison.overviews[0]]

    @pytest.mark.usefixtures("unpainted")
    def test_the_report_has_them_and_closes_the_long_table(self, comparison: Comparison, tmp_path: Path) -> None:
        text = comparison.write(tmp_path).read_text(encoding="utf-8")
        assert text.index('id="table-effects-quartic"') < text.index("Every pair of methods")
        assert {"decisions.md", "effects-quartic.csv", "pairs.csv"} <= {p.name for p in (tmp_path / "tables").iterdir()}


def test_few_methods_have_no_overviews() -> None:
    methods = [gm.PGE(population=10, generations=2), gm.GE(population=10, generations=2)]
    comparison = gm.compare(methods, [gm.problems.load("quartic")], runs=2, workers=1, name="few")
    assert comparison.overviews == []
    assert comparison.results.facts["name"] == "few"


def test_of_too_many_pairs_those_of_the_best_are_drawn() -> None:
    names = [f"m{k}" for k in range(10)]  # the later, the better
    pairs = [
        {"data": "easy", "first": a, "second": b, "A12": 0.3, "low": 0.1, "high": 0.4}
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    ]
    assert len(pairs) > MOST_PAIRS
    (drawn,) = of_pairs(pairs).values()
    labels = [label.get_text() for label in drawn.figure.axes[0].get_yticklabels()]
    assert labels == [f"m9 – m{k}, easy" for k in range(9)]
    assert any("0.70 [0.60, 0.90]" in text.get_text() for text in drawn.figure.axes[0].texts)
    assert "best method" in drawn.caption
    (few,) = of_pairs(pairs[:3]).values()
    assert "best method" not in few.caption
