"""What an experiment shows: tables of fitness, tests and effect sizes, and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramarye import statistics
from gramarye.comparison import comparison_figures, result_tables
from gramarye.comparison.best_fronts import fronts_table
from gramarye.comparison.failure_tables import failures_table
from gramarye.comparison.report_files import check_extras, write_report
from gramarye.comparison.result_tables import HEADLINES, MANY, decimals_of, plus_minus, turned
from gramarye.comparison.samples import Data, samples, which_is_better
from gramarye.direction import signed
from gramarye.errors import SettingsError, did_you_mean
from gramarye.show.report import Drawing, Material
from gramarye.show.tables.table import Table
from gramarye.show.tables.values import Cell as Value
from gramarye.store import Results
from gramarye.text import counted, slug

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Comparison:
    """What an experiment shows, computed from what its runs have left behind.

    Attributes
    ----------
    table : Table
        Mean and standard deviation of the final fitness.
    summary, kruskal, tests, ranks, programs, fronts, settings : Table
        Descriptions, tests, mean ranks, the best programs, the best of every size, and the settings used.
    runs : dict of columns
        A row for each run: `pandas.DataFrame(comparison.runs)`.

    Methods: `figure()`, `figures()` (Matplotlib), `write(folder)` (a report with all tables and figures).

    Examples
    --------
    >>> import gramarye as gm
    >>> small = {"population": 20, "generations": 3}
    >>> gm.compare([gm.GE(**small), gm.SGE(**small)], [gm.problems.load("quartic")], runs=2, workers=1)
    Comparison(GE, SGE on quartic)
    """

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
        """Mean and standard deviation of the final fitness, a row for each problem; the best mean is bold.

        More than six methods have a row each, and problems a column.
        """
        methods = self.results.methods
        cells: dict[str, list[Value]] = {method: [] for method in methods}
        bold = set()
        for row, data in enumerate(self.data):
            described = {method: statistics.describe(values) for method, values in data.finals.items()}
            means = {method: each.mean for method, each in described.items() if each.mean is not None}
            if len(means) > 1:
                best = min(means.values(), key=lambda mean: signed(mean, data.direction))
                bold |= {(method, row) for method in means if means[method] == best}
            decimals = decimals_of(list(described.values()))
            for method in methods:
                cells[method].append(plus_minus(described[method], decimals) if method in described else None)
        columns: dict[str, Sequence[Value]] = {"problem": [data.label for data in self.data], **cells}
        better = which_is_better(self.results.cells)
        title = f"Final fitness: mean ± standard deviation of {self._of_runs()}; {better}, the best is marked"
        note = " ".join(filter(None, [self._of_infinities(), self._of_failures()]))
        table = Table("final-fitness", title, columns, note=note, emphasised=frozenset(bold))
        return turned(table) if self._many else table

    @property
    def _many(self) -> bool:
        return len(self.results.methods) > MANY

    def _of_runs(self) -> str:
        counts = sorted({len(values) for data in self.data for values in data.finals.values()}) or [0]
        return counted(counts[0], "run") if len(counts) == 1 else f"{counts[0]} to {counted(counts[-1], 'run')}"

    def _of_infinities(self) -> str:
        lost = [
            f"{method} on {data.label}: {count} of {len(values)}"
            for data in self.data
            for method, values in data.finals.items()
            if (count := int((~np.isfinite(values)).sum()))
        ]
        return f"Runs without a finite value, left out of the means: {'; '.join(lost)}." if lost else ""

    def _of_failures(self) -> str:
        lost = [
            f"{cell.method} on {cell.problem}: {count} of {self.results.facts['runs']}"
            for cell in self.results.cells
            if (count := self.results.count(cell, "failed"))
        ]
        return f"Runs that failed: {'; '.join(lost)}." if lost else ""

    @cached_property
    def summary(self) -> Table:
        """All that describes the samples, a row for each."""
        return result_tables.summary(self.data)

    @cached_property
    def kruskal(self) -> Table:
        """Kruskal–Wallis over all methods, a row for each column of data."""
        return result_tables.kruskal(self.data)

    @cached_property
    def tests(self) -> Table:
        """Every pair of methods on every column of data: Mann–Whitney, effect sizes, and Wilcoxon over the seeds."""
        return result_tables.every_pair(self._pairs)

    @cached_property
    def _pairs(self) -> list[dict[str, Value]]:
        return [row for data in self.data for row in result_tables.pairs_of(data)]

    @cached_property
    def overviews(self) -> list[Table]:
        """The pairs of many methods at a glance: how often each one wins, and matrices of effect sizes."""
        if not self._many or not self._pairs:
            return []
        tables = {"decisions": result_tables.decisions(self.results.methods, self._pairs)}
        for data in self.data:
            name = comparison_figures.free_name(f"effects-{slug(data.label)}", tables)
            pairs = [pair for pair in self._pairs if pair["data"] == data.label]
            tables[name] = result_tables.effect_matrix(name, data.label, pairs)
        return list(tables.values())

    @cached_property
    def ranks(self) -> Table | None:
        """Mean ranks of the methods over the problems, and Friedman's test; None where there is one problem only."""
        ranked = self._ranked
        if ranked is None:
            return None
        test, methods, labels, matrix = ranked
        found: statistics.Friedman | statistics.Wilcoxon = test
        if len(methods) == 2:  # Friedman's test is for three and more
            found = statistics.wilcoxon(matrix[:, 0], matrix[:, 1])
        p = "no test" if found.p is None else f"p {'< 0.001' if found.p < 0.001 else f'= {found.p:.3f}'}"
        name = "Friedman" if len(methods) > 2 else "Wilcoxon"
        note = f"{name} over {len(labels)} problems, by their median fitness ({', '.join(labels)}): {p}. {found.note}"
        columns: dict[str, Sequence[Value]] = {"method": methods, "mean rank": test.mean_ranks}
        title = "Mean ranks by median fitness; rank 1 is the best"
        return Table("ranks", title, columns, {"mean rank": ".2f"}, note.strip())

    @cached_property
    def _ranked(self) -> tuple[statistics.Friedman, list[str], list[str], NDArray[np.float64]] | None:
        """Friedman's test over the problems that all methods have run on."""
        methods = list(self.results.methods)
        whole = [data for data in self.data if data.column != "test" and len(data.finals) == len(methods)]
        if len(whole) < 2 or len(methods) < 2:
            return None
        matrix = np.array([[float(np.median(data.minimised[method])) for method in methods] for data in whole])
        return statistics.friedman(matrix), methods, [data.label for data in whole], matrix

    @cached_property
    def programs(self) -> Table:
        """The best program of each method on each problem."""
        return result_tables.best_programs(self.results)

    @cached_property
    def fronts(self) -> Table | None:
        """The fronts of the best runs; None where the file has none."""
        return fronts_table(self.results)

    @cached_property
    def failures(self) -> Table | None:
        """How many individuals failed in functions of the user's, and how; None where none did."""
        return failures_table(self.results)

    @cached_property
    def each_run(self) -> Table:
        """Every run with its seed."""
        return result_tables.every_run(self.results)

    @cached_property
    def settings(self) -> Table:
        """The settings that the methods ran with."""
        return result_tables.settings_that_ran(self.results)

    @property
    def tables(self) -> list[Table]:
        """All tables."""
        several = [self.kruskal, *self.overviews, self.tests] if any(len(data.finals) > 1 for data in self.data) else []
        ranks = [] if self.ranks is None else [self.ranks]
        programs = [self.programs] if self.programs.columns["program"] else []
        fronts = [] if self.fronts is None else [self.fronts]
        failures = [] if self.failures is None else [self.failures]
        found = [self.table, self.summary, *several, *ranks, *programs, *fronts, *failures]
        return [*found, self.settings, self.each_run]

    @property
    def headlines(self) -> list[Table]:
        """The tables to look at first."""
        if not self._pairs:
            return [self.table]
        if self.overviews:
            return [self.table, self.overviews[0]]
        remark = [name for name in ("remark",) if name in self.tests.columns]
        return [self.table, self.tests.only(*HEADLINES, *remark)]

    def figure(self, problem: str | None = None) -> Figure:
        """Mean best fitness over the generations, for all problems or for one."""
        if problem is not None and problem not in self.results.problems:
            near = did_you_mean(problem, self.results.problems) or f"; there are {', '.join(self.results.problems)}"
            raise SettingsError(f"no problem is called {problem!r}{near}")
        return comparison_figures.progress_figure(self.results, [d for d in self.data if problem in (None, d.problem)])

    def figures(self, rules: Mapping[str, str] | None = None) -> dict[str, Drawing]:
        """All figures by name; `rules` says for a problem which rule's probabilities to draw."""
        found = comparison_figures.of_data(self.results, self.data)
        ranked = self._ranked
        if ranked is not None:
            found |= comparison_figures.of_ranks(*ranked[:3])
        found |= comparison_figures.of_pairs(self._pairs) | comparison_figures.of_fronts(self.results)
        return found | comparison_figures.of_learning(self.results, rules or {})

    def write(self, folder: str | PathLike[str]) -> Path:
        """Write report.html, figures and tables into a folder; the page."""
        check_extras()
        return write_report(self.results, Material(self.tables, self.figures()), self.overviews, Path(folder))

    def __repr__(self) -> str:
        return f"Comparison({', '.join(self.results.methods)} on {', '.join(self.results.problems)})"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()
