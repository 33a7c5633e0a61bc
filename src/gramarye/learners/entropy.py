"""Learning with a bound on certainty: any learner, with a lower bound on the entropy of each rule.

Entropy is that of order 2 (A. Rényi. On Measures of Entropy and Information. 1961): −log Σp². A bound on it is one on
1/Σp², the number of equally likely productions that would be as hard to guess. That takes sums, products and square
roots alone, which have the same bits on every machine; the logarithms of Shannon's entropy do not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations.rewriting import Rewriting
from gramarye.errors import SettingsError
from gramarye.grammar import Grammar
from gramarye.learners.base import Learner
from gramarye.populations.population import Memory, Population, Remembers
from gramarye.settings import setting


@dataclass(frozen=True)
class EntropyBounded(Learner, Remembers):
    """What another learner learns, mixed with uniform probabilities where its entropy would fall too low.

    Each non-terminal keeps an effective number of productions, 1/Σp², of at least 1 + entropy·(j − 1) out of its j.
    """

    inner: Learner = field(metadata={"doc": "the learner whose probabilities are bounded"})
    entropy: float = setting(
        0.1, low=0, high=1, doc="lower bound of the entropy: 0 means none, 1 keeps all rules uniform"
    )
    remap_elites: bool = field(init=False, repr=False)

    learns: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.inner, Learner):
            raise SettingsError(f"inner is {self.inner!r}: it must be a learner, such as gm.learners.AlternatingBest()")
        object.__setattr__(self, "remap_elites", self.inner.remap_elites)
        super().__post_init__()

    def rewritten(self, grammar: Grammar) -> Rewriting:
        return self.inner.rewritten(grammar)

    def remember(self, population: Population, memory: Memory) -> Memory:
        """What the other learner remembers."""
        return self.inner.remember(population, memory) if isinstance(self.inner, Remembers) else {}

    def update(
        self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        updated = np.array(self.inner.update(grammar, probabilities, population))
        for span in grammar.spans.values():
            updated[span] = bounded(updated[span].tolist(), self.entropy)
        return updated


def bounded(row: Sequence[float], entropy: float) -> list[float]:
    """The row, or the nearest mixture of it with a uniform one that has enough entropy."""
    j = len(row)
    distance = math.fsum((p - 1 / j) * (p - 1 / j) for p in row)  # Σp² − 1/j: how far from uniform
    allowed = (1 - entropy) * (j - 1) / (j * (1 + entropy * (j - 1)))
    if entropy == 0 or distance <= allowed:
        return list(row)
    kept = math.sqrt(allowed / distance)  # mixing shrinks the distance by the square of what is kept
    return [kept * p + (1 - kept) / j for p in row]
