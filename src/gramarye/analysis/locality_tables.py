"""The tables of an analysis of locality and redundancy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from gramarye.analysis.distances import LARGEST
from gramarye.analysis.subject import SPREAD
from gramarye.records.analysis import MEASURES, Locality
from gramarye.show.tables.table import Table
from gramarye.show.tables.values import Cell
from gramarye.statistics import Interval
from gramarye.text import cut

Columns: TypeAlias = dict[str, list[Cell]]

LOCAL = ("validity", "neighbour_validity", "neutrality", "used_neutrality", "one_edit", "nonlocal_share", "gap")
CAUSAL = ("ceiling", "pearson", "spearman")
DISTANCES = ("distance", "relative_distance", "token_edits", "token_distance", "text_neutrality")
CROSSED = ("crossover_validity", "nearness", "outside")
MOVED = ("small_neutrality", "small_nonlocal_share", "moved_share", "moved_distance")
RUN = ("validity", "neutrality", "used_neutrality", "nonlocal_share", "gap", "moved_share", "moved_distance")
ACTS = ("fitness_neutrality", "fitness_distance", "output_distance")
NOT_MEASURED = (
    f"share of valid neighbours more than {LARGEST} of whose nodes, or of the genotype's, are in no shared part; they "
    "are more than one edit away"
)
LONGEST = 40  # characters of a program in a table
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
OVERVIEW_NOTE = (
    "Per cent, ± half of the 95 % interval. Valid: random genotypes. With one element changed: neutral, the same "
    "derivation; used, the same if only elements change that were read; 1 edit, of the tree; far, more than one edit, "
    "of all that change; gap, mean edits beyond the first. Cross: edits from a child to its nearer parent, of those "
    "between its parents. Moved: programs changed by one update of the probabilities. Synon.: distance of genotypes of "
    "the same program, of that of any two."
)
RUN_NOTE = "From the first generation that was examined to the last one. Alike: neighbours with the same fitness."


def tables(found: Sequence[Locality], runs: Sequence[Locality], title: str) -> list[Table]:
    """All tables that there is something to write in."""
    counts: list[int] = next((each.curve.changes.tolist() for each in found if each.curve), [])
    curve: Columns = {
        f"{count} change{'s' * (count > 1)}": [each.curve.means[k].estimate if each.curve else None for each in found]
        for k, count in enumerate(counts)
    }
    known = [each for each in found if each.redundancy]
    not_measured = f"{{}} Not measured: {NOT_MEASURED}, and are in the other columns, but not in the gap."
    made = [
        overview(found, title),
        _table("locality", f"Locality: one element changed ({title})", found, LOCAL,
               after={"not measured": [each.skipped for each in found]}, note=not_measured),
        _table("distances", f"Distances of neighbours ({title})", found, DISTANCES),
        _table("causality", f"Causality: several elements changed ({title})", found, CAUSAL, curve,
               note="Mean tree edits after so many changes at once. {}"),
        _table("operators", f"Crossover, small steps, learning ({title})", found, (*CROSSED, *MOVED)),
    ]  # fmt: skip
    if known:
        head = f"Redundancy of random genotypes ({title})"
        made.append(_table("redundancy", head, known, SPREAD, _spread(known), note="{} Entropy in bits."))
    if runs:
        made.append(_table("runs", f"Locality along runs ({title})", runs, RUN, _along(runs)))
        made.append(_table("behaviour", f"What neighbours do ({title})", runs, ACTS, _along(runs)))
    return [*made, _intervals([*found, *runs], title)]


def _table(
    name: str,
    title: str,
    found: Sequence[Locality],
    names: Sequence[str],
    before: Columns | None = None,
    after: Columns | None = None,
    note: str = "{}",
) -> Table:
    """Some measures of each method, between other columns; the note says what they are."""
    measured: Columns = {MEASURES[name][0]: [_estimate(each, name) for each in found] for name in names}
    columns: Columns = {"method": [each.label for each in found], **(before or {}), **measured, **(after or {})}
    heads = " ".join(f"{head[0].upper()}{head[1:]}: {text}." for head, text in (MEASURES[name] for name in names))
    return Table(name, title, columns, _formats(columns), note.format(heads))


def _spread(known: Sequence[Locality]) -> Columns:
    spreads = [each.redundancy for each in known if each.redundancy]
    return {
        "genotypes": [spread.sample for spread in spreads],
        "programs": [spread.distinct for spread in spreads],
        "collision": [spread.collision.estimate for spread in spreads],
        "entropy": [spread.entropy for spread in spreads],
        "most frequent": [cut(spread.programs[0], LONGEST) for spread in spreads],
        "share": [float(spread.counts[0]) / spread.sample for spread in spreads],
    }


def _along(runs: Sequence[Locality]) -> Columns:
    return {
        "problem": [each.problem for each in runs],
        "generation": [each.generation for each in runs],
        "best fitness": [each.best for each in runs],
    }


def _intervals(every: Sequence[Locality], title: str) -> Table:
    """One row for each number, with its interval: what a program reads."""
    rows = [(each, name, value) for each in every for name, value in each.measures.items()]
    columns: Columns = {
        "method": [each.label for each, _, _ in rows],
        "source": [each.source for each, _, _ in rows],
        "problem": [each.problem for each, _, _ in rows],
        "generation": [each.generation for each, _, _ in rows],
        "measure": [name for _, name, _ in rows],
        "estimate": [value.estimate for _, _, value in rows],
        "low": [value.low for _, _, value in rows],
        "high": [value.high for _, _, value in rows],
        "note": [value.note for _, _, value in rows],
    }
    note = "Bootstrap intervals of 95 % over base genotypes."
    return Table("intervals", f"All measures with their intervals ({title})", columns, {}, note)


def _estimate(each: Locality, name: str) -> float | None:
    return each.measures[name].estimate if name in each.measures else None


def _formats(columns: Mapping[str, Sequence[Cell]]) -> dict[str, str]:
    """Fewer digits where numbers are large, three where they are shares."""
    formats = {}
    for name, values in columns.items():
        numbers = [abs(value) for value in values if isinstance(value, float) and math.isfinite(value)]
        if numbers:
            formats[name] = ".1f" if max(numbers) >= 100 else ".2f" if max(numbers) > 1 else ".3f"
    return formats


def overview(found: Sequence[Locality], title: str, *, narrow: bool = False) -> Table:
    """A row for each method; a narrow one fits 80 columns, its shares without decimals."""
    columns: Columns = {"method": [each.label for each in found]}
    for head, name in SHORT.items():
        cells: list[Cell] = [compact(each.measures.get(name), name, narrow) for each in found]
        if any(cell is not None for cell in cells):
            columns[head] = cells
    return Table("overview", f"Locality and redundancy ({title})", columns, {}, OVERVIEW_NOTE)


def beside(found: Sequence[Locality], title: str) -> Table:
    """A row for each measure, a column for each method."""
    names = [name for name in MEASURES if any(compact(each.measures.get(name), name) for each in found)]
    heads: list[Cell] = [f"{MEASURES[name][0]}{'' if name in NUMBERS else ' %'}" for name in names]
    counts: list[int] = next((each.curve.changes.tolist() for each in found if each.curve), [])
    columns: Columns = {"measure": [*heads, *(f"edits after {count} changes" for count in counts[1:])]}
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
    columns: Columns = {
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
    value = _estimate(each, name)
    return None if value is None else 100 * value


def _arrow(first: float | None, last: float | None, form: str) -> str | None:
    if first is None or last is None:
        return None
    shown = ["∞" if not math.isfinite(value) else f"{value:{form}}" for value in (first, last)]
    return f"{shown[0]} → {shown[1]}"
