"""The figures of an analysis of locality and redundancy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gramarye.analysis.measures import Curve
from gramarye.analysis.study import Locality
from gramarye.report.figures.locality import Points, along_runs, frequencies, outcomes, scatter, small_panels, steps
from gramarye.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEW = 5  # neighbours at one place: fewer tell nothing about it
FOLLOWED = {
    "neutrality": "neutral neighbours",
    "nonlocal_share": "non-local share",
    "moved_share": "programs moved by one update",
}


def figures(found: Sequence[Locality], runs: Sequence[Locality], title: str) -> dict[str, Figure]:
    """All figures that there is something to draw in, by the names of their files."""
    labels = [each.label for each in found]
    shares = [[o.invalid, o.neutral, o.one, o.more] for o in (each.outcomes for each in found)]
    made = {
        "outcomes": outcomes(labels, shares, f"What one change does: {title}"),
        "distances": steps([_steps(each) for each in found], f"How far a changed program is: {title}"),
        "causality": small_panels(
            [_curve(each, each.curve) for each in found if each.curve],
            "elements changed",
            "mean distance (tree edits)",
            f"Causality, and the distance of independent programs (dashed): {title}",
            doubling=True,
        ),
        "places-changed": small_panels(
            [_profile(each, distance=False) for each in found],
            "place of the changed element",
            "share of changed programs",
            f"Where changes matter: {title}",
            top=1.02,
        ),
        "places-distance": small_panels(
            [_profile(each, distance=True) for each in found],
            "place of the changed element",
            "mean distance (tree edits)",
            f"Where changes are large: {title}",
        ),
    }
    counted = [_ranks(each.label, each.redundancy.counts) for each in found if each.redundancy]
    if counted:
        made["frequencies"] = frequencies(counted, f"Programs of random genotypes: {title}")
    return made | (_run_figures(found, runs, labels, title) if runs else {})


def _run_figures(
    found: Sequence[Locality], runs: Sequence[Locality], labels: Sequence[str], title: str
) -> dict[str, Figure]:
    every = list(dict.fromkeys([*labels, *(each.label for each in runs)]))
    grouped = {label: [each for each in runs if each.label == label] for label in every}
    panels = [(text, _followed(grouped, name)) for name, text in FOLLOWED.items()]
    best = [
        Points(label, [each.generation or 0 for each in part], [_finite(each.best) for each in part])
        for label, part in grouped.items()
    ]
    last = {label: part[-1] for label, part in grouped.items() if part}
    local = {each.label: each["nonlocal_share"].estimate for each in found}
    places = {label: (_finite(local.get(label)), _finite(each.best)) for label, each in last.items()}
    points = [Points(label, [x], [y]) for label, (x, y) in places.items() if np.isfinite(x + y)]
    return {
        "runs": along_runs([*panels, ("best fitness so far", best)], every, f"Along a run: {title}"),
        "fitness": scatter(points, "non-local share", "best fitness of the run", f"Locality and success: {title}"),
    }


def _finite(value: float | None) -> float:
    return value if value is not None and np.isfinite(value) else np.nan


def _followed(grouped: dict[str, list[Locality]], name: str) -> list[Points]:
    lines = []
    for label, part in grouped.items():
        known = [each for each in part if name in each.measures and each[name].estimate is not None]
        if known:
            lines.append(_points(label, [each.generation or 0 for each in known], [each[name] for each in known]))
    return lines


def _points(label: str, x: Sequence[int], values: Sequence[Interval], limit: float | None = None) -> Points:
    """Estimates with their intervals."""
    middle, low, high = (
        np.array([np.nan if v is None else v for v in side])
        for side in zip(*((value.estimate, value.low, value.high) for value in values), strict=True)
    )
    return Points(label, x, middle, low, high, limit)


def _steps(each: Locality) -> Points:
    values, counts = np.unique(each.steps, return_counts=True)
    return Points(each.label, values, np.cumsum(counts) / max(len(each.steps), 1))


def _curve(each: Locality, curve: Curve) -> Points:
    return _points(each.label, curve.changes.tolist(), curve.means, each["ceiling"].estimate)


def _profile(each: Locality, *, distance: bool) -> Points:
    kept = each.profile.pairs >= FEW
    values = each.profile.mean if distance else each.profile.changed
    return Points(each.label, each.profile.place[kept], values[kept])


def _ranks(label: str, counts: NDArray[np.int64]) -> Points:
    return Points(label, np.arange(1, len(counts) + 1), counts / counts.sum())
