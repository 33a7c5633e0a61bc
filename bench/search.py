"""Our search against pyoperon at equal processor time: `python -m bench.search RESULTS.csv [--seconds 5] [--seeds 5]`.

Tasks on which the defaults of `TunedTrees` were chosen; results are appended, and what is there already is not run again.
"""

from __future__ import annotations

import argparse
import csv
import math
import multiprocessing
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
COLUMNS = ("task", "method", "seed", "seconds", "train", "test", "size", "formula")


class Table(NamedTuple):
    """Rows to learn from, and others to test on."""

    X: Floats
    y: Floats
    test_X: Floats
    test_y: Floats


def drawn(formula: Callable[[Floats], Floats], low: Any, high: Any, rows: int = 500, noise: float = 0.0) -> Any:
    """A task whose variables are drawn uniformly between bounds; the noise is a share of the target's spread."""

    def make(seed: int) -> Table:
        rng = np.random.default_rng(seed)
        low_, high_ = np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float))
        X = rng.uniform(low_, high_, (2 * rows, len(low_)))
        y = formula(X.T)
        y = y + noise * y.std() * rng.normal(size=len(y)) * (np.arange(len(y)) < rows)
        return Table(X[:rows], y[:rows], X[rows:], y[rows:])

    return make


def _pagie(seed: int) -> Table:
    def formula(X: Floats) -> Floats:
        return 1 / (1 + X[:, 0] ** -4) + 1 / (1 + X[:, 1] ** -4)

    axis = np.arange(-5, 5.2, 0.4)
    grid = np.array([(a, b) for a in axis for b in axis])
    other = np.random.default_rng(seed).uniform(-5, 5, (676, 2))
    return Table(grid, formula(grid), other, formula(other))


def _keijzer(seed: int) -> Table:
    sums = np.cumsum(1 / np.arange(1.0, 121))
    x = np.arange(1.0, 121)[:, None]
    return Table(x[:50], sums[:50], x, sums)


def _diabetes(seed: int) -> Table:
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:331], order[331:]
    return Table(X[train], y[train], X[test], y[test])


TASKS: dict[str, Callable[[int], Table]] = {
    "pagie": _pagie,
    "nguyen7": drawn(lambda x: np.log(x[0] + 1) + np.log(x[0] ** 2 + 1), [0], [2], 100),
    "keijzer6": _keijzer,
    "vlad4": drawn(lambda x: 10 / (5 + ((x - 3) ** 2).sum(0)), [0.05] * 5, [6.05] * 5, 1024),
    "friedman1": drawn(
        lambda x: 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4],
        [0] * 10, [1] * 10, noise=0.2,
    ),  # fmt: skip
    "newton": drawn(
        lambda x: x[0] * x[1] / ((x[3] - x[2]) ** 2 + (x[5] - x[4]) ** 2 + (x[7] - x[6]) ** 2),
        [1, 1, 3, 1, 3, 1, 3, 1], [2, 2, 4, 2, 4, 2, 4, 2],
    ),  # fmt: skip
    "relsum": drawn(lambda x: (x[0] + x[1]) / (1 + x[0] * x[1] / x[2] ** 2), [1, 1, 1], [5, 5, 5]),
    "diabetes": _diabetes,
    "korns7": drawn(lambda x: 213.80940889 * (1 - np.exp(-0.54723748542 * x[0])), [0] * 5, [10] * 5),
    "planck": drawn(
        lambda x: x[0] ** 3 / (np.exp(x[0] / x[1]) - 1), [1, 1], [5, 5]
    ),
    "gauss2": drawn(
        lambda x: np.exp(-(((x[0] - x[1]) / x[2]) ** 2) / 2) / (np.sqrt(2 * np.pi) * x[2]), [1, 1, 1], [3, 3, 3]
    ),
    "kinetic": drawn(
        lambda x: x[0] * (x[1] ** 2 + x[2] ** 2 + x[3] ** 2) / 2, [1] * 4, [5] * 4, noise=0.05
    ),
}  # fmt: skip


def rrse(predicted: Floats, y: Floats) -> float:
    """The root relative squared error; infinite where a prediction is not finite."""
    with np.errstate(all="ignore"):
        error = math.sqrt(((predicted - y) ** 2).sum() / ((y - y.mean()) ** 2).sum())
    return error if math.isfinite(error) else math.inf


class Result(NamedTuple):
    """What a fit has found."""

    seconds: float
    predict: Callable[[Floats], Floats]
    size: int
    formula: str


