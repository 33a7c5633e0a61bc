"""The figures of an analysis of locality and redundancy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gramarye.records.analysis import Locality
from gramarye.show.figures.locality import Heat, along_runs, frequencies, heat, outcomes, scatter, small_panels, steps
from gramarye.show.figures.theme import Line
from gramarye.statistics import Interval
from gramarye.text import slug

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEW = 5  # neighbours at one place: fewer tell nothing about it
PLACES = 64  # columns of a map of places
FOLLOWED = {
    "neutrality": "neutral neighbours",
    "nonlocal_share": "non-local share",
    "moved_share": "programs moved by one update",
}
CAPTIONS = {
    "outcomes": "What becomes of a valid genotype's neighbours, which have one element changed.",
    "distances": "How many edits there are between the trees of a genotype and of a neighbour with another program.",
    "causality": "Mean distance of programs after so many changes at once, with its interval; dashed, that of two "
    "genotypes that have nothing to do with each other.",
    "places-changed": "How often a change has an effect, by its place: of a codon, within a list, of a bit, of a node.",
    "places-distance": "How large the effect of a change is, by its place.",
    "frequencies": "How often each program occurs among random genotypes, the most frequent first.",
    "runs": "The population of a run in some generations, read by the probabilities of then.",
    "places-in": "How often a change has an effect, by its place and the generation of the run.",
    "fitness": "How good the best program of each run is in the end, by how local its method was in the beginning.",
}


def caption(name: str) -> str:
    """What is written below a figure."""
    return next(text for start, text in CAPTIONS.items() if name.startswith(start))


def figures(found: Sequence[Locality], runs: Sequence[Locality], title: str) -> dict[str, Figure]:
    """All figures that there is something to draw in, by the names of their files."""
    shares = [[o.invalid, o.neutral, o.one, o.more] for o in (each.outcomes for each in found)]
    made = {
        "outcomes": outcomes([each.label for each in found], shares, f"What one change does: {title}"),
        "distances": steps([_steps(each) for each in found], f"How far a changed program is: {title}"),
        "causality": small_panels(
            [
                _points(each.label, each.curve.changes.tolist(), each.curve.means, each["ceiling"].estimate)
                for each in found
                if each.curve
            ],
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
    counts = {each.label: each.redundancy.counts for each in found if each.redundancy}
    if counts:
        lines = [Line(label, np.arange(1, len(each) + 1), each / each.sum()) for label, each in counts.items()]
        made["frequencies"] = frequencies(lines, f"Programs of random genotypes: {title}")
    return made | _run_figures(runs)


def _run_figures(runs: Sequence[Locality]) -> dict[str, Figure]:
    """For each problem its runs and their places; for all of them, success against locality."""
    made: dict[str, Figure] = {}
    ends: dict[str, list[Line]] = {}
    for problem in dict.fromkeys(each.problem or "" for each in runs):
        part = [each for each in runs if each.problem == problem]
        grouped = {
            label: [each for each in part if each.label == label]
            for label in dict.fromkeys(each.label for each in part)
        }
        made[f"runs-{slug(problem)}"] = _along(problem, grouped)
        maps = [_heat(label, one) for label, one in grouped.items()]
        made[f"places-in-{slug(problem)}"] = heat(
            maps, "place of the changed element", f"Where changes matter, along runs on {problem}"
        )
        ends[problem] = [point for label, one in grouped.items() for point in _end(label, one)]
    if any(ends.values()):
        made["fitness"] = scatter(ends, "non-local share in generation 0", "best fitness", "Locality and success")
    return made


def _along(problem: str, grouped: Mapping[str, list[Locality]]) -> Figure:
    panels = [(text, _followed(grouped, name)) for name, text in FOLLOWED.items()]
    best = [
        Line(label, [each.generation or 0 for each in part], [_finite(each.best) for each in part])
        for label, part in grouped.items()
    ]
    return along_runs([*panels, ("best fitness so far", best)], list(grouped), f"Along runs on {problem}")


def _end(label: str, part: Sequence[Locality]) -> list[Line]:
    """Where a run is in the scatter; nowhere where it had no valid program."""
    x, y = _finite(part[0]["nonlocal_share"].estimate), _finite(part[-1].best)
    return [Line(label, [x], [y])] if np.isfinite(x + y) else []


def _finite(value: float | None) -> float:
    return value if value is not None and np.isfinite(value) else np.nan


def _followed(grouped: Mapping[str, list[Locality]], name: str) -> list[Line]:
    lines = []
    for label, part in grouped.items():
        known = [each for each in part if name in each.measures and each[name].estimate is not None]
        if known:
            lines.append(_points(label, [each.generation or 0 for each in known], [each[name] for each in known]))
    return lines


def _points(label: str, x: Sequence[int], values: Sequence[Interval], limit: float | None = None) -> Line:
    """Estimates with their intervals."""
    middle, low, high = (
        np.array([np.nan if v is None else v for v in side])
        for side in zip(*((value.estimate, value.low, value.high) for value in values), strict=True)
    )
    return Line(label, x, middle, low, high, limit=limit)


def _heat(label: str, part: Sequence[Locality]) -> Heat:
    """The profiles of a method's generations, in columns that are the same for all of them."""
    last = max(int(each.profile.place[each.profile.pairs >= FEW].max(initial=0)) for each in part)
    width = 1 + last // PLACES
    shares = np.full((len(part), last // width + 1), np.nan)
    for row, each in enumerate(part):
        known = each.profile.place <= last
        column, pairs = each.profile.place[known] // width, each.profile.pairs[known]
        counts = np.bincount(column, pairs, shares.shape[1])
        with np.errstate(invalid="ignore"):
            mean = np.bincount(column, pairs * each.profile.changed[known], shares.shape[1]) / counts
        shares[row] = np.where(counts >= FEW, mean, np.nan)
    return Heat(label, [str(each.generation) for each in part], width * np.arange(shares.shape[1] + 1), shares)


def _steps(each: Locality) -> Line:
    values, counts = np.unique(each.steps, return_counts=True)
    return Line(each.label, values, np.cumsum(counts) / max(len(each.steps), 1))


def _profile(each: Locality, *, distance: bool) -> Line:
    kept = each.profile.pairs >= FEW
    values = each.profile.mean if distance else each.profile.changed
    return Line(each.label, each.profile.place[kept], values[kept])
