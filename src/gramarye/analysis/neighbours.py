"""Genotypes next to others, by change and by crossover, and how far away their programs are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gramarye.analysis.distances import Distances, Indices, distances
from gramarye.analysis.sampling import CEILING, CROSSED, PAIRED, STABLE, Bases, Reading
from gramarye.derivations import Derivations, Status
from gramarye.representations.optional import How

NOWHERE = -1  # a place of a change that was not made


@dataclass(frozen=True)
class Neighbours:
    """Pairs of a base and a genotype that was made from it."""

    base: NDArray[np.int64]  # [P] whose neighbour each is, in ascending order
    place: NDArray[np.int64]  # [P] where its first change is; negative where no place can be told
    valid: NDArray[np.bool_]  # [P]
    distances: Distances  # [P]
    derivations: Derivations  # [P] of the neighbours

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Which of them are valid, with trees that are not too large."""
        return self.valid & self.distances.measured


def neighbours(reading: Reading, bases: Bases, changes: int, each: int, part: int, how: How = "any") -> Neighbours:
    """Some neighbours of each base with so many elements changed, of those bases that have as many."""
    places, complete, derived = [], [], []
    for number in range(each):  # a population at a time: genotypes may be large
        changed, place = reading.neighbourhood.change(
            reading.own, bases.genotypes, changes, reading.key(part), number, how
        )
        places.append(place[:, 0])
        complete.append((place != NOWHERE).all(axis=1))
        derived.append(reading.map(changed, part, number)[1])
    derivations = Derivations.join(derived)
    # One base after another, so that its tree need not be built again for each neighbour
    order = np.arange(each * len(bases)).reshape(each, len(bases)).T.ravel()
    order = order[np.concatenate(complete)[order]]
    return measured(reading, bases, order % max(len(bases), 1), derivations.take(order), np.concatenate(places)[order])


def measured(
    reading: Reading, bases: Bases, base: Indices, derivations: Derivations, place: Indices | None = None
) -> Neighbours:
    """Derivations [P] that come from some bases [P], perhaps by a change at a place [P], and how far they are."""
    place = np.full(len(base), NOWHERE) if place is None else place
    found = distances(reading.grammar, bases.derivations, derivations, base, np.arange(len(base)), reading.threads)
    return Neighbours(base, place, derivations.status == Status.OK, found, derivations)


def strangers(reading: Reading, bases: Bases) -> Neighbours:
    """Each base with another one: how far apart programs are that have nothing to do with each other."""
    other = partners(reading, len(bases), CEILING)
    return measured(reading, bases, np.arange(len(bases)), bases.derivations.take(other))


def partners(reading: Reading, n: int, part: int) -> NDArray[np.int64]:
    """Another one for each of n bases: the next one in a random order."""
    order = np.random.default_rng(int(reading.key(part))).permutation(n)
    found = np.empty(n, np.int64)
    found[order] = np.roll(order, -1)
    return found


@dataclass(frozen=True)
class Children:
    """Children of two bases each, not mutated, and the distances within each family."""

    valid: NDArray[np.bool_]  # [N]
    mother: Distances  # [N] from child to mother,
    father: Distances  # [N] to father,
    parents: Distances  # [N] and between those two

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Which families have all three distances, and parents that differ."""
        known = self.mother.measured & self.father.measured & self.parents.measured
        return self.valid & known & (self.parents.trees > 0)


def children(reading: Reading, bases: Bases) -> Children:
    """A child of each base and another one, by the crossover of the method."""
    mothers, fathers = np.arange(len(bases)), partners(reading, len(bases), PAIRED)
    alike = np.zeros(len(bases))  # nobody is fitter
    made = reading.method.representation.vary(
        reading.own, bases.genotypes, mothers, fathers, 0.0, reading.key(CROSSED), 0, alike, reading.probabilities
    )
    derived = reading.map(made, CROSSED)[1]

    def between(one: Derivations, which: NDArray[np.int64], other: Derivations) -> Distances:
        return distances(reading.grammar, one, other, which, mothers, reading.threads)

    known = bases.derivations
    return Children(
        derived.status == Status.OK,
        between(known, mothers, derived),
        between(known, fathers, derived),
        between(known, fathers, known),
    )


def moved(reading: Reading, bases: Bases, probabilities: NDArray[np.float64]) -> Neighbours:
    """The same genotypes, read by other probabilities: what learning does to programs."""
    learned = replace(reading, probabilities=probabilities)
    return measured(reading, bases, np.arange(len(bases)), learned.map(bases.genotypes, STABLE)[1])
