"""What an experiment shows: tables of fitness, tests and effect sizes, and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gramarye import statistics
from gramarye.report import drawings
from gramarye.report.cells import Cell as Value
from gramarye.report.samples import Data, samples
from gramarye.report.table import Table
from gramarye.store import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALPHA = 0.05


class Comparison:
    """What an experiment shows, computed from what its runs have left behind."""

    def __init__(self, results: Results) -> None:
        self.results = results

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Comparison:
        """The comparison of a file of results."""
        return cls(Results.open(path))

    @cached_property
    def data(self) -> list[Data]:
        """The samples, problem by problem."""
        return samples(self.results)

    @property
    def runs(self) -> dict[str, Any]:
        """A row for each run: `pandas.DataFrame(comparison.runs)`; more tables are in `results`."""
        return self.results.runs

    @cached_property
    def table(self) -> Table:
        """Mean and standard deviation of the final fitness, a row for each problem; the best mean is bold."""
        methods = self.results.methods
        cells: dict[str, list[Value]] = {method: [] for method in methods}
        bold = set()
        for row, data in enumerate(self.data):
            described = {method: statistics.describe(values) for method, values in data.finals.items()}
            means = {method: each.mean for method, each in described.items() if each.mean is not None}
            bold |= {(method, row) for method in means if means[method] == min(means.values())}
            for method in methods:
                cells[method].append(plus_minus(described[method]) if method in described else None)
        columns: dict[str, Sequence[Value]] = {"problem": [data.label for data in self.data], **cells}
        count = max((len(v) for data in self.data for v in data.finals.values()), default=0)
        title = f"Final fitness: mean ± standard deviation of {count} run{'s' * (count != 1)}; smaller is better"
        return Table("final-fitness", title, columns, note=self._of_infinities(), emphasised=frozenset(bold))

    def _of_infinities(self) -> str:
        lost = [
            f"{method} on {data.label}: {count} of {len(values)}"
            for data in self.data
            for method, values in data.finals.items()
            if (count := int((~np.isfinite(values)).sum()))
        ]
        return f"Runs without a finite value, left out of the means: {'; '.join(lost)}." if lost else ""

    @cached_property
    def summary(self) -> Table:
        """All that describes the samples, a row for each."""
        rows = [
            {"problem": data.problem, "data": data.part or None, "method": method, **_description(values)}
            for data in self.data
            for method, values in data.finals.items()
        ]
        note = "W and p: Shapiro–Wilk's test of whether a sample could be normal; quartiles: 25 % and 75 %."
        numbers = ("mean", "sd", "median", "25 %", "75 %", "best", "worst")
        formats = {name: number_format([row[name] for row in rows]) for name in numbers} | {"W": ".3f", "p": "p"}
        return _table("summary", "Final fitness described", rows, _SUMMARY, formats, note)

    @cached_property
    def kruskal(self) -> Table:
        """Kruskal–Wallis over all methods, a row for each column of data."""
        rows = []
        for data in self.data:
            if len(data.finals) > 1:
                test = statistics.kruskal(data.finals)
                rows.append(
                    {
                        "data": data.label,
                        "H": test.statistic,
                        "df": test.degrees_of_freedom,
                        "p": test.p,
                        "differences": differs(test.p),
                        "remark": test.note or None,
                    }
                )
        note = f"Whether the methods differ at all, at a level of {ALPHA}."
        return _table("kruskal-wallis", "Kruskal–Wallis over the methods", rows, _KRUSKAL, {"p": "p", "H": ".2f"}, note)

    @cached_property
    def tests(self) -> Table:
        """Every pair of methods on every column of data: Mann–Whitney, effect sizes, and Wilcoxon over the seeds."""
        note = (
            "U and p: Mann–Whitney, two-sided; corrected: Bonferroni over the pairs of a row of data. A12: the "
            "probability that a run of the first method is better than one of the second, with its 95 % bootstrap "
            "interval. Paired: Wilcoxon over the runs that share a seed, Holm over the pairs."
        )
        formats = dict.fromkeys(("p", "corrected", "paired p", "paired corrected"), "p")
        formats |= dict.fromkeys(("A12", "low", "high", "delta"), ".2f") | {"U": ".1f"}
        return _table("pairs", "Pairs of methods", self._pairs, _PAIRS, formats, note)

    @cached_property
    def _pairs(self) -> list[dict[str, Value]]:
        return [row for data in self.data for row in _pairs(data)]

    @cached_property
    def ranks(self) -> Table | None:
        """Mean ranks of the methods over the problems, and Friedman's test; None where there is one problem only."""
        ranked = self._ranked()
        if ranked is None:
            return None
        test, methods, labels = ranked
        p = "no test" if test.p is None else f"p {'< 0.001' if test.p < 0.001 else f'= {test.p:.3f}'}"
        note = f"Friedman over {len(labels)} problems, by their median fitness ({', '.join(labels)}): {p}. {test.note}"
        columns: dict[str, Sequence[Value]] = {"method": methods, "mean rank": test.mean_ranks}
        return Table("ranks", "Mean ranks; smaller is better", columns, {"mean rank": ".2f"}, note.strip())

    def _ranked(self) -> tuple[statistics.Friedman, list[str], list[str]] | None:
        """Friedman's test over the problems that all methods have run on."""
        methods = list(self.results.methods)
        whole = [data for data in self.data if data.column != "test" and len(data.finals) == len(methods)]
        if len(whole) < 2 or len(methods) < 2:
            return None
        matrix = [[float(np.median(data.finals[method])) for method in methods] for data in whole]
        return statistics.friedman(matrix), methods, [data.label for data in whole]

    @cached_property
    def programs(self) -> Table:
        """The best program of each method on each problem."""
        rows: list[dict[str, Value]] = []
        for cell in self.results.cells:
            winners = self.results.winners(cell)
            if winners:
                best = min(winners, key=lambda winner: winner.found.fitness)
                test = best.found.test if cell.tests else None
                run: dict[str, Value] = {"problem": cell.problem, "method": cell.method, "seed": best.seed}
                rows.append({**run, "fitness": best.found.fitness, "test": test, "program": best.found.phenotype})
        formats = {name: number_format([row[name] for row in rows]) for name in ("fitness", "test")}
        return _table("best-programs", "The best program of all runs", rows, _PROGRAMS, formats)

    @cached_property
    def each_run(self) -> Table:
        """Every run with its seed."""
        rows: list[dict[str, Value]] = []
        for cell in self.results.cells:
            best = {winner.seed: winner.found.phenotype for winner in self.results.winners(cell)}
            finals = [self.results.final(cell, column).tolist() for column in ("best_so_far", "test", "evaluations")]
            for seed, fitness, test, evaluations in zip(self.results.seeds(cell).tolist(), *finals, strict=True):
                run: dict[str, Value] = {"problem": cell.problem, "method": cell.method, "seed": seed}
                tested = None if np.isnan(test) else test
                rows.append(
                    {
                        **run,
                        "fitness": fitness,
                        "test": tested,
                        "evaluations": int(evaluations),
                        "program": best.get(seed),
                    }
                )
        formats = {name: number_format([row[name] for row in rows]) for name in ("fitness", "test")}
        return _table("runs", "Every run", rows, _RUNS, formats | {"evaluations": ","})

    @cached_property
    def settings(self) -> Table:
        """The settings that the methods ran with."""
        by_method = {cell.method: cell.settings for cell in self.results.cells}
        names = list(dict.fromkeys(name for settings in by_method.values() for name in settings))
        columns: dict[str, Sequence[Value]] = {"setting": names}
        for method, settings in by_method.items():
            columns[method] = [str(settings[name]) if name in settings else None for name in names]
        return Table("settings", "Settings that ran", columns)

    @property
    def tables(self) -> list[Table]:
        """All tables."""
        several = [self.kruskal, self.tests] if any(len(data.finals) > 1 for data in self.data) else []
        ranks = [] if self.ranks is None else [self.ranks]
        return [self.table, self.summary, *several, *ranks, self.programs, self.settings, self.each_run]

    @property
    def headlines(self) -> list[Table]:
        """The tables to look at first."""
        if not self._pairs:
            return [self.table]
        return [self.table, self.tests.only(*(name for name in _HEADLINES if name in self.tests.columns))]

    def figure(self, problem: str | None = None) -> Figure:
        """Mean best fitness over the generations, for all problems or for one."""
        return drawings.progress_figure(self.results, [d for d in self.data if problem in (None, d.problem)])

    def figures(self, rules: Mapping[str, str] | None = None) -> dict[str, drawings.Drawing]:
        """All figures by name; `rules` says for a problem which rule's probabilities to draw."""
        found = drawings.of_data(self.results, self.data)
        ranked = self._ranked()
        if ranked is not None:
            found |= drawings.of_ranks(*ranked)
        return found | drawings.of_pairs(self._pairs) | drawings.of_learning(self.results, rules or {})

    def write(self, folder: str | PathLike[str]) -> Path:
        """Write report.html, figures and tables into a folder; the page."""
        from gramarye.report.document import write_report

        return write_report(self, Path(folder))

    def __repr__(self) -> str:
        return f"Comparison({', '.join(self.results.methods)} on {', '.join(self.results.problems)})"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


