"""The tables of an analysis of locality and redundancy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from gramarye.analysis.distances import LARGEST
from gramarye.analysis.overview import overview
from gramarye.analysis.subject import SPREAD
from gramarye.records.locality import MEASURES, Locality
from gramarye.show.tables.table import Table
from gramarye.show.tables.values import Cell

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
    every = [*found, *runs]
    made = [overview(found, title), locality(found, title), _distances(found, title), _causality(found, title)]
    made.append(_operators(found, title))
    if any(each.redundancy for each in found):
        made.append(_redundancy(found, title))
    if runs:
        made += [_runs(runs, title), _behaviour(runs, title)]
    return [*made, _intervals(every, title)]


def locality(found: Sequence[Locality], title: str) -> Table:
    """What one change does."""
    columns: dict[str, list[Cell]] = {"method": [each.label for each in found]}
    columns |= {MEASURES[name][0]: [_estimate(each, name) for each in found] for name in LOCAL}
    columns["not measured"] = [each.skipped for each in found]
    note = f"{_note(LOCAL)} Not measured: {NOT_MEASURED}, and are in the other columns, but not in the gap."
    return Table("locality", f"Locality: one element changed ({title})", columns, _formats(columns), note)


def _causality(found: Sequence[Locality], title: str) -> Table:
    columns: dict[str, list[Cell]] = {"method": [each.label for each in found]}
    counts: list[int] = next((each.curve.changes.tolist() for each in found if each.curve), [])
    for k, count in enumerate(counts):
        name = f"{count} change{'s' * (count > 1)}"
        columns[name] = [each.curve.means[k].estimate if each.curve else None for each in found]
    columns |= {MEASURES[name][0]: [_estimate(each, name) for each in found] for name in CAUSAL}
    note = "Mean tree edits after so many changes at once. " + _note(CAUSAL)
    return Table("causality", f"Causality: several elements changed ({title})", columns, _formats(columns), note)


def _distances(found: Sequence[Locality], title: str) -> Table:
    columns: dict[str, list[Cell]] = {"method": [each.label for each in found]}
    columns |= {MEASURES[name][0]: [_estimate(each, name) for each in found] for name in DISTANCES}
    return Table("distances", f"Distances of neighbours ({title})", columns, _formats(columns), _note(DISTANCES))


def _operators(found: Sequence[Locality], title: str) -> Table:
    columns: dict[str, list[Cell]] = {"method": [each.label for each in found]}
    names = [*CROSSED, *MOVED]
    columns |= {MEASURES[name][0]: [_estimate(each, name) for each in found] for name in names}
    return Table("operators", f"Crossover, small steps, learning ({title})", columns, _formats(columns), _note(names))


def _redundancy(found: Sequence[Locality], title: str) -> Table:
    known = [(each, each.redundancy) for each in found if each.redundancy]
    columns: dict[str, list[Cell]] = {
        "method": [each.label for each, _ in known],
        "genotypes": [spread.sample for _, spread in known],
        "programs": [spread.distinct for _, spread in known],
        "collision": [spread.collision.estimate for _, spread in known],
        "entropy": [spread.entropy for _, spread in known],
        "most frequent": [_shortened(spread.programs[0]) for _, spread in known],
        "share": [float(spread.counts[0]) / spread.sample for _, spread in known],
        "uniformity": [spread.uniformity.estimate for _, spread in known],
        "synonymity": [spread.synonymity.estimate for _, spread in known],
    }
    note = f"{_note(SPREAD)} Entropy in bits."
    return Table("redundancy", f"Redundancy of random genotypes ({title})", columns, _formats(columns), note)


def _runs(runs: Sequence[Locality], title: str) -> Table:
    columns = _along(runs) | {MEASURES[name][0]: [_estimate(each, name) for each in runs] for name in RUN}
    return Table("runs", f"Locality along runs ({title})", columns, _formats(columns), _note(RUN))


def _behaviour(runs: Sequence[Locality], title: str) -> Table:
    columns = _along(runs) | {MEASURES[name][0]: [_estimate(each, name) for each in runs] for name in ACTS}
    return Table("behaviour", f"What neighbours do ({title})", columns, _formats(columns), _note(ACTS))


def _along(runs: Sequence[Locality]) -> dict[str, list[Cell]]:
    return {
        "method": [each.label for each in runs],
        "problem": [each.problem for each in runs],
        "generation": [each.generation for each in runs],
        "best fitness": [each.best for each in runs],
    }


def _intervals(every: Sequence[Locality], title: str) -> Table:
    """One row for each number, with its interval: what a program reads."""
    rows = [(each, name, value) for each in every for name, value in each.measures.items()]
    columns: dict[str, list[Cell]] = {
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


def _note(names: Sequence[str]) -> str:
    """What the columns say."""
    return " ".join(f"{head[0].upper()}{head[1:]}: {text}." for head, text in (MEASURES[name] for name in names))
