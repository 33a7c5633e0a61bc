"""What is learned about the grammar: the interface of all learners."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations.rewriting import Rewriting, by_parent
from gramarye.grammar import Grammar
from gramarye.populations.population import Population
from gramarye.settings import HasSettings

Context = Literal["none", "parent", "slot"]  # what a non-terminal's probabilities depend on: see `in_context`

# What settings mean that several learners have.
REMAP_ELITES = "whether elites are mapped again with the new probabilities"
FLOOR = "weight of the uniform distribution that is mixed into the learned one"
CONTEXT = (
    "what the probabilities of a non-terminal depend on: nothing, the production it appears in (parent), "
    "or also its position there (slot)"
)
SELECTED = "fraction of the population that is learned from"
LEARNING_RATE = "how far probabilities move towards the frequencies: 1 is all the way"
PER_INDIVIDUAL = "whether all individuals count the same, whatever their size"


class Learner(HasSettings, ABC):
    """Turns the probabilities of one generation into those of the next."""

    learns: ClassVar[bool]  # whether probabilities ever change
    remap_elites: bool  # whether elites are mapped and evaluated again under changed probabilities

    def rewritten(self, grammar: Grammar) -> Rewriting:
        """The grammar whose productions have probabilities: as it is, unless contexts are told apart."""
        return Rewriting(grammar)

    @abstractmethod
    def update(
        self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        """New probabilities [R]; the old ones are left as they are."""


def in_context(grammar: Grammar, context: Context) -> Rewriting:
    """The grammar with a row of probabilities for each context of a non-terminal.

    "parent": the production that it stands in; "slot": also its place there.
    """
    return Rewriting(grammar) if context == "none" else by_parent(grammar, slots=context == "slot")


def best_valid(fitness: NDArray[np.float64], share: float) -> NDArray[np.int64]:
    """The best share of a population, rounded up, at least one and valid ones only; best first, ties in their order."""
    wanted = max(1, math.ceil(share * len(fitness) - 1e-9))  # 0.07 * 100 is a little above 7
    order = np.argsort(fitness, kind="stable")
    return order[np.isfinite(fitness[order])][:wanted]


def counts_of(
    grammar: Grammar,
    population: Population,
    chosen: NDArray[np.int64],
    weights: NDArray[np.float64],  # [chosen]
    per_individual: bool,  # whether a large tree counts no more than a small one
) -> NDArray[np.float64]:
    """How often some individuals used each production [R], each with its weight."""
    counts: NDArray[np.float64] = kernels.counting.count(
        population.derivations.productions,
        population.derivations.offsets,
        chosen,
        weights,
        grammar.arrays.left,
        per_individual,
    )
    return counts


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


def frequencies(counts: Sequence[float]) -> list[float]:
    """Counts divided by their sum; none where nothing was counted."""
    total = math.fsum(counts)
    return [count / total for count in counts] if total > 0 else []
