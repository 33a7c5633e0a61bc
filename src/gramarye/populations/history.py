"""What is recorded of a run, generation by generation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Why a complete program may have no fitness, as statuses are called.
FAILURES = ("not_finite", "timeout", "memory", "crash", "exception")

# What is recorded of every generation, in this order.
RECORDED = (
    "best",  # the best fitness in the population
    "best_so_far",  # the best fitness of the run up to here
    "test",  # the error on test rows of the best so far; NaN where there are none
    "mean",  # over the valid individuals
    "median",  # over the valid individuals
    "invalid",  # individuals without a fitness
    "evaluations",  # individuals given a fitness up to here, or passes over the data, where those are more
    "distinct",  # programs actually computed up to here
    "node_rows",  # operations executed up to here
    *FAILURES,  # of the individuals evaluated for this generation: how many had no fitness, and why
)
FITNESSES = ("best", "best_so_far", "test", "mean", "median")  # recorded as minimised, shown as the objective returned
LIMITS = ("generations", "max_evaluations", "max_time", "target")  # settings that end a run, and change nothing else
COUNTS = ("invalid", "evaluations", "distinct", "node_rows", *FAILURES)


class Wording(NamedTuple):
    """What people are told that the probabilities are which a run records."""

    what: str  # goes on from "the grammar with"
    rule: str  # the title of a figure; {} is a non-terminal
    one: str  # what a single one is called
    many: str  # what several are called
    guided: bool = True  # whether they guided the search

    @property
    def whole(self) -> str:
        """What they are, and what they are not."""
        return self.what if self.guided else f"{self.what}, which did not guide the search"


LEARNED = Wording("the probabilities it learned", "Probabilities of {}", "probability", "probabilities")


class Found(NamedTuple):
    """A best program of a run, when it was found: minimised on its way to the store, signed when read from it."""

    generation: int
    phenotype: str
    fitness: float
    test: float  # on the rows kept for testing; NaN where there are none
    formula: str  # the phenotype with the weights that were fitted to it


class Sized(NamedTuple):
    """A program of a run's front: minimised on its way to the store, signed when read from it."""

    nodes: int
    phenotype: str
    fitness: float
    test: float  # on the rows kept for testing; NaN where there are none
    formula: str  # the phenotype with the weights that were fitted to it
    picked: bool  # whether it is the one that is worth its size


@dataclass(frozen=True)
class Slice:
    """What a slice leaves behind."""

    history: NDArray[np.float64]  # [G, len(RECORDED)], of the whole run so far
    probabilities: NDArray[np.float64] | None  # [G, R], of the whole run so far; None where none are recorded
    made: int  # generations, in this slice
    found: tuple[Found, ...]  # in this slice
    seconds: float  # of processor time, in this slice
    elapsed: float  # seconds of the whole run so far
    share: float  # of the whole run that is done, by its nearest limit
    front: tuple[Sized, ...]  # of a run that has ended, smallest first
    state: bytes | None  # where the next slice resumes; None: the run has ended
