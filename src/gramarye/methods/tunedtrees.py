"""Tuned trees: derivation trees with fitted weights and tuned constants, and a front of error and size.

The method of this package, made of published parts: trees that exchange subtrees of the same non-terminal (Whigham
1995), survivors by NSGA-II (Deb et al. 2002), constants tuned in every program (Kommenda et al. 2020) by variable
projection (Golub and Pereyra 1973), least squares over the terms of a sum, subtrees fitted to what the target asks of
them (Pawlak et al. 2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from gramarye.learners.frequencies import FrontFrequencies
from gramarye.methods.base import Initialisation, MethodBase
from gramarye.objectives.problem import Tuning
from gramarye.replacement import Fronts, Replacement
from gramarye.representations.trees import Trees
from gramarye.settings import INT_MAX, as_in, setting

LEAST_GAIN = 0.01  # of the squared error, by a step of the constants: they are kept, and tuned further in offspring


class _Unless(int):
    """A limit that nobody has given: it does not count where another limit is given."""


@dataclass(frozen=True, kw_only=True)
class TunedTrees(MethodBase):
    """Tuned trees: constants are tuned, terms weighted; programs that no other beats in both error and size survive."""

    population: int = as_in(MethodBase, "population", default=300)
    generations: int = as_in(
        MethodBase,
        "generations",
        default=_Unless(1000),
        doc="number of populations evaluated, including the first; the default is lifted where max_evaluations or "
        "max_time is given",
    )
    elitism: float = as_in(
        MethodBase, "elitism", doc="has no effect: survivors are chosen from parents and offspring by error and size"
    )
    tournament: int = as_in(MethodBase, "tournament", default=5)
    crossover: float = as_in(
        MethodBase, "crossover", default=0.5, doc="crossover probability per child; the other children are mutated"
    )
    mutation: float = as_in(
        MethodBase,
        "mutation",
        default=0.2,
        doc="probability that a child of two parents is mutated as well; a child of one always is, unless this is 0",
    )
    initialisation: Initialisation = as_in(MethodBase, "initialisation", default="random")
    tuning_iterations: int = as_in(MethodBase, "tuning_iterations", default=10)
    terms: int = setting(
        6, low=0, high=100, doc="terms of the sum that a program is, at most, whose weights are fitted by least squares"
    )
    fitted_subtrees: int = setting(
        20,
        low=0,
        high=INT_MAX,
        doc="children in each generation with a fitted subtree: a sum of up to three small formulas that comes "
        "close to what would make the program exact",
    )
    rows: int | None = setting(
        1000,
        low=2,
        high=INT_MAX,
        doc="rows that programs are compared on, drawn at random where there are at least twice as many; what a run "
        "reports is computed on all rows",
    )
    initial_depth: int = as_in(Trees, "initial_depth", default=5)
    max_depth: int = as_in(Trees, "max_depth")
    max_size: int | None = as_in(Trees, "max_size", default=40)
    max_evaluations: int | None = as_in(
        MethodBase,
        "max_evaluations",
        default=_Unless(200_000),
        doc="evaluations after which a run stops: of individuals, or passes over the data where constants are tuned; "
        "the default is lifted where max_time is given",
    )
    target: float | None = as_in(
        MethodBase,
        "target",
        doc="fitness at which a run stops; by default 20 generations after only rounding is left of the error",
    )

    published: ClassVar[bool] = False
    stops_when_exact: ClassVar[bool] = True
    title: ClassVar[str] = "trees with tuned constants"
    paper: ClassVar[str] = "this package"
    genotype: ClassVar[str] = "the derivation tree itself, with its constants"
    learns: ClassVar[str] = "nothing; how often its front uses each production is recorded"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_unused("elitism", "replacement", "Fronts()")
        timed, own = self.max_time is not None, isinstance(self.max_evaluations, _Unless)
        if isinstance(self.generations, _Unless) and (timed or not (own or self.max_evaluations is None)):
            object.__setattr__(self, "generations", INT_MAX)
        if timed and own:
            object.__setattr__(self, "max_evaluations", None)

    @property
    def _unused(self) -> set[str]:
        return super()._unused | {"elitism"}

    @cached_property
    def representation(self) -> Trees:
        return Trees(self.initial_depth, self.max_depth, self.max_size, "mixed")

    @cached_property
    def learner(self) -> FrontFrequencies:
        return FrontFrequencies()

    @property
    def tuning(self) -> Tuning:
        return Tuning(self.terms, self.tuning_iterations, LEAST_GAIN, self.rows, self.fitted_subtrees)

    def _replacement(self) -> Replacement:
        return Fronts()
