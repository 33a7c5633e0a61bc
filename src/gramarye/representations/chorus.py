"""Genes that name productions wherever they stand: those not needed yet are kept as concentrations (Chorus)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivation import Derivations
from gramarye.errors import GenotypeError, SettingsError
from gramarye.grammar import Grammar, Production
from gramarye.representations.base import Probabilities, Reads, Representation, RowGenotypes, Seed, Step, no_genotype
from gramarye.settings import check_settings, setting


@dataclass(frozen=True)
class GeneGenotypes(RowGenotypes):
    """Rows of genes, and how many of them were read when the row was last mapped."""

    codons: NDArray[Any]  # [N, L] int32
    used: NDArray[np.int64]  # [N]


@dataclass(frozen=True)
class Genes(Representation):
    """Integers that name productions; the one named most often among those of a non-terminal is applied."""

    codons: int = setting(128, low=1, high=2**24, doc="length of a genotype when it is drawn")
    wraps: int = setting(0, low=0, high=2**20, doc="number of times a genotype is read again from its beginning")
    number_all: bool = setting(False, doc="whether genes also name productions that are the only ones of their rule")
    codon_max: int = setting(255, low=0, high=2**31 - 2, doc="largest codon that is drawn")

    reads: ClassVar[Reads] = "no"
    shows_genotype_as: ClassVar[str] = "a list of integers from 0 on"

    def __post_init__(self) -> None:
        check_settings(self)

    def numbered(self, grammar: Grammar) -> list[Production]:
        """The productions that a gene can name, by number: those of a rule with one production need no name."""
        return [p for p in grammar.productions if self.number_all or len(grammar.rules[p.nonterminal]) > 1]

    def check(self, grammar: Grammar, population: int = 1) -> None:
        count = len(self.numbered(grammar))
        if count > self.codon_max + 1:
            raise SettingsError(
                f"codon_max is {self.codon_max}: {grammar.name} has {count} productions to choose from, so that "
                f"{count - self.codon_max - 1} of them could never be named; set codon_max to {count - 1} or more"
            )

    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Probabilities | None = None
    ) -> GeneGenotypes:
        drawn = kernels.leftmost.random_integers(n, self.codons, self.codon_max, seed, generation)
        return GeneGenotypes(drawn, np.zeros(n, np.int64))

    def map(
        self,
        grammar: Grammar,
        genotypes: GeneGenotypes,
        probabilities: NDArray[np.float64],
        seed: Seed,
        generation: int,
        first: int,
    ) -> tuple[GeneGenotypes, Derivations]:
        productions, offsets, status, used = kernels.chorus.map_chorus(
            np.ascontiguousarray(genotypes.codons),
            grammar.arrays,
            *self._numbers(grammar),
            grammar.least_codons(False),
            self.wraps,
        )
        return replace(genotypes, used=used), Derivations(productions, offsets, status)

    def _numbers(self, grammar: Grammar) -> tuple[NDArray[np.int32], int]:
        """The number of each non-terminal's first production [K], and how many productions have a number."""
        counts = np.diff(grammar.arrays.rule_start)
        if not self.number_all:
            counts[counts == 1] = 0
        ends = np.cumsum(counts)
        return (ends - counts).astype(np.int32), int(ends[-1])

    def vary(
        self,
        grammar: Grammar,
        genotypes: GeneGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        mutation: float,
        seed: Seed,
        generation: int,
        fitness: NDArray[np.float64] | None = None,
        probabilities: Probabilities | None = None,
    ) -> GeneGenotypes:
        n, length = len(mothers), genotypes.codons.shape[1]
        limit = np.full(len(genotypes), length, np.int32)
        children = kernels.leftmost.cross_fixed(genotypes.codons, limit, mothers, fathers, seed, generation)
        numbers = np.full(n, length, np.int32)
        kernels.leftmost.mutate_integers(children, numbers, mutation, self.codon_max, seed, generation)
        return GeneGenotypes(children, np.zeros(n, np.int64))

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Probabilities, seed: Seed, generation: int = 0
    ) -> tuple[GeneGenotypes, NDArray[np.bool_]]:
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
        return GeneGenotypes(codons, np.zeros(len(codons), np.int64)), fits

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Probabilities) -> str:
        needed = sum(len(grammar.rules[grammar.productions[q].nonterminal]) > 1 for q in productions)
        if needed > self.codons:
            return f"it needs {needed} genes, and a genotype holds {self.codons}; set codons to {needed} or more"
        most = len(self.numbered(grammar)) - 1
        return f"it names a production above {self.codon_max}; set codon_max to {most} or more"

    def change(
        self,
        grammar: Grammar,
        genotypes: GeneGenotypes,
        count: int,
        seed: Seed,
        generation: int = 0,
        *,
        used_only: bool = False,
        small: bool = False,
    ) -> tuple[GeneGenotypes, NDArray[np.int64]]:
        n, length = genotypes.codons.shape
        eligible = np.minimum(genotypes.used, length) if used_only else np.full(n, length)
        eligible = eligible * np.int64(self.codon_max > 0)  # there must be another value
        places, numbers = kernels.changes.pick(eligible, count, seed, generation)
        codons = genotypes.codons.copy()
        kernels.changes.redraw_integers(codons, places, numbers, self.codon_max)
        return replace(genotypes, codons=codons), places

    def distance(self, grammar: Grammar, first: GeneGenotypes, second: GeneGenotypes) -> NDArray[np.int64]:
        found: NDArray[np.int64] = np.count_nonzero(first.codons != second.codons, axis=1)
        return found

    def read(self, grammar: Grammar, genotype: Any) -> GeneGenotypes:
        if not isinstance(genotype, Sequence | np.ndarray) or isinstance(genotype, str) or len(genotype) == 0:
            raise no_genotype(self.shows_genotype_as, genotype)
        for position, codon in enumerate(genotype):
            if isinstance(codon, bool | np.bool_) or not isinstance(codon, int | np.integer) or codon < 0:
                raise GenotypeError(f"codon {position} is {codon!r}: it must be an integer from 0 on")
        # Integers of any size: only the traced mapping reads them.
        return GeneGenotypes(np.array([[int(codon) for codon in genotype]], object), np.zeros(1, np.int64))

    def show(self, grammar: Grammar, genotypes: GeneGenotypes, i: int) -> list[int]:
        row: list[int] = genotypes.codons[i].tolist()
        return row

    def trace(
        self, grammar: Grammar, genotypes: GeneGenotypes, probabilities: NDArray[np.float64], seed: Seed
    ) -> Iterator[Step]:
        unread = chain.from_iterable(repeat(self.show(grammar, genotypes, 0), self.wraps + 1))
        numbers = {production.id: number for number, production in enumerate(self.numbered(grammar))}
        table = dict.fromkeys(numbers.values(), 0)
        pending = [grammar.nonterminals[0]]
        while pending:
            nonterminal = pending.pop()
            rule = grammar.rules[nonterminal]
            if len(rule) == 1:
                step = Step(nonterminal, None, "the only production", rule[0].id)
            else:
                own = {numbers[production.id]: production.id for production in rule}
                found = self._win(nonterminal, own, table, unread)
                if found is None:
                    return
                step = found
            yield step
            symbols = grammar.productions[step.production].symbols
            pending.extend(s.text for s in reversed(symbols) if s.kind == "nonterminal")

    @staticmethod
    def _win(nonterminal: str, own: dict[int, int], table: dict[int, int], unread: Iterator[int]) -> Step | None:
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

    def completed(
        self, grammar: Grammar, genotypes: GeneGenotypes, probabilities: Probabilities, seed: Seed
    ) -> list[int]:
        return self.show(grammar, genotypes, 0)
