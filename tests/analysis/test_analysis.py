from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import gramarye as gm
from gramarye.analysis.analysis import labelled
from gramarye.analysis.findings import report_page
from gramarye.analysis.locality_tables import compact
from gramarye.errors import OutputError, SettingsError
from gramarye.records.document import plain
from gramarye.show.figures import locality
from gramarye.show.figures.theme import Line
from gramarye.show.report import Material
from gramarye.statistics import Interval
from tests.grammars import G1

SMALL: dict[str, Any] = {"bases": 12, "neighbours": 3, "sample": 30, "seed": 2, "threads": 1}
RUNS = {"runs-quartic", "places-in-quartic", "fitness"}
FIGURES = {"outcomes", "distances", "causality", "places-changed", "places-distance", "frequencies"}


@pytest.fixture(scope="module")
def analysis() -> gm.analysis.Analysis:
    problem = gm.problems.load("quartic")
    methods = [gm.PGE(population=30, generations=3), gm.SGE(population=30, generations=3, initial_depth=3, max_depth=5)]
    return gm.analyse(problem.grammar, methods, problem=problem, generations=(0, 2), **SMALL)


@pytest.fixture(scope="module")
def bare() -> gm.analysis.Analysis:
    """Without runs, and with a method that is never valid."""
    grammar = gm.Grammar.from_text("<e> ::= <v> <v>\n<v> ::= x | y")
    return gm.analyse(grammar, [gm.GE(codons=1), "ge", "sge"], **SMALL)


def test_the_table_has_a_row_for_each_method(analysis: gm.analysis.Analysis) -> None:
    assert analysis.table.columns["method"] == ("PGE", "SGE")
    assert analysis.table.columns["valid"][1] == "100±0"
    assert str(analysis) == str(analysis.table)
    assert analysis._repr_html_().startswith("<figure")
    assert repr(analysis) == "Analysis(quartic, seed 2: PGE, SGE)"


def test_all_tables(analysis: gm.analysis.Analysis, bare: gm.analysis.Analysis) -> None:
    names = [table.name for table in analysis.tables]
    always = ["overview", "locality", "distances", "causality", "operators", "redundancy"]
    assert names == [*always, "runs", "behaviour", "intervals"]
    assert analysis.tables[6].columns["generation"] == (0, 2, 0, 2)
    assert set(analysis.tables[7].columns["problem"]) == {"quartic"}
    assert [table.name for table in bare.tables] == [*always, "intervals"]
    assert bare.table.columns["method"] == ("GE", "GE 2", "SGE")
    assert bare.table.columns["neutral"][0] is None


def test_from_trees_there_is_no_redundancy() -> None:
    found = gm.analyse(gm.Grammar.from_text(G1), ["ge", "pge"], source="trees", **SMALL)
    assert "redundancy" not in [table.name for table in found.tables]
    assert set(found.figures()) == FIGURES - {"frequencies"}


def test_figures_are_drawn_of_what_there_is(analysis: gm.analysis.Analysis, bare: gm.analysis.Analysis) -> None:
    assert set(analysis.figures()) == FIGURES | RUNS
    assert set(bare.figures()) == FIGURES


def test_everything_is_written(analysis: gm.analysis.Analysis, tmp_path: Path) -> None:
    written = analysis.write(tmp_path / "new")
    assert all(path.stat().st_size > 0 for path in written)
    assert {path.stem for path in written if path.suffix == ".png"} == FIGURES | RUNS
    page = (tmp_path / "new" / "report.html").read_text(encoding="utf-8")
    assert all(f'id="figure-{name}"' in page for name in FIGURES | RUNS)
    document = json.loads((tmp_path / "new" / "analysis.json").read_text(encoding="utf-8"))
    assert document == json.loads(json.dumps(plain(analysis.facts())))
    assert (document["format"], document["version"]) == ("gramarye-analysis", 1)
    assert document["problems"] == ["quartic"]
    assert [each["method"] for each in document["methods"]] == ["PGE", "SGE"]
    with (tmp_path / "new" / "tables" / "intervals.csv").open(encoding="utf-8") as file:
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


def test_a_folder_that_can_not_be_written_is_told(
    analysis: gm.analysis.Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gm.analysis.Analysis, "figures", lambda _: {})  # drawing them takes long
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(OutputError, match="can't be written"):
        analysis.write(tmp_path / "taken")
    (tmp_path / "folder" / "analysis.json").mkdir(parents=True)
    with pytest.raises(OutputError, match=r"analysis\.json: can't be written"):
        analysis.write(tmp_path / "folder")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "figures").write_text("", encoding="utf-8")
    with pytest.raises(OutputError, match="figures: can't be written"):
        analysis.write(tmp_path / "other")


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
        ({"threads": 0}, "threads is 0"),
        ({"problem": gm.problems.load("pagie")}, "the problem pagie has another grammar"),
        ({"problem": [gm.problems.load("pagie")] * 2}, "two problems are called pagie"),
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
    monkeypatch.setattr("gramarye.analysis.analysis.PUBLISHED", {"ge": gm.GE})
    found = gm.analyse(gm.Grammar.from_text(G1), bases=4, neighbours=1, seed=1)
    assert [each.label for each in found.found] == ["GE"]
    assert found.plan.sample == 20


