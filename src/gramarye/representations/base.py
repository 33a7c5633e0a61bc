"""What an individual is: the interface of all representations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gramarye.derivation import Derivations
from gramarye.drawing import cut
from gramarye.errors import GenotypeError, SettingsError
from gramarye.grammar import Grammar
from gramarye.rewriting import Rewriting
from gramarye.settings import HasSettings

Seed = np.uint64
Probabilities: TypeAlias = NDArray[np.float64]  # [R]
Reads = Literal["shared", "own", "no"]  # the probabilities that genotypes are read through: all the same, each its own


def as_seed(seed: Any) -> Seed:
    """A seed as kernels take it; a SettingsError where it is none."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**64:
        raise SettingsError(f"seed is {seed!r}: it must be an integer from 0 to 2**64 - 1")
    return np.uint64(seed)


class Genotypes(ABC):
    """The genotypes of a population: a frozen dataclass whose fields are arrays.

    A class that is derived from it can be saved with a run: it is found by its name.
    """

    layouts: ClassVar[dict[str, type[Any]]] = {}  # every class of genotypes; of two with one name, the later

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Genotypes.layouts[cls.__name__] = cls

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def take(self, individuals: NDArray[np.int64]) -> Self:
        """The genotypes of some individuals."""

    @classmethod
    @abstractmethod
    def join(cls, parts: list[Self]) -> Self:
        """Several populations as one."""


@dataclass(frozen=True)
class RowGenotypes(Genotypes):
    """Genotypes whose arrays all have one row for each individual."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))

    def take(self, individuals: NDArray[np.int64]) -> Self:
        """The genotypes of some individuals."""
        return replace(self, **{field.name: getattr(self, field.name)[individuals] for field in fields(self)})

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        """Several populations as one."""
        if len(parts) == 1:
            return parts[0]
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@dataclass(frozen=True)
class Step:
    """One expansion of a traced mapping: what was read, what was compared, what was chosen."""

    nonterminal: str
    codon: float | int | None  # None: nothing was read
    comparison: str  # "54 mod 2 = 0", "0.2 < 0.5"
    production: int
    filled: bool = False  # the codon was missing and has been drawn
    reads: int | None = None  # how many codons were read for it; None: the one that is named

    @property
    def codons_read(self) -> int:
        """How many codons were read for it."""
        return int(self.codon is not None) if self.reads is None else self.reads


class Representation(HasSettings, ABC):
    """What an individual is, how it is drawn, varied and mapped. Kernels do the work on whole populations."""

    shows_genotype_as: ClassVar[str]  # for people: "a list of numbers in [0, 1]"
    reads: ClassVar[Reads] = "shared"

    def rewritten(self, grammar: Grammar) -> Rewriting:
        """The grammar that genotypes are read through: as it is, unless the representation needs another one."""
        return Rewriting(grammar)

    def check(self, grammar: Grammar, population: int = 1) -> None:
        """A SettingsError where these settings can't work with the grammar that genotypes are read through."""

    @abstractmethod
    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Probabilities | None = None
    ) -> Any:
        """Random genotypes: of the first generation, or of a later one that is sampled anew."""

    @abstractmethod
    def map(
        self,
        grammar: Grammar,
        genotypes: Any,
        probabilities: NDArray[np.float64],
        seed: Seed,
        generation: int,
        first: int,
    ) -> tuple[Any, Derivations]:
        """Derive a slice of the population that begins at individual `first`; the genotypes with what mapping noted."""

    @abstractmethod
    def vary(
        self,
        grammar: Grammar,
        genotypes: Any,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],  # -1: a copy of the mother
        mutation: float,
        seed: Seed,
        generation: int,
        fitness: NDArray[np.float64] | None = None,  # [N] of the parents, for those who ask which is the better one
        probabilities: Probabilities | None = None,  # for those who map children to see what they use; None: the first
    ) -> Any:
        """One child for each pair, crossed and mutated."""

    encodable: ClassVar[bool] = True  # whether derivations can be turned back into genotypes

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Probabilities, seed: Seed, generation: int = 0
    ) -> tuple[Any, NDArray[np.bool_]]:
        """Genotypes that map to these derivations, what they leave open drawn at random; and which of them fit."""
        raise GenotypeError(f"{type(self).__name__} has no way back from a program to a genotype")

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Probabilities) -> str:
        """Why `encode` found no genotype for a derivation, and what to change."""
        return f"no genotype of {self!r} derives it; give it more room by other settings"

    def own_probabilities(self, genotypes: Any, i: int) -> NDArray[np.float64] | None:
        """The probabilities [R] that individual i carries itself; None where all share one grammar."""
        return None

    uses_all: ClassVar[bool] = False  # whether every element has a part in every mapping
    small_steps: ClassVar[bool] = False  # whether mutation moves an element a little, instead of drawing it anew

    def change(
        self,
        grammar: Grammar,
        genotypes: Any,
        count: int,
        seed: Seed,
        generation: int = 0,
        *,
        used_only: bool = False,  # whether only elements that the last mapping read are changed
        small: bool = False,  # whether they move as by mutation, where `small_steps` says so
    ) -> tuple[Any, NDArray[np.int64]]:
        """Copies with so many elements changed to other values, and their places [N, count].

        Elements are what mutation may change. A place is -1 where there are no more of them.
        """
        raise GenotypeError(f"{type(self).__name__} has no neighbours: it does not say what a small change is")

    def distance(self, grammar: Grammar, first: Any, second: Any) -> NDArray[np.int64]:
        """How many elements are different in each pair of two populations [N], those that only one has included."""
        raise GenotypeError(f"{type(self).__name__} does not say how far apart two genotypes are")

    @abstractmethod
    def read(self, grammar: Grammar, genotype: Any) -> Any:
        """A genotype given by hand as a population of one; GenotypeError where it can't be read."""

    @abstractmethod
    def show(self, grammar: Grammar, genotypes: Any, i: int) -> Any:
        """One genotype in the form in which it is given by hand."""

    @abstractmethod
    def trace(self, grammar: Grammar, genotypes: Any, probabilities: NDArray[np.float64], seed: Seed) -> Iterator[Step]:
        """Map one individual slowly, step by step, as far as its codons go."""

    @abstractmethod
    def completed(self, grammar: Grammar, genotypes: Any, probabilities: Probabilities, seed: Seed) -> Any:
        """A genotype given by hand once more, with what a mapping had to draw."""


def no_genotype(shows_genotype_as: str, given: Any) -> GenotypeError:
    """The error for what is no genotype at all."""
    return GenotypeError(f"a genotype is {shows_genotype_as}, not {cut(repr(given))}")


def check_codon_max(grammar: Grammar, codon_max: int) -> None:
    """A SettingsError where no codon is large enough for the last productions of a rule."""
    name, most = max(((name, len(rule)) for name, rule in grammar.rules.items()), key=lambda rule: rule[1])
    if most > codon_max + 1:
        raise SettingsError(
            f"codon_max is {codon_max}: {name} of {grammar.name} has {most} productions, so that "
            f"{most - codon_max - 1} of them could never be chosen; set codon_max to {most - 1} or more"
        )
