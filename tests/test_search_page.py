"""The page on the search is what its runs make of it, and these runs still end as they did."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import gramarye as gm

ROOT = Path(__file__).parents[1]
MAKER = runpy.run_path(str(ROOT / "tests" / "pages" / "make_search.py"))
STUDY = runpy.run_path(str(ROOT / "docs" / "experiments" / "search.py"))


def test_the_page_is_what_its_runs_make_of_it() -> None:
    page = (ROOT / "docs" / "search.md").read_text(encoding="utf-8")
    assert MAKER["page"]() == page, "write it again: python tests/pages/make_search.py"
    assert not re.findall(r"\{[a-z].*?\}", page), "a table has no name of this kind"


def test_the_runs_are_those_of_the_study() -> None:
    kept = {(row["task"], row["method"], int(row["seed"])) for row in MAKER["rows"]("search")}
    seeds = range(1, STUDY["RUNS"] + 1)
    assert kept == {(task, method, seed) for task in STUDY["TASKS"] for method in STUDY["METHODS"] for seed in seeds}


def test_the_default_of_the_method_is_one_of_the_study() -> None:
    assert STUDY["METHODS"]["base"] == gm.TunedTrees(max_evaluations=STUDY["EVALUATIONS"])
    assert {method.max_evaluations for method in STUDY["METHODS"].values()} == {STUDY["EVALUATIONS"]}


@pytest.mark.slow
@pytest.mark.parametrize(("method", "seed"), [("base", 1), ("one term", 2)])
def test_a_run_still_ends_as_it_did(method: str, seed: int) -> None:
    """On Pagie, whose data have the same bits on every machine."""
    run = gm.evolve(STUDY["problem"]("pagie"), STUDY["METHODS"][method], seed)
    (kept,) = [
        row
        for row in MAKER["rows"]("search")
        if (row["task"], row["method"], row["seed"]) == ("pagie", method, str(seed))
    ]
    assert run.best.fitness == float(kept["train"])
    assert run.evaluations == int(kept["evaluations"])
