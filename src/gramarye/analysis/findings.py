"""What was measured of some methods: tables, figures, and a report on one page."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gramarye.analysis import locality_figures, locality_tables
from gramarye.analysis.plan import Plan
from gramarye.files import write_text
from gramarye.grammar import Grammar
from gramarye.objectives.problem import Problem
from gramarye.records.analysis import Locality, document
from gramarye.records.document import json_text
from gramarye.show.html.page import Code, Details, Facts, Part, Section, render
from gramarye.show.report import Drawing, Material
from gramarye.show.tables.table import Table
from gramarye.text import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Analysis:
    """What was measured of some methods on one grammar."""

    grammar: Grammar
    problems: tuple[Problem, ...]  # on which runs were followed
    plan: Plan
    seed: int
    found: tuple[Locality, ...]  # one for each method
    runs: tuple[Locality, ...]  # one for each problem, method and generation that was examined
    left_out: Mapping[str, str]  # methods that were not measured, and why
    seconds: float

    @property
    def table(self) -> Table:
        """The main table, a row for each method."""
        return locality_tables.overview(self.found, self.title)

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

    def facts(self) -> dict[str, Any]:
        """Everything, as `gramarye analyse --json` prints it."""
        return document(**vars(self) | {"plan": vars(self.plan)})

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write `report.html` and `analysis.json`, tables (CSV, LaTeX, Markdown) and figures (PDF, SVG, PNG)."""
        drawings = {name: Drawing(made, locality_figures.caption(name)) for name, made in self.figures().items()}
        material = Material(self.tables, drawings)
        page, *files = material.write(Path(folder), report_page(self, material))
        numbers = Path(folder) / "analysis.json"
        write_text(numbers, f"{json_text(self.facts())}\n")
        return [page, numbers, *files]

    def __str__(self) -> str:
        return str(self.table)

    def __repr__(self) -> str:
        return f"Analysis({self.title}: {', '.join(each.label for each in self.found)})"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def report_page(analysis: Analysis, material: Material) -> str:
    """The text of an HTML file."""
    of, drawn = material.named, material.drawn
    left_out: list[Part] = [Facts(dict(analysis.left_out), "Left out")] if analysis.left_out else []
    found = [
        Section("Overview", "overview", [*of("overview"), *drawn("outcomes"), *left_out]),
        Section("One change", "locality", [*of("locality"), *drawn("distances"), *of("distances")]),
        Section("Where it is made", "places", drawn("places-changed", "places-distance")),
        Section("Several changes", "causality", [*of("causality"), *drawn("causality")]),
        Section("Crossover and learning", "operators", of("operators")),
        Section("Redundancy", "redundancy", [*of("redundancy"), *drawn("frequencies")]),
        Section("Along runs", "runs", [*drawn("runs-", "places-in-", "fitness"), *of("runs", "behaviour")]),
        Section("How it was made", "making", _making(analysis, of("intervals"))),
    ]
    footer = "Made by gramarye. Everything can be repeated to the last bit from the grammar, the methods and the seed."
    filled = [section for section in found if section.parts]
    return render(f"Locality and redundancy: {analysis.grammar.name}", _lead(analysis), filled, [footer])


def _lead(analysis: Analysis) -> list[str]:
    methods = ", ".join(each.label for each in analysis.found)
    bases, each = counted(analysis.plan.bases, "valid genotype"), counted(analysis.plan.neighbours, "neighbour")
    return [
        "What a small change of a genotype does to its program, and how many genotypes map to the same one.",
        f"{methods}: {bases} of each method, with {each} each; seed {analysis.seed}.",
    ]


def _making(analysis: Analysis, intervals: list[Part]) -> list[Part]:
    facts = {name: str(value) for name, value in vars(analysis.plan).items()}
    settings: list[Part] = [
        Facts({name: str(value) for name, value in each.method.settings.items()}, each.label) for each in analysis.found
    ]
    return [
        Facts({"seed": analysis.seed, "seconds": round(analysis.seconds, 1), **facts}, "Plan"),
        Details("Every number, with its interval", intervals),
        Details("Settings of the methods", settings),
        Details("Grammar", [Code(analysis.grammar.text)]),
    ]
