"""An evaluated population: what selection, replacement and learners see of a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import NO_VALUES, Derivations, Status
from gramarye.errors import SettingsError
from gramarye.populations.evaluation import Evaluation

Memory: TypeAlias = Mapping[str, NDArray[Any]]  # what one part of a method remembers: named arrays


@dataclass(frozen=True)
class Candidate:
    """One individual as it was when its fitness was computed."""

    productions: NDArray[np.int32]  # empty where the individual is invalid
    fitness: float
    weights: NDArray[np.float64] | None = None  # [1 + T] of terms, where they are fitted
    values: NDArray[np.float64] = field(default_factory=lambda: NO_VALUES)  # of its constants
    nodes: int = 0  # of its program

    @property
    def valid(self) -> bool:
        """Whether it has a finite fitness."""
        return bool(np.isfinite(self.fitness))

    @classmethod
    def of(cls, evaluation: Evaluation, i: int) -> Candidate:
        """Individual i of a population."""
        weights = None if evaluation.weights is None else evaluation.weights[i]
        derivations = evaluation.derivations
        steps = slice(derivations.offsets[i], derivations.offsets[i + 1])
        productions, values = derivations.productions[steps], derivations.values[steps]
        return cls(productions, float(evaluation.fitness[i]), weights, values, int(evaluation.size[i]))

    @property
    def derivations(self) -> Derivations:
        """Its derivation, as a population of one."""
        return Derivations.of(self.productions, self.values)


NOBODY = Candidate(np.zeros(0, np.int32), np.inf)


def _no_cases() -> NDArray[np.float64]:
    raise SettingsError("this population has no errors per case")


@dataclass(frozen=True)
class Population:
    """The individuals of one generation, with all that is known of them."""

    generation: int
    genotypes: Any  # of N individuals
    evaluation: Evaluation  # of N individuals; derivations are those of the method's own grammar
    rank: NDArray[np.float64]  # [N] smaller is better: the fitness, unless the replacement ranks otherwise
    born: NDArray[np.int64]  # [N] the generation that each individual was made for
    best_of_run: Candidate
    probabilities: NDArray[np.float64]  # [R] under which it was mapped
    origins: NDArray[np.int32] | None = None  # [R] the problem's production behind each of the method's; None: itself
    memory: Mapping[str, Memory] = field(default_factory=dict)  # of each part that remembers something
    compute_cases: Callable[[], NDArray[np.float64]] = field(default=_no_cases, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        derivations: Derivations,
        fitness: NDArray[np.float64],
        cases: NDArray[np.float64] | None = None,
        generation: int = 0,
        origins: NDArray[np.int32] | None = None,
    ) -> Population:
        """Individuals of known fitness, all made for this generation, the best of the run among them."""
        status = np.where(np.isfinite(fitness), derivations.status, Status.NOT_FINITE).astype(np.int8)
        evaluation = Evaluation(derivations, fitness, status, np.diff(derivations.offsets))
        best = Candidate.of(evaluation, int(np.argmin(fitness)))
        compute = _no_cases if cases is None else lambda: cases
        born = np.full(len(fitness), generation)
        nothing = np.zeros(0)
        return cls(generation, None, evaluation, fitness, born, best, nothing, origins, compute_cases=compute)

    def __len__(self) -> int:
        return len(self.evaluation)

    @property
    def fitness(self) -> NDArray[np.float64]:
        """[N], +inf: invalid."""
        return self.evaluation.fitness

    @property
    def derivations(self) -> Derivations:
        """Of N individuals, in the method's own grammar."""
        return self.evaluation.derivations

    @cached_property
    def cases(self) -> NDArray[np.float64]:
        """[N, C] the error of each individual in each case, computed when first asked for; +inf: invalid."""
        return self.compute_cases()

    @property
    def best_of_generation(self) -> Candidate:
        """The best of all."""
        return Candidate.of(self.evaluation, int(np.argmin(self.fitness)))

    @property
    def best_of_offspring(self) -> Candidate:
        """The best of those that were made for this generation."""
        made = np.flatnonzero(self.born == self.generation)
        return Candidate.of(self.evaluation, int(made[np.argmin(self.fitness[made])])) if len(made) else NOBODY


class Remembers(ABC):
    """A learner, selection or replacement that remembers something from one generation to the next."""

    @abstractmethod
    def remember(self, population: Population, memory: Memory) -> Memory:
        """What to remember after a population has been evaluated; `memory` is what was remembered before it.

        The part finds it in `population.memory["learner"]` (or "selection", "replacement") in the next generation. It
        is saved with the state of a run.
        """
