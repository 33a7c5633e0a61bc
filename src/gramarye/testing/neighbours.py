"""The laws of distances and of small changes, for representations that have them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations
from gramarye.representations.optional import neighbourhood
from gramarye.testing.laws import same
from gramarye.testing.mapping import INDIVIDUALS, Trial, programs

ENOUGH = 3  # different programs: with two of them, the only change of one leads to the other


def check_distances(trial: Trial, genotypes: Any, derivations: Derivations) -> None:
    """Each genotype is compared with itself and with its neighbour in the population."""
    order = np.roll(np.arange(len(genotypes)), 1)
    others = genotypes.take(order)
    with trial.unchanged("distance leaves genotypes as they are", genotypes, others):
        there, back = _distance(trial, genotypes, others), _distance(trial, others, genotypes)
    trial.require(there.shape == (len(genotypes),), "distance gives a number for each pair", f"not {there.shape}")
    trial.require(not _distance(trial, genotypes, genotypes).any(), "every genotype has the distance 0 from itself")
    trial.require((there >= 0).all(), "no distance is negative")
    trial.require(same(there, back), "distances are the same in both directions")
    derived = programs((genotypes, derivations))
    apart = np.array([derived[i] != derived[k] for i, k in enumerate(order)])
    trial.require((there[apart] > 0).all(), "genotypes with different derivations are apart")


def check_changes(trial: Trial, genotypes: Any, derivations: Derivations) -> None:
    """One element of each genotype is changed."""
    with trial.unchanged("change leaves the genotypes that it is given as they are", genotypes):
        changed, places = _change(trial, genotypes)
    trial.require(
        len(changed) == len(genotypes) and places.shape == (len(genotypes), 1), "change names the place of each change"
    )
    trial.require(same((changed, places), _change(trial, genotypes)), "the same seed changes the same")
    movable = (
        np.arange(len(genotypes)) if len(set(programs((genotypes, derivations)))) >= ENOUGH else np.zeros(0, np.int64)
    )
    distance, place = _distance(trial, genotypes, changed), places[:, 0]
    trial.require((distance[place >= 0] == 1).all(), "change changes one element where it names a place")
    trial.require((distance[place == -1] == 0).all(), "change changes nothing where it names no place")
    twice, _ = _change(trial, genotypes, count=2)
    several = np.nonzero(_distance(trial, genotypes, twice) > 1)[0]
    movable = several if len(several) else movable
    if len(movable):
        _check_draws(trial, genotypes.take(np.resize(movable, INDIVIDUALS)))


def _check_draws(trial: Trial, genotypes: Any) -> None:
    """Of genotypes that can be changed in more than one way."""
    changed, _ = _change(trial, genotypes)
    other, _ = _change(replace(trial, number=trial.number ^ 1), genotypes)
    trial.require(not same(changed, other), "another seed changes something else")
    later, _ = _change(trial, genotypes, generation=1)
    trial.require(not same(changed, later), "another generation changes something else")


def _change(trial: Trial, genotypes: Any, count: int = 1, generation: int = 0) -> tuple[Any, NDArray[np.int64]]:
    return neighbourhood(trial.representation, trial.who).change(
        trial.grammar, genotypes, count, trial.seed, generation
    )


def _distance(trial: Trial, first: Any, second: Any) -> NDArray[np.int64]:
    return neighbourhood(trial.representation, trial.who).distance(trial.grammar, first, second)
