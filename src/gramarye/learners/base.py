"""What is learned about the grammar: the interface of all learners."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations.rewriting import Rewriting, by_parent
from gramarye.grammar import Grammar
from gramarye.populations.evaluation import Evaluation
from gramarye.populations.history import LEARNED, Wording
from gramarye.populations.population import Population
from gramarye.settings import HasSettings

Context = Literal["none", "parent", "slot"]  # what a non-terminal's probabilities depend on: see `Learner.rewritten`

# What settings mean that several learners have.
REMAP_ELITES = "whether elites are mapped again with the new probabilities"
FLOOR = "weight of the uniform distribution that is mixed into the learned one"
CONTEXT = (
    "what the probabilities of a non-terminal depend on: nothing, the production it appears in (parent), "
    "or also its position there (slot)"
)


class Learner(HasSettings, ABC):
    """Turns the probabilities of one generation into those of the next."""

    learns: ClassVar[bool]  # whether probabilities ever change
    remap_elites: bool  # whether elites are mapped and evaluated again under changed probabilities
    context: Context = "none"

    def rewritten(self, grammar: Grammar) -> Rewriting:
        """The grammar whose productions have probabilities: with a row of them for each context of a non-terminal.

        "parent": the production that it stands in; "slot": also its place there; "none": as it is.
        """
        return Rewriting(grammar) if self.context == "none" else by_parent(grammar, slots=self.context == "slot")

    @abstractmethod
    def update(
        self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        """New probabilities [R]; the old ones are left as they are."""

    @property
    def wording(self) -> Wording | None:
        """What the probabilities that a run records are called; None where they never change."""
        return LEARNED if self.learns else None

    def recorded(self, grammar: Grammar, probabilities: NDArray[np.float64], front: Evaluation) -> NDArray[np.float64]:
        """[R] what a run records of a generation: the probabilities that it was made by.

        A learner whose `wording` says that they did not guide the search reads out something else of the run's front.
        """
        return probabilities
