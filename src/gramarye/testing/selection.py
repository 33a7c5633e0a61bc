"""The laws of selections."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations
from gramarye.populations.population import Population
from gramarye.selection.base import Selection
from gramarye.testing.laws import SEEDS, Case, same

INDIVIDUALS, CASES, CHILDREN = 100, 25, 4000
PREFERRED = 0.47  # by chance it is 0.5, give or take 0.008

FITNESS: dict[str, NDArray[np.float64]] = {
    "different fitness": (np.arange(INDIVIDUALS) * 37 % INDIVIDUALS).astype(np.float64),
    "half of it invalid": np.where(np.arange(INDIVIDUALS) % 2 == 0, 1.0, np.inf),
    "equal fitness": np.ones(INDIVIDUALS),
    "nobody valid": np.full(INDIVIDUALS, np.inf),
    "one individual": np.zeros(1),
}


def population(fitness: NDArray[np.float64]) -> Population:
    """Individuals of this fitness; each case is hard for others, and the fitter make smaller errors in most."""
    n = len(fitness)
    nothing = Derivations(np.zeros(0, np.int32), np.zeros(n + 1, np.int64), np.zeros(n, np.int8))
    hard = np.random.default_rng(1).random((n, CASES))
    return Population.of(nothing, fitness, (1 + fitness[:, None]) * hard)


def check_selection(selection: Selection) -> None:
    """An AssertionError where a selection breaks a law; one that prefers the less fit does."""
    for name, fitness in FITNESS.items():
        for number in SEEDS:
            case = Case(repr(selection), f"a population of {name}", number)
            made = population(fitness)
            mothers, fathers = _parents(case, selection, made)
            if len(fitness) > 1:
                _check_draws(case, selection, made, mothers)
            if fitness.min() < fitness.max():
                _check_preference(case, fitness, mothers, fathers)


def _parents(case: Case, selection: Selection, made: Population) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    with case.unchanged("the population is left as it is", made, made.cases):
        mothers, fathers = selection.parents(made, CHILDREN, case.seed, 0)
    case.require(len(mothers) == len(fathers) == CHILDREN, "as many pairs are made as are asked for")
    inside = [((who >= 0) & (who < len(made))).all() for who in (mothers, fathers)]
    case.require(all(inside), "parents are members of the population")
    again = selection.parents(made, CHILDREN, case.seed, 0)
    case.require(same(mothers, again[0]) and same(fathers, again[1]), "the same seed gives the same pairs")
    return mothers, fathers


def _check_draws(case: Case, selection: Selection, made: Population, mothers: NDArray[np.int64]) -> None:
    other, _ = selection.parents(made, CHILDREN, case.seed ^ np.uint64(1), 0)
    case.require(not same(mothers, other), "another seed gives other pairs")
    later, _ = selection.parents(made, CHILDREN, case.seed, 1)
    case.require(not same(mothers, later), "another generation gives other pairs")


def _check_preference(
    case: Case, fitness: NDArray[np.float64], mothers: NDArray[np.int64], fathers: NDArray[np.int64]
) -> None:
    better = np.argsort(np.argsort(fitness, kind="stable"), kind="stable") < len(fitness) // 2
    for who, chosen in (("mothers", mothers), ("fathers", fathers)):
        share = float(better[chosen].mean())
        detail = f"{share:.0%} of the {who} are of the better half"
        case.require(share > PREFERRED, "the fitter become parents at least as often", detail)
