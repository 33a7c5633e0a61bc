"""A method = representation + learner + selection + settings: the interface, and the settings that all share."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, get_args, get_type_hints

from gramarye.errors import SettingsError
from gramarye.learners.base import Learner
from gramarye.representations.base import Representation
from gramarye.selection.base import Selection
from gramarye.selection.tournament import Tournament

# The least and the largest value of each numerical setting, of whatever method.
_RANGES: dict[str, tuple[float, float]] = {
    "population": (1, 2**31 - 1),
    "generations": (1, 2**31 - 1),
    "elitism": (0, 2**31 - 1),
    "tournament": (1, 2**31 - 1),
    "crossover": (0, 1),
    "mutation": (0, 1),
    "codons": (1, 2**24),
    "wraps": (0, 2**20),
    "codon_max": (0, 2**31 - 2),
    "initial_depth": (1, 2**20),
    "max_depth": (1, 2**20),
    "learning_factor": (0, 1),
    "floor": (0, 1),
}


@dataclass(frozen=True, kw_only=True)
class MethodBase(ABC):
    """The settings that every method has; the values are those of the PGE paper."""

    population: int = 1000
    generations: int = 50  # populations that are evaluated, the first one included
    elitism: float = 0.1  # below 1 a share of the population, rounded down; from 1 on a count
    tournament: int = 3
    crossover: float = 0.9
    mutation: float = 0.05

    title: ClassVar[str]
    paper: ClassVar[str]
    genotype: ClassVar[str]
    learns: ClassVar[str]

    def __post_init__(self) -> None:
        for name, value in self.settings.items():
            _check(name, value, get_type_hints(type(self))[name])
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


def _check(name: str, value: Any, kind: Any) -> None:
    """A setting that is of the wrong kind or out of its range is a SettingsError."""
    choices = get_args(kind)
    if choices:
        if value not in choices:
            raise SettingsError(f"{name} is {value!r}: it must be one of {', '.join(map(repr, choices))}")
        return
    if kind is bool:
        if not isinstance(value, bool):
            raise SettingsError(f"{name} is {value!r}: it must be True or False")
        return
    if name not in _RANGES:
        return
    low, high = _RANGES[name]
    whole = isinstance(value, int) or (kind is float and isinstance(value, float))
    if isinstance(value, bool) or not whole or not low <= value <= high:
        what = "an integer" if kind is int else "a number"
        span = f"from {low} on" if high >= 2**20 else f"in [{low}, {high}]"
        raise SettingsError(f"{name} is {value!r}: it must be {what} {span}")
