"""Risk-seeking policy gradients on the grammar: the best programs of a generation become more likely to be drawn.

B. K. Petersen, M. Landajuela, T. N. Mundhenk, C. P. Santiago, S. K. Kim, J. T. Kim. Deep symbolic regression:
Recovering mathematical expressions from data via risk-seeking policy gradients. ICLR 2021. arXiv:1912.04871

There, the policy is a recurrent network. Here it is the grammar itself: the probabilities of each rule are the softmax
of its logits, which need not be kept, for they are the logarithms of the probabilities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye.grammar import Grammar
from gramarye.kernels import vectormath
from gramarye.learners.base import CONTEXT, REMAP_ELITES, Context, Learner
from gramarye.learners.counts import best_valid, counts_of, frequencies
from gramarye.populations.population import Population
from gramarye.settings import setting


@dataclass(frozen=True)
class PolicyGradient(Learner):
    """Follows the gradient of the log-probability of the best share of a generation, weighted by reward."""

    selected: float = setting(
        0.05, low=0, high=1, doc="fraction of the population that is learned from (ε in the paper)"
    )
    learning_rate: float = setting(0.5, low=0, high=1000, doc="step along the gradient, in logits")
    entropy: float = setting(0.005, low=0, high=1000, doc="weight of the gradient of the rules' entropy")
    remap_elites: bool = setting(True, doc=REMAP_ELITES)
    context: Context = setting("none", doc=CONTEXT)

    learns: ClassVar[bool] = True

    def update(
        self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        chosen = best_valid(population.fitness, self.selected)
        if len(chosen) == 0:
            return probabilities
        weights = advantages(population.fitness[chosen])
        counts = [
            counts_of(grammar, population.derivations, chosen, each / len(chosen), per_individual=False)
            for each in (weights, np.ones(len(chosen)))
        ]
        updated = probabilities.copy()
        for span in grammar.spans.values():
            row, (rewarded, used) = probabilities[span], (each[span] for each in counts)
            if used.any() and len(row) > 1:
                gradient = rewarded - row * math.fsum(rewarded)
                gradient += self.entropy * math.fsum(used) * entropy_gradient(row)
                updated[span] = climbed(row, self.learning_rate * gradient)
        return updated


def advantages(fitness: NDArray[np.float64]) -> NDArray[np.float64]:
    """What each of the best share is ahead of the last one, as a part of what the first is; fitness is ascending.

    The paper's reward is bounded; a fitness is not, so that its gradient is rescaled in each generation.
    """
    ahead: NDArray[np.float64] = fitness[-1] * 0.5 - fitness * 0.5  # halves: the difference may overflow
    return ahead / ahead[0] if ahead[0] > 0 else np.zeros(len(fitness))


def entropy_gradient(row: NDArray[np.float64]) -> NDArray[np.float64]:
    """The gradient of −Σ p log p with respect to logits; 0 for a production that is impossible."""
    log = np.zeros(len(row))
    possible = row > 0
    log[possible] = _applied(vectormath.log, row[possible])
    entropy = -math.fsum(row * log)
    gradient: NDArray[np.float64] = -row * (log + entropy)
    return gradient


def climbed(row: NDArray[np.float64], step: NDArray[np.float64]) -> list[float]:
    """The softmax of the logits of a row after a step: softmax(log p + step)."""
    possible = row > 0
    step = np.where(possible, step - step[possible].max(), 0.0)  # none overflows
    return frequencies((row * _applied(vectormath.exp, step)).tolist())


def _applied(function: Any, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A function of our own, whose bits are the same on every machine."""
    out = np.empty(len(values))
    function(out, values)
    return out
