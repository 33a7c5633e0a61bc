"""The runs that search for one formula: one front, one picked formula and one grammar from all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from gramarye.engine.front import clear_steps, leaders
from gramarye.engine.individual import Individual
from gramarye.engine.run import Run
from gramarye.grammar import Grammar
from gramarye.objectives import Regression


def seeds_of(seed: int, runs: int) -> list[int]:
    """The seed of each run; the first is that of the only run by default."""
    return [seed, *np.random.SeedSequence(seed).generate_state(runs - 1, np.uint64).tolist()]


def joined_front(runs: Sequence[Run]) -> tuple[Individual, ...]:
    """The formulas that are more accurate than all smaller ones of all runs, smallest first."""
    if len(runs) == 1:
        return runs[0].front or (runs[0].best,)
    members = [member for run in runs for member in run.front or (run.best,)]
    fitness, nodes = _fitness(members), np.array([member.nodes for member in members])
    first = leaders(fitness, nodes)
    return tuple(members[first[i]] for i in clear_steps(fitness[first]))


def picked(members: Sequence[Individual]) -> Individual:
    """The formula of a front that is worth its size, as each run picks one from its own front."""
    costs = cast(Regression, members[0].problem).cost(
        _fitness(members), np.array([member.nodes + member.digits for member in members])
    )
    return members[int(np.argmin(costs))]


def run_of(runs: Sequence[Run], found: Individual) -> Run:
    """The run that found a formula of the joined front."""
    return next(run for run in runs if run.seed == found.seed)


def mean_grammar(runs: Sequence[Run]) -> Grammar:
    """The grammar with the mean of the probabilities that the runs recorded last."""
    first = runs[0]
    if len(runs) == 1 or first.method.wording is None:
        return first.grammar
    return first.setup.grammar.with_probabilities(np.mean([run.probabilities[-1] for run in runs], axis=0))


def shares_of_columns(run: Run, sources: Sequence[int], columns: int) -> NDArray[np.float64]:
    """[columns] the share of the formulas of the front that use each column of X."""
    language = cast(Regression, run.problem).language
    members = run.front or (run.best,)
    used = np.zeros(columns)
    for member in members:
        found = language.columns_needed(language.programs(member.derivation.alone), member.weights)
        used[sorted({sources[column] for column in found})] += 1
    return used / len(members)


def _fitness(members: Sequence[Individual]) -> NDArray[np.float64]:
    return np.array([member.fitness for member in members])
