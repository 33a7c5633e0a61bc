"""Flat genotypes: a row of codons read from left to right (GE: integers; PGE: reals)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, repeat
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivations
from gramarye.grammar import Grammar
from gramarye.representations.base import Floats, Reads, Seed, check_codon_max
from gramarye.representations.by_hand import leftmost
from gramarye.representations.optional import Step
from gramarye.representations.rows import WIDEST, Cuts, FlatGenotypes, Integers, Length, Reals, Rows
from gramarye.settings import as_in, setting


@dataclass(frozen=True)
class Flat(Rows):
    """What both share."""

    consume_single: bool = setting(True, doc="whether a rule with a single production also reads a codon")
    length: Length = setting("fixed", doc="whether crossover keeps the length of genotypes")
    cuts: Cuts = setting("anywhere", doc="where crossover may cut: anywhere, or only among the codons that were used")

    def map(
        self, grammar: Grammar, genotypes: FlatGenotypes, probabilities: Floats, seed: Seed, generation: int, first: int
    ) -> tuple[FlatGenotypes, Derivations]:
        productions, offsets, status, used = kernels.flat.map_flat(
            np.ascontiguousarray(genotypes.codons),
            genotypes.length,
            grammar.arrays,
            probabilities,
            grammar.least_codons(self.consume_single),
            self.wraps,
            self.consume_single,
            self.kind.largest is not None,
        )
        return replace(genotypes, used=used), Derivations(productions, offsets, status)

    def completion(self, grammar: Grammar, probabilities: Floats, codons: int | None = None) -> float | None:
        """Not known where a genotype is read again from its beginning."""
        weights = probabilities if self.kind.largest is None else grammar.uniform_probabilities()
        count = self.codons if codons is None else codons
        return None if self.wraps else grammar.completion_probability(count, self.consume_single, weights)

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Floats, seed: Seed, generation: int = 0
    ) -> tuple[FlatGenotypes, NDArray[np.bool_]]:
        codons, length, fits = kernels.flat.encode_flat(
            derivations.productions,
            derivations.offsets,
            grammar.arrays,
            probabilities,
            self.consume_single,
            self.kind.largest,
            self.codons,
            np.zeros((len(derivations), self.width), self.kind.dtype),
            seed,
            generation,
        )
        return FlatGenotypes(codons, length, np.zeros(len(length), np.int32)), fits

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Floats) -> str:
        needed = kernels.flat.codons_needed(productions, grammar.arrays, self.consume_single)
        if needed > self.width:
            enough = needed if self.length == "fixed" else math.ceil(needed / WIDEST)
            return f"it needs {needed} codons, and a genotype holds {self.width}; set codons to {enough} or more"
        arguments = (grammar.arrays, probabilities, self.kind.largest)
        missing = next(q for q in productions if kernels.flat.codon_of(*arguments, q, 0.5) < 0)
        production = grammar.productions[missing]
        why = f"its probability is {probabilities[missing]:.4g}; give it a larger one"
        return f"no codon chooses {production.text} for {production.nonterminal}: {why}"

    def trace(self, grammar: Grammar, genotypes: FlatGenotypes, probabilities: Floats, seed: Seed) -> Iterator[Step]:
        unread = chain.from_iterable(repeat(self.show(grammar, genotypes, 0), self.wraps + 1))

        def expand(nonterminal: str) -> Step | None:
            rule = grammar.rules[nonterminal]
            if len(rule) == 1 and not self.consume_single:
                return Step(nonterminal, None, "the only production", rule[0].id)
            codon = next(unread, None)
            return None if codon is None else self.kind.choose(rule, codon, probabilities)

        return leftmost(grammar, expand)


@final
@dataclass(frozen=True)
class FlatReal(Flat):
    """Reals in [0, 1]; a codon chooses by comparison with the cumulative probabilities (Alg. 1, Mégane et al. 2021)."""

    kind: ClassVar[Reals] = Reals()
    shows_genotype_as: ClassVar[str] = "a list of numbers in [0, 1]"


@final
@dataclass(frozen=True)
class FlatInteger(Flat):
    """Integers; a codon chooses by the remainder of its division by the number of productions."""

    consume_single: bool = as_in(FlatReal, "consume_single", default=False)
    codon_max: int = setting(255, low=0, high=2**31 - 2, doc="largest codon that is drawn")

    reads: ClassVar[Reads] = "no"
    shows_genotype_as: ClassVar[str] = "a list of integers ≥ 0"

    @cached_property
    def kind(self) -> Integers:
        return Integers(self.codon_max)

    def check(self, grammar: Grammar, population: int = 1) -> None:
        check_codon_max(grammar, self.codon_max)
