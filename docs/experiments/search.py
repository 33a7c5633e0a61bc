"""Parts of `TunedTrees`, each left out or changed, on twelve tasks; what came out is in ../search.md.

    python docs/experiments/search.py

1,440 runs of 50,000 passes over the data; it may be stopped at any time, and resumes when it is started again. It
leaves a folder search/ with results.db, report.html, figures and tables.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gramarye as gm

FOLDER = Path("search")
RUNS = 10
EVALUATIONS = 50_000  # passes over the data

BASE: dict[str, Any] = {"max_evaluations": EVALUATIONS}
METHODS = {
    "base": gm.TunedTrees(**BASE),
    "no fitted subtrees": gm.TunedTrees(**BASE, fitted_subtrees=0),
    "60 fitted subtrees": gm.TunedTrees(**BASE, fitted_subtrees=60),
    "untuned": gm.TunedTrees(**BASE, tuning_iterations=0),
    "4 steps": gm.TunedTrees(**BASE, tuning_iterations=4),
    "one term": gm.TunedTrees(**BASE, terms=1),
    "population 150": gm.TunedTrees(**BASE, population=150),
    "population 600": gm.TunedTrees(**BASE, population=600),
    "crossover 0.8": gm.TunedTrees(**BASE, crossover=0.8),
    "lexicase": gm.TunedTrees(**BASE, selection=gm.selection.EpsilonLexicase(downsample=0.1)),
    "200 rows": gm.TunedTrees(**BASE, rows=200),
    "restarts": gm.TunedTrees(**BASE, restart_after=25),
}


class Table(NamedTuple):
    """Rows to learn from and others to test on, each as X and y."""

    train: tuple[Any, Any]
    test: tuple[Any, Any]


def drawn(
    formula: Callable[[Any], Any], low: list[float], high: list[float], rows: int = 500, noise: float = 0.0
) -> Callable[[int], Table]:
    """A task whose variables are drawn uniformly; noise, in training rows only, is a share of the target's spread."""

    def make(seed: int) -> Table:
        rng = np.random.default_rng(seed)
        X = rng.uniform(low, high, (2 * rows, len(low)))
        y = formula(X.T)
        errors = noise * y.std() * rng.normal(size=rows)
        return Table((X[:rows], y[:rows] + errors), (X[rows:], y[rows:]))

    return make


def pagie(seed: int) -> Table:
    """The grid of the paper; points anywhere between for testing."""

    def formula(X: Any) -> Any:
        fourth = X * X * X * X
        return 1 / (1 + 1 / fourth[:, 0]) + 1 / (1 + 1 / fourth[:, 1])

    axis = -5 + 0.4 * np.arange(26)
    grid = np.array([(a, b) for a in axis for b in axis])
    other = np.random.default_rng(seed).uniform(-5, 5, (676, 2))
    return Table((grid, formula(grid)), (other, formula(other)))


def harmonic(_seed: int) -> Table:
    """Keijzer-6: sums of 1/i up to 50; up to 120 for testing."""
    sums, x = np.cumsum(1 / np.arange(1.0, 121)), np.arange(1.0, 121)[:, None]
    return Table((x[:50], sums[:50]), (x, sums))


TASKS: dict[str, Callable[[int], Table]] = {
    "pagie": pagie,
    "nguyen7": drawn(lambda x: np.log(x[0] + 1) + np.log(x[0] ** 2 + 1), [0], [2], rows=100),
    "keijzer6": harmonic,
    "vladislavleva4": drawn(lambda x: 10 / (5 + ((x - 3) ** 2).sum(0)), [0.05] * 5, [6.05] * 5, rows=1024),
    "friedman1": drawn(
        lambda x: 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4],
        [0] * 10,
        [1] * 10,
        noise=0.2,
    ),
    "gravitation": drawn(
        lambda x: x[0] * x[1] / ((x[3] - x[2]) ** 2 + (x[5] - x[4]) ** 2 + (x[7] - x[6]) ** 2),
        [1, 1, 3, 1, 3, 1, 3, 1],
        [2, 2, 4, 2, 4, 2, 4, 2],
    ),
    "velocities": drawn(lambda x: (x[0] + x[1]) / (1 + x[0] * x[1] / x[2] ** 2), [1] * 3, [5] * 3),
    "korns7": drawn(lambda x: 213.80940889 * (1 - np.exp(-0.54723748542 * x[0])), [0] * 5, [10] * 5),
    "planck": drawn(lambda x: x[0] ** 3 / (np.exp(x[0] / x[1]) - 1), [1, 1], [5, 5]),
    "normal": drawn(
        lambda x: np.exp(-(((x[0] - x[1]) / x[2]) ** 2) / 2) / (np.sqrt(2 * np.pi) * x[2]), [1] * 3, [3] * 3
    ),
    "kinetic": drawn(lambda x: x[0] * (x[1] ** 2 + x[2] ** 2 + x[3] ** 2) / 2, [1] * 4, [5] * 4, noise=0.05),
    "damped": drawn(lambda x: x[0] * np.exp(-0.3 * x[1]) * np.cos(1.7 * x[1] + x[2]), [1, 0, 0], [3, 6, 3]),
}


def grammar(columns: int) -> gm.Grammar:
    """One recursive rule, whose weights are its probabilities."""
    weights = {f"(<e> {sign} <e>)": 1.0 for sign in "+-*/"}
    weights |= {f"{name}(<e>)": 0.25 for name in ("sin", "cos", "exp", "log", "psqrt", "square")}
    weights |= {"<x>": 2.5, "<const>": 1.0}
    total = sum(weights.values())
    rule = " | ".join(f"{production} {{{weight / total!r}}}" for production, weight in weights.items())
    names = " | ".join(f"x{column}" for column in range(columns))
    return gm.Grammar.from_text(f"<e> ::= {rule}\n<x> ::= {names}")


def problem(name: str) -> gm.Regression:
    """A task as a problem, without test rows."""
    X, y = TASKS[name](0).train
    return gm.Regression(X, y, grammar(X.shape[1]), name=name)


PROBLEMS = [problem(name) for name in TASKS]

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    comparison = gm.compare(METHODS, PROBLEMS, RUNS, store=FOLDER / "results.db", name="Parts of tuned trees")
    print(comparison.table)
    print(comparison.write(FOLDER))
