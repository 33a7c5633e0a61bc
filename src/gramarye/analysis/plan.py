"""How much is sampled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gramarye.errors import SettingsError

Source = Literal["random", "trees"]  # random genotypes; the same random trees for all methods, encoded by each
SOURCES: tuple[Source, ...] = ("random", "trees")


@dataclass(frozen=True)
class Plan:
    """How much is sampled for each method; neighbours of one genotype depend on each other, bases do not."""

    bases: int = 1000  # valid genotypes that are examined
    neighbours: int = 20  # of each of them, with one element changed
    changes: tuple[int, ...] = (1, 2, 4, 8, 16, 32)  # elements changed at once, for the curve of causality
    pairs: int = 2  # neighbours of each base for each point of that curve beyond the first
    sample: int = 5000  # valid random genotypes whose programs are counted
    generations: tuple[int, ...] = (0, 10, 25, 49)  # of a run, where its population is examined; the last one if less

    def __post_init__(self) -> None:
        for name in ("bases", "neighbours", "pairs", "sample"):
            least = 2 if name in ("bases", "sample") else 1
            if not _whole(getattr(self, name), least):
                raise SettingsError(f"{name} is {getattr(self, name)!r}: it must be an integer ≥ {least}")
        if not self.changes or self.changes[0] != 1 or not _ascending(self.changes):
            raise SettingsError(f"changes is {self.changes!r}: it must be ascending integers that begin with 1")
        if not _ascending(self.generations):
            raise SettingsError(f"generations is {self.generations!r}: it must be ascending integers ≥ 0")


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _ascending(values: tuple[int, ...]) -> bool:
    return all(_whole(value, 0) for value in values) and list(values) == sorted(set(values))
