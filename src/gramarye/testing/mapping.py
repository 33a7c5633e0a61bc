"""The laws of first genotypes and of mapping."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivation, Derivations, Status
from gramarye.derivations.rewriting import Rewriting
from gramarye.errors import GrammarError
from gramarye.execution import Threads
from gramarye.grammar import Grammar
from gramarye.representations.base import Representation
from gramarye.testing.laws import Case, complaint, same

INDIVIDUALS = 130  # enough for two slices, which two threads share
REPLAYED, BY_HAND = 26, 4  # individuals that are examined slowly
ALIKE = 0.75  # share of copies that may be filled alike, for others to be different by chance


@dataclass(frozen=True)
class Trial(Case):
    """A representation on a grammar, with probabilities and a seed."""

    representation: Representation[Any]
    original: Grammar
    rewriting: Rewriting
    probabilities: NDArray[np.float64]

    @property
    def grammar(self) -> Grammar:
        """The grammar that genotypes are read through."""
        return self.rewriting.grammar

    def initial(self, seed: np.uint64, generation: int) -> Any:
        """Random genotypes."""
        return self.representation.initial(self.grammar, INDIVIDUALS, seed, generation, self.probabilities)

    def map(self, genotypes: Any, generation: int, first: int = 0) -> tuple[Any, Derivations]:
        """Genotypes with what mapping noted, and their derivations."""
        return self.representation.map(self.grammar, genotypes, self.probabilities, self.seed, generation, first)

    def valid(self, derivations: Derivations, most: int) -> list[int]:
        """Some valid individuals, spread over the population."""
        found = np.nonzero(derivations.status == Status.OK)[0]
        return [int(i) for i in found[:: max(1, len(found) // most)][:most]]


# Beginning


def initial(trial: Trial) -> Any:
    """The first genotypes, if they obey the laws."""
    genotypes = trial.initial(trial.seed, 0)
    trial.require(len(genotypes) == INDIVIDUALS, "initial makes as many genotypes as it is asked for")
    trial.require(same(genotypes, trial.initial(trial.seed, 0)), "the same seed gives the same first genotypes")
    if not same(genotypes, genotypes.take(np.zeros(INDIVIDUALS, np.int64))):  # some limits leave one program only
        other = trial.initial(trial.seed ^ np.uint64(1), 0)
        trial.require(not same(genotypes, other), "another seed gives other first genotypes")
        later = trial.initial(trial.seed, 1)
        trial.require(not same(genotypes, later), "another generation draws other genotypes")
    return genotypes


# Mapping


def mapped(trial: Trial, genotypes: Any, generation: int) -> tuple[Any, Derivations]:
    """Genotypes as mapping leaves them, and their derivations, if they obey the laws."""
    with trial.unchanged("map leaves the genotypes that it is given as they are", genotypes, trial.probabilities):
        read, derivations = trial.map(genotypes, generation)
    trial.require(len(read) == len(derivations) == len(genotypes), "map gives a derivation for each genotype")
    again = trial.map(genotypes, generation)
    trial.require(same(read, again[0]) and same(derivations, again[1]), "the same seed gives the same derivations")
    _check_slices(trial, genotypes, generation, read, derivations)
    trial.require((derivations.status == Status.OK).any(), "some individuals are valid")
    lengths = np.diff(derivations.offsets)
    trial.require(
        (lengths[derivations.status != Status.OK] == 0).all(), "the derivation of an invalid individual is empty"
    )
    for i in trial.valid(derivations, REPLAYED):
        _check_replay(trial, derivations, i)
    _check_own_probabilities(trial, read)
    return read, derivations


def check_filling(trial: Trial, genotypes: Any, generation: int) -> None:
    """Where map fills what is missing with random draws, copies of an individual have different derivations."""
    here, there = (programs(trial.map(genotypes, generation, first)) for first in (0, INDIVIDUALS))
    filled = [i for i in range(len(genotypes)) if here[i] != there[i]]  # what is drawn depends on the number
    for i in filled[:REPLAYED]:
        copies = genotypes.take(np.full(INDIVIDUALS, i))
        found = programs(trial.map(copies, generation))
        if max(Counter(found).values()) > ALIKE * INDIVIDUALS:
            continue
        other = programs(replace(trial, number=trial.number ^ 1).map(copies, generation))
        trial.require(other != found, "with another seed, map fills in something else", f"individual {i}")
        later = programs(trial.map(copies, generation + 1))
        trial.require(later != found, "in another generation, map fills in something else", f"individual {i}")
        return


def programs(mapped: tuple[Any, Derivations]) -> list[bytes]:
    """The derivations of a population that was mapped, each as something that can be compared."""
    return [mapped[1][i].tobytes() for i in range(len(mapped[1]))]


def _check_slices(trial: Trial, genotypes: Any, generation: int, read: Any, derivations: Derivations) -> None:
    """Any individual alone, and slices in threads, must give what the whole population gave."""
    for i in range(0, len(genotypes), len(genotypes) // REPLAYED):
        place = np.array([i])
        alone, derivation = trial.map(genotypes.take(place), generation, i)
        equal = same(derivation, derivations.take(place)) and same(alone, read.take(place))
        trial.require(
            equal, "an individual is mapped alone as in a population, with `first` as its number", f"it is {i}"
        )
    threads = Threads(3)
    try:
        parts = threads.map(lambda a, b: trial.map(genotypes.take(np.arange(a, b)), generation, a), len(genotypes))
    finally:
        threads.close()
    equal = same(Derivations.join([part for _, part in parts]), derivations)
    joined = type(read).join([part for part, _ in parts])
    trial.require(equal and same(joined, read), "slices in threads give what the whole population gives")


def _check_replay(trial: Trial, derivations: Derivations, i: int) -> None:
    who = f"individual {i}"
    try:
        own = Derivation(trial.grammar, derivations[i])
        translated = Derivation(trial.original, trial.rewriting.translate_one(derivations[i]))
        texts = own.phenotype, translated.phenotype
    except GrammarError as error:
        raise trial.broken("a valid derivation can be replayed", f"{who}: {error}") from error
    trial.require(texts[0] is not None, "a valid derivation is finished", who)
    trial.require(texts[0] == texts[1], "a derivation means the same in the grammar that was rewritten", who)
    for derivation in (own, translated):
        counted = sum(sum(row) for row in derivation.counts.values())
        trial.require(counted == len(derivation.productions), "the counts of productions add up to the steps", who)
    limit = getattr(trial.representation, "max_depth", None)
    if limit is not None and getattr(trial.representation, "depth_rule", "height") == "height":
        limit = max(limit, int(trial.grammar.arrays.nt_height[0]))  # no tree is lower than the lowest
        trial.require(own.depth <= limit, "no tree is deeper than max_depth", f"{who} has depth {own.depth}")


def _check_own_probabilities(trial: Trial, genotypes: Any) -> None:
    for i in range(0, len(genotypes), len(genotypes) // BY_HAND):
        own = trial.representation.own_probabilities(genotypes, i)
        why = None if own is None else complaint(trial.grammar, own)
        trial.require(why is None, "an individual's own probabilities are probabilities", f"individual {i}: {why}")
