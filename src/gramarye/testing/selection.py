"""The laws of selections."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramarye.selection.base import Selection
from gramarye.testing.laws import SEEDS, Case, same

INDIVIDUALS, PAIRS = 100, 4000
PREFERRED = 0.53  # by chance it is 0.5, give or take 0.008

POPULATIONS: dict[str, NDArray[np.float64]] = {
    "different fitness": (np.arange(INDIVIDUALS) * 37 % INDIVIDUALS).astype(np.float64),
    "half of it invalid": np.where(np.arange(INDIVIDUALS) % 2 == 0, 1.0, np.inf),
    "equal fitness": np.ones(INDIVIDUALS),
    "nobody valid": np.full(INDIVIDUALS, np.inf),
    "one individual": np.zeros(1),
}


def check_selection(selection: Selection) -> None:
    """An AssertionError where a selection breaks a law; one that prefers nobody does."""
    for name, fitness in POPULATIONS.items():
        for number in SEEDS:
            case = Case(repr(selection), f"a population of {name}", number)
            for crossover in (0.0, 0.5, 1.0):
                mothers, fathers = _pairs(case, selection, fitness, crossover)
            if len(fitness) > 1:
                _check_draws(case, selection, fitness, mothers)
            if fitness.min() < fitness.max():
                _check_preference(case, fitness, mothers, fathers)


def _pairs(
    case: Case, selection: Selection, fitness: NDArray[np.float64], crossover: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    with case.unchanged("the fitness of the population is left as it is", fitness):
        mothers, fathers = selection.pairs(fitness, PAIRS, crossover, case.seed, 0)
    case.require(len(mothers) == len(fathers) == PAIRS, "as many pairs are made as are asked for")
    inside = (mothers >= 0) & (mothers < len(fitness)) & (fathers >= -1) & (fathers < len(fitness))
    case.require(inside.all(), "parents are members of the population")
    again = selection.pairs(fitness, PAIRS, crossover, case.seed, 0)
    case.require(same(mothers, again[0]) and same(fathers, again[1]), "the same seed gives the same pairs")
    share = float((fathers >= 0).mean())
    right = share == crossover if crossover in {0.0, 1.0} else abs(share - crossover) < 0.05
    case.require(right, "crossover says how many children have a father", f"{share} of them have, not {crossover}")
    return mothers, fathers


def _check_draws(case: Case, selection: Selection, fitness: NDArray[np.float64], mothers: NDArray[np.int64]) -> None:
    other, _ = selection.pairs(fitness, PAIRS, 1.0, case.seed ^ np.uint64(1), 0)
    case.require(not same(mothers, other), "another seed gives other pairs")
    later, _ = selection.pairs(fitness, PAIRS, 1.0, case.seed, 1)
    case.require(not same(mothers, later), "another generation gives other pairs")


def _check_preference(
    case: Case, fitness: NDArray[np.float64], mothers: NDArray[np.int64], fathers: NDArray[np.int64]
) -> None:
    better = np.argsort(np.argsort(fitness, kind="stable"), kind="stable") < len(fitness) // 2
    for who, chosen in (("mothers", mothers), ("fathers", fathers)):
        share = float(better[chosen].mean())
        detail = f"{share:.0%} of the {who} are of the better half"
        case.require(share > PREFERRED, "the fitter become parents more often", detail)
