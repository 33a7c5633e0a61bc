"""The report of an experiment as a whole, in a real browser."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gramarye as gm
from gramarye.comparison.comparison import Comparison
from gramarye.comparison.report_files import check_extras
from gramarye.errors import MissingExtraError, OutputError
from gramarye.experiment import Experiment, carry_out
from gramarye.store import Results, Store
from gramarye.studies.pge2021.plan import paper_experiment
from gramarye.studies.pge2021.report import grid_sections, headlines, write_reproduction
from gramarye.studies.pge2021.runs import collect
from tests.browser import Browser, chromium

HOSTILE = "<script>document.title = 'gone'</script>"


def small_paper(runs: int = 3) -> Experiment:
    """The paper's experiment with small populations."""
    paper = paper_experiment(runs)
    settings: dict[str, Any] = {"population": 40, "generations": 6}
    return Experiment(
        {label: type(method)(**settings) for label, method in paper.methods.items()},
        paper.problems,
        runs,
        name=f"small {HOSTILE}",
        paper=True,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    with Store(folder / "results.db") as store:
        carry_out(small_paper(), store, workers=1)
        write_reproduction(Comparison(store.results()), folder)
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as started:
        yield started


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1280])
def test_a_report_opens_offline_at_every_width(folder: Path, browser: Browser, width: int) -> None:
    browser.open(folder / "report.html", width)
    assert browser.console() == []
    assert browser.requests() == [(folder / "report.html").resolve().as_uri()]
    assert browser.overflow() <= 0
    figures = browser.all(".card svg")
    assert len(figures) == 11  # progress 2, runs 3, ranks, effects, fronts 2, probabilities 2
    for figure in figures:
        assert figure.size["width"] > 0.75 * min(width, 500)
        assert figure.size["height"] > 50
        assert figure.location["x"] + figure.size["width"] <= width
    assert browser.driver.title == f"small {HOSTILE}"


@pytest.mark.slow
def test_the_tables_of_a_report_sort(folder: Path, browser: Browser) -> None:
    browser.open(folder / "report.html")
    names = browser.texts("figure.table table thead")
    which = next(i for i, text in enumerate(names) if "Median" in text and "Paper" in text)
    table = browser.all("figure.table table")[which]
    heads = [head.text for head in table.find_elements("css selector", "th")]
    column = heads.index("Mean")
    table.find_elements("css selector", "th button")[column].click()
    cells = [
        row.find_elements("css selector", "td")[column].text for row in table.find_elements("css selector", "tbody tr")
    ]
    assert len(cells) == 9
    assert [float(cell) for cell in cells] == sorted(float(cell) for cell in cells)


def test_a_report_carries_its_seeds_settings_versions_and_machine(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    for text in ("seeds 1 to 3", "tournament", "numba", "processor", "&lt;pre_op&gt;", "Boston"):
        assert text in page
    assert set(re.findall(r"https?://[^/\s\"']+", page)) <= {"http://www.w3.org"}  # names of SVG, never fetched


def test_the_paper_comes_first_in_its_reproduction(folder: Path) -> None:
    with Results.open(folder / "results.db") as results:
        tables, words = headlines(grid_sections(collect(results)))
        assert list(tables[0].columns) == ["Data", "Method", "Mean", "SD", "Paper", "Verdict"]
        assert "it can't be told" in words[0]
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.index("Mean best fitness beside the paper") < page.index("What was learned")


@pytest.mark.usefixtures("unpainted")
def test_the_report_of_an_experiment_without_a_finished_run_is_a_page_too(tmp_path: Path) -> None:
    experiment = small_paper(1)
    with Store() as store:
        store.plan(experiment.facts, experiment.cells(), experiment.seeds)
        page, tables, _ = write_reproduction(Comparison(store.results()), tmp_path)
    assert "6 runs still to be done" in page.read_text(encoding="utf-8")
    assert tables == []


@pytest.mark.usefixtures("unpainted")
def test_a_report_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    (tmp_path / "figures").write_text("in the way", encoding="utf-8")
    found = gm.compare([gm.GE(population=10, generations=1)], [gm.problems.load("quartic")], runs=1, workers=1)
    with pytest.raises(OutputError, match=r"can't be written \(File exists\)"):
        found.write(tmp_path)
    (tmp_path / "figures").unlink()
    (tmp_path / "tables").write_text("in the way", encoding="utf-8")
    with pytest.raises(OutputError, match="tables"):
        found.write(tmp_path)


@pytest.mark.parametrize(("package", "name"), [("scipy", "SciPy"), ("matplotlib", "Matplotlib")])
def test_a_missing_extra_is_told_before_anything_runs(monkeypatch: pytest.MonkeyPatch, package: str, name: str) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda wanted: None if wanted == package else find(wanted))
    with pytest.raises(MissingExtraError, match=rf"{name} is not installed: pip install 'gramarye\[report\]'"):
        check_extras()
    with pytest.raises(MissingExtraError):
        gm.compare([gm.GE()], [gm.problems.load("pagie")], runs=10**6)
