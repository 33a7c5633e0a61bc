"""The laws of variation."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations, Status
from gramarye.representations.base import Representation
from gramarye.testing.laws import same
from gramarye.testing.mapping import INDIVIDUALS, Trial

CHILDREN = 4 * INDIVIDUALS  # of two parents: so many that chance can't make them all the same


def varied(trial: Trial, parents: Any) -> Any:
    """Children of neighbours, one in four without a father; with different rates of mutation."""
    mothers = np.arange(INDIVIDUALS - 1) * 7 % INDIVIDUALS
    fathers = np.where(np.arange(len(mothers)) % 4 == 0, -1, (mothers + 1) % INDIVIDUALS)
    for mutation in (0.0, 1.0, 0.2):
        children = _vary(trial, parents, mothers, fathers, mutation)
        trial.require(len(children) == len(mothers), "vary makes a child for each pair", f"{len(children)} children")
        again = _vary(trial, parents, mothers, fathers, mutation)
        trial.require(same(children, again), "the same seed gives the same children")
    return children


def _vary(
    trial: Trial,
    parents: Any,
    mothers: NDArray[np.int64],
    fathers: NDArray[np.int64],
    mutation: float,
    generation: int = 1,
) -> Any:
    fitness, probabilities = np.arange(float(len(parents))), trial.probabilities
    with (
        trial.unchanged("vary leaves the parents as they are", parents, mothers, fathers),
        trial.unchanged(
            "vary leaves the fitness of the parents and the probabilities as they are", fitness, probabilities
        ),
    ):
        return trial.representation.vary(
            trial.grammar,
            parents,
            mothers,
            fathers,
            mutation,
            trial.seed,
            generation,
            fitness=fitness,
            probabilities=probabilities,
        )


def check_copies(trial: Trial, parents: Any, derivations: Derivations) -> None:
    """Nothing changes where neither crossover nor mutation does."""
    still = replace(trial, representation=_without_mutation(trial.representation))
    mothers = np.arange(INDIVIDUALS)[::-1].copy()
    children = _vary(still, parents, mothers, np.full(INDIVIDUALS, -1), 0.0)
    (copies, found), (originals, _) = trial.map(children, 1), trial.map(parents.take(mothers), 1)
    law = "without mutation and without a father, a child is a copy of its mother"
    trial.require(same(copies, originals), law)
    trial.require(same(found, derivations.take(mothers)), "a copy has the derivation of its mother")


def check_draws(trial: Trial, parents: Any, derivations: Derivations) -> None:
    """Children of two parents with different derivations, if there are any, are not all the same."""
    pair = _two(derivations)
    if pair is None:
        return
    still = replace(trial, representation=_without_mutation(trial.representation))
    mothers, fathers = np.resize(np.repeat(pair, 2), CHILDREN), np.resize(pair, CHILDREN)
    crossed = _vary(still, parents, mothers, fathers, 0.0)
    alike = same(crossed, crossed.take(np.zeros(CHILDREN, np.int64)))
    trial.require(not alike, "crossover of different parents does not give the same child always")
    alone = np.full(CHILDREN, -1)
    mutated, copied = (_vary(still, parents, mothers, alone, mutation) for mutation in (1.0, 0.0))
    trial.require(not same(mutated, copied), "mutation changes children")
    children = _vary(trial, parents, mothers, alone, 0.5)
    other = _vary(replace(trial, number=trial.number ^ 1), parents, mothers, alone, 0.5)
    trial.require(not same(children, other), "another seed gives other children")
    later = _vary(trial, parents, mothers, alone, 0.5, generation=2)
    trial.require(not same(children, later), "another generation gives other children")


def _two(derivations: Derivations) -> NDArray[np.int64] | None:
    """The valid individual with the shortest derivation, and the one with the shortest other one."""
    valid = np.nonzero(derivations.status == Status.OK)[0]
    order = valid[np.argsort(np.diff(derivations.offsets)[valid], kind="stable")]
    for i in order[1:]:
        if not np.array_equal(derivations[int(i)], derivations[int(order[0])]):
            return np.array([order[0], i])
    return None


def _without_mutation(representation: Representation[Any]) -> Representation[Any]:
    """The same with all rates of mutation at 0 that it has besides the common one, and rates that don't adapt."""
    settings: Any = representation
    names = [field.name for field in fields(settings) if field.init] if is_dataclass(settings) else []
    rates: dict[str, Any] = {name: 0.0 for name in names if name.endswith("mutation")}
    adapting = {name: False for name in names if name == "facilitated"}
    still: Representation[Any] = replace(settings, **rates, **adapting) if rates or adapting else representation
    return still
