"""What a run leaves behind: individuals, generations, the whole run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.direction import Values
from gramarye.engine.individual import Individual
from gramarye.engine.setup import Bound, Setup
from gramarye.execution.versions import versions_of
from gramarye.grammar import Grammar
from gramarye.grammar.probabilities import Probabilities
from gramarye.objectives.problem import FirstFailure, Problem
from gramarye.populations.history import COUNTS, FITNESSES
from gramarye.text import counted


@dataclass(frozen=True)
class Failure:
    """A reason why individuals of a run had no fitness; as a text, its first case and what follows from it."""

    reason: str  # as the history calls it: "not_finite", "timeout", "memory", "crash", "exception"
    individuals: int
    first: FirstFailure | None = None  # None where it was not seen by this process, or is not worth telling

    @property
    def words(self) -> str:
        """The reason for people."""
        return self.reason.replace("_", " ")

    def __str__(self) -> str:
        if self.first is None:
            return f"{counted(self.individuals, 'individual')}: {self.words}"
        differs = "; the run may differ on another machine" if self.reason == "timeout" else ""
        return f"{self.first.sentence}; such programs get the worst fitness{differs}"


@dataclass(frozen=True, repr=False)
class Generation:
    """One evaluated population; fitness has the sign that the objective returned.

    Attributes
    ----------
    index : int
        0 for the first.
    best_of_generation, best_of_run : Individual
        The best of this population (it may be worse than that of an earlier one), and the best of the run.
    probabilities : Probabilities
        That are recorded of it: `generation.probabilities["<op>"]`. The population was mapped under them, unless its
        method records something else (`method.wording`).
    fitness : array [N]
        Invalid: +inf, or -inf if larger is better.
    record : dict
        The numbers that are recorded of it: mean, median, invalid, evaluations …
    failures : tuple of Failure
        Why individuals had no fitness, where this has not happened before in the run.

    Examples
    --------
    >>> import gramarye as gm
    >>> next(iter(gm.Evolution(gm.problems.load("quartic"), gm.GE(population=50), seed=1)))
    Generation(0: best 0.8175, 56% valid)
    """

    index: int
    best_of_generation: Individual  # it may be worse than that of an earlier one
    best_of_run: Individual
    probabilities: Probabilities  # that are recorded of it
    fitness: NDArray[np.float64]  # [N]; invalid: +inf, or -inf if larger is better
    record: dict[str, float]  # what `RECORDED` names
    failures: tuple[Failure, ...] = ()  # that are the first of their kind in the run

    @property
    def validity(self) -> float:
        """The share of individuals that have a fitness."""
        return float(np.isfinite(self.fitness).mean())

    def __repr__(self) -> str:
        return f"Generation({self.index}: best {self.best_of_generation.fitness:.4g}, {self.validity:.0%} valid)"


@dataclass(frozen=True, repr=False)
class Run(Bound):
    """A run from its first generation to its last; fitness has the sign that the objective returned.

    Attributes
    ----------
    best : Individual
        The best of the run.
    history : dict of arrays [G]
        A column for each number that is recorded of a generation; `pandas.DataFrame(run.table)` is a frame of them.
    grammar : Grammar
        With the probabilities that were learned, as text that can be read back. In runs of `TunedTrees`, which learns
        none, with the frequencies of the productions in the front.
    probabilities : array [G, R]
        That are recorded of each generation: those under which it was mapped, or, with `TunedTrees`, the frequencies in
        the front up to there, which did not guide the search.
    front : tuple of Individual
        The best program of every size that is better than all smaller ones, smallest first. Those whose predictions
        explode in the data, or are not finite near it, are left out.
    picked : Individual
        The one of the front that is worth its size: of a regression, the one with the smallest n ln(squared error) and
        a price for each node.
    evaluations, distinct : int
        Individuals given a fitness (where constants are tuned, passes over the data), and programs actually computed.
    ended_by : str or None
        The setting that ended it: "generations", "max_evaluations", "max_time" or "target"; None if it was interrupted.
    failures : tuple of Failure
        Why individuals had no fitness (NaN, a limit, a crash, an exception), how many, and the first program of each.
    objective_share : float or None
        The share of the time that the function of an `Objective` took, in all worker processes together.
    rate : float or None
        Evaluations per second, since the run began or was resumed.
    seed, settings, versions, seconds
        What the run depends on, and how long it took.

    Examples
    --------
    >>> import gramarye as gm
    >>> gm.evolve(gm.problems.load("quartic"), gm.GE(population=50, generations=3), seed=1)
    Run(GE on quartic, seed 1: 0.7204 after 3 generations)
    """

    setup: Setup
    best: Individual
    history: dict[str, NDArray[np.float64]]  # a column [G] for each name in `RECORDED`
    probabilities: NDArray[np.float64]  # [G, R] that are recorded of each generation
    seconds: float
    front: tuple[Individual, ...] = ()  # the best program of every size that is better than all smaller ones
    ended_by: str | None = None  # the setting whose limit was reached; None where it may continue
    failures: tuple[Failure, ...] = ()  # why individuals had no fitness, most frequent first
    objective_share: float | None = None  # of the time of all workers, spent in a function of the user's
    rate: float | None = None  # evaluations per second

    @property
    def picked(self) -> Individual:
        """The program of the front that is worth its size; the best of the run where the front is empty."""
        if not self.front:
            return self.best
        fitness = self.problem.shown(np.array([member.fitness for member in self.front]))  # minimised again
        costs = self.problem.cost(fitness, np.array([member.nodes + member.digits for member in self.front]))
        return self.front[int(np.argmin(costs))]

    @property
    def tunes(self) -> bool:
        """Whether constants were tuned; then evaluations are passes over the data."""
        return self.problem.grammar.has_constants and self.method.tuning.iterations > 0

    @property
    def generations(self) -> int:
        """How many populations were evaluated."""
        return len(self.history["best"])

    @property
    def evaluations(self) -> int:
        """How many individuals were given a fitness; where constants are tuned, passes over the data."""
        return int(self.history["evaluations"][-1])

    @property
    def distinct(self) -> int:
        """How many programs were actually computed."""
        return int(self.history["distinct"][-1])

    @property
    def remembered(self) -> float:
        """The share of evaluations that needed no computation, because the same program was seen before."""
        return max(0.0, 1 - self.distinct / self.evaluations)

    @property
    def node_rows(self) -> int:
        """How many operations were executed."""
        return int(self.history["node_rows"][-1])

    @property
    def invalid(self) -> int:
        """How many individuals of all generations had no fitness."""
        return int(self.history["invalid"].sum())

    @cached_property
    def grammar(self) -> Grammar:
        """The grammar with the probabilities that were recorded last; where none are, it is the problem's."""
        if self.method.wording is None:
            return self.problem.grammar
        return self.setup.grammar.with_probabilities(self.probabilities[-1])

    @property
    def table(self) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]:
        """The history with a column for the generation: `pandas.DataFrame(run.table)`. What is counted is whole."""
        counts = {name: self.history[name].astype(np.int64) for name in COUNTS}
        return {"generation": np.arange(self.generations, dtype=np.int64), **self.history, **counts}

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the method."""
        return self.method.settings

    @cached_property
    def versions(self) -> dict[str, str]:
        """The programs that it ran with."""
        return versions_of("gramarye", "numpy", "numba")

    def __repr__(self) -> str:
        found = "no valid program" if self.best.phenotype is None else f"{self.best.fitness:.4g}"
        what = f"{self.method.name.upper()} on {self.problem.name}, seed {self.seed}"
        return f"Run({what}: {found} after {self.generations} generation{'s' * (self.generations != 1)})"

    def _repr_html_(self) -> str:
        from html import escape

        best = escape(str(self.best.phenotype))
        front = f"; the front has {counted(len(self.front), 'program')}" if self.front else ""
        wording = self.method.wording
        grammar = f"<p>The grammar with {wording.whole}:</p>" if wording else ""
        return (
            f"<p><b>{escape(self.method.name.upper())}</b> on <b>{escape(self.problem.name)}</b>, seed {self.seed}: "
            f"fitness {self.best.fitness:.6g} after {self.generations} generations and {self.evaluations:,} "
            f"evaluations{front}</p><pre>{best}</pre>{grammar}<pre>{escape(str(self.grammar))}</pre>"
        )


def shown_record(recorded: Mapping[str, Values], problem: Problem) -> dict[str, Values]:
    """What was recorded, as people see it."""
    return {name: problem.shown(value) if name in FITNESSES else value for name, value in recorded.items()}
