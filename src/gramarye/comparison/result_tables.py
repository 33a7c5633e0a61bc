"""The rows of a comparison's tables, and how their numbers are written; tables of runs, and of many methods."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gramarye import statistics
from gramarye.comparison.samples import Data
from gramarye.direction import signed
from gramarye.show.tables.table import Table
from gramarye.show.tables.values import Cell as Value
from gramarye.store import Results

Rows: TypeAlias = Sequence[Mapping[str, Value]]

ALPHA = 0.05
MANY = 6  # methods; with more of them a table has a row for each, and pairs are also shown as a matrix

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
    rows: Rows,
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


def summary(samples: Sequence[Data]) -> Table:
    """All that describes the samples, a row for each."""
    rows = [
        {"problem": data.problem, "data": data.part or None, "method": method, **_description(values, data)}
        for data in samples
        for method, values in data.finals.items()
    ]
    note = "W and p: Shapiro–Wilk's test of whether a sample could be normal; quartiles: 25 % and 75 %."
    numbers = ("mean", "sd", "median", "25 %", "75 %", "best", "worst")
    formats = {name: number_format([row[name] for row in rows]) for name in numbers} | {"W": ".3f", "p": "p"}
    return table_of("summary", "Final fitness described", rows, SUMMARY, formats, note)


def _description(values: NDArray[np.float64], data: Data) -> dict[str, Value]:
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


def kruskal(samples: Sequence[Data]) -> Table:
    """Kruskal–Wallis over all methods, a row for each column of data."""
    tests = [(data.label, statistics.kruskal(data.minimised)) for data in samples if len(data.finals) > 1]
    rows: list[dict[str, Value]] = [
        {
            "data": label,
            "H": test.statistic,
            "df": test.degrees_of_freedom,
            "p": test.p,
            "differences": differs(test.p),
            "remark": test.note or None,
        }
        for label, test in tests
    ]
    note = f"Whether the methods differ at all, at a level of {ALPHA}."
    return table_of("kruskal-wallis", "Kruskal–Wallis over the methods", rows, KRUSKAL, {"p": "p", "H": ".2f"}, note)


def every_pair(rows: Rows) -> Table:
    """Every pair of methods on every column of data: Mann–Whitney, effect sizes, and Wilcoxon over the seeds."""
    note = (
        "U and p: Mann–Whitney, two-sided; U counts the pairs of runs in which the first method is worse. "
        "Corrected: Bonferroni over the pairs of a row of data. A12: the probability that a run of the first "
        "method is better than one of the second, with its 95 % bootstrap interval. Paired: Wilcoxon over "
        "the runs that share a seed, Holm over the pairs."
    )
    formats = dict.fromkeys(("p", "corrected", "paired p", "paired corrected"), "p")
    formats |= dict.fromkeys(("A12", "low", "high", "delta"), ".2f") | {"U": ".1f"}
    return table_of("pairs", "Pairs of methods", rows, PAIRS, formats, note, always=HEADLINES)


def pairs_of(data: Data) -> list[dict[str, Value]]:
    """Every pair of methods on one column of data, tested and measured."""
    pairs, finals = list(combinations(data.finals, 2)), data.minimised
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


def best_programs(results: Results) -> Table:
    """The best program of each method on each problem."""
    rows: list[dict[str, Value]] = []
    for cell in results.cells:
        winners = results.winners(cell)
        if winners:
            best = min(winners, key=lambda winner: signed(winner.found.fitness, cell.direction))
            test = best.found.test if cell.tests else None
            run: dict[str, Value] = {"problem": cell.problem, "method": cell.method, "seed": best.seed}
            rows.append({**run, "fitness": best.found.fitness, "test": test, "program": best.found.formula})
    formats = {name: number_format([row[name] for row in rows]) for name in ("fitness", "test")}
    return table_of("best-programs", "The best program of all runs", rows, PROGRAMS, formats)


def every_run(results: Results) -> Table:
    """Every run with its seed."""
    rows: list[dict[str, Value]] = []
    for cell in results.cells:
        best = {winner.seed: winner.found.formula for winner in results.winners(cell)}
        finals = [results.final(cell, column).tolist() for column in ("best_so_far", "test", "evaluations")]
        for seed, fitness, test, evaluations in zip(results.seeds(cell).tolist(), *finals, strict=True):
            run: dict[str, Value] = {"problem": cell.problem, "method": cell.method, "seed": seed, "fitness": fitness}
            tested = None if np.isnan(test) else test
            rows.append({**run, "test": tested, "evaluations": int(evaluations), "program": best.get(seed)})
    formats = {name: number_format([row[name] for row in rows]) for name in ("fitness", "test")}
    passes = any(results.tunes(cell) for cell in results.cells)
    note = "Evaluations are passes over the data where constants are tuned." if passes else ""
    return table_of("runs", "Every run", rows, RUNS, formats | {"evaluations": ","}, note)


def settings_that_ran(results: Results) -> Table:
    """The settings that the methods ran with."""
    by_method = {cell.method: cell.settings for cell in results.cells}
    names = list(dict.fromkeys(name for settings in by_method.values() for name in settings))
    columns: dict[str, Sequence[Value]] = {"setting": names}
    for method, settings in by_method.items():
        columns[method] = [str(settings[name]) if name in settings else None for name in names]
    return Table("settings", "Settings", columns)


def turned(table: Table) -> Table:
    """A row for each method instead of a column; as it is where two rows would become columns of the same name."""
    first, *methods = table.columns
    labels = [str(label) for label in table.columns[first]]
    if len({"method", *labels}) <= len(labels):
        return table
    cells = {label: [table.columns[method][row] for method in methods] for row, label in enumerate(labels)}
    bold = frozenset((labels[row], methods.index(method)) for method, row in table.emphasised)
    return replace(table, columns={"method": methods, **cells}, emphasised=bold)


def decisions(methods: Sequence[str], pairs: Rows) -> Table:
    """How many of the others each method is better and worse than, with significance."""
    columns: dict[str, Sequence[Value]] = {"method": list(methods)}
    for label in dict.fromkeys(str(pair["data"]) for pair in pairs):
        told = [pair for pair in pairs if pair["data"] == label and pair["better"] is not None]
        wins = {method: sum(pair["better"] == method for pair in told) for method in methods}
        met = {method: sum(method in (pair["first"], pair["second"]) for pair in told) for method in methods}
        columns[label if label not in columns else f"{label} (data)"] = [
            f"{wins[method]} / {met[method] - wins[method]}" for method in methods
        ]
    title = "Significant differences: how many other methods each one is better / worse than"
    return Table("decisions", title, columns, note="By Mann–Whitney with Bonferroni's correction, as in the pairs.")


def effect_matrix(name: str, label: str, pairs: Rows) -> Table:
    """The effect sizes of all pairs of methods on one column of data; bold where they differ."""
    sizes: dict[tuple[Value, Value], Value] = {}
    sure = set()
    for pair in pairs:
        first, second, size = pair["first"], pair["second"], pair["A12"]
        sizes[first, second] = size
        sizes[second, first] = 1 - size if isinstance(size, float) else None
        sure |= {(first, second), (second, first)} if pair["better"] is not None else set()
    methods = [str(method) for method in dict.fromkeys(method for both in sizes for method in both)]
    columns = {other: [sizes.get((method, other)) for method in methods] for other in methods}
    bold = frozenset((other, row) for other in methods for row, method in enumerate(methods) if (method, other) in sure)
    title = f"A12 on {label}: probability that a run of the row's method is better than one of the column's"
    return Table(
        name,
        title,
        {"method": methods, **columns},
        dict.fromkeys(methods, ".2f"),
        "Marked: significant by Mann–Whitney with Bonferroni's correction.",
        bold,
    )
