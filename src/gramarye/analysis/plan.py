"""How much is sampled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gramarye.errors import SettingsError
from gramarye.settings import HasSettings, setting

Source = Literal["random", "trees"]  # random genotypes; the same random trees for all methods, encoded by each
SOURCES: tuple[Source, ...] = ("random", "trees")


@dataclass(frozen=True)
class Plan(HasSettings):
    """How much is sampled for each method; neighbours of one genotype depend on each other, bases do not."""

    bases: int = setting(1000, low=2, doc="valid genotypes that are examined")
    neighbours: int = setting(20, low=1, doc="of each of them, with one element changed")
    changes: tuple[int, ...] = (1, 2, 4, 8, 16, 32)  # elements changed at once, for the curve of causality
    pairs: int = setting(2, low=1, doc="neighbours of each base for each point of that curve beyond the first")
    sample: int = setting(5000, low=2, doc="valid random genotypes whose programs are counted")
    generations: tuple[int, ...] = (0, 10, 25, 49)  # of a run, where its population is examined; the last one if less

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.changes or self.changes[0] != 1 or not _ascending(self.changes):
            raise SettingsError(f"changes is {self.changes!r}: it must be ascending integers that begin with 1")
        if not _ascending(self.generations):
            raise SettingsError(f"generations is {self.generations!r}: it must be ascending integers ≥ 0")


def _ascending(values: tuple[int, ...]) -> bool:
    return all(type(value) is int and value >= 0 for value in values) and list(values) == sorted(set(values))
