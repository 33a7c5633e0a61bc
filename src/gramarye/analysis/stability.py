"""How much learning moves individuals: genotypes stay as they are, probabilities are updated once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gramarye.analysis import measures
from gramarye.analysis.intervals import Resampled, missing
from gramarye.analysis.neighbours import Neighbours, measured, moved
from gramarye.analysis.sampling import RANKED, STABLE, Bases, Reading
from gramarye.derivations import Derivations
from gramarye.engine.state import State
from gramarye.populations.population import Population
from gramarye.statistics import Interval

MOVES = ("moved_share", "moved_distance")
MOST_UPDATES = 200  # of the probabilities at the start, each for one base


def stability_in_run(reading: Reading, bases: Bases, resampled: Resampled, state: State) -> dict[str, Interval]:
    """What the next update of a run does."""
    why = _objection(reading, bases)
    if why:
        return dict.fromkeys(MOVES, missing(why))
    population = replace(
        Population.of(state.derivations, state.fitness, None, state.generation, reading.rewriting.origins),
        born=state.born,
        best_of_run=state.best_of_run,
        memory=state.memory,
    )
    updated = reading.method.learner.update(reading.own, state.probabilities, population)
    return _summed_up(resampled, moved(reading, bases, updated))


def stability(reading: Reading, bases: Bases, resampled: Resampled) -> dict[str, Interval]:
    """What a first update does, had these bases, ranked at random, been the first population."""
    why = _objection(reading, bases)
    if why:
        return dict.fromkeys(MOVES, missing(why))
    _, population = reading.derive(bases.genotypes, STABLE)
    rng = np.random.default_rng(int(reading.key(RANKED)))
    derived = []
    chosen = np.arange(min(len(bases), MOST_UPDATES))
    for i in chosen.tolist():
        fitness = rng.permutation(len(bases)).astype(np.float64)
        ranked = Population.of(population, fitness, origins=reading.rewriting.origins)
        updated = reading.method.learner.update(reading.own, reading.probabilities, ranked)
        derived.append(moved(reading, bases.take(chosen[i : i + 1]), updated).derivations)
    return _summed_up(resampled, measured(reading, bases, chosen, Derivations.join(derived)))


def _objection(reading: Reading, bases: Bases) -> str:
    """Why there is no update that could move a program."""
    if not reading.method.learner.learns:
        return "nothing is learned"
    own = reading.method.representation.own_probabilities(bases.genotypes, 0)
    return "" if own is None else "individuals have probabilities of their own"


def _summed_up(resampled: Resampled, found: Neighbours) -> dict[str, Interval]:
    return {name: measures.mean(name, resampled, found) for name in MOVES}
