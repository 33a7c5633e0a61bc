"""What a representation may do besides searching: encode programs, have neighbours, explain its mappings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations
from gramarye.errors import GenotypeError
from gramarye.grammar import Grammar
from gramarye.representations.base import Floats, G, Representation, Seed

# Encoding


class Encodes(ABC, Generic[G]):
    """Derivations can be turned back into genotypes: runs may begin with given programs, or with random trees."""

    @abstractmethod
    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Floats, seed: Seed, generation: int = 0
    ) -> tuple[G, NDArray[np.bool_]]:
        """Genotypes that map to these derivations, what they leave open drawn at random; and which of them fit."""

    @abstractmethod
    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Floats) -> str:
        """Why `encode` found no genotype for a derivation, and what to change."""


def encoder(representation: Representation[G], name: str) -> Encodes[G]:
    """The representation of the method with that name, if it can encode programs; otherwise a GenotypeError."""
    if not isinstance(representation, Encodes):
        raise GenotypeError(f"{name} cannot encode programs as genotypes; use another method")
    return representation


# Neighbours

How = Literal["any", "used", "small"]  # which elements are changed, and how


class HasNeighbours(ABC, Generic[G]):
    """Genotypes consist of elements that can be changed and counted: their locality can be analysed."""

    uses_all: ClassVar[bool] = False  # whether every element has a part in every mapping
    small_steps: ClassVar[bool] = False  # whether mutation moves an element a little, instead of drawing it again

    @abstractmethod
    def change(
        self, grammar: Grammar, genotypes: G, count: int, seed: Seed, generation: int = 0, how: How = "any"
    ) -> tuple[G, NDArray[np.int64]]:
        """Copies with that many elements changed to other values, and their places [N, count].

        Elements are what mutation may change: any of them, only those that the last mapping "used", or any by a "small"
        step, as mutation moves them, where `small_steps` says so. A place is -1 where there are no more of them.
        """

    @abstractmethod
    def distance(self, grammar: Grammar, first: G, second: G) -> NDArray[np.int64]:
        """How many elements are different in each pair of two populations [N], those that only one has included."""


def neighbourhood(representation: Representation[G], name: str) -> HasNeighbours[G]:
    """The representation of the method with that name, if it has neighbours; otherwise a GenotypeError."""
    if not isinstance(representation, HasNeighbours):
        raise GenotypeError(f"{name} does not define neighbours of a genotype; use another method")
    return representation


# Explaining


@dataclass(frozen=True)
class Step:
    """One expansion of a traced mapping: what was read, what was compared, what was chosen."""

    nonterminal: str
    codon: float | int | None  # None: nothing was read
    comparison: str  # "54 mod 2 = 0", "0.2 < 0.5"
    production: int
    filled: bool = False  # the codon was missing and has been drawn
    reads: int | None = None  # how many codons were read for it; None: the one that is named
    value: float | None = None  # of a constant; None where the genotype holds none

    @property
    def codons_read(self) -> int:
        """How many codons were read for it."""
        return int(self.codon is not None) if self.reads is None else self.reads


class Explains(ABC, Generic[G]):
    """People can write and read genotypes, and see how one is mapped."""

    shows_genotype_as: ClassVar[str]  # for people: "a list of numbers in [0, 1]"

    @abstractmethod
    def read(self, grammar: Grammar, genotype: Any) -> G:
        """A genotype given by the user as a population of one; GenotypeError where it can't be read."""

    @abstractmethod
    def show(self, grammar: Grammar, genotypes: G, i: int) -> Any:
        """One genotype in the form in which it is given by the user."""

    @abstractmethod
    def trace(self, grammar: Grammar, genotypes: G, probabilities: Floats, seed: Seed) -> Iterator[Step]:
        """Map one individual slowly, step by step, as far as its codons go."""

    @abstractmethod
    def completed(self, grammar: Grammar, genotypes: G, probabilities: Floats, seed: Seed) -> Any:
        """A genotype given by the user once more, with what a mapping had to draw."""


class FullRepresentation(Representation[G], Encodes[G], HasNeighbours[G], Explains[G]):
    """A representation that does all of this."""


def explainer(representation: Representation[G], name: str) -> Explains[G]:
    """The representation of the method with that name, if it explains mappings; otherwise a GenotypeError."""
    if not isinstance(representation, Explains):
        raise GenotypeError(f"{name} cannot explain how it maps a genotype; use another method")
    return representation


def shown(representation: Representation[G], grammar: Grammar, genotypes: G, i: int) -> Any:
    """One genotype as people write it, or a population of one where the representation does not explain itself."""
    if isinstance(representation, Explains):
        return representation.show(grammar, genotypes, i)
    return genotypes.take(np.array([i]))
