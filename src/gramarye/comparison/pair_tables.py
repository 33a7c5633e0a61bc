"""The rows of a comparison's tables, and how their numbers are written."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gramarye import statistics
from gramarye.comparison.samples import Data
from gramarye.show.tables.table import Table
from gramarye.show.tables.values import Cell as Value

ALPHA = 0.05

SUMMARY = (
    *("problem", "data", "method", "n", "mean", "sd", "median", "25 %", "75 %"),
    *("best", "worst", "not finite", "W", "p", "remark"),
)
KRUSKAL = ("data", "H", "df", "p", "differences", "remark")
PAIRS = (
    *("data", "first", "second", "U", "p", "corrected", "better", "A12", "low", "high", "effect", "delta"),
    *("paired p", "paired corrected", "remark"),
)
HEADLINES = ("data", "first", "second", "p", "corrected", "better", "A12", "effect")  # of the pairs
PROGRAMS = ("problem", "method", "seed", "fitness", "test", "program")
RUNS = ("problem", "method", "seed", "fitness", "test", "evaluations", "program")


def table_of(
    name: str,
    title: str,
    rows: Sequence[dict[str, Value]],
    columns: Sequence[str],
    formats: dict[str, str],
    note: str = "",
    always: Sequence[str] = (),
) -> Table:
    """A table from its rows; a column that is empty throughout is left out, unless it is to be there always."""
    filled = [
        column for column in columns if not rows or column in always or any(row[column] is not None for row in rows)
    ]
    formats = {column: form for column, form in formats.items() if column in filled}
    return Table(name, title, {column: [row[column] for row in rows] for column in filled}, formats, note)


def description(values: NDArray[np.float64], data: Data) -> dict[str, Value]:
    """All that describes a sample."""
    described, normal = statistics.describe(values), statistics.shapiro(values)
    best, worst = described.minimum, described.maximum
    if data.direction == "maximise":
        best, worst = worst, best
    return {
        "n": described.n,
        "mean": described.mean,
        "sd": described.standard_deviation,
        "median": described.median,
        "25 %": described.lower_quartile,
        "75 %": described.upper_quartile,
        "best": best,
        "worst": worst,
        "not finite": described.not_finite or None,
        "W": normal.statistic,
        "p": normal.p,
        "remark": described.note or normal.note or None,
    }


def pairs_of(data: Data) -> list[dict[str, Value]]:
    """Every pair of methods on one column of data, tested and measured."""
    pairs, finals = list(data.pairs()), data.minimised
    tests = [statistics.mann_whitney(finals[a], finals[b]) for a, b in pairs]
    paired = [statistics.wilcoxon(*data.paired(a, b)) for a, b in pairs]
    corrected = statistics.bonferroni([test.p for test in tests])
    over_seeds = statistics.holm([test.p for test in paired])
    rows: list[dict[str, Value]] = []
    for i, (a, b) in enumerate(pairs):
        effect = statistics.a12_interval(finals[a], finals[b])
        share = effect.estimate
        significant = differs(corrected[i]) == "yes"
        rows.append(
            {
                "data": data.label,
                "first": a,
                "second": b,
                "U": tests[i].statistic,
                "p": tests[i].p,
                "corrected": corrected[i],
                "better": (a if share is not None and share > 0.5 else b) if significant else None,
                "A12": share,
                "low": effect.low,
                "high": effect.high,
                "effect": None if tests[i].p is None else statistics.magnitude(share),
                "delta": statistics.cliffs_delta(finals[a], finals[b]),
                "paired p": paired[i].p,
                "paired corrected": over_seeds[i],
                "remark": tests[i].note or None,
            }
        )
    return rows


def number_format(values: Sequence[Value]) -> str:
    """How a column of numbers is best read: with as many decimals in each row, if none is far from the others."""
    sizes = [abs(value) for value in values if isinstance(value, float) and np.isfinite(value)]
    return ".4f" if all(size < 1e4 for size in sizes) and any(size >= 1e-2 for size in sizes) else ".4g"


def differs(p: float | None) -> str | None:
    """Whether a p-value is significant, in a word; None where there was no test."""
    return None if p is None else "yes" if p < ALPHA else "no"


def decimals_of(described: Sequence[statistics.Description]) -> int | None:
    """Two decimals, or as many as show a digit of every deviation; None: better as a power of ten."""
    spreads = [each.standard_deviation or abs(each.mean or 0.0) for each in described]
    decimals = [-math.floor(math.log10(spread)) for spread in spreads if spread > 0]
    large = any(abs(each.mean or 0.0) >= 1e6 or (each.standard_deviation or 0.0) >= 1e6 for each in described)
    most = max(decimals, default=2)
    return None if large or most > 5 else max(most, 2)


def plus_minus(described: statistics.Description, decimals: int | None) -> str | None:
    """Mean ± standard deviation as papers print them; a single run has no deviation."""
    mean, deviation = described.mean, described.standard_deviation
    if mean is None:
        return None
    if decimals is not None:
        return f"{mean:.{decimals}f}" + ("" if deviation is None else f" ± {deviation:.{decimals}f}")
    digits = 3
    if mean and deviation:  # as many as tell the mean from its deviation
        digits = min(max(3, 2 + math.floor(math.log10(abs(mean))) - math.floor(math.log10(deviation))), 15)
    return f"{mean:.{digits}g}" + ("" if deviation is None else f" ± {deviation:.2g}")
