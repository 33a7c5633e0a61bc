"""The learner of estimation-of-distribution searches: probabilities become frequencies among the better individuals.

H.-T. Kim, C. W. Ahn. A New Grammatical Evolution Based on Probabilistic Context-free Grammar. IES 2014, vol. 2,
Springer 2015, 1-12. Contexts: H.-T. Kim, H.-K. Kang, C. W. Ahn. A Conditional Dependency Based Probabilistic Model
Building Grammatical Evolution. IEICE Trans. Inf. & Syst. E99-D(7), 2016. doi 10.1587/transinf.2016EDL8004
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye.grammar import Grammar
from gramarye.learners.base import (
    Context,
    Learner,
    best_valid,
    counts_of,
    frequencies,
    in_context,
    towards_frequencies,
)
from gramarye.population import Population
from gramarye.rewriting import Rewriting
from gramarye.settings import check_settings


@dataclass(frozen=True)
class Frequencies(Learner):
    """Learns how often the best share of the population used each production."""

    selected: float = 0.5  # the share of the population that is learned from
    learning_rate: float = 1.0  # how far probabilities move towards the frequencies; 1: all the way
    floor: float = 0.0  # share of a uniform distribution that is mixed in
    context: Context = "none"
    per_individual: bool = False  # average the frequencies of individuals: a large tree counts no more than a small one
    backoff: float = 0.0  # how many uses the frequencies over all contexts count for in each of them
    remap_elites: bool = False

    learns: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_settings(self)

    def rewritten(self, grammar: Grammar) -> Rewriting:
        return in_context(grammar, self.context)

    def update(
        self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        chosen = best_valid(population.fitness, self.selected)
        counts = counts_of(grammar, population, chosen, np.ones(len(chosen)), self.per_individual)
        if self.backoff > 0 and self.context != "none" and population.origins is not None:
            counts = _backed_off(grammar, counts, self.backoff, population.origins)
        return towards_frequencies(grammar, probabilities, counts, self.learning_rate, self.floor)


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
