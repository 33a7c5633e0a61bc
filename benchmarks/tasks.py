"""The tasks: formulas from the literature, with and without noise, and real tables.

Formulas. Training rows are those of McDermott et al. 2012 (at most 1,000), test rows are 1,000 others, drawn uniformly
from the same ranges (Vladislavleva: from her wider ones). Physics formulas follow the ground-truth protocol of SRBench
(La Cava et al. 2021) with 1,000 rows in place of 100,000: 75 % are for training, 25 % for testing, nothing is scaled.
Noise as in SRBench: normal, in the training target only, with the standard deviation noise × root mean square of the
training target. Data and noise depend on the task and the seed only.

Tables. 75 % of the rows are for training; columns and target are standardised by the training rows, as in SRBench.
"""

from __future__ import annotations

import csv
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = tuple[Floats, Floats]  # X [rows, columns] and y [rows]

FEYNMAN = Path(__file__).parent / "data" / "feynman.csv"
NOISES = (0.0, 0.01)
TEST_ROWS = 1_000
PHYSICS_ROWS = 1_000
TRAINING_SHARE = 0.75


class Split(NamedTuple):
    """Rows to learn from and rows to test on."""

    train: Rows
    test: Rows


@dataclass(frozen=True)
class Task:
    """Something to learn; `formula` is empty if nobody knows it."""

    name: str
    family: str
    columns: tuple[str, ...]
    make: Callable[[np.random.Generator], Split]
    formula: str = ""
    positive: tuple[str, ...] = ()  # columns whose values are all above 0
    noise: float = 0.0

    def split(self, seed: int) -> Split:
        """The rows of a seed; those of training are the same with and without noise, but for the noise."""
        rng = np.random.default_rng([seed, zlib.crc32(self.name.encode())])
        (X, y), test = self.make(rng)
        if self.noise:
            y = y + self.noise * np.sqrt(np.mean(y**2)) * rng.normal(size=len(y))
        return Split((X, y), test)


def tasks() -> list[Task]:
    """All tasks, in the order in which they are fitted."""
    formulas = [*literature(), *physics()]
    noisy = [replace(task, noise=noise) for task in formulas for noise in NOISES]
    return [*noisy, *tables()]


# name, formula, range of each column, number of training rows
LITERATURE: tuple[tuple[str, str, dict[str, tuple[float, float]], int], ...] = (
    ("nguyen-5", "sin(x**2)*cos(x)-1", {"x": (-1, 1)}, 20),
    ("nguyen-6", "sin(x)+sin(x+x**2)", {"x": (-1, 1)}, 20),
    ("nguyen-8", "sqrt(x)", {"x": (0, 4)}, 20),
    ("nguyen-10", "2*sin(x)*cos(y)", {"x": (0, 1), "y": (0, 1)}, 100),
    ("nguyen-12", "x**4-x**3+y**2/2-y", {"x": (0, 1), "y": (0, 1)}, 20),
    ("keijzer-4", "x**3*exp(-x)*cos(x)*sin(x)*(sin(x)**2*cos(x)-1)", {"x": (0, 10)}, 200),
    ("keijzer-5", "30*x*z/((x-10)*y**2)", {"x": (-1, 1), "y": (1, 2), "z": (-1, 1)}, 1000),
    ("keijzer-11", "x*y+sin((x-1)*(y-1))", {"x": (-3, 3), "y": (-3, 3)}, 20),
    ("keijzer-14", "8/(2+x**2+y**2)", {"x": (-3, 3), "y": (-3, 3)}, 20),
    ("keijzer-15", "x**3/5+y**3/2-y-x", {"x": (-3, 3), "y": (-3, 3)}, 20),
    ("vladislavleva-1", "exp(-(x-1)**2)/(1.2+(y-2.5)**2)", {"x": (0.3, 4), "y": (0.3, 4)}, 100),
    ("vladislavleva-7", "(x-3)*(y-3)+2*sin((x-4)*(y-4))", {"x": (0.05, 6.05), "y": (0.05, 6.05)}, 300),
    ("vladislavleva-8", "((x-3)**4+(y-3)**3-(y-3))/((y-2)**4+10)", {"x": (0.05, 6.05), "y": (0.05, 6.05)}, 50),
    ("korns-4", "-2.3+0.13*sin(z)", dict.fromkeys("xyzvw", (-50, 50)), 1000),
    ("korns-5", "3+2.13*log(w)", dict.fromkeys("xyzvw", (0.01, 50)), 1000),
    ("korns-6", "1.3+0.13*sqrt(x)", dict.fromkeys("xyzvw", (0, 50)), 1000),
    ("pagie-1", "1/(1+x**-4)+1/(1+y**-4)", {"x": (-5, 5), "y": (-5, 5)}, 676),
)
WIDER = {"vladislavleva-1": (-0.2, 4.2), "vladislavleva-7": (-0.25, 6.35), "vladislavleva-8": (-0.25, 6.35)}


def literature() -> Iterator[Task]:
    """The formulas of Nguyen, Keijzer, Vladislavleva, Korns, and Pagie."""
    for name, formula, ranges, rows in LITERATURE:
        wider = dict.fromkeys(ranges, WIDER[name]) if name in WIDER else ranges
        make = _on_grid(formula, ranges) if name == "pagie-1" else _drawn(formula, ranges, rows, wider)
        family = name.partition("-")[0].capitalize()
        yield Task(name, family, tuple(ranges), make, formula, _positive(wider))


