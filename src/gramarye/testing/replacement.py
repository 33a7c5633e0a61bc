"""The laws of replacements."""

from __future__ import annotations

import numpy as np

from gramarye.populations.population import Population
from gramarye.replacement.base import Replacement
from gramarye.testing.laws import Case, same
from gramarye.testing.selection import FITNESS, INDIVIDUALS, population


def check_replacement(replacement: Replacement) -> None:
    """An AssertionError where a replacement breaks a law."""
    for name, fitness in FITNESS.items():
        case = Case(repr(replacement), f"a population of {name}", 0)
        if len(fitness) == INDIVIDUALS:
            parents = population(fitness)
            _check_kept(case, replacement, parents)
            _check_survivors(case, replacement, parents, population(np.roll(fitness, 7)))


def _check_kept(case: Case, replacement: Replacement, parents: Population) -> None:
    n = len(parents)
    keeps = replacement.keeps(n)
    case.require(0 <= keeps < n, "there is room for offspring", f"{keeps} of {n} are kept")
    with case.unchanged("the population is left as it is", parents):
        kept = replacement.kept(parents)
        rank = replacement.rank(parents.evaluation)
    case.require(len(kept) == keeps, "as many are kept as keeps says", f"{len(kept)}, not {keeps}")
    _check_members(case, kept, n, "who is kept is a member of the population, once")
    case.require(rank.shape == (n,), "everyone has a rank", f"its shape is {rank.shape}")
    case.require(same(kept, replacement.kept(parents)), "the same population keeps the same")


def _check_survivors(case: Case, replacement: Replacement, parents: Population, offspring: Population) -> None:
    with case.unchanged("parents and offspring are left as they are", parents, offspring):
        chosen = replacement.survivors(parents, offspring)
    if chosen is None:
        return
    case.require(len(chosen) == len(parents), "populations keep their size", f"{len(chosen)} survive")
    _check_members(
        case, chosen, len(parents) + len(offspring), "who survives is a parent or one of the offspring, once"
    )
    again = replacement.survivors(parents, offspring)
    case.require(again is not None and same(chosen, again), "the same parents and offspring leave the same survivors")


def _check_members(case: Case, chosen: np.ndarray, n: int, law: str) -> None:
    inside = ((chosen >= 0) & (chosen < n)).all()
    case.require(inside and len(np.unique(chosen)) == len(chosen), law)
