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


def stability(reading: Reading, bases: Bases, resampled: Resampled, state: State | None = None) -> dict[str, Interval]:
    """What the next update of a run does to its programs, or a first one where there is no run."""
    if not reading.method.learner.learns:
        return dict.fromkeys(MOVES, missing("nothing is learned"))
    if reading.method.representation.own_probabilities(bases.genotypes, 0) is not None:
        return dict.fromkeys(MOVES, missing("individuals have probabilities of their own"))
    found = _by_first_updates(reading, bases) if state is None else _by_next_update(reading, bases, state)
    return {name: measures.mean(name, resampled, found) for name in MOVES}


def _by_next_update(reading: Reading, bases: Bases, state: State) -> Neighbours:
    population = replace(
        Population.of(state.derivations, state.fitness, None, state.generation, reading.rewriting.origins),
        born=state.born,
        best_of_run=state.best_of_run,
        memory=state.memory,
    )
    return moved(reading, bases, reading.method.learner.update(reading.own, state.probabilities, population))


def _by_first_updates(reading: Reading, bases: Bases) -> Neighbours:
    """Had these bases, ranked at random, been the first population; ranked again for each base."""
    _, population = reading.derive(bases.genotypes, STABLE)
    rng = np.random.default_rng(int(reading.key(RANKED)))
    derived = []
    chosen = np.arange(min(len(bases), MOST_UPDATES))
    for i in chosen.tolist():
        fitness = rng.permutation(len(bases)).astype(np.float64)
        ranked = Population.of(population, fitness, origins=reading.rewriting.origins)
        updated = reading.method.learner.update(reading.own, reading.probabilities, ranked)
        derived.append(moved(reading, bases.take(chosen[i : i + 1]), updated).derivations)
    return measured(reading, bases, chosen, Derivations.join(derived))