def physics() -> Iterator[Task]:
    """Every third formula of AI Feynman's first list, but for one with an arcsine, which no method has."""
    with FEYNMAN.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            named = (variable.split(":") for variable in row["variables"].split())
            ranges = {column: (float(low), float(high)) for column, low, high in named}
            make = _divided(row["formula"], ranges)
            yield Task(row["name"], "physics", tuple(ranges), make, row["formula"], _positive(ranges))


def evaluate(formula: str, columns: dict[str, Floats]) -> Floats:
    """The values of a formula in each row."""
    functions = {name: getattr(np, name) for name in ("sin", "cos", "tanh", "exp", "log", "sqrt", "pi")}
    return np.asarray(eval(formula, {"__builtins__": {}}, functions | columns), np.float64)


def _rows(formula: str, ranges: dict[str, tuple[float, float]], count: int, rng: np.random.Generator) -> Rows:
    low, high = np.array(list(ranges.values())).T
    X = rng.uniform(low, high, (count, len(ranges)))
    return X, evaluate(formula, dict(zip(ranges, X.T, strict=True)))


def _drawn(
    formula: str, ranges: dict[str, tuple[float, float]], count: int, wider: dict[str, tuple[float, float]]
) -> Callable[[np.random.Generator], Split]:
    return lambda rng: Split(_rows(formula, ranges, count, rng), _rows(formula, wider, TEST_ROWS, rng))


def _divided(formula: str, ranges: dict[str, tuple[float, float]]) -> Callable[[np.random.Generator], Split]:
    def make(rng: np.random.Generator) -> Split:
        X, y = _rows(formula, ranges, PHYSICS_ROWS, rng)
        cut = round(TRAINING_SHARE * PHYSICS_ROWS)
        return Split((X[:cut], y[:cut]), (X[cut:], y[cut:]))

    return make


def _on_grid(formula: str, ranges: dict[str, tuple[float, float]]) -> Callable[[np.random.Generator], Split]:
    axis = -5 + 0.4 * np.arange(26)
    X = np.array([(x, y) for x in axis for y in axis])
    train = X, evaluate(formula, dict(zip(ranges, X.T, strict=True)))
    return lambda rng: Split(train, _rows(formula, ranges, TEST_ROWS, rng))


def _positive(ranges: dict[str, tuple[float, float]]) -> tuple[str, ...]:
    return tuple(column for column, (low, _) in ranges.items() if low >= 0)


def tables() -> list[Task]:
    """Real tables that come with scikit-learn and statsmodels."""
    return [_table(name, columns, load) for name, (columns, load) in TABLES.items()]


def _table(name: str, columns: tuple[str, ...], load: Callable[[], Any]) -> Task:
    def make(rng: np.random.Generator) -> Split:
        frame, target = load()
        X, y = frame[list(columns)].to_numpy(np.float64), np.asarray(target, np.float64)
        order = rng.permutation(len(y))
        cut = round(TRAINING_SHARE * len(y))
        train, test = order[:cut], order[cut:]
        spread = X[train].std(0)
        X = (X - X[train].mean(0)) / np.where(spread > 0, spread, 1.0)
        y = (y - y[train].mean()) / y[train].std()
        return Split((X[train], y[train]), (X[test], y[test]))

    return Task(name, "table", columns, make)


def _diabetes() -> Any:
    from sklearn.datasets import load_diabetes

    frame = load_diabetes(as_frame=True).frame
    return frame, frame["target"]


def _of_statsmodels(name: str, target: str) -> Callable[[], Any]:
    def load() -> Any:
        import importlib

        frame = importlib.import_module(f"statsmodels.datasets.{name}").load_pandas().data
        return frame, frame[target]

    return load


def _star98() -> Any:
    import statsmodels.datasets.star98

    frame = statsmodels.datasets.star98.load_pandas().data
    return frame, frame["NABOVE"] / (frame["NABOVE"] + frame["NBELOW"])


TABLES: dict[str, tuple[tuple[str, ...], Callable[[], Any]]] = {
    "diabetes": (("age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"), _diabetes),
    "engel": (("income",), _of_statsmodels("engel", "foodexp")),
    "grunfeld": (("value", "capital", "year"), _of_statsmodels("grunfeld", "invest")),
    "statecrime": (("hs_grad", "poverty", "single", "white", "urban"), _of_statsmodels("statecrime", "murder")),
    "star98": (("LOWINC", "PERASIAN", "PERBLACK", "PERHISP", "AVYRSEXP", "AVSALK", "PERSPENK", "PTRATIO"), _star98),
    "fair": (
        ("rate_marriage", "age", "yrs_married", "children", "religious", "educ"),
        _of_statsmodels("fair", "affairs"),
    ),
    "anes96": (("popul", "TVnews", "selfLR", "PID", "age", "educ"), _of_statsmodels("anes96", "income")),
    "macrodata": (
        ("realgdp", "realinv", "realgovt", "cpi", "m1", "unemp", "infl"),
        _of_statsmodels("macrodata", "tbilrate"),
    ),
}
