"""An analysis of locality and redundancy: what it finds about a method, and every number with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.grammar import Grammar
from gramarye.methods.base import MethodBase
from gramarye.objectives.problem import Problem
from gramarye.records.document import head
from gramarye.statistics import Interval


@dataclass(frozen=True)
class Outcomes:
    """What became of the neighbours, as shares of all of them."""

    invalid: float
    neutral: float
    one: float  # edit
    more: float


@dataclass(frozen=True)
class Curve:
    """The mean distance of programs after so many changes at once."""

    changes: NDArray[np.int64]  # [C]
    means: tuple[Interval, ...]  # [C]
    pairs: NDArray[np.int64]  # [C] how many were measured


@dataclass(frozen=True)
class Profile:
    """What a change does by the place where it is made."""

    place: NDArray[np.int64]  # [B] the first of each bin
    changed: NDArray[np.float64]  # [B] share of neighbours with another program
    mean: NDArray[np.float64]  # [B] mean distance
    pairs: NDArray[np.int64]  # [B]


@dataclass(frozen=True)
class Redundancy:
    """How a sample of valid genotypes is spread over programs."""

    sample: int
    counts: NDArray[np.int64]  # [D] how often each program occurs, the most frequent first
    programs: tuple[str, ...]  # the most frequent ones
    collision: Interval  # probability that two genotypes map to the same program
    entropy: float  # of the frequencies, in bits
    uniformity: Interval  # share of the most frequent program divided by its share among random derivations
    synonymity: Interval  # distance of genotypes of the same program divided by that of any two

    @property
    def distinct(self) -> int:
        """How many programs there are."""
        return len(self.counts)


@dataclass(frozen=True)
class Locality:
    """What was measured of one method, from one source of base genotypes."""

    label: str
    method: MethodBase
    source: str  # "random", "trees", "run"
    bases: int
    draws: int
    skipped: float  # share of valid neighbours whose distance was not computed
    measures: Mapping[str, Interval]  # see `MEASURES`
    outcomes: Outcomes
    steps: NDArray[np.int64]  # distances above 0 that were computed, in ascending order
    profile: Profile
    curve: Curve | None = None
    redundancy: Redundancy | None = None
    problem: str | None = None  # of the run that it is a part of, and with it
    generation: int | None = None
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
    "one_edit": ("one edit", "share of neighbours whose tree is one edit away"),
    "gap": ("locality gap", "mean of distance − 1 over neighbours with another program; 0 is perfect"),
    "nonlocal_share": ("non-local", "share of the changed programs that are more than one edit away"),
    "distance": ("mean distance", "tree edits between a genotype's program and a neighbour's"),
    "token_edits": ("token edits", "token edits between a genotype's program and a neighbour's: the cheap check"),
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
    "moved_share": (
        "moved by learning",
        "share of programs that one update changes: the next one of a run, or one by random genotypes ranked at random",
    ),
    "moved_distance": ("distance by learning", "mean tree edits that one update of the probabilities makes"),
    "collision": ("collision", "probability that two random genotypes map to the same program"),
    "uniformity": (
        "uniformity",
        "share of the most frequent program divided by its share among derivations with equally likely productions",
    ),
    "synonymity": (
        "synonymity",
        "distance of genotypes of the same program divided by that of any two; 1: not synonymous",
    ),
    "fitness_neutrality": ("same fitness", "share of valid neighbours with the same fitness"),
    "fitness_distance": ("change of fitness", "its median over neighbours with another text"),
    "output_distance": (
        "change of outputs",
        "median root mean square over the rows, by the target's standard deviation, over neighbours with another text",
    ),
}


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
