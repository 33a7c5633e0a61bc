"""Rows of codons, integers or reals: how they are drawn, varied, changed and written."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.errors import GenotypeError
from gramarye.grammar import Grammar, Production
from gramarye.representations.base import Floats, RowGenotypes, Seed, redrawn
from gramarye.representations.by_hand import as_given, integer_array, is_integer, is_list, is_number, no_genotype
from gramarye.representations.optional import FullRepresentation, How, Step
from gramarye.settings import setting

WIDEST = 8  # a genotype of variable length holds at most this many times the codons it started with

Codons: TypeAlias = NDArray[np.generic]  # float64 or int32; given by the user also objects: integers of any size
Length = Literal["fixed", "variable"]
Cuts = Literal["anywhere", "used"]


@final
@dataclass(frozen=True)
class Integers:
    """Integers from 0; the remainder of the division by the number of productions chooses."""

    largest: int  # that is drawn

    dtype: ClassVar[type[np.generic]] = np.int32

    def choose(self, rule: Sequence[Production], codon: int, probabilities: Floats) -> Step:
        """What a codon chooses, and why in words."""
        chosen = rule[codon % len(rule)]
        return Step(chosen.nonterminal, codon, f"{codon} mod {len(rule)} = {codon % len(rule)}", chosen.id)

    def problem(self, codon: Any) -> str | None:
        """What is wrong with a codon given by the user, or None."""
        if not is_integer(codon):
            return "codons of this method are integers"
        return "a codon must not be negative" if codon < 0 else None


@final
class Reals:
    """Reals in [0, 1]; comparison with the cumulative probabilities chooses (Alg. 1, Mégane et al. 2021)."""

    largest: ClassVar[None] = None
    dtype: ClassVar[type[np.generic]] = np.float64

    def choose(self, rule: Sequence[Production], codon: float, probabilities: Floats) -> Step:
        total = below = 0.0
        for production in rule:
            below = total
            total += float(probabilities[production.id])
            if codon < total:
                reached = f"{below:.4g} ≤ " if production is not rule[0] else ""
                return Step(production.nonterminal, codon, f"{reached}{codon:.4g} < {total:.4g}", production.id)
        last = max(p.id for p in rule if probabilities[p.id] > 0)
        return Step(rule[0].nonterminal, codon, f"{codon:.4g} ≥ {total:.4g}: the last possible one", last)

    def problem(self, codon: Any) -> str | None:
        if not is_number(codon):
            return "codons of this method are numbers"
        if isinstance(codon, float | np.floating) and not math.isfinite(codon):
            return "a codon must be finite"
        return None if 0 <= codon <= 1 else "codons of this method lie in [0, 1]"


@dataclass(frozen=True)
class FlatGenotypes(RowGenotypes):
    """Rows of codons, and how many of them were read when the row was last mapped."""

    codons: Codons  # [N, W]
    length: NDArray[np.int32]  # [N]
    used: NDArray[np.int32] | NDArray[np.int64]  # [N]


@dataclass(frozen=True)
class Rows(FullRepresentation[FlatGenotypes]):
    """What all representations whose genotypes are rows of codons share; what codons mean is for members to say."""

    codons: int = setting(128, low=1, high=2**24, doc="length of a genotype when it is drawn")
    wraps: int = setting(0, low=0, high=2**20, doc="number of times a genotype is read again from its beginning")

    limited_by: ClassVar[str | None] = "codons"

    @property
    @abstractmethod
    def kind(self) -> Integers | Reals:
        """What its codons are."""

    @property
    def length(self) -> Length:
        """Whether crossover keeps the length of genotypes."""
        return "fixed"

    @property
    def cuts(self) -> Cuts:
        """Where crossover may cut."""
        return "anywhere"

    @property
    def width(self) -> int:
        """How many codons a genotype holds at most."""
        return self.codons if self.length == "fixed" else WIDEST * self.codons

    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Floats | None = None
    ) -> FlatGenotypes:
        codons = np.zeros((n, self.width), self.kind.dtype)
        kernels.flat.draw_codons(codons, self.codons, self.kind.largest, seed, generation)
        return FlatGenotypes(codons, np.full(n, self.codons, np.int32), np.zeros(n, np.int32))

    def vary(
        self,
        grammar: Grammar,
        genotypes: FlatGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        mutation: float,
        seed: Seed,
        generation: int,
        fitness: Floats | None = None,
        probabilities: Floats | None = None,
    ) -> FlatGenotypes:
        limit = genotypes.length
        if self.cuts == "used":
            limit = np.minimum(limit, genotypes.used)
        if self.length == "fixed":
            codons = kernels.flat.cross_fixed(genotypes.codons, limit, mothers, fathers, seed, generation)
            length = genotypes.length[mothers]
        else:
            codons, length = kernels.flat.cross_variable(
                genotypes.codons, genotypes.length, limit, mothers, fathers, seed, generation
            )
        kernels.flat.mutate_codons(codons, length, mutation, self.kind.largest, seed, generation)
        return FlatGenotypes(codons, length, np.zeros(len(mothers), np.int32))

    def change(
        self, grammar: Grammar, genotypes: FlatGenotypes, count: int, seed: Seed, generation: int = 0, how: How = "any"
    ) -> tuple[FlatGenotypes, NDArray[np.int64]]:
        eligible = np.minimum(genotypes.length, genotypes.used) if how == "used" else genotypes.length
        eligible = eligible * np.int64(self.kind.largest != 0)  # there must be another value
        places, numbers = kernels.neighbours.pick(eligible, count, seed, generation)
        return replace(genotypes, codons=redrawn(genotypes.codons, places, numbers, self.kind.largest)), places

    def distance(self, grammar: Grammar, first: FlatGenotypes, second: FlatGenotypes) -> NDArray[np.int64]:
        shared = np.minimum(first.length, second.length)
        both = np.arange(first.codons.shape[1]) < shared[:, None]
        only_one = np.maximum(first.length, second.length) - shared
        found: NDArray[np.int64] = np.count_nonzero(both & (first.codons != second.codons), axis=1) + only_one
        return found

    def read(self, grammar: Grammar, genotype: Any) -> FlatGenotypes:
        if not is_list(genotype) or len(genotype) == 0:
            raise no_genotype(self.shows_genotype_as, genotype)
        for position, codon in enumerate(genotype):
            problem = self.kind.problem(codon)
            if problem:
                raise GenotypeError(f"codon {position} is {codon!r}: {problem}")
        reals = self.kind.largest is None
        codons = np.array([genotype], np.float64) if reals else integer_array([[int(codon) for codon in genotype]])
        return FlatGenotypes(codons, np.array([len(genotype)], np.int32), np.zeros(1, np.int32))

    def show(self, grammar: Grammar, genotypes: FlatGenotypes, i: int) -> list[Any]:
        row: list[Any] = genotypes.codons[i, : genotypes.length[i]].tolist()
        return row

    completed = as_given
