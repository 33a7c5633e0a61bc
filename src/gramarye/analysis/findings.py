"""What was measured of some methods: tables and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gramarye.analysis import locality_figures, locality_tables
from gramarye.analysis.overview import overview
from gramarye.analysis.plan import Plan
from gramarye.grammar import Grammar
from gramarye.objectives.problem import Problem
from gramarye.records.locality import Locality
from gramarye.show.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Findings:
    """What was measured of some methods on one grammar."""

    grammar: Grammar
    problems: tuple[Problem, ...]  # on which runs were followed
    plan: Plan
    seed: int
    found: tuple[Locality, ...]  # one for each method
    runs: tuple[Locality, ...]  # one for each problem, method and generation that was looked at
    left_out: Mapping[str, str]  # methods that were not measured, and why
    seconds: float

    @property
    def table(self) -> Table:
        """The main table, a row for each method."""
        return overview(self.found, self.title)

    @property
    def tables(self) -> list[Table]:
        """All tables: overview, locality, distances, causality, operators, redundancy, runs, and every interval."""
        return locality_tables.tables(self.found, self.runs, self.title)

    @property
    def title(self) -> str:
        """What was analysed."""
        return f"{self.grammar.name}, seed {self.seed}"

    def figures(self) -> dict[str, Figure]:
        """All figures by name; needs the extra `report`."""
        return locality_figures.figures(self.found, self.runs, self.title)
