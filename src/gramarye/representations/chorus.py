"""Genes that name productions wherever they stand: those not needed yet are kept as concentrations (Chorus)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, repeat
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivations
from gramarye.errors import SettingsError
from gramarye.grammar import Grammar
from gramarye.representations.base import Floats, Reads, Seed
from gramarye.representations.by_hand import leftmost
from gramarye.representations.optional import Step
from gramarye.representations.rows import FlatGenotypes, Integers, Rows
from gramarye.settings import setting


@final
@dataclass(frozen=True)
class Genes(Rows):
    """Integers that name productions; the one named most often among those of a non-terminal is applied."""

    number_all: bool = setting(False, doc="whether genes also name productions that are the only ones of their rule")
    codon_max: int = setting(255, low=0, high=2**31 - 2, doc="largest codon that is drawn")

    reads: ClassVar[Reads] = "no"
    shows_genotype_as: ClassVar[str] = "a list of integers ≥ 0"

    @cached_property
    def kind(self) -> Integers:
        return Integers(self.codon_max)

    def check(self, grammar: Grammar, population: int = 1) -> None:
        _, count = self._numbers(grammar)
        if count > self.codon_max + 1:
            raise SettingsError(
                f"codon_max is {self.codon_max}: {grammar.name} has {count} productions to choose from, so that "
                f"{count - self.codon_max - 1} of them could never be named; set codon_max to {count - 1} or more"
            )

    def map(
        self, grammar: Grammar, genotypes: FlatGenotypes, probabilities: Floats, seed: Seed, generation: int, first: int
    ) -> tuple[FlatGenotypes, Derivations]:
        productions, offsets, status, used = kernels.chorus.map_chorus(
            np.ascontiguousarray(genotypes.codons),
            grammar.arrays,
            *self._numbers(grammar),
            grammar.least_codons(False),
            self.wraps,
        )
        return replace(genotypes, used=used), Derivations(productions, offsets, status)

    def _numbers(self, grammar: Grammar) -> tuple[NDArray[np.int32], int]:
        """The number of each non-terminal's first production [K], and how many productions have a number.

        Those of a rule with one production need none.
        """
        counts = np.diff(grammar.arrays.rule_start)
        if not self.number_all:
            counts[counts == 1] = 0
        ends = np.cumsum(counts)
        return (ends - counts).astype(np.int32), int(ends[-1])

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Floats, seed: Seed, generation: int = 0
    ) -> tuple[FlatGenotypes, NDArray[np.bool_]]:
        codons, fits = kernels.chorus.encode_chorus(
            derivations.productions,
            derivations.offsets,
            derivations.status,
            grammar.arrays,
            *self._numbers(grammar),
            self.codons,
            self.codon_max,
            seed,
            generation,
        )
        n = len(codons)
        return FlatGenotypes(codons, np.full(n, self.codons, np.int32), np.zeros(n, np.int32)), fits

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Floats) -> str:
        needed = sum(len(grammar.rules[grammar.productions[q].nonterminal]) > 1 for q in productions)
        if needed > self.codons:
            return f"it needs {needed} genes, and a genotype holds {self.codons}; set codons to {needed} or more"
        _, count = self._numbers(grammar)
        return f"it names a production above {self.codon_max}; set codon_max to {count - 1} or more"

    def trace(self, grammar: Grammar, genotypes: FlatGenotypes, probabilities: Floats, seed: Seed) -> Iterator[Step]:
        unread = chain.from_iterable(repeat(self.show(grammar, genotypes, 0), self.wraps + 1))
        firsts, count = self._numbers(grammar)
        first, table = dict(zip(grammar.nonterminals, firsts.tolist(), strict=True)), [0] * count

        def expand(nonterminal: str) -> Step | None:
            rule = grammar.rules[nonterminal]
            if len(rule) == 1:
                return Step(nonterminal, None, "the only production", rule[0].id)
            own = {number: production.id for number, production in enumerate(rule, first[nonterminal])}
            return _win(nonterminal, own, table, unread)

        return leftmost(grammar, expand)


def _win(nonterminal: str, own: dict[int, int], table: list[int], unread: Iterator[int]) -> Step | None:
    """Read genes until one production of a non-terminal leads the others; None where they run out."""
    read: list[int] = []
    while True:
        most = max(table[number] for number in own)
        leaders = [number for number in own if table[number] == most]
        if most > 0 and len(leaders) == 1:
            break
        gene = next(unread, None)
        if gene is None:
            return None
        read.append(gene)
        table[gene % len(table)] += 1
    (winner,) = leaders
    table[winner] -= 1
    genes = ", ".join(str(gene % len(table)) for gene in read)
    why = (f"genes mod {len(table)} = {genes}: " if read else "no gene read: ") + f"{winner} leads with {most}"
    return Step(nonterminal, read[-1] if read else None, why, own[winner], reads=len(read))
