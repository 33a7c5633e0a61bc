"""What the checks of claims look at, and what a check is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramarye.statistics import Kruskal
from gramarye.studies.pge2021.paper import METHODS, Outcome, Pair
from gramarye.studies.pge2021.runs import Grid
from gramarye.studies.pge2021.tests import PairTest, kruskal_tests, pair_tests


@dataclass(frozen=True)
class Evidence:
    """What checks look at: the runs, and the tests that were made on them."""

    grid: Grid
    kruskals: Mapping[Outcome, Kruskal]
    pairs: Sequence[PairTest]

    @classmethod
    def of(cls, grid: Grid) -> Evidence:
        """The runs with the paper's tests made on them."""
        return cls(grid, kruskal_tests(grid), pair_tests(grid))

    def curve(self, method: str, problem: str) -> NDArray[np.float64]:
        """The mean best fitness of each generation."""
        return self.grid[method, problem].mean_curve()

    def of_pair(self, pair: Pair) -> list[PairTest]:
        """The tests of two methods on all data."""
        return [test for test in self.pairs if test.pair == pair]


Answer = tuple[bool | None, str]  # whether the claim holds, None for a near thing; and the numbers that decide


@dataclass(frozen=True)
class Check:
    """How a claim is decided: in a sentence, from which cells and how many generations, and by which function."""

    criterion: str
    needs: tuple[tuple[str, str], ...]
    decide: Callable[[Evidence], Answer]
    generations: int = 1


def all_methods(problem: str) -> tuple[tuple[str, str], ...]:
    """The cells of all methods on a problem."""
    return tuple((method, problem) for method in METHODS)
