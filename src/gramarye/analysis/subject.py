"""One method with its base genotypes: all that is measured of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from gramarye.analysis import measures
from gramarye.analysis.intervals import Resampled, missing, share
from gramarye.analysis.neighbours import Neighbours, children, neighbours, strangers
from gramarye.analysis.plan import Plan
from gramarye.analysis.redundancy import redundancy
from gramarye.analysis.sampling import BOOTSTRAP, CURVE, ONE, SMALL, USED, Bases, Reading
from gramarye.analysis.stability import stability
from gramarye.records.analysis import MEASURES, Locality
from gramarye.representations.optional import How
from gramarye.statistics import Interval

Watch = Callable[[str], None]  # called with what comes next, PARTS times for each method
PARTS = ("drawing genotypes", "neighbours", "used elements", "causality", "crossover and learning", "redundancy")
LOCAL = (
    *("neighbour_validity", "neutrality", "text_neutrality", "one_edit", "gap", "nonlocal_share", "distance"),
    *("token_edits", "relative_distance", "token_distance"),
)
SPREAD = ("collision", "uniformity", "synonymity")  # what is measured of redundancy


class Subject:
    """One method with its base genotypes."""

    def __init__(self, label: str, reading: Reading, sample: Bases, plan: Plan, source: str) -> None:
        self.label, self.reading, self.sample, self.plan, self.source = label, reading, sample, plan, source
        self.bases = sample.take(np.arange(min(plan.bases, len(sample))))
        self.resampled = Resampled(max(len(self.bases), 1), int(reading.key(BOOTSTRAP)))

    @cached_property
    def one(self) -> Neighbours:
        """The neighbours with one element changed."""
        return neighbours(self.reading, self.bases, 1, self.plan.neighbours, ONE)

    def whole(self, watch: Watch) -> Locality:
        """Everything that can be told without a problem."""
        watch(f"{self.label}: {PARTS[1]}")
        if not len(self.bases):
            return self.local()
        found = self.local(watch)
        watch(f"{self.label}: {PARTS[3]}")
        points = [(1, self.one)]
        for k, count in enumerate(self.plan.changes[1:]):
            points.append((count, neighbours(self.reading, self.bases, count, self.plan.pairs, CURVE + k)))
        pearson, spearman = measures.correlations(self.resampled, points)
        ceiling = measures.mean("distance", self.resampled, strangers(self.reading, self.bases))
        watch(f"{self.label}: {PARTS[4]}")
        crossed = self.crossed()
        moves = stability(self.reading, self.bases, self.resampled)
        watch(f"{self.label}: {PARTS[5]}")
        more = {"ceiling": ceiling, "pearson": pearson, "spearman": spearman, **crossed, **moves}
        spread = redundancy(self.reading, self.sample) if self.source == "random" else None
        known = {} if spread is None else {name: getattr(spread, name) for name in SPREAD}
        return replace(
            found,
            measures={**found.measures, **more, **known},
            curve=measures.curve(self.resampled, points),
            redundancy=spread,
        )

    def local(self, watch: Watch = lambda _: None) -> Locality:
        """What a single change does."""
        one, resampled, sample = self.one, self.resampled, self.sample
        seed = int(self.reading.key(BOOTSTRAP))
        valid = missing("not drawn at random") if self.source == "trees" else share(sample.valid, sample.draws, seed)
        watch(f"{self.label}: {PARTS[2]}")
        known = {name: measures.mean(name, resampled, one) for name in LOCAL}
        used = one if self.reading.neighbourhood.uses_all else self._some(USED, "used")
        known |= {"validity": valid, "used_neutrality": measures.mean("neutrality", resampled, used)}
        known |= self._small()
        trees = one.distances.trees[one.measured]
        return Locality(
            label=self.label,
            method=self.reading.method,
            source=self.source,
            bases=len(self.bases),
            draws=sample.draws,
            skipped=measures.skipped(one),
            measures={name: known[name] for name in MEASURES if name in known},
            outcomes=measures.outcomes(one),
            steps=np.sort(trees[trees > 0]).astype(np.int64),
            profile=measures.profile(one),
        )

    def _some(self, part: int, how: How) -> Neighbours:
        """A few more neighbours, of another kind."""
        each = max(1, self.plan.neighbours // 4)
        return neighbours(self.reading, self.bases, 1, each, part, how)

    def _small(self) -> dict[str, Interval]:
        names = ("neutrality", "nonlocal_share")
        if not self.reading.neighbourhood.small_steps:
            why = missing("mutation replaces elements by random ones")
            return {f"small_{name}": why for name in names}
        found = self._some(SMALL, "small")
        return {f"small_{name}": measures.mean(name, self.resampled, found) for name in names}

    def crossed(self) -> dict[str, Interval]:
        """What crossover does."""
        if self.reading.method.samples or len(self.bases) < 2:
            why = "no crossover" if self.reading.method.samples else "no parents"
            return dict.fromkeys(("crossover_validity", "nearness", "outside"), missing(why))
        found, everyone = children(self.reading, self.bases), np.ones(len(self.bases), np.bool_)
        return {
            "crossover_validity": self.resampled.mean(np.arange(len(self.bases)), found.valid, everyone),
            "nearness": measures.nearness(self.resampled, found),
            "outside": measures.outside(self.resampled, found),
        }
