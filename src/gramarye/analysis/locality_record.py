"""What an analysis of locality and redundancy found, for JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from gramarye.analysis.locality import Locality
from gramarye.statistics import Interval


def facts(each: Locality) -> dict[str, Any]:
    """Everything about one method, for JSON."""
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