def test_points_that_lie_on_one_another_share_a_label() -> None:
    points = [Line(name, [x], [y]) for name, x, y in (("A", 0, 0), ("B", 0.001, 0), ("C", 1, 1))]
    assert [text for text, _ in locality.merged(points)] == ["A, B", "C"]


def test_a_label_stands_to_the_left_where_another_point_is_close_to_the_right() -> None:
    labels = [("A", (0.0, 0.0)), ("B", (0.1, 0.01)), ("C", (1.0, 1.0))]
    assert [locality.crowded(place, labels) for _, place in labels] == [True, False, False]


def test_figures_of_nothing_are_drawn_all_the_same() -> None:
    assert locality.outcomes([], []) is not None
    assert locality.steps([]) is not None
    assert locality.small_panels([], "x", "y") is not None
    assert locality.along_runs([("nothing", [])], []) is not None
    assert locality.scatter({}, "x", "y") is not None
    assert locality.heat([], "x") is not None


def test_many_methods_have_a_panel_each() -> None:
    lines = [Line(str(k), [1, 2, 10 + k], [0.5, 0.7, 1.0]) for k in range(7)]
    assert len(locality.steps(lines).axes) == 7
    assert len(locality.steps(lines[:6]).axes) == 1


@pytest.mark.parametrize(
    ("value", "name", "text", "narrow"),
    [
        ((0.5, 0.48, 0.53), "neutrality", "50±3", "50±3"),
        ((0.966, 0.962, 0.97), "neutrality", "96.6±0.4", "97±0"),
        ((1.0, 1.0, 1.0), "validity", "100±0", "100±0"),
        ((12.74, 12.0, 13.4), "gap", "12.7±0.7", "12.7±0.7"),
        ((0.2, 0.17, 0.23), "pearson", "0.20±0.03", "0.20±0.03"),
        ((150.0, 120.0, 170.0), "ceiling", "150±30", "150±30"),
        ((2.0, None, None), "gap", "2.00", "2.00"),
        ((None, None, None), "gap", None, None),
    ],
)
def test_numbers_with_their_intervals_are_short(
    value: tuple[float | None, ...], name: str, text: str | None, narrow: str | None
) -> None:
    interval = Interval(value[0], value[1], value[2], 0.95, "")
    assert (compact(interval, name), compact(interval, name, narrow=True)) == (text, narrow)
    assert compact(None, name) is None


def test_several_problems_have_their_own_grammars() -> None:
    problems = [gm.problems.load("quartic"), gm.problems.load("pagie")]
    method = gm.PGE(population=10, generations=1)
    found = gm.analyse(problems[0].grammar, [method], problem=problems, **SMALL)
    assert [each.problem for each in found.runs] == ["quartic", "pagie"]
    assert {"runs-quartic", "runs-pagie", "places-in-pagie"} <= set(found.figures())


def test_what_can_not_be_measured_is_told() -> None:
    grammar = gm.Grammar.from_text(G1)
    found = gm.analyse(grammar, ["whge", "ge"], source="trees", **SMALL)
    assert found.left_out == {"WHGE": "whge cannot encode programs as genotypes; use another method"}
    assert "cannot encode" in found.facts()["left_out"]["WHGE"]
    with pytest.raises(SettingsError, match="WHGE: whge cannot encode programs as genotypes"):
        gm.analyse(grammar, ["whge"], source="trees", **SMALL)


def test_a_method_that_can_not_run_on_a_problem_is_left_out_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> list[Any]:
        raise SettingsError("too much")

    monkeypatch.setattr("gramarye.analysis.analysis.follow", fails)
    problem = gm.problems.load("quartic")
    found = gm.analyse(problem.grammar, [gm.GE(population=10, generations=1)], problem=problem, **SMALL)
    assert found.left_out == {"GE": "too much"}
    assert found.runs == ()
    assert "too much" in report_page(found, Material(found.tables, {}))


@pytest.mark.parametrize("text", ["<s> ::= x", "<s> ::= <a>\n<a> ::= <b>\n<b> ::= x y", "<s> ::= x | y"])
def test_grammars_with_hardly_a_choice_are_measured(text: str) -> None:
    """All methods: none may fail where there is nothing to change."""
    found = gm.analyse(gm.Grammar.from_text(text), bases=4, neighbours=2, seed=1, threads=1)
    assert len(found.found) + len(found.left_out) == len(gm.methods.PUBLISHED)
    assert str(found)


def test_figures_of_a_grammar_without_a_choice_are_drawn() -> None:
    found = gm.analyse(gm.Grammar.from_text("<s> ::= x"), ["pge", "sge", "cfggp"], bases=4, neighbours=2, seed=1)
    assert len(found.figures()) == len(FIGURES)
