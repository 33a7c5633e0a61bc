from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import gramarye as gm
from gramarye.errors import OutputError, SettingsError
from gramarye.report.analysis import labelled
from gramarye.report.analysis_tables import plain
from gramarye.report.figures import locality
from tests.grammars import G1

SMALL: dict[str, Any] = {"bases": 12, "neighbours": 3, "sample": 30, "seed": 2, "workers": 1}
FIGURES = {"outcomes", "distances", "causality", "places-changed", "places-distance", "frequencies"}


@pytest.fixture(scope="module")
def analysis() -> gm.Analysis:
    problem = gm.problems.load("quartic")
    methods = [gm.PGE(population=30, generations=3), gm.SGE(population=30, generations=3, initial_depth=3, max_depth=5)]
    return gm.analyse(problem.grammar, methods, problem=problem, generations=(0, 2), **SMALL)


@pytest.fixture(scope="module")
def bare() -> gm.Analysis:
    """Without runs, and with a method that is never valid."""
    grammar = gm.Grammar.from_text("<e> ::= <v> <v>\n<v> ::= x | y")
    return gm.analyse(grammar, [gm.GE(codons=1), "ge", "sge"], **SMALL)


def test_the_table_has_a_row_for_each_method(analysis: gm.Analysis) -> None:
    assert analysis.table.columns["method"] == ("PGE", "SGE")
    assert analysis.table.columns["valid"][1] == 1
    assert str(analysis) == str(analysis.table)
    assert analysis._repr_html_().startswith("<figure")
    assert repr(analysis) == "Analysis(quartic, seed 2: PGE, SGE)"


def test_all_tables(analysis: gm.Analysis, bare: gm.Analysis) -> None:
    names = [table.name for table in analysis.tables]
    assert names == ["locality", "causality", "operators", "redundancy", "runs", "intervals"]
    runs = analysis.tables[4].columns
    assert runs["generation"] == (0, 2, 0, 2)
    assert [table.name for table in bare.tables] == ["locality", "causality", "operators", "redundancy", "intervals"]
    assert bare.table.columns["method"] == ("GE", "GE 2", "SGE")
    assert bare.table.columns["neutral"][0] is None


def test_from_trees_there_is_no_redundancy() -> None:
    found = gm.analyse(gm.Grammar.from_text(G1), ["ge", "pge"], source="trees", **SMALL)
    assert [table.name for table in found.tables] == ["locality", "causality", "operators", "intervals"]
    assert set(found.figures()) == FIGURES - {"frequencies"}


def test_figures_are_drawn_of_what_there_is(analysis: gm.Analysis, bare: gm.Analysis) -> None:
    assert set(analysis.figures()) == FIGURES | {"runs", "fitness"}
    assert set(bare.figures()) == FIGURES


def test_everything_is_written(analysis: gm.Analysis, tmp_path: Path) -> None:
    written = analysis.write(tmp_path / "new")
    assert all(path.stat().st_size > 0 for path in written)
    assert {path.stem for path in written if path.suffix == ".png"} == FIGURES | {"runs", "fitness"}
    document = json.loads((tmp_path / "new" / "analysis.json").read_text(encoding="utf-8"))
    assert document == json.loads(json.dumps(plain(analysis.facts())))
    assert document["problem"] == "quartic"
    assert [each["method"] for each in document["methods"]] == ["PGE", "SGE"]
    with (tmp_path / "new" / "intervals.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    neutral = next(row for row in rows if (row["method"], row["measure"]) == ("PGE", "neutrality"))
    assert float(neutral["estimate"]) == analysis.found[0]["neutrality"].estimate
    assert float(neutral["low"]) <= float(neutral["estimate"]) <= float(neutral["high"])


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    texts = []
    for _ in range(2):
        found = gm.analyse(gm.Grammar.from_text(G1), ["pge"], **SMALL)
        texts.append("".join(table.to_csv() for table in found.tables))
    assert texts[0] == texts[1]


def test_a_folder_that_can_not_be_written_is_told(analysis: gm.Analysis, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(OutputError, match="can't be written"):
        analysis.write(tmp_path / "taken")
    (tmp_path / "folder" / "analysis.json").mkdir(parents=True)
    with pytest.raises(OutputError, match=r"analysis\.json: can't be written"):
        analysis.write(tmp_path / "folder")


def test_who_watches_sees_the_end() -> None:
    told: list[tuple[int, int, str]] = []
    gm.analyse(gm.Grammar.from_text(G1), ["ge"], watch=lambda *what: told.append(what), **SMALL)
    assert told[0][0] == 0
    assert told[-1][0] == told[-1][1] == 6
    assert told[-1][2] == "done"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"source": "nowhere"}, "source is 'nowhere': it must be one of 'random', 'trees'"),
        ({"bases": 0}, "bases is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"workers": 0}, "workers is 0"),
        ({"problem": gm.problems.load("pagie")}, "the problem pagie has another grammar"),
    ],
)
def test_bad_settings_are_told(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as error:
        gm.analyse(gm.Grammar.from_text(G1), ["ge"], **(SMALL | changes))
    assert message in str(error.value)


@pytest.mark.parametrize("methods", ["pge", [], gm.PGE(), 3])
def test_methods_are_a_list(methods: Any) -> None:
    with pytest.raises(SettingsError, match="methods is"):
        labelled(methods)
    with pytest.raises(SettingsError, match=r"give gm\.Grammar"):
        gm.analyse("<s> ::= x", ["ge"])  # type: ignore[arg-type]


def test_all_methods_are_meant_where_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gramarye.report.analysis.METHODS", {"ge": gm.GE})
    found = gm.analyse(gm.Grammar.from_text(G1), bases=4, neighbours=1, seed=1)
    assert [each.label for each in found.found] == ["GE"]
    assert found.plan.sample == 20


def test_points_that_lie_on_one_another_share_a_label() -> None:
    points = [locality.Points(name, [x], [y]) for name, x, y in (("A", 0, 0), ("B", 0.001, 0), ("C", 1, 1))]
    assert [text for text, _ in locality._merged(points)] == ["A, B", "C"]


def test_figures_of_nothing_are_drawn_all_the_same() -> None:
    assert locality.outcomes([], [])
    assert locality.steps([])
    assert locality.small_panels([], "x", "y")
    assert locality.along_runs([("nothing", [])], [])
    assert locality.scatter([], "x", "y")
