"""The runs of an experiment as a reproduction looks at them, and the words that it answers with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gramarye.store.cells import Cell
from gramarye.store.reading import Results
from gramarye.studies.pge2021.paper import METHODS, OUTCOMES, Outcome

ENOUGH = 30  # runs; with fewer nothing is told, neither a difference nor its absence
Kind: TypeAlias = Literal["agrees", "differs", "unknown"]
CANT_BE_TOLD = "can't be told"


@dataclass(frozen=True)
class Runs:
    """What the runs of one method on one problem recorded."""

    training: NDArray[np.float64]  # [runs, G], best so far
    test: NDArray[np.float64] | None = None  # [runs, G], the same formula on rows kept apart
    learned: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # rule -> production -> mean at the end
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.training)

    @property
    def generations(self) -> int:
        """How many populations were evaluated."""
        return int(self.training.shape[1])

    def final(self, column: str) -> NDArray[np.float64] | None:
        """The last record of each run; None where rows were not kept for testing."""
        recorded = self.test if column == "test" else self.training
        if recorded is None:
            return None
        return np.where(np.isnan(recorded[:, -1]), np.inf, recorded[:, -1])  # NaN: the run found no valid program

    def mean_curve(self) -> NDArray[np.float64]:
        """The mean best fitness of each generation, over the runs that have found a valid program by then."""
        finite = np.isfinite(self.training)
        with np.errstate(invalid="ignore"):  # NaN where there is none
            mean: NDArray[np.float64] = np.where(finite, self.training, 0.0).sum(0) / finite.sum(0)
        return mean


Grid: TypeAlias = Mapping[tuple[str, str], Runs]  # (method, problem) -> its runs; never an empty one


def collect(results: Results) -> Grid:
    """The paper's cells that have runs."""
    found = {}
    for cell in results.cells:
        known = cell.method in METHODS and any(cell.problem == outcome.problem for outcome in OUTCOMES)
        if known and len(results.seeds(cell)):
            found[cell.method, cell.problem] = _runs(results, cell)
    return found


def _runs(results: Results, cell: Cell) -> Runs:
    learned = {}
    if cell.learns:
        last = results.mean_probabilities(cell)[-1].tolist()
        for name, productions in results.grammar(cell).rules.items():
            learned[name] = {production.text: last[production.id] for production in productions}
    test = results.history(cell, "test") if cell.tests else None
    return Runs(results.history(cell, "best_so_far"), test, learned, cell.settings)


def sample(grid: Grid, method: str, outcome: Outcome) -> NDArray[np.float64]:
    """The final errors of a method, one for each run; none where there are no runs."""
    runs = grid.get((method, outcome.problem))
    final = None if runs is None else runs.final(outcome.column)
    return np.empty(0) if final is None else final


def missing(grid: Grid) -> list[str]:
    """The paper's cells without runs, in words."""
    problems = dict.fromkeys(outcome.problem for outcome in OUTCOMES)
    return [f"{method} on {problem}" for problem in problems for method in METHODS if (method, problem) not in grid]


def worst(kinds: Iterable[Kind]) -> Kind:
    """Several verdicts as one: a difference counts more than a doubt, a doubt more than agreement."""
    found = set(kinds)
    return "differs" if "differs" in found else "unknown" if "unknown" in found or not found else "agrees"


def signed(value: float, digits: int = 2) -> str:
    """A difference with its sign, as a text shows it; one that is rounded to nothing has none."""
    text = f"{value:+.{digits}f}".replace("-", "−")
    return text if any(digit in text for digit in "123456789") else text[1:]


def shown_p(p: float | None) -> str:
    """A p-value in a text."""
    if p is None:
        return "no test"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def listed(words: list[str]) -> str:
    """Words as a sentence lists them."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
