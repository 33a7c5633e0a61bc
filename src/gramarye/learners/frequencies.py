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
    frequencies,
    in_context,
    towards_frequencies,
)
from gramarye.populations.population import Population
from gramarye.settings import INT_MAX, setting


@dataclass(frozen=True)
class Frequencies(Learner):
    """Learns how often the best share of the population used each production."""

    selected: float = setting(0.5, low=0, high=1, doc=SELECTED)
    learning_rate: float = setting(1.0, low=0, high=1, doc=LEARNING_RATE)
    floor: float = setting(0.0, low=0, high=1, doc=FLOOR)
    context: Context = setting("none", doc=CONTEXT)
    per_individual: bool = setting(False, doc=PER_INDIVIDUAL)
    backoff: float = setting(
        0.0, low=0, high=INT_MAX, doc="uses of a rule that its frequencies over all contexts add to each context"
    )
    remap_elites: bool = setting(False, doc=REMAP_ELITES)

    learns: ClassVar[bool] = True

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
