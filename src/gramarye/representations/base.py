"""What an individual is: the interface that all representations have, and the layout of their genotypes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Generic, Literal, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations
from gramarye.derivations.rewriting import Rewriting
from gramarye.errors import SettingsError
from gramarye.grammar import Grammar
from gramarye.settings import HasSettings

Seed = np.uint64
Floats: TypeAlias = NDArray[np.float64]
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


G = TypeVar("G", bound=Genotypes)


class Representation(HasSettings, ABC, Generic[G]):
    """What an individual is, how it is drawn, varied and mapped. Kernels do the work on whole populations.

    This is all that a run needs. `Encodes`, `HasNeighbours` and `Explains` are interfaces that a representation may
    have as well.
    """

    reads: ClassVar[Reads] = "shared"
    grows_by_probabilities: ClassVar[bool] = False  # whether what is drawn follows them, although it is not read so
    limited_by: ClassVar[str | None] = None  # the setting to raise where mappings end too early: "codons"

    def rewritten(self, grammar: Grammar) -> Rewriting:
        """The grammar that genotypes are read through: unchanged, unless the representation needs another one."""
        return Rewriting(grammar)

    def check(self, grammar: Grammar, population: int = 1) -> None:
        """A SettingsError where these settings can't work with the grammar that genotypes are read through."""

    @abstractmethod
    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Floats | None = None
    ) -> G:
        """Random genotypes: of the first generation, or of a later one that is sampled again."""

    @abstractmethod
    def map(
        self, grammar: Grammar, genotypes: G, probabilities: Floats, seed: Seed, generation: int, first: int
    ) -> tuple[G, Derivations]:
        """Derive a slice of the population that begins at individual `first`; the genotypes with what mapping noted."""

    @abstractmethod
    def vary(
        self,
        grammar: Grammar,
        genotypes: G,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],  # -1: a copy of the mother
        mutation: float,
        seed: Seed,
        generation: int,
        fitness: Floats | None = None,  # [N] of the parents, for those who ask which is the better one
        probabilities: Floats | None = None,  # for those who map children to see what they use; None: the first
    ) -> G:
        """One child for each pair, crossed and mutated."""

    def tuned(self, genotypes: G, derivations: Derivations) -> G:
        """The genotypes after their constants were tuned; by default they carry none, and start again from the same."""
        return genotypes

    def own_probabilities(self, genotypes: G, i: int) -> Floats | None:
        """The probabilities [R] that individual i carries itself; None where all share one grammar."""
        return None

    def completion(self, grammar: Grammar, probabilities: Floats, codons: int | None = None) -> float | None:
        """The probability that a random genotype, or one with that many codons, derives a whole program.

        None where it is not known, or always 1.
        """
        return None


def check_codon_max(grammar: Grammar, codon_max: int) -> None:
    """A SettingsError where no codon is large enough for the last productions of a rule."""
    name, most = max(((name, len(rule)) for name, rule in grammar.rules.items()), key=lambda rule: rule[1])
    if most > codon_max + 1:
        raise SettingsError(
            f"codon_max is {codon_max}: {name} of {grammar.name} has {most} productions, so that "
            f"{most - codon_max - 1} of them could never be chosen; set codon_max to {most - 1} or more"
        )


# Neighbours


def others(values: NDArray[Any], numbers: Floats, n: int | NDArray[Any]) -> NDArray[Any]:
    """One of 0 … n-1 for each value that is not the value, by a number in [0, 1), for n > 1."""
    return (values % n + 1 + (numbers * (n - 1)).astype(np.int64)) % n


def redrawn(
    codons: NDArray[Any],  # [N, W]
    places: NDArray[np.int64],  # [N, count], negative ones are passed over
    numbers: Floats,  # [N, count] in [0, 1)
    largest: int | None,  # None: reals
) -> NDArray[Any]:
    """A copy with other codons in 0 … largest at some places; of reals, the numbers themselves."""
    changed = codons.copy()
    who, which = np.nonzero(places >= 0)
    at, drawn = places[who, which], numbers[who, which]
    changed[who, at] = drawn if largest is None else others(codons[who, at], drawn, largest + 1)
    return changed
