"""The page on the benchmark is what its results make of it."""

from __future__ import annotations

import re
import runpy
from itertools import product
from pathlib import Path

import pytest

from benchmarks.methods import METHODS
from benchmarks.regression import FIRST_SEED, SEEDS
from benchmarks.results import Result, read
from benchmarks.tasks import tasks

ROOT = Path(__file__).parents[1]
MAKER = runpy.run_path(str(ROOT / "tests" / "pages" / "make_benchmark.py"))


FITS = read(MAKER["FITS"])
ALL = {
    (task.name, task.noise, name, seed)
    for task, name, seed in product(tasks(), METHODS, range(FIRST_SEED, FIRST_SEED + SEEDS))
}


def test_the_page_is_what_its_results_make_of_it() -> None:
    if {fit.key for fit in FITS} != ALL:
        assert not MAKER["PAGE"].exists(), "the page has no results"
        pytest.skip(f"{len(FITS)} of {len(ALL)} fits of the benchmark have been made")
    made = MAKER["page"](FITS, read(MAKER["LONG_FITS"]))
    assert made == MAKER["PAGE"].read_text(encoding="utf-8"), "write it again: python tests/pages/make_benchmark.py"


def test_the_readme_says_what_the_page_says() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    wins = re.findall(r"(\d+) wins, (\d+) ties and (\d+) losses against pyoperon", readme)
    assert f"| pyoperon, one objective | {' : '.join(*wins)} |" in MAKER["PAGE"].read_text(encoding="utf-8")
    physics = [fit.is_recovered for fit in FITS if (fit.family, fit.method) == ("physics", "gramarye")]
    assert f"{100 * sum(physics) / len(physics):.0f} % of the fits of {len(physics) // 2 // SEEDS} physics" in readme
    assert f"{len({fit.task for fit in FITS})} regression tasks" in readme


def test_each_fit_of_the_benchmark_is_made_once() -> None:
    keys = [fit.key for fit in FITS]
    assert len(keys) == len(set(keys))
    assert set(keys) <= ALL


def test_a_page_of_few_results_has_all_its_tables() -> None:
    fits = [
        Result("I.14.3", "physics", noise, method, seed, 5.0, 4.9, 1.0, 1.0, 7, "yes", f"{method} 1, numpy 2", "x0")
        for noise, method, seed in product((0.0, 0.01), METHODS, (1, 2))
    ]
    made = MAKER["page"](fits, [])
    assert not re.findall(r"\{[a-z].*?\}", made)
    assert "fits 1 tasks with gramarye" in made
    assert "2 instances (a task at one level of noise), 2 seeds" in made
    assert "| DEAP | 0 : 2 : 0 |" in made
    assert "These fits have not been made." in made
    assert "| I.14.3, noise 0.01 | 1.0000 / 7 (2) |" in made
