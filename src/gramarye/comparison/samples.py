"""The samples that a comparison is about: one for each method, on each problem, in training and in testing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramarye.direction import Direction, signed
from gramarye.store import Cell, Results
from gramarye.text import measure_name


@dataclass(frozen=True)
class Data:
    """A column of the experiment: a problem, and whether it is training or testing that is examined.

    `finals` are for people, with the sign that the objective returned; `minimised` are for tests and effect sizes.
    """

    problem: str
    column: str  # of the history
    cells: Mapping[str, Cell]  # by method; those without a finished run are left out
    direction: Direction
    finals: Mapping[str, NDArray[np.float64]]  # by method: [runs], what was recorded last, by seed; none: the worst
    seeds: Mapping[str, NDArray[np.int64]]
    measure: str
    tests: bool  # whether the problem tests programs, too

    @property
    def part(self) -> str:
        """Which data it is about; nothing where there is only one kind."""
        return "" if not self.tests else "test" if self.column == "test" else "train"

    @property
    def label(self) -> str:
        """How it is called."""
        return f"{self.problem} {self.part}".strip()

    @property
    def minimised(self) -> dict[str, NDArray[np.float64]]:
        """The finals, smaller is better."""
        return {method: signed(values, self.direction) for method, values in self.finals.items()}

    @property
    def better(self) -> str:
        """Which fitness is better, in words."""
        return "smaller is better" if self.direction == "minimise" else "larger is better"

    def paired(self, first: str, second: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The runs of two methods that share a seed, smaller is better."""
        _, a, b = np.intersect1d(self.seeds[first], self.seeds[second], return_indices=True)
        return self.minimised[first][a], self.minimised[second][b]


def samples(results: Results) -> list[Data]:
    """Everything that can be compared, problem by problem."""
    found = []
    for problem in results.problems:
        cells = [cell for cell in results.cells if cell.problem == problem]
        columns = ("best_so_far", "test") if cells[0].tests else ("best_so_far",)
        found += [_data(results, cells, column) for column in columns]
    return found


def _data(results: Results, cells: Sequence[Cell], column: str) -> Data:
    run = {cell.method: cell for cell in cells if len(results.seeds(cell))}
    return Data(
        problem=cells[0].problem,
        column=column,
        cells=run,
        direction=cells[0].direction,
        finals={method: worst_last(results.final(cell, column), cell) for method, cell in run.items()},
        seeds={method: results.seeds(cell) for method, cell in run.items()},
        measure=measure_name(cells[0].facts.get("error", "fitness")),
        tests=cells[0].tests,
    )


def worst_last(values: NDArray[np.float64], cell: Cell) -> NDArray[np.float64]:
    """What has no value (a run without a valid program has no test error) counts as the worst."""
    return np.where(np.isnan(values), cell.shown(np.inf), values)


def which_is_better(cells: Sequence[Cell], what: str = "") -> str:
    """Which fitness is better on the problems of an experiment, in words."""
    larger = list(dict.fromkeys(cell.problem for cell in cells if cell.direction == "maximise"))
    if not larger:
        return f"smaller{what} is better"
    where = (
        f" on {', '.join(larger)} (smaller elsewhere)" if len(larger) < len({cell.problem for cell in cells}) else ""
    )
    return f"larger{what} is better{where}"
