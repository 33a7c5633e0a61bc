"""Base genotypes: drawn at random until they are valid, encoded from the same trees for all, or taken from a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivations, Status
from gramarye.derivations.constants import with_values
from gramarye.derivations.random_trees import random_trees
from gramarye.derivations.rewriting import Rewriting
from gramarye.execution import Threads
from gramarye.grammar import Grammar
from gramarye.kernels import codes
from gramarye.methods.base import MethodBase
from gramarye.representations.base import Genotypes, Seed
from gramarye.representations.optional import HasNeighbours, encoder, neighbourhood

MOST_DRAWS = 200  # for each base that is wanted; a method that is hardly ever valid gets fewer
TREE_DEPTH = 6


@dataclass(frozen=True)
class Reading:
    """How the genotypes of a method are read: through which grammar, by which probabilities."""

    method: MethodBase
    grammar: Grammar
    probabilities: NDArray[np.float64]  # [R] of the rewritten grammar
    seed: int
    threads: Threads

    @classmethod
    def start(cls, method: MethodBase, grammar: Grammar, seed: int, threads: Threads) -> Reading:
        """As a run begins."""
        own = method.rewritten(grammar).grammar
        method.representation.check(own)
        neighbourhood(method.representation, method.name)  # a GenotypeError where it has none
        return cls(method, grammar, np.array(own.start_probabilities()), seed, threads)

    @cached_property
    def rewriting(self) -> Rewriting:
        """The grammar that genotypes are read through, and the way back to the original."""
        return self.method.rewritten(self.grammar)

    @property
    def neighbourhood(self) -> HasNeighbours[Genotypes]:
        """What changes genotypes, and says how far apart they are."""
        return neighbourhood(self.method.representation, self.method.name)

    @property
    def own(self) -> Grammar:
        """The grammar that genotypes are read through."""
        return self.rewriting.grammar

    def key(self, part: int) -> Seed:
        """A seed for one part of the analysis, independent of those of the others."""
        return np.uint64(kernels.random.stream(np.uint64(self.seed), 0, codes.ANALYSE, part))

    def map(self, genotypes: Any, part: int, generation: int = 0) -> tuple[Any, Derivations]:
        """Genotypes with what mapping noted, and their derivations by the original grammar."""
        noted, derivations = self.derive(genotypes, part, generation)
        return noted, self.rewriting.translate(derivations)

    def derive(self, genotypes: Any, part: int, generation: int = 0) -> tuple[Any, Derivations]:
        """The same by the grammar that genotypes are read through."""
        representation, key = self.method.representation, self.key(part)

        def work(first: int, last: int) -> tuple[Any, Derivations]:
            taken = genotypes if last - first == len(genotypes) else genotypes.take(np.arange(first, last))
            return representation.map(self.own, taken, self.probabilities, key, generation, first)

        parts = self.threads.map(work, len(genotypes))
        derivations = Derivations.join([derived for _, derived in parts])
        derivations = with_values(self.own, derivations, np.uint64(self.seed))  # as in a run
        return type(genotypes).join([taken for taken, _ in parts]), derivations


# The parts of an analysis that draw random numbers
BASES, TREES, ONE, USED, SMALL, CEILING, CROSSED, PAIRED, STABLE, BOOTSTRAP, RANKED = range(11)
CURVE = 100  # and the numbers from there on


@dataclass(frozen=True)
class Bases:
    """Valid genotypes, mapped."""

    genotypes: Any
    derivations: Derivations  # by the original grammar
    draws: int  # how many were examined to find them,
    valid: int  # and how many of these were valid

    def __len__(self) -> int:
        return len(self.derivations)

    def take(self, individuals: NDArray[np.int64]) -> Bases:
        """Some of them."""
        return Bases(self.genotypes.take(individuals), self.derivations.take(individuals), self.draws, self.valid)


def random_bases(reading: Reading, n: int) -> Bases:
    """The first n valid ones among random genotypes, or as many as there are."""
    found, derived = [], []
    draws = valid = 0
    representation = reading.method.representation
    for batch in range(MOST_DRAWS):
        drawn = representation.initial(reading.own, n, reading.key(BASES), batch, reading.probabilities)
        genotypes, derivations = reading.map(drawn, BASES, batch)
        places = np.flatnonzero(derivations.status == Status.OK)[: n - valid]
        found.append(genotypes.take(places))
        derived.append(derivations.take(places))
        valid += len(places)
        if valid == n:  # the last one that was examined is the last one that was needed
            draws += int(places[-1]) + 1
            break
        draws += n
    return Bases(type(found[0]).join(found), Derivations.join(derived), draws, valid)


def tree_bases(readings: Sequence[Reading], n: int) -> list[Bases]:
    """The same random trees as genotypes of each method: those of n trees that all methods can encode."""
    encoded = [_encode(reading, n) for reading in readings]
    common = np.flatnonzero(np.logical_and.reduce([fits for _, fits in encoded]))
    bases = []
    for reading, (genotypes, _) in zip(readings, encoded, strict=True):
        mapped, derivations = reading.map(genotypes.take(common), TREES)
        bases.append(Bases(mapped, derivations, n, len(common)))
    return bases


def _encode(reading: Reading, n: int) -> tuple[Any, NDArray[np.bool_]]:
    depth = max(TREE_DEPTH, int(reading.grammar.arrays.nt_height[0]))
    trees = random_trees(reading.grammar, "ramped", np.arange(n), reading.key(TREES), depth=depth)
    own = reading.rewriting.unfold(reading.grammar, trees)
    encodes = encoder(reading.method.representation, reading.method.name)
    genotypes, fits = encodes.encode(reading.own, own, reading.probabilities, reading.key(TREES))
    return genotypes, fits & (own.status == Status.OK)


def population_bases(reading: Reading, genotypes: Any, n: int) -> Bases:
    """Some valid individuals of a population, as they are read now."""
    mapped, derivations = reading.map(genotypes, BASES)
    valid = np.flatnonzero(derivations.status == Status.OK)
    rng = np.random.default_rng(int(reading.key(BASES)))
    places = np.sort(rng.permutation(valid)[:n])
    return Bases(mapped.take(places), derivations.take(places), len(genotypes), len(valid))
