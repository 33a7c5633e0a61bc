"""What is learned about the grammar: the interface of all learners."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye.derivation import Derivations
from gramarye.grammar import Grammar
from gramarye.rewriting import Rewriting


@dataclass(frozen=True)
class Candidate:
    """A derivation that may be learned from, as it was when its fitness was computed."""

    productions: NDArray[np.int32]  # empty where the individual is invalid
    fitness: float

    @property
    def valid(self) -> bool:
        """Whether it has a finite fitness."""
        return bool(np.isfinite(self.fitness))


@dataclass(frozen=True)
class Ranked:
    """What a learner may look at after a generation has been evaluated."""

    generation: int
    best_overall: Candidate
    best_offspring: Candidate  # of those made for this generation, elites left out
    best_of_all: Candidate  # of the whole population
    derivations: Derivations  # of the whole population, elites last
    fitness: NDArray[np.float64]  # [N], +inf: invalid


class Learner(ABC):
    """Turns the probabilities of one generation into those of the next."""

    learns: ClassVar[bool]  # whether probabilities ever change
    remap_elites: bool  # whether elites are mapped and evaluated again under changed probabilities

    def rewritten(self, grammar: Grammar) -> Rewriting:
        """The grammar whose productions have probabilities: as it is, unless contexts are told apart."""
        return Rewriting(grammar)

    @abstractmethod
    def update(self, grammar: Grammar, probabilities: NDArray[np.float64], ranked: Ranked) -> NDArray[np.float64]:
        """New probabilities [R]; the old ones are left as they are."""
