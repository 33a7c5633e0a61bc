"""Flat genotypes: a row of codons read from left to right (GE: integers; PGE: reals)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

from gramarye.grammar import Grammar
from gramarye.representations import rows
from gramarye.representations.base import Reads, Representation, check_codon_max
from gramarye.representations.by_hand import as_given
from gramarye.representations.codons import Integers, Reals
from gramarye.representations.optional import Encodes, Explains, HasNeighbours
from gramarye.representations.rows import Cuts, FlatGenotypes, Length
from gramarye.settings import as_in, setting


@final
@dataclass(frozen=True)
class FlatReal(
    Representation[FlatGenotypes], Encodes[FlatGenotypes], HasNeighbours[FlatGenotypes], Explains[FlatGenotypes]
):
    """Reals in [0, 1]; a codon chooses by comparison with the cumulative probabilities (Alg. 1, Mégane et al. 2021)."""

    codons: int = setting(128, low=1, high=2**24, doc="length of a genotype when it is drawn")
    wraps: int = setting(0, low=0, high=2**20, doc="number of times a genotype is read again from its beginning")
    consume_single: bool = setting(True, doc="whether a rule with a single production also reads a codon")
    length: Length = setting("fixed", doc="whether crossover keeps the length of genotypes")
    cuts: Cuts = setting("anywhere", doc="where crossover may cut: anywhere, or only among the codons that were used")

    kind: ClassVar[Reals] = Reals()
    limited_by: ClassVar[str | None] = "codons"
    shows_genotype_as: ClassVar[str] = "a list of numbers in [0, 1]"

    initial, map, vary = rows.initial, rows.map, rows.vary
    completion = rows.completion
    encode, misfit = rows.encode, rows.misfit
    change, distance = rows.change, rows.distance
    read, show, trace, completed = rows.read, rows.show, rows.trace, as_given


@final
@dataclass(frozen=True)
class FlatInteger(
    Representation[FlatGenotypes], Encodes[FlatGenotypes], HasNeighbours[FlatGenotypes], Explains[FlatGenotypes]
):
    """Integers; a codon chooses by the remainder of its division by the number of productions."""

    codons: int = as_in(FlatReal, "codons")
    wraps: int = as_in(FlatReal, "wraps")
    consume_single: bool = as_in(FlatReal, "consume_single", default=False)
    length: Length = as_in(FlatReal, "length")
    cuts: Cuts = as_in(FlatReal, "cuts")
    codon_max: int = setting(255, low=0, high=2**31 - 2, doc="largest codon that is drawn")

    reads: ClassVar[Reads] = "no"
    limited_by: ClassVar[str | None] = "codons"
    shows_genotype_as: ClassVar[str] = "a list of integers ≥ 0"

    @cached_property
    def kind(self) -> Integers:
        """What its codons are."""
        return Integers(self.codon_max)

    def check(self, grammar: Grammar, population: int = 1) -> None:
        check_codon_max(grammar, self.codon_max)

    initial, map, vary = rows.initial, rows.map, rows.vary
    completion = rows.completion
    encode, misfit = rows.encode, rows.misfit
    change, distance = rows.change, rows.distance
    read, show, trace, completed = rows.read, rows.show, rows.trace, as_given
