"""What there is to choose from: methods with their settings, ready-made problems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from gramarye.methods.base import MethodBase
from gramarye.objectives.problem import Problem
from gramarye.settings import describe
from gramarye.terminal.parts import heading, listing, pairs, rules_table

OPTIONS = (
    *("population", "generations", "elitism", "selection", "tournament", "crossover", "mutation"),
    *("max-evaluations", "max-time", "target-fitness"),
)
VALUES_WIDTH = 24  # columns for a setting's values; more values take more lines


def methods_page(methods: Sequence[type[MethodBase]]) -> RenderableType:
    """All methods, each with what it has for itself."""
    common = [each.name for each in describe(MethodBase)]
    parts: list[RenderableType] = []
    for method in methods:
        own = [each.name for each in describe(method) if each.name not in common]
        about = [("paper", method.paper), ("genotype", method.genotype), ("learns", method.learns)]
        head = Text.assemble((method.__name__.lower(), "bold"), f": {method.title}")
        parts += [head, Padding(pairs([*about, ("settings", ", ".join(own) or "–")]), (0, 0, 1, 4))]
    everywhere = Text.assemble(("all have", "bold"), f" {', '.join(common)}")
    return Group(*parts, everywhere, Text("gramarye methods NAME explains the settings of one", style="dim"))


def method_page(method: type[MethodBase]) -> RenderableType:
    """One method with its settings."""
    table = listing(["setting", "default", "values", "meaning"])
    for column in table.columns[:2]:
        column.no_wrap = True
    table.columns[2].max_width = VALUES_WIDTH
    for each in describe(method):
        table.add_row(Text(each.name, style="bold"), _text(each.default), each.values, each.doc)
    about = [("paper", method.paper), ("genotype", method.genotype), ("learns", method.learns)]
    head = Text.assemble((method.__name__, "bold"), f": {method.title}")
    return Group(head, Text(""), pairs(about), heading("Settings"), table, Text(""), pairs(_how(method)))


def _how(method: type[MethodBase]) -> list[tuple[str, str]]:
    """How settings are set: on the command line, and in Python."""
    last = describe(method)[-1]
    options = ", ".join(f"--{option}" for option in OPTIONS)
    return [
        ("options", options),
        ("others", f"--set {last.name}={_text(last.default)}"),
        ("in Python", f"gm.{method.__name__}(population=200, {last.name}={last.default!r})"),
    ]


def _text(value: Any) -> str:
    """A value as it is written on the command line."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def problems_page(problems: Sequence[Problem]) -> RenderableType:
    """All problems in a table."""
    table = listing(["name", "rows", "columns", "measure", "description"], right=["rows", "columns"])
    table.columns[0].no_wrap = True
    for problem in problems:
        name = Text(problem.name, style="bold")
        data = problem.dataset
        size = ["–", "–"] if data is None else [str(data.rows), str(len(data.columns))]
        table.add_row(name, *size, problem.measure, problem.description)
    return Group(table, Text(""), Text("gramarye problems NAME shows the grammar of one", style="dim"))


def problem_page(problem: Problem) -> RenderableType:
    """One problem with its grammar."""
    rows: list[tuple[str, RenderableType]] = []
    if problem.dataset is not None:
        kept = problem.summary["test_rows"] or "none"
        rows += [("rows", f"{problem.dataset.rows}, {kept} of them kept for testing")]
        rows += [("columns", str(len(problem.dataset.columns)))]
    rows += [("measure", problem.measure)]
    about = Text.assemble((problem.name, "bold"), f": {problem.description}")
    return Group(about, Text(""), pairs(rows), heading("Grammar"), rules_table(problem.grammar))
