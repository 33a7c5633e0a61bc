"""Rank-weighted learning: the better an individual, the more its productions count.

Weights fall by one from rank to rank, as in the rank-based ant system: B. Bullnheimer, R. F. Hartl, C. Strauss. A New
Rank Based Version of the Ant System: A Computational Study. Central European Journal for Operations Research and
Economics 7(1), 1999, 25-38.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye.grammar import Grammar
from gramarye.learners.base import Context, Learner, best_valid, counts_of, in_context, towards_frequencies
from gramarye.population import Population
from gramarye.rewriting import Rewriting
from gramarye.settings import check_settings


@dataclass(frozen=True)
class RankWeighted(Learner):
    """Learns how often the best share of the population used each production, weighted by rank."""

    selected: float = 0.5  # the share of the population that is learned from
    learning_rate: float = 1.0  # how far probabilities move towards the frequencies; 1: all the way
    floor: float = 0.0  # share of a uniform distribution that is mixed in
    context: Context = "none"
    per_individual: bool = False  # average the frequencies of individuals: a large tree counts no more than a small one
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
        weights = np.arange(len(chosen), 0, -1, dtype=np.float64)  # whole numbers: a logarithm's bits differ by machine
        counts = counts_of(grammar, population, chosen, weights, self.per_individual)
        return towards_frequencies(grammar, probabilities, counts, self.learning_rate, self.floor)
