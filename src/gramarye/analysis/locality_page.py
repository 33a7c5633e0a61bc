"""The report of an analysis of locality and redundancy: one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gramarye.analysis.findings import Findings
from gramarye.analysis.locality_figures import caption
from gramarye.show.figures import svg_text
from gramarye.show.html.page import Code, Details, Facts, Figure, Part, Section, render
from gramarye.text import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn


def page(analysis: Findings, pictures: Mapping[str, Drawn]) -> str:
    """The text of an HTML file."""
    tables = {table.name: table for table in analysis.tables}

    def of(*names: str) -> list[Part]:
        return [tables[name] for name in names if name in tables]

    def drawn(*starts: str) -> list[Part]:
        return [Figure(name, caption(name), svg_text(figure)) for name, figure in pictures.items() if name in starts]

    found = [
        Section("Overview", "overview", [*of("overview"), *drawn("outcomes"), *_left_out(analysis.left_out)]),
        Section("One change", "locality", [*of("locality"), *drawn("distances"), *of("distances")]),
        Section("Where it is made", "places", drawn("places-changed", "places-distance")),
        Section("Several changes", "causality", [*of("causality"), *drawn("causality")]),
        Section("Crossover and learning", "operators", of("operators")),
        Section("Redundancy", "redundancy", [*of("redundancy"), *drawn("frequencies")]),
        Section("Along runs", "runs", [*drawn(*_of_runs(pictures)), *of("runs", "behaviour")]),
        Section("How it was made", "making", _making(analysis, of("intervals"))),
    ]
    footer = "Made by gramarye. Everything can be repeated to the last bit from the grammar, the methods and the seed."
    return render(f"Locality and redundancy: {analysis.grammar.name}", _lead(analysis), _filled(found), [footer])


def _of_runs(pictures: Mapping[str, Any]) -> list[str]:
    return [name for name in pictures if name.startswith(("runs-", "places-in-", "fitness"))]


def _filled(sections: Sequence[Section]) -> list[Section]:
    return [section for section in sections if section.parts]


def _lead(analysis: Findings) -> list[str]:
    methods = ", ".join(each.label for each in analysis.found)
    bases, each = counted(analysis.plan.bases, "valid genotype"), counted(analysis.plan.neighbours, "neighbour")
    return [
        "What a small change of a genotype does to its program, and how many genotypes stand for the same one.",
        f"{methods}: {bases} of each method, with {each} each; seed {analysis.seed}.",
    ]


def _left_out(reasons: Mapping[str, str]) -> list[Part]:
    return [Facts(dict(reasons), "Left out")] if reasons else []


def _making(analysis: Findings, intervals: Sequence[Part]) -> list[Part]:
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
