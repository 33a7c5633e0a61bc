"""The main table of an analysis, and all measures of a few methods side by side: numbers with their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

from gramarye.records.locality import MEASURES, Locality
from gramarye.show.tables.table import Table
from gramarye.show.tables.values import Cell
from gramarye.statistics import Interval

SHORT = {  # heads of the main table: shares in percent, but for the gap
    "valid": "validity",
    "neutral": "neutrality",
    "used": "used_neutrality",
    "1 edit": "one_edit",
    "far": "nonlocal_share",
    "gap": "gap",
    "cross": "nearness",
    "moved": "moved_share",
    "synon.": "synonymity",
}
FOLLOWED = {"neutral": "neutrality", "far": "nonlocal_share", "moved": "moved_share", "alike": "fitness_neutrality"}
NUMBERS = ("gap", "distance", "token_edits", "ceiling", "moved_distance", "fitness_distance", "output_distance",
           "pearson", "spearman", "uniformity")  # fmt: skip # all others are shares
NOTE = (
    "Per cent, ± half of the 95 % interval. Valid: random genotypes. With one element changed: neutral, the same "
    "derivation; used, the same if only elements change that were read; 1 edit, of the tree; far, more than one edit, "
    "of all that change; gap, mean edits beyond the first. Cross: edits from a child to its nearer parent, of those "
    "between its parents. Moved: programs changed by one update of the probabilities. Synon.: distance of genotypes of "
    "the same program, of that of any two."
)
RUN_NOTE = "From the first generation that was looked at to the last one. Alike: neighbours with the same fitness."


class Measured(Protocol):
    """What the main table needs of a method."""

    @property
    def label(self) -> str: ...

    @property
    def measures(self) -> Mapping[str, Interval]: ...


def overview(found: Sequence[Measured], title: str, *, narrow: bool = False) -> Table:
    """A row for each method; a narrow one fits 80 columns, its shares without decimals."""
    columns: dict[str, list[Cell]] = {"method": [each.label for each in found]}
    for head, name in SHORT.items():
        cells: list[Cell] = [compact(each.measures.get(name), name, narrow) for each in found]
        if any(cell is not None for cell in cells):
            columns[head] = cells
    return Table("overview", f"Locality and redundancy ({title})", columns, {}, NOTE)


def beside(found: Sequence[Locality], title: str) -> Table:
    """A row for each measure, a column for each method."""
    names = [name for name in MEASURES if any(compact(each.measures.get(name), name) for each in found)]
    heads: list[Cell] = [f"{MEASURES[name][0]}{'' if name in NUMBERS else ' %'}" for name in names]
    counts: list[int] = next((each.curve.changes.tolist() for each in found if each.curve), [])
    columns: dict[str, list[Cell]] = {"measure": [*heads, *(f"edits after {count} changes" for count in counts[1:])]}
    for each in found:
        values: list[Cell] = [compact(each.measures.get(name), name) for name in names]
        means = each.curve.means[1:] if each.curve else [None] * len(counts[1:])
        columns[each.label] = [*values, *(compact(mean, "distance") for mean in means)]
    return Table("beside", f"All measures ({title})", columns)


def along(runs: Sequence[Locality]) -> Table:
    """A row for each run, from its first generation to its last one."""
    grouped: dict[tuple[str, str | None], list[Locality]] = {}
    for each in runs:
        grouped.setdefault((each.label, each.problem), []).append(each)
    ends = [(part[0], part[-1]) for part in grouped.values()]
    columns: dict[str, list[Cell]] = {
        "method": [first.label for first, _ in ends],
        "problem": [first.problem for first, _ in ends],
        "fitness": [_arrow(first.best, last.best, ".3g") for first, last in ends],
    }
    for head, name in FOLLOWED.items():
        columns[head] = [_arrow(_percent(first, name), _percent(last, name), ".0f") for first, last in ends]
    title = f"Along runs, generation {runs[0].generation} to {runs[-1].generation}"
    return Table("along", title, columns, {}, RUN_NOTE)


def compact(value: Interval | None, name: str, narrow: bool = False) -> str | None:
    """A number with half of its interval in few characters: 97±1, 7.4±0.3."""
    if value is None or value.estimate is None:
        return None
    if name in NUMBERS:
        estimate, half = value.estimate, _half(value)
        digits = 2 if half is None or half < 0.095 else 1 if half < 9.5 else 0
    else:
        estimate, half = 100 * value.estimate, 100 * (_half(value) or 0.0)
        digits = 1 if 0.05 <= half < 0.95 and not narrow else 0
    return f"{estimate:.{digits}f}" if half is None else f"{estimate:.{digits}f}±{half:.{digits}f}"


def _half(value: Interval) -> float | None:
    if value.estimate is None or value.low is None or value.high is None:
        return None
    return max(value.high - value.estimate, value.estimate - value.low)


def _percent(each: Locality, name: str) -> float | None:
    value = each.measures[name].estimate if name in each.measures else None
    return None if value is None else 100 * value


def _arrow(first: float | None, last: float | None, form: str) -> str | None:
    if first is None or last is None:
        return None
    shown = ["∞" if not math.isfinite(value) else f"{value:{form}}" for value in (first, last)]
    return f"{shown[0]} → {shown[1]}"
