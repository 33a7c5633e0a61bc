"""The tables of an analysis of locality and redundancy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from gramarye.analysis.distances import LARGEST
from gramarye.analysis.overview import overview
from gramarye.analysis.subject import SPREAD
from gramarye.records.locality import MEASURES, Locality
from gramarye.show.tables.table import Table
from gramarye.show.tables.values import Cell

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
        "most frequent": [_shortened(spread.programs[0]) for spread in spreads],
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


def _shortened(program: str) -> str:
    return program if len(program) <= LONGEST else program[: LONGEST - 1] + "…"


def _formats(columns: Mapping[str, Sequence[Cell]]) -> dict[str, str]:
    """Fewer digits where numbers are large, three where they are shares."""
    formats = {}
    for name, values in columns.items():
        numbers = [abs(value) for value in values if isinstance(value, float) and math.isfinite(value)]
        if numbers:
            formats[name] = ".1f" if max(numbers) >= 100 else ".2f" if max(numbers) > 1 else ".3f"
    return formats
