"""A method = representation + learner + selection + settings: the interface, and the settings that all share."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from gramarye.errors import SettingsError
from gramarye.grammar import Grammar
from gramarye.learners.base import Learner
from gramarye.representations.base import Representation
from gramarye.rewriting import Rewriting
from gramarye.selection.base import Selection
from gramarye.selection.tournament import Tournament
from gramarye.settings import check_settings

Initialisation = Literal["random", "grow", "full", "ramped", "pi-grow", "ptc2"]


@dataclass(frozen=True, kw_only=True)
class MethodBase(ABC):
    """The settings that every method has; the values are those of the PGE paper."""

    population: int = 1000
    generations: int = 50  # populations that are evaluated, the first one included
    elitism: float = 0.1  # below 1 a share of the population, rounded down; from 1 on a count
    tournament: int = 3
    crossover: float = 0.9
    mutation: float = 0.05
    initialisation: Initialisation = "random"  # how the first genotypes are made: at random, or from trees
    initial_depth: int = 6  # of the deepest of these trees
    initial_size: int = 240  # expansions of the largest tree of "ptc2"; the smallest has 20
    unique: bool = False  # whether the first programs are different from one another

    title: ClassVar[str]
    paper: ClassVar[str]
    genotype: ClassVar[str]
    learns: ClassVar[str]

    def __post_init__(self) -> None:
        check_settings(self)
        if self.elites >= self.population:
            raise SettingsError(
                f"elitism is {self.elitism}: {self.elites} elites leave no room for offspring in a population of "
                f"{self.population}"
            )

    @property
    @abstractmethod
    def representation(self) -> Representation:
        """What an individual is."""

    @property
    @abstractmethod
    def learner(self) -> Learner:
        """What is learned."""

    @property
    def selection(self) -> Selection:
        """Who becomes a parent."""
        return Tournament(self.tournament)

    @property
    def samples(self) -> bool:
        """Whether offspring are drawn anew in each generation, instead of being varied from parents."""
        return False

    def rewritten(self, grammar: Grammar) -> Rewriting:
        """The grammar that genotypes are read through and that probabilities belong to."""
        first = self.representation.rewritten(grammar)
        return self.learner.rewritten(first.grammar).after(first)

    @property
    def name(self) -> str:
        """What the command line calls it."""
        return type(self).__name__.lower()

    @property
    def elites(self) -> int:
        """How many of the best go on unchanged."""
        share = self.elitism * self.population if self.elitism < 1 else self.elitism
        return math.floor(share + 1e-9)  # 0.29 * 100 is a little below 29

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
