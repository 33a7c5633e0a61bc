"""A Bayesian learner: each rule has a Dirichlet posterior, whose counts are those of the better individuals.

The likelihood is that of a probabilistic grammar: each expansion of a rule is one draw of a production (M. Johnson, T.
L. Griffiths, S. Goldwater. Bayesian Inference for PCFGs via Markov Chain Monte Carlo. NAACL-HLT 2007, 139-146). What is
best changes during a run, so old counts are forgotten exponentially, and the prior is not (R. Kulhavý, M. B. Zarrop. On
a General Concept of Forgetting. International Journal of Control 58(4), 1993, 905-924).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye.grammar import Grammar
from gramarye.learners.base import CONTEXT, REMAP_ELITES, Context, Learner
from gramarye.learners.counts import best_valid, frequencies
from gramarye.populations.population import Memory, Population, Remembers
from gramarye.settings import INT_MAX, setting


@dataclass(frozen=True)
class Bayesian(Learner, Remembers):
    """Learns the mean of a Dirichlet posterior: the start probabilities, and counts of the better individuals."""

    selected: float = setting(0.1, low=0, high=1, doc="fraction of the population that is learned from")
    forgetting: float = setting(0.1, low=0, high=1, doc="fraction of the counts that is forgotten per generation")
    strength: float = setting(
        1000.0, low=0, high=INT_MAX, doc="uses of each rule that the probabilities at the start count as"
    )
    remap_elites: bool = setting(True, doc=REMAP_ELITES)
    context: Context = setting("none", doc=CONTEXT)

    learns: ClassVar[bool] = True

    def remember(self, population: Population, memory: Memory) -> Memory:
        """The probabilities at the start, and the counts of all generations, older ones faded."""
        counts = self._uses(population)
        if memory:
            counts += (1 - self.forgetting) * memory["counts"]
        return {"start": memory["start"] if memory else population.probabilities, "counts": counts}

    def update(
        self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        population = replace(population, probabilities=probabilities)
        memory = population.memory.get("learner") or self.remember(population, {})
        uses, updated = self._uses(population), probabilities.copy()
        for span in grammar.spans.values():
            if uses[span].any():
                updated[span] = frequencies((self.strength * memory["start"][span] + memory["counts"][span]).tolist())
        return updated

    def _uses(self, population: Population) -> NDArray[np.float64]:
        """[R] how often the better individuals of a population used each production."""
        better = population.derivations.take(best_valid(population.fitness, self.selected))
        return np.bincount(better.productions, minlength=len(population.probabilities)).astype(np.float64)