FUNCTIONS = ("sin", "cos", "exp", "log", "psqrt", "square")


def default_grammar(columns: int) -> Any:
    """One recursive rule, with weights."""
    import gramarye as gm

    weights = {f"(<e> {sign} <e>)": 1.0 for sign in "+-*/"}
    weights |= {f"{name}(<e>)": 0.25 for name in FUNCTIONS}
    weights |= {"<x>": 2.5, "<const>": 1.0}
    total = sum(weights.values())
    rule = " | ".join(f"{production} {{{weight / total!r}}}" for production, weight in weights.items())
    names = " | ".join(f"x{i}" for i in range(columns))
    return gm.Grammar.from_text(f"<e> ::= {rule}\n<x> ::= {names}")


def ours(table: Table, seed: int, seconds: float, **settings: Any) -> Result:
    """Tuned trees."""
    import gramarye as gm

    problem = gm.Regression(table.X, table.y, default_grammar(table.X.shape[1]))
    method = gm.TunedTrees(**{"max_evaluations": None, "generations": 10**6, **settings})
    begun = time.process_time()
    evolution = gm.Evolution(problem, method, seed)
    for _ in evolution:
        if time.process_time() - begun >= seconds:
            break
    spent = time.process_time() - begun
    best = evolution.run.best
    return Result(spent, best.predict, int(problem.language.sizes(problem.language.programs(best.derivation.alone))[0]), best.formula or "")


def operon(table: Table, seed: int, seconds: float, **settings: Any) -> Result:
    """Pyoperon's regressor."""
    from pyoperon.sklearn import SymbolicRegressor

    begun = time.process_time()
    model = SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,constant,variable,sin,cos,exp,logabs,sqrtabs,square",
        max_length=50,
        generations=10**6,
        max_evaluations=10**9,
        max_time=round(seconds),
        random_state=seed,
        n_threads=1,
        epsilon=1e-14,
        **settings,
    )
    model.fit(table.X, table.y)
    spent = time.process_time() - begun
    return Result(spent, lambda X: np.asarray(model.predict(X), float), model.model_.Length, model.get_model_string(model.model_, 6))


METHODS: dict[str, Callable[..., Result]] = {
    "ours": ours,
    "operon-so10": lambda *a: operon(*a, population_size=200, optimizer_iterations=10, objectives=["r2"]),
    "operon-mo3": lambda *a: operon(
        *a, population_size=500, optimizer_iterations=3, objectives=["r2", "length"], reinserter="keep-best",
        offspring_generator="basic",
    ),
}  # fmt: skip


def one(job: tuple[str, str, int, float]) -> dict[str, Any]:
    """One fit."""
    task, method, seed, seconds = job
    table = TASKS[task](1000 + seed)
    name, _, settings = method.partition("?")
    given = {key: _value(value) for key, _, value in (pair.partition("=") for pair in settings.split("&") if pair)}
    found = METHODS[name](table, seed, seconds, **given)
    return {
        "task": task,
        "method": method,
        "seed": seed,
        "seconds": round(found.seconds, 2),
        "train": rrse(found.predict(table.X), table.y),
        "test": rrse(found.predict(table.test_X), table.test_y),
        "size": found.size,
        "formula": found.formula,
    }


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None if text == "None" else text


def jobs(tasks: list[str], methods: list[str], seeds: range, seconds: float, done: set[tuple[str, ...]]) -> Iterator[Any]:
    """What is left to do, seed by seed, so that what there is can be compared at any time."""
    for seed in seeds:
        for task in tasks:
            for method in methods:
                if (task, method, str(seed)) not in done:
                    yield task, method, seed, seconds


def main() -> None:
    """Run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    done = set()
    if given.results.exists():
        with given.results.open(newline="") as file:
            done = {(row["task"], row["method"], row["seed"]) for row in csv.DictReader(file)}
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    todo = list(jobs(given.tasks.split(","), given.methods.split(","), seeds, given.seconds, done))
    new = not given.results.exists()
    context = multiprocessing.get_context("spawn")
    with given.results.open("a", newline="") as file, context.Pool(given.workers, maxtasksperchild=20) as pool:
        writer = csv.DictWriter(file, COLUMNS)
        if new:
            writer.writeheader()
        for row in pool.imap_unordered(one, todo):
            writer.writerow(row)
            file.flush()
            print(*(row[name] for name in COLUMNS[:-1]), flush=True)


if __name__ == "__main__":
    main()
