"""Tuned trees against pyoperon at equal processor time: `python -m bench.search RESULTS.csv`.

Tasks and grammar are those of docs/experiments/search.py, with other seeds. Results are appended to the file, and fits
that are in it already are not made again.
"""

from __future__ import annotations

import argparse
import csv
import functools
import math
import multiprocessing
import runpy
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.methods import Budget
from benchmarks.methods.operon import stopped_by

Floats = NDArray[np.float64]
STUDY = Path(__file__).parents[1] / "docs" / "experiments" / "search.py"
COLUMNS = ("task", "method", "seed", "seconds", "train", "test", "picked", "size", "formula")
FIRST_SEED = 100
WARMING_UP = 12  # generations


class Fit(NamedTuple):
    """What a method has found."""

    seconds: float
    best: Callable[[Floats], Floats]  # the model with the least training error
    picked: Callable[[Floats], Floats]  # the model that the method recommends
    size: int  # of the latter, in nodes
    formula: str


@functools.cache
def study() -> dict[str, Any]:
    """Tasks and grammar."""
    return runpy.run_path(str(STUDY))


def tuned_trees(X: Floats, y: Floats, seed: int, seconds: float) -> Fit:
    """The method with its defaults."""
    import gramarye as gm

    problem = gm.Regression(X, y, study()["grammar"](X.shape[1]))
    method = gm.TunedTrees(max_evaluations=None, generations=10**6)
    gm.evolve(problem, gm.TunedTrees(generations=WARMING_UP), seed)  # compiles what is not kept yet
    begun = time.process_time()
    evolution = gm.Evolution(problem, method, seed)
    for _ in evolution:
        if time.process_time() - begun >= seconds:
            break
    run = evolution.run
    spent = time.process_time() - begun
    return Fit(spent, run.best.predict, run.picked.predict, run.picked.nodes, str(run.picked.formula))


def operon(X: Floats, y: Floats, seed: int, seconds: float, **settings: Any) -> Fit:
    """The regressor of pyoperon, stopped after the generation in which the processor time is over."""
    from pyoperon.sklearn import SymbolicRegressor

    model = SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,constant,variable,sin,cos,exp,logabs,sqrtabs,square",
        max_length=50,
        generations=10**6,
        max_evaluations=10**9,
        epsilon=1e-14,
        random_state=seed,
        n_threads=1,
        **settings,
    )
    budget = Budget(seconds)
    with stopped_by(budget):
        model.fit(X, y)
    best = min(model.pareto_front_, key=lambda found: found["mean_squared_error"])["tree"]

    def predictions(tree: Any) -> Callable[[Floats], Floats]:
        return lambda X: np.asarray(model.evaluate_model(tree, X), np.float64)

    formula = model.get_model_string(model.model_, 6)
    return Fit(budget.spent, predictions(best), predictions(model.model_), model.model_.Length, formula)


METHODS: dict[str, Callable[..., Fit]] = {
    "TunedTrees": tuned_trees,
    "pyoperon, one objective": functools.partial(
        operon, population_size=200, optimizer_iterations=10, objectives=["r2"]
    ),
    "pyoperon, NSGA-II": functools.partial(
        operon, population_size=500, optimizer_iterations=3, objectives=["r2", "length"]
    ),
}


def error(predict: Callable[[Floats], Floats], X: Floats, y: Floats) -> float:
    """The root relative squared error; infinite where a prediction is not finite."""
    with np.errstate(all="ignore"):
        found = math.sqrt(float(((predict(X) - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()))
    return found if math.isfinite(found) else math.inf


def measured(job: tuple[str, str, int, float]) -> dict[str, Any]:
    """One fit, as a row of the results."""
    task, method, seed, seconds = job
    table = study()["TASKS"][task](seed)
    fit = METHODS[method](*table.train, seed, seconds)
    return {
        "task": task,
        "method": method,
        "seed": seed,
        "seconds": round(fit.seconds, 2),
        "train": error(fit.best, *table.train),
        "test": error(fit.best, *table.test),
        "picked": error(fit.picked, *table.test),
        "size": fit.size,
        "formula": fit.formula,
    }


def jobs(seeds: int, seconds: float, done: set[tuple[str, str, str]]) -> Iterator[tuple[str, str, int, float]]:
    """What is left to do, seed by seed, so that what there is can be compared at any time."""
    for seed in range(FIRST_SEED, FIRST_SEED + seeds):
        for task in study()["TASKS"]:
            for method in METHODS:
                if (task, method, str(seed)) not in done:
                    yield task, method, seed, seconds


def main() -> None:
    """Make the fits that are missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    done: set[tuple[str, str, str]] = set()
    if given.results.exists():
        with given.results.open(encoding="utf-8", newline="") as file:
            done = {(row["task"], row["method"], row["seed"]) for row in csv.DictReader(file)}
    with (
        given.results.open("a", encoding="utf-8", newline="") as file,
        multiprocessing.get_context("spawn").Pool(given.workers) as pool,
    ):
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if not done:
            writer.writeheader()
        for row in pool.imap_unordered(measured, jobs(given.seeds, given.seconds, done)):
            writer.writerow(row)
            file.flush()
            print(*(row[name] for name in COLUMNS[:-1]), flush=True)


if __name__ == "__main__":
    main()
