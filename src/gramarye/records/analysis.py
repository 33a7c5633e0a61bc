"""An analysis of locality and redundancy: every number, with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from gramarye.grammar import Grammar
from gramarye.objectives.problem import Problem
from gramarye.records.document import head
from gramarye.records.locality import Locality
from gramarye.statistics import Interval


def document(
    grammar: Grammar,
    problems: Sequence[Problem],
    plan: Mapping[str, Any],
    seed: int,
    found: Sequence[Locality],
    runs: Sequence[Locality],
    left_out: Mapping[str, str],
    seconds: float,
) -> dict[str, Any]:
    """Everything that was measured."""
    return {
        **head("analysis", version=1),
        "grammar": grammar.name,
        "problems": [problem.name for problem in problems],
        "seed": seed,
        "plan": plan,
        "methods": [locality(each) for each in found],
        "runs": [locality(each) for each in runs],
        "left_out": left_out,
        "seconds": seconds,
    }


def locality(each: Locality) -> dict[str, Any]:
    """Everything about one method."""
    spread = each.redundancy
    return {
        "method": each.label,
        "settings": each.method.settings,
        "source": each.source,
        "problem": each.problem,
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
            "entropy": spread.entropy,
            "most_frequent": dict(zip(spread.programs, spread.counts.tolist(), strict=False)),
            "counts": spread.counts,
        },
    }


def _interval(value: Interval) -> dict[str, Any]:
    found: dict[str, Any] = {"estimate": value.estimate, "low": value.low, "high": value.high}
    return found | ({"note": value.note} if value.note else {})
