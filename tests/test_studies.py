"""Pages on studies are what the program makes of the runs that were kept, and these runs still end as they did."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import gramarye as gm
from gramarye.experiment import Experiment, read_experiment

ROOT = Path(__file__).parents[1]
EXPERIMENTS = ROOT / "docs" / "experiments"
MAKER = runpy.run_path(str(ROOT / "tests" / "pages" / "make_studies.py"))
STUDIES = (*MAKER["STUDIES"], "learning-rules-again")


def experiment(study: str) -> Experiment:
    """The experiment that the file beside the runs describes."""
    if (EXPERIMENTS / f"{study}.toml").exists():
        return read_experiment(EXPERIMENTS / f"{study}.toml")
    made: dict[str, Any] = runpy.run_path(str(EXPERIMENTS / f"{study}.py"))
    return Experiment(made["METHODS"], {p.name: p for p in made["PROBLEMS"]}, made["RUNS"], made.get("SEED", 1))


@pytest.mark.parametrize("study", MAKER["STUDIES"])
def test_a_page_is_what_its_runs_make_of_it(study: str) -> None:
    page = (ROOT / "docs" / f"{study}.md").read_text(encoding="utf-8")
    assert MAKER["page"](study) == page, "write it anew: python tests/pages/make_studies.py"
    assert not re.findall(r"\{[a-z].*?\}", page), "a table has no name of this kind"


@pytest.mark.parametrize("study", STUDIES)
def test_the_runs_are_those_of_the_experiment(study: str) -> None:
    planned = experiment(study)
    kept = [(row["problem"], row["method"], int(row["seed"])) for row in MAKER["runs"](study)]
    assert kept == [(problem, method, seed) for method, problem in planned.grid for seed in planned.seeds]


def test_twelve_methods_are_compared_as_they_come() -> None:
    planned = experiment("twelve")
    assert len({type(method) for method in planned.methods.values()}) == 12
    assert [method for method in planned.methods.values() if method != type(method)()] == []


@pytest.mark.parametrize("study", MAKER["STUDIES"])
def test_the_page_names_every_method_and_has_the_experiment_s_settings(study: str) -> None:
    planned, page = experiment(study), (ROOT / "docs" / f"{study}.md").read_text(encoding="utf-8")
    assert all(f"| {method} | " in page for method in planned.methods)
    assert {(m.population, m.generations) for m in planned.methods.values()} == {(1000, 50)}
    assert "1000 individuals" in page
    assert "50\ngenerations" in page or "50 generations" in page
    assert f"{planned.runs} runs" in page
    assert f"seeds {planned.seed}" in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("study", "method", "problem"),
    [
        *(("twelve", method, "pagie") for method in experiment("twelve").methods),
        ("twelve", "PGE", "boston"),
        ("learning-rules", "frequencies", "boston"),
        ("learning-rules", "bounded", "pagie"),
        ("learning-rules-again", "PGE", "pagie"),
        ("selection", "CFGGP sampled", "boston"),
        ("selection", "PGE epsilon", "pagie"),
    ],
)
def test_a_run_ends_as_it_did(study: str, method: str, problem: str) -> None:
    planned = experiment(study)
    wanted = next(r for r in MAKER["runs"](study) if (r["method"], r["problem"]) == (method, problem))
    run = gm.evolve(planned.problems[problem], planned.methods[method], seed=int(wanted["seed"]))
    assert run.best.fitness == float(wanted["fitness"])
    assert run.evaluations == int(wanted["evaluations"])
    assert not wanted["test"] or run.best.test_fitness == float(wanted["test"])


def test_pge_of_the_study_of_rules_is_pge_itself() -> None:
    of_twelve = {(r["problem"], r["seed"]): r["fitness"] for r in MAKER["runs"]("twelve") if r["method"] == "PGE"}
    of_rules = {
        (r["problem"], r["seed"]): r["fitness"] for r in MAKER["runs"]("learning-rules") if r["method"] == "PGE"
    }
    assert of_twelve == of_rules
