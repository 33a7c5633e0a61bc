"""The tables of an analysis of locality and redundancy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from gramarye.analysis.study import MEASURES, Locality
from gramarye.report.cells import Cell
from gramarye.report.table import Table
from gramarye.statistics import Interval

LOCAL = ("validity", "neighbour_validity", "neutrality", "used_neutrality", "gap", "nonlocal_share", "distance")
CAUSAL = ("ceiling", "relative_distance", "token_distance", "text_neutrality", "pearson", "spearman")
CROSSED = ("crossover_validity", "nearness", "outside", "small_neutrality", "small_nonlocal_share")
RUN = ("validity", "neutrality", "used_neutrality", "nonlocal_share", "gap", "moved_share", "moved_distance")
LONGEST = 40  # characters of a program in a table


def tables(found: Sequence[Locality], runs: Sequence[Locality], title: str) -> list[Table]:
    """All tables that there is something to write in."""
    every = [*found, *runs]
    made = [locality(found, title), _causality(found, title), _crossover(found, title)]
    if any(each.redundancy for each in found):
        made.append(_redundancy(found, title))
    if runs:
        made.append(_runs(runs, title))
    return [*made, _intervals(every, title)]


def locality(found: Sequence[Locality], title: str) -> Table:
    """What one change does."""
    columns: dict[str, list[Cell]] = {"method": [each.label for each in found]}
    columns |= {MEASURES[name][0]: [_estimate(each, name) for each in found] for name in LOCAL}
    columns["not measured"] = [each.skipped for each in found]
    note = _note(LOCAL) + " Not measured: share of valid neighbours with a tree of more than 300 nodes."
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


def _crossover(found: Sequence[Locality], title: str) -> Table:
    columns: dict[str, list[Cell]] = {"method": [each.label for each in found]}
    columns |= {MEASURES[name][0]: [_estimate(each, name) for each in found] for name in CROSSED}
    return Table("operators", f"Crossover and small steps ({title})", columns, _formats(columns), _note(CROSSED))


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
    note = (
        "Collision: probability that two genotypes stand for the same program. Entropy in bits. Uniformity: share of "
        "the most frequent program divided by its share among derivations with equally likely productions. Synonymity: "
        "distance of genotypes of the same program divided by that of any two (1: not synonymous)."
    )
    return Table("redundancy", f"Redundancy of random genotypes ({title})", columns, _formats(columns), note)


def _runs(runs: Sequence[Locality], title: str) -> Table:
    columns: dict[str, list[Cell]] = {
        "method": [each.label for each in runs],
        "generation": [each.generation for each in runs],
        "best fitness": [each.best for each in runs],
    }
    columns |= {MEASURES[name][0]: [_estimate(each, name) for each in runs] for name in RUN}
    return Table("runs", f"Locality along runs ({title})", columns, _formats(columns), _note(RUN))


def _intervals(every: Sequence[Locality], title: str) -> Table:
    """One row for each number, with its interval: what a program reads."""
    rows = [(each, name, value) for each in every for name, value in each.measures.items()]
    columns: dict[str, list[Cell]] = {
        "method": [each.label for each, _, _ in rows],
        "source": [each.source for each, _, _ in rows],
        "generation": [each.generation for each, _, _ in rows],
        "measure": [name for _, name, _ in rows],
        "estimate": [value.estimate for _, _, value in rows],
        "low": [value.low for _, _, value in rows],
        "high": [value.high for _, _, value in rows],
        "note": [value.note for _, _, value in rows],
    }
    note = "Bootstrap intervals of 95 % over base genotypes."
    return Table("intervals", f"All measures with their intervals ({title})", columns, {}, note)


def facts(each: Locality) -> dict[str, Any]:
    """Everything about one method, for JSON."""
    spread = each.redundancy
    return {
        "method": each.label,
        "settings": each.method.settings,
        "source": each.source,
        "generation": each.generation,
        "best": each.best,
        "bases": each.bases,
        "draws": each.draws,
        "not_measured": each.skipped,
        "measures": {name: _interval(value) for name, value in each.measures.items()},
        "outcomes": asdict(each.outcomes),
        "curve": None
        if each.curve is None
        else [
            {"changes": int(count), "pairs": int(pairs), **_interval(mean)}
            for count, pairs, mean in zip(each.curve.changes, each.curve.pairs, each.curve.means, strict=True)
        ],
        "profile": asdict(each.profile),
        "redundancy": None
        if spread is None
        else {
            "genotypes": spread.sample,
            "programs": spread.distinct,
            "collision": spread.collision.estimate,
            "entropy": spread.entropy,
            "uniformity": spread.uniformity.estimate,
            "synonymity": spread.synonymity.estimate,
            "most_frequent": dict(zip(spread.programs, spread.counts.tolist(), strict=False)),
            "counts": spread.counts,
        },
    }


def plain(value: Any) -> Any:
    """Mappings, sequences, arrays and numbers as JSON knows them; what is not finite is null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _interval(value: Interval) -> dict[str, Any]:
    found: dict[str, Any] = {"estimate": value.estimate, "low": value.low, "high": value.high}
    return found | ({"note": value.note} if value.note else {})


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