_SUMMARY = (
    *("problem", "data", "method", "n", "mean", "sd", "median", "25 %", "75 %"),
    *("best", "worst", "not finite", "W", "p", "remark"),
)
_KRUSKAL = ("data", "H", "df", "p", "differences", "remark")
_PAIRS = (
    *("data", "first", "second", "U", "p", "corrected", "better", "A12", "low", "high", "effect", "delta"),
    *("paired p", "paired corrected", "remark"),
)
_HEADLINES = ("data", "first", "second", "p", "corrected", "better", "A12", "effect")
_PROGRAMS = ("problem", "method", "seed", "fitness", "test", "program")
_RUNS = ("problem", "method", "seed", "fitness", "test", "evaluations", "program")


def _table(
    name: str,
    title: str,
    rows: Sequence[dict[str, Value]],
    columns: Sequence[str],
    formats: dict[str, str],
    note: str = "",
) -> Table:
    """A table from its rows; a column that is empty throughout is left out."""
    filled = [column for column in columns if not rows or any(row[column] is not None for row in rows)]
    formats = {column: form for column, form in formats.items() if column in filled}
    return Table(name, title, {column: [row[column] for row in rows] for column in filled}, formats, note)


def _description(values: Any) -> dict[str, Value]:
    described, normal = statistics.describe(values), statistics.shapiro(values)
    return {
        "n": described.n,
        "mean": described.mean,
        "sd": described.standard_deviation,
        "median": described.median,
        "25 %": described.lower_quartile,
        "75 %": described.upper_quartile,
        "best": described.minimum,
        "worst": described.maximum,
        "not finite": described.not_finite or None,
        "W": normal.statistic,
        "p": normal.p,
        "remark": described.note or normal.note or None,
    }


def _pairs(data: Data) -> list[dict[str, Value]]:
    pairs = list(data.pairs())
    tests = [statistics.mann_whitney(data.finals[a], data.finals[b]) for a, b in pairs]
    paired = [statistics.wilcoxon(*data.paired(a, b)) for a, b in pairs]
    corrected = statistics.bonferroni([test.p for test in tests])
    over_seeds = statistics.holm([test.p for test in paired])
    rows: list[dict[str, Value]] = []
    for i, (a, b) in enumerate(pairs):
        effect = statistics.a12_interval(data.finals[a], data.finals[b])
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
                "effect": statistics.magnitude(share),
                "delta": statistics.cliffs_delta(data.finals[a], data.finals[b]),
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


def plus_minus(described: statistics.Description) -> str | None:
    """Mean ± standard deviation as the paper prints them; a single run has no deviation."""
    if described.mean is None:
        return None
    if described.standard_deviation is None:
        return f"{described.mean:.2f}"
    if described.mean > 1e4 or described.standard_deviation > 1e4:
        return f"{described.mean:.2g} ± {described.standard_deviation:.2g}"
    return f"{described.mean:.2f} ± {described.standard_deviation:.2f}"
