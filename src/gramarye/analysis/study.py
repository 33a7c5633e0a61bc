"""All measures of one method: from random genotypes, from trees that all methods share, along a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gramarye.analysis import measures
from gramarye.analysis.intervals import Resampled, missing, share
from gramarye.analysis.measures import Curve, Outcomes, Profile
from gramarye.analysis.neighbours import Neighbours, children, moved, neighbours, strangers
from gramarye.analysis.plan import Plan, Source
from gramarye.analysis.redundancy import Redundancy, redundancy
from gramarye.analysis.sampling import (
    BOOTSTRAP,
    CURVE,
    ONE,
    SMALL,
    USED,
    Bases,
    Reading,
    population_bases,
    random_bases,
    tree_bases,
)
from gramarye.evolution import Evolution
from gramarye.execution import Workers
from gramarye.grammar import Grammar
from gramarye.learners.base import Ranked
from gramarye.methods.base import MethodBase
from gramarye.objectives.base import Problem
from gramarye.state import State
from gramarye.statistics import Interval

Watch = Callable[[str], None]  # called with what comes next, PARTS times for each method


@dataclass(frozen=True)
class Locality:
    """What was measured of one method, from one source of base genotypes."""

    label: str
    method: MethodBase
    source: str  # "random", "trees", "run"
    bases: int
    draws: int
    skipped: float  # share of valid neighbours with too large a tree
    measures: Mapping[str, Interval]  # see `MEASURES`
    outcomes: Outcomes
    steps: NDArray[np.int64]  # distances above 0, in ascending order
    profile: Profile
    curve: Curve | None = None
    redundancy: Redundancy | None = None
    generation: int | None = None  # of the run, and with it
    best: float | None = None  # the fitness of its best program so far

    def __getitem__(self, name: str) -> Interval:
        return self.measures[name]


# What each measure is called, and what it says.
MEASURES: dict[str, tuple[str, str]] = {
    "validity": ("valid", "share of genotypes, random ones or those of a population, that derive a whole program"),
    "neighbour_validity": ("neighbours valid", "share of neighbours of a valid genotype that are valid"),
    "neutrality": ("neutral", "share of valid neighbours with the same derivation"),
    "used_neutrality": ("neutral, used", "the same where only elements change that were read"),
    "text_neutrality": ("neutral, text", "share of valid neighbours with the same text"),
    "gap": ("locality gap", "mean of distance − 1 over neighbours with another program; 0 is perfect"),
    "nonlocal_share": ("non-local", "share of the changed programs that are more than one edit away"),
    "distance": ("mean distance", "tree edits between a genotype's program and a neighbour's"),
    "relative_distance": ("relative distance", "tree edits divided by the nodes of both trees"),
    "token_distance": ("token distance", "token edits divided by the tokens of the longer text"),
    "small_neutrality": ("neutral, small step", "neutrality where an element moves as by mutation"),
    "small_nonlocal_share": ("non-local, small step", "non-local share where an element moves as by mutation"),
    "ceiling": ("ceiling", "mean distance of programs that have nothing to do with each other"),
    "pearson": ("Pearson", "correlation of distances between genotypes and between programs"),
    "spearman": ("Spearman", "the same of their ranks"),
    "crossover_validity": ("children valid", "share of children of two valid parents that are valid"),
    "nearness": ("child to nearer parent", "its distance divided by that of the parents"),
    "outside": ("outside", "share of children further from a parent than the parents are from each other"),
    "moved_share": ("moved by learning", "share of programs that one update of the probabilities changes"),
    "moved_distance": ("distance by learning", "mean tree edits that one update of the probabilities makes"),
    "fitness_neutrality": ("same fitness", "share of valid neighbours with the same fitness"),
}

PARTS = ("drawing genotypes", "neighbours", "used elements", "causality", "crossover", "redundancy")


def study(
    grammar: Grammar,
    methods: Mapping[str, MethodBase],
    plan: Plan,
    seed: int,
    source: Source,
    workers: Workers,
    watch: Watch,
) -> list[Locality]:
    """All methods from one source; from trees, without those that have no way back from a program."""
    fitting = {label: m for label, m in methods.items() if source == "random" or m.representation.encodable}
    readings = {label: Reading.start(method, grammar, seed, workers) for label, method in fitting.items()}
    samples = iter(tree_bases(list(readings.values()), plan.bases)) if source == "trees" and readings else None
    found = []
    for label, reading in readings.items():
        watch(f"{label}: {PARTS[0]}")
        sample = next(samples) if samples else random_bases(reading, max(plan.sample, plan.bases))
        found.append(_Subject(label, reading, sample, plan, source).whole(watch))
    return found


def follow(
    problem: Problem, label: str, method: MethodBase, plan: Plan, seed: int, workers: int, watch: Watch
) -> list[Locality]:
    """One method along a run: its population at some generations, read by the probabilities of then."""
    wanted = sorted({min(generation, method.generations - 1) for generation in plan.generations})
    found = []
    with Evolution(problem, method, seed, workers=workers) as evolution, closing(Workers(workers)) as threads:
        for generation in evolution:
            if generation.index in wanted and evolution.state is not None:
                watch(f"{label}: generation {generation.index}")
                found.append(_at(label, problem, method, evolution.state, plan, threads))
    return found


def _at(label: str, problem: Problem, method: MethodBase, state: State, plan: Plan, workers: Workers) -> Locality:
    """What can be told of one generation."""
    reading = Reading(method, problem.grammar, state.probabilities, state.seed, workers)
    genotypes = state.genotypes
    if method.samples and state.generation > 0:  # its elites are kept as programs: their genotypes mean nothing
        genotypes = genotypes.take(np.arange(len(genotypes) - method.elites))
    bases = population_bases(reading, genotypes, plan.bases)
    subject = _Subject(label, reading, bases, plan, "run")
    found = subject.local()
    if not len(bases):
        return replace(found, generation=state.generation, best=state.best.fitness)
    known = {**found.measures, **subject.moved(state), "fitness_neutrality": subject.fitness_neutrality(problem)}
    return replace(found, measures=known, generation=state.generation, best=state.best.fitness)


class _Subject:
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
        pearson, spearman = measures.correlations(points)
        ceiling = measures.mean_distance(self.resampled, strangers(self.reading, self.bases))
        watch(f"{self.label}: {PARTS[4]}")
        crossed = self.crossed()
        watch(f"{self.label}: {PARTS[5]}")
        more = {"ceiling": ceiling, "pearson": pearson, "spearman": spearman, **crossed}
        return replace(
            found,
            measures={**found.measures, **more},
            curve=measures.curve(self.resampled, points),
            redundancy=redundancy(self.reading, self.sample) if self.source == "random" else None,
        )

    def local(self, watch: Watch = lambda _: None) -> Locality:
        """What a single change does."""
        one, resampled, sample = self.one, self.resampled, self.sample
        seed = int(self.reading.key(BOOTSTRAP))
        valid = missing("not drawn at random") if self.source == "trees" else share(sample.valid, sample.draws, seed)
        watch(f"{self.label}: {PARTS[2]}")
        known = {
            "validity": valid,
            "neighbour_validity": measures.validity(resampled, one),
            "neutrality": measures.neutrality(resampled, one),
            "used_neutrality": measures.neutrality(resampled, self._used()),
            "text_neutrality": measures.text_neutrality(resampled, one),
            "gap": measures.gap(resampled, one),
            "nonlocal_share": measures.nonlocal_share(resampled, one),
            "distance": measures.mean_distance(resampled, one),
            "relative_distance": measures.relative_distance(resampled, one),
            "token_distance": measures.token_distance(resampled, one),
            **self._small(),
        }
        trees = one.distances.trees[one.measured]
        return Locality(
            label=self.label,
            method=self.reading.method,
            source=self.source,
            bases=len(self.bases),
            draws=sample.draws,
            skipped=measures.skipped(one),
            measures=known,
            outcomes=measures.outcomes(one),
            steps=np.sort(trees[trees > 0]).astype(np.int64),
            profile=measures.profile(one),
        )

    def _used(self) -> Neighbours:
        """Neighbours by a change that was read."""
        uses_all = self.reading.method.representation.uses_all
        return self.one if uses_all else self._some(USED, used_only=True)

    def _some(self, part: int, *, used_only: bool = False, small: bool = False) -> Neighbours:
        """A few more neighbours, of another kind."""
        each = max(1, self.plan.neighbours // 4)
        return neighbours(self.reading, self.bases, 1, each, part, used_only=used_only, small=small)

    def _small(self) -> dict[str, Interval]:
        if not self.reading.method.representation.small_steps:
            why = "mutation draws elements anew"
            return {"small_neutrality": missing(why), "small_nonlocal_share": missing(why)}
        found = self._some(SMALL, small=True)
        return {
            "small_neutrality": measures.neutrality(self.resampled, found),
            "small_nonlocal_share": measures.nonlocal_share(self.resampled, found),
        }

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

    def moved(self, state: State) -> dict[str, Interval]:
        """What the next update of the probabilities does."""
        method = self.reading.method
        own = method.representation.own_probabilities(self.bases.genotypes, 0)
        if not method.learner.learns or own is not None:
            why = "nothing is learned" if own is None else "individuals have probabilities of their own"
            return {"moved_share": missing(why), "moved_distance": missing(why)}
        ranked = Ranked(
            state.generation, state.best, state.best_offspring, state.best_of_all, state.derivations, state.fitness
        )
        updated = method.learner.update(self.reading.own, state.probabilities, ranked)
        found = moved(self.reading, self.bases, updated)
        return {
            "moved_share": measures.changed_share(self.resampled, found),
            "moved_distance": measures.mean_distance(self.resampled, found),
        }

    def fitness_neutrality(self, problem: Problem) -> Interval:
        """How often a valid neighbour is exactly as good."""
        evaluator = problem.evaluator(np.uint64(self.reading.seed), self.reading.workers)
        before = evaluator.evaluate(self.bases.derivations)[self.one.base]
        after = evaluator.evaluate(self.one.derivations)
        return self.resampled.mean(self.one.base, before == after, self.one.valid)
