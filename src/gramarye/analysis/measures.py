"""From pairs of programs to numbers: how neutral, how local, how causal a representation is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gramarye.analysis.intervals import Resampled
from gramarye.analysis.neighbours import Children, Neighbours
from gramarye.records.analysis import Curve, Outcomes, Profile
from gramarye.statistics import Interval

Floats = NDArray[np.float64]
MOST_BINS = 64  # of a profile; more places than that are taken together


def means(found: Neighbours) -> dict[str, tuple[Floats | NDArray[np.bool_], NDArray[np.bool_]]]:
    """What is averaged [P], and over which pairs [P], by the name of the measure: see `MEASURES`."""
    trees, tokens, known = found.distances.trees, found.distances.tokens.astype(np.float64), found.measured
    everyone = np.ones(len(found.base), np.bool_)
    return {
        "neighbour_validity": (found.valid, everyone),
        "neutrality": (trees == 0, found.valid),
        "text_neutrality": (tokens == 0, found.valid),  # grammars that are ambiguous derive a text in several ways
        "one_edit": (trees == 1, everyone),
        "gap": (np.abs(trees - 1.0), known & (trees > 0)),  # d_m of Rothlauf and Oetzel 2006
        "nonlocal_share": (trees != 1, found.valid & (trees != 0)),  # also where it is too large to be measured
        "distance": (trees.astype(np.float64), known),
        "token_edits": (tokens, found.valid),
        "relative_distance": (found.distances.relative, known),
        "token_distance": (tokens / np.maximum(found.distances.longest, 1), found.valid),
        "moved_share": (trees != 0, everyone),  # an individual that becomes invalid included
        "moved_distance": (trees.astype(np.float64), known),
    }


def mean(name: str, resampled: Resampled, found: Neighbours) -> Interval:
    """One of these measures."""
    return resampled.mean(found.base, *means(found)[name])


def skipped(found: Neighbours) -> float:
    """The share of valid neighbours whose distance was not computed, because the trees differ too much."""
    return float((found.valid & ~found.distances.measured).sum() / max(int(found.valid.sum()), 1))


def outcomes(found: Neighbours) -> Outcomes:
    """How many neighbours are invalid, neutral, one edit away, further away."""
    trees = found.distances.trees[found.valid]
    neutral, one = (trees == 0).sum(), (trees == 1).sum()
    counts = np.array([len(found.valid) - len(trees), neutral, one, len(trees) - neutral - one], np.float64)
    return Outcomes(*(counts / max(len(found.valid), 1)).tolist())


def curve(resampled: Resampled, points: Sequence[tuple[int, Neighbours]]) -> Curve:
    """The strong causality curve."""
    return Curve(
        np.array([changes for changes, _ in points], np.int64),
        tuple(mean("distance", resampled, found) for _, found in points),
        np.array([found.measured.sum() for _, found in points], np.int64),
    )


def correlations(resampled: Resampled, points: Sequence[tuple[int, Neighbours]]) -> tuple[Interval, Interval]:
    """Pearson's and Spearman's correlation between the number of changes and the distance of programs."""
    kept = [(count, found, found.measured) for count, found in points]
    base = np.concatenate([found.base[known] for _, found, known in kept])
    changes = np.concatenate([np.full(int(known.sum()), float(count)) for count, _, known in kept])
    trees = np.concatenate([found.distances.trees[known].astype(np.float64) for _, found, known in kept])
    return resampled.correlation(base, changes, trees), resampled.correlation(base, ranks(changes), ranks(trees))


def ranks(values: Floats) -> Floats:
    """The rank of each value, ties sharing the mean of theirs."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[which]


def profile(found: Neighbours) -> Profile:
    """What changes do by their places, places beyond some number taken together in equal bins."""
    known = found.valid & (found.place >= 0)
    place, trees = found.place[known], found.distances.trees[known]
    width = 1 + int(place.max(initial=0)) // MOST_BINS
    bins = place // width
    pairs, measured = np.bincount(bins), np.bincount(bins, trees >= 0)
    with np.errstate(invalid="ignore"):
        changed, mean = np.bincount(bins, trees != 0) / pairs, np.bincount(bins, np.maximum(trees, 0)) / measured
    seen = np.flatnonzero(pairs)
    return Profile(seen * width, changed[seen], mean[seen], pairs[seen])


def nearness(resampled: Resampled, found: Children) -> Interval:
    """How far a child is from the nearer parent, as a share of how far the parents are from each other."""
    nearer = np.minimum(found.mother.trees, found.father.trees)
    kept = found.measured
    return resampled.ratio(np.where(kept, nearer, 0.0), np.where(kept, found.parents.trees, 0.0))


def outside(resampled: Resampled, found: Children) -> Interval:
    """How often a child is further from a parent than the parents are from each other."""
    further = np.maximum(found.mother.trees, found.father.trees) > found.parents.trees
    return resampled.mean(np.arange(len(found.valid)), further, found.measured)
