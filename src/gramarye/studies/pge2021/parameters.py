"""The parameters that really ran beside the paper's Table 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gramarye.show.html.page import Verdict
from gramarye.show.tables.table import Table
from gramarye.studies.pge2021.paper import METHODS, PARAMETERS, RUNS, Parameter
from gramarye.studies.pge2021.runs import Grid, listed


@dataclass(frozen=True)
class ParameterRow:
    """A parameter of the paper, and what ran: a text for each method, None where it has none."""

    parameter: Parameter
    ran: dict[str, str | None]

    @property
    def deviations(self) -> list[str]:
        """Where what ran is not what the paper says."""
        told = shown(self.parameter.value, self.parameter.share)
        ran = {method: value for method, value in self.ran.items() if value is not None}
        by_value = {
            value: [method for method in ran if ran[method] == value] for value in ran.values() if value != told
        }
        return [
            f"{value} instead of {told}" + (f" in {listed(methods)}" if len(methods) < len(ran) else "")
            for value, methods in by_value.items()
        ]


def compare_parameters(grid: Grid) -> list[ParameterRow]:
    """Each parameter of the paper with the settings of the runs, and how many runs there are."""
    rows = [
        ParameterRow(parameter, {method: _ran(grid, method, parameter) for method in METHODS})
        for parameter in PARAMETERS
    ]
    runs = Parameter("Runs", "runs", RUNS, place="section 5")
    counts = {m: _joined([len(found) for (method, _), found in grid.items() if method == m], runs) for m in METHODS}
    return [*rows, ParameterRow(runs, counts)]


def _ran(grid: Grid, method: str, parameter: Parameter) -> str | None:
    """A setting over all problems: one value as a rule, several if they differ."""
    if method not in parameter.methods:
        return None
    settings = [runs.settings for (name, _), runs in grid.items() if name == method]
    return _joined([found[parameter.setting] for found in settings if parameter.setting in found], parameter)


def _joined(values: Sequence[Any], parameter: Parameter) -> str | None:
    return ", ".join(dict.fromkeys(shown(value, parameter.share) for value in values)) or None


def shown(value: Any, share: bool) -> str:
    """A setting as the paper would print it; a share of 1 or more is a count."""
    return f"{100 * value:.4g} %" if share and value < 1 else str(value)


def parameters_table(rows: Sequence[ParameterRow]) -> Table:
    """The paper's Table 1 with what really ran."""
    return Table(
        "paper-parameters",
        "Parameters, as they ran and in the paper (its Table 1)",
        {
            "Parameter": [row.parameter.name for row in rows],
            "Setting": [row.parameter.setting for row in rows],
            **{method: [row.ran[method] for row in rows] for method in METHODS},
            "Paper": [shown(row.parameter.value, row.parameter.share) for row in rows],
            "Verdict": ["; ".join(row.deviations) or "as in the paper" for row in rows],
            "Place": [row.parameter.place for row in rows],
        },
        note="From the settings that are stored with the runs. Generations counts evaluated populations, the first one "
        "included; mutation is for each codon (SGE: for each entry that was used); the paper says neither.",
    )


def parameters_verdict(rows: Sequence[ParameterRow]) -> Verdict:
    """What deviates, in a sentence."""
    deviations = [f"{row.parameter.setting}: {listed(row.deviations)}" for row in rows if row.deviations]
    if deviations:
        return Verdict(f"Not all parameters are the paper's: {'; '.join(deviations)}.", "differs")
    return Verdict("All parameters that the paper prints are those that ran.", "agrees")
