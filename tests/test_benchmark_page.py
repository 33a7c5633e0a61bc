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


def test_the_page_is_what_its_results_make_of_it() -> None:
    if not MAKER["FITS"].exists():
        assert not MAKER["PAGE"].exists(), "the page has no results"
        pytest.skip("the benchmark has not been run yet")
    made = MAKER["page"](read(MAKER["FITS"]), read(MAKER["LONG_FITS"]))
    assert made == MAKER["PAGE"].read_text(encoding="utf-8"), "write it again: python tests/pages/make_benchmark.py"


def test_the_results_are_those_of_the_whole_benchmark() -> None:
    if not MAKER["FITS"].exists():
        pytest.skip("the benchmark has not been run yet")
    seeds = range(FIRST_SEED, FIRST_SEED + SEEDS)
    keys = [fit.key for fit in read(MAKER["FITS"])]
    assert len(keys) == len(set(keys))
    assert set(keys) == {(task.name, task.noise, name, seed) for task, name, seed in product(tasks(), METHODS, seeds)}


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
