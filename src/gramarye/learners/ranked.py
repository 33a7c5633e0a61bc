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

from gramarye.derivations.rewriting import Rewriting
from gramarye.grammar import Grammar
from gramarye.learners.base import (
    CONTEXT,
    FLOOR,
    LEARNING_RATE,
    PER_INDIVIDUAL,
    REMAP_ELITES,
    SELECTED,
    Context,
    Learner,
    best_valid,
    counts_of,
    in_context,
    towards_frequencies,
)
from gramarye.populations.population import Population
from gramarye.settings import setting


@dataclass(frozen=True)
class RankWeighted(Learner):
    """Learns how often the best share of the population used each production, weighted by rank."""

    selected: float = setting(0.5, low=0, high=1, doc=SELECTED)
    learning_rate: float = setting(1.0, low=0, high=1, doc=LEARNING_RATE)
    floor: float = setting(0.0, low=0, high=1, doc=FLOOR)
    context: Context = setting("none", doc=CONTEXT)
    per_individual: bool = setting(False, doc=PER_INDIVIDUAL)
    remap_elites: bool = setting(False, doc=REMAP_ELITES)

    learns: ClassVar[bool] = True

    def rewritten(self, grammar: Grammar) -> Rewriting:
        return in_context(grammar, self.context)

    def update(
        self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        chosen = best_valid(population.fitness, self.selected)
        weights = np.arange(len(chosen), 0, -1, dtype=np.float64)  # whole numbers: a logarithm's bits differ by machine
        counts = counts_of(grammar, population, chosen, weights, self.per_individual)
        return towards_frequencies(grammar, probabilities, counts, self.learning_rate, self.floor)
