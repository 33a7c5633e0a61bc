"""The learner of estimation-of-distribution searches: probabilities become frequencies among the better individuals.

H.-T. Kim, C. W. Ahn. A New Grammatical Evolution Based on Probabilistic Context-free Grammar. IES 2014, vol. 2,
Springer 2015, 1-12. Contexts: H.-T. Kim, H.-K. Kang, C. W. Ahn. A Conditional Dependency Based Probabilistic Model
Building Grammatical Evolution. IEICE Trans. Inf. & Syst. E99-D(7), 2016. doi 10.1587/transinf.2016EDL8004

Rank weights fall by one from rank to rank, as in the rank-based ant system: B. Bullnheimer, R. F. Hartl, C. Strauss. A
New Rank Based Version of the Ant System: A Computational Study. Central European Journal for Operations Research and
Economics 7(1), 1999, 25-38.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye.grammar import Grammar
from gramarye.learners.base import CONTEXT, FLOOR, REMAP_ELITES, Context, Learner
from gramarye.learners.counts import best_valid, counts_of, frequencies
from gramarye.populations.evaluation import Evaluation
from gramarye.populations.history import Wording
from gramarye.populations.population import Population
from gramarye.settings import INT_MAX, as_in, setting

PRIOR = 1.0  # programs that the probabilities of the search count as, where a front is read out
FRONT = Wording(
    "the frequencies of its productions in the front",
    "Frequencies of {} in the front",
    "frequency",
    "frequencies",
    guided=False,
)


@dataclass(frozen=True)
class Frequencies(Learner):
    """Learns how often the best share of the population used each production."""

    selected: float = setting(0.5, low=0, high=1, doc="fraction of the population that is learned from")
    learning_rate: float = setting(
        1.0, low=0, high=1, doc="how far probabilities move towards the frequencies: 1 is all the way"
    )
    floor: float = setting(0.0, low=0, high=1, doc=FLOOR)
    context: Context = setting("none", doc=CONTEXT)
    per_individual: bool = setting(False, doc="whether all individuals count the same, whatever their size")
    backoff: float = setting(
        0.0, low=0, high=INT_MAX, doc="uses of a rule that its frequencies over all contexts add to each context"
    )
    remap_elites: bool = setting(False, doc=REMAP_ELITES)

    learns: ClassVar[bool] = True

    def update(
        self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        chosen = best_valid(population.fitness, self.selected)
        counts = counts_of(grammar, population.derivations, chosen, np.ones(len(chosen)), self.per_individual)
        if self.backoff > 0 and self.context != "none" and population.origins is not None:
            counts = _backed_off(grammar, counts, self.backoff, population.origins)
        return towards_frequencies(grammar, probabilities, counts, self.learning_rate, self.floor)


@dataclass(frozen=True)
class RankWeighted(Learner):
    """Learns how often the best share of the population used each production, weighted by rank."""

    selected: float = as_in(Frequencies, "selected")
    learning_rate: float = as_in(Frequencies, "learning_rate")
    floor: float = as_in(Frequencies, "floor")
    context: Context = as_in(Frequencies, "context")
    per_individual: bool = as_in(Frequencies, "per_individual")
    remap_elites: bool = as_in(Frequencies, "remap_elites")

    learns: ClassVar[bool] = True

    def update(
        self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        chosen = best_valid(population.fitness, self.selected)
        weights = np.arange(len(chosen), 0, -1, dtype=np.float64)  # whole numbers: a logarithm's bits differ by machine
        counts = counts_of(grammar, population.derivations, chosen, weights, self.per_individual)
        return towards_frequencies(grammar, probabilities, counts, self.learning_rate, self.floor)


@dataclass(frozen=True)
class FrontFrequencies(Learner):
    """Learns nothing, but records how often the programs of the run's front use each production.

    Every program counts alike, whatever its size: by the share that a production has of its uses of a rule. The
    probabilities of the search count as one more program, so that no production is lost that they allow; a rule that no
    program uses keeps them. Restarts change nothing: the front is that of the whole run.
    """

    remap_elites: bool = as_in(Frequencies, "remap_elites")

    learns: ClassVar[bool] = False

    def update(
        self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        return probabilities

    @property
    def wording(self) -> Wording:
        return FRONT

    def recorded(self, grammar: Grammar, probabilities: NDArray[np.float64], front: Evaluation) -> NDArray[np.float64]:
        every = np.arange(len(front))
        counts = counts_of(grammar, front.derivations, every, np.ones(len(front)), per_individual=True)
        found = probabilities.copy()
        for span in grammar.spans.values():
            if counts[span].any():
                found[span] = frequencies((counts[span] + PRIOR * probabilities[span]).tolist())
        return found


def _backed_off(
    grammar: Grammar, counts: NDArray[np.float64], backoff: float, origins: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Counts of contexts, each with the frequencies of its non-terminal over all of them as so many more uses."""
    whole: dict[tuple[int, ...], NDArray[np.float64]] = {}  # the productions of a non-terminal → their counts
    own = {name: tuple(origins[span].tolist()) for name, span in grammar.spans.items()}
    for name, span in grammar.spans.items():
        whole[own[name]] = whole.get(own[name], 0.0) + counts[span]
    found = counts.copy()
    for name, span in grammar.spans.items():
        shares = frequencies(whole[own[name]].tolist())
        found[span] += backoff * np.array(shares or 0.0)
    return found


def towards_frequencies(
    grammar: Grammar,
    probabilities: NDArray[np.float64],
    counts: NDArray[np.float64],  # [R]
    learning_rate: float,
    floor: float,
) -> NDArray[np.float64]:
    """Probabilities moved towards frequencies, then by `floor` towards uniform ones; a row without counts stays."""
    updated = probabilities.copy()
    for span in grammar.spans.values():
        old, found = probabilities[span].tolist(), frequencies(counts[span].tolist())
        if found:
            row = [(1 - learning_rate) * p + learning_rate * f for p, f in zip(old, found, strict=True)]
            updated[span] = [(1 - floor) * p + floor / len(row) for p in row] if floor > 0 else row
    return updated
