"""Structured genotypes of fixed size: lists with an entry for every expansion that a program may need (static SGE)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivations, Status
from gramarye.derivations.recursion_free import most_expansions, without_recursion
from gramarye.derivations.rewriting import Rewriting
from gramarye.errors import GenotypeError, SettingsError
from gramarye.grammar import Grammar
from gramarye.representations.base import Floats, Reads, Representation, RowGenotypes, Seed
from gramarye.representations.optional import Encodes, Explains, HasNeighbours, How, Step
from gramarye.representations.structured import changeable, check_names, read_entries, starts, trace_entries
from gramarye.settings import setting

MOST_ENTRIES = 2**26  # of a whole population: 256 MB
MISSING = -1  # an entry that a genotype given by hand leaves open


@dataclass(frozen=True)
class FixedListGenotypes(RowGenotypes):
    """The lists of each individual one after another, and how far the last mapping read them."""

    entries: NDArray[np.int32]  # [N, total]
    used: NDArray[np.int32]  # [N, K]


@final
@dataclass(frozen=True)
class FixedLists(
    Representation[FixedListGenotypes],
    Encodes[FixedListGenotypes],
    HasNeighbours[FixedListGenotypes],
    Explains[FixedListGenotypes],
):
    """One list per non-terminal; recursion is written out over so many levels before, so that lists have an end."""

    recursion: int = setting(6, low=0, high=100, doc="levels over which recursion is written out in the grammar")

    reads: ClassVar[Reads] = "no"
    shows_genotype_as: ClassVar[str] = "a mapping from each non-terminal to a list of production numbers"

    def rewritten(self, grammar: Grammar) -> Rewriting:
        return without_recursion(grammar, self.recursion)

    def check(self, grammar: Grammar, population: int = 1) -> None:
        self._start(grammar, population)

    def _start(self, grammar: Grammar, n: int) -> NDArray[np.int64]:
        """Where each list begins [K+1]; a SettingsError where n individuals would not fit into memory."""
        total = sum(most_expansions(grammar))
        if n * total > MOST_ENTRIES:
            raise SettingsError(
                f"recursion is {self.recursion}: an individual of {grammar.name} would have {total:,} entries, so that "
                f"{n:,} of them have {n * total:,}, and {MOST_ENTRIES:,} is the most; set recursion or population lower"
            )
        return starts(most_expansions(grammar))

    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Floats | None = None
    ) -> FixedListGenotypes:
        start = self._start(grammar, n)
        entries = kernels.fixed_lists.random_lists(n, start, grammar.arrays, seed, generation)
        return FixedListGenotypes(entries, np.zeros((n, len(start) - 1), np.int32))

    def map(
        self,
        grammar: Grammar,
        genotypes: FixedListGenotypes,
        probabilities: Floats,
        seed: Seed,
        generation: int,
        first: int,
    ) -> tuple[FixedListGenotypes, Derivations]:
        productions, offsets, used = kernels.fixed_lists.map_fixed(
            genotypes.entries, self._start(grammar, 1), grammar.arrays
        )
        status = np.full(len(genotypes), Status.OK, np.int8)
        return replace(genotypes, used=used), Derivations(productions, offsets, status)

    def vary(
        self,
        grammar: Grammar,
        genotypes: FixedListGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        mutation: float,
        seed: Seed,
        generation: int,
        fitness: Floats | None = None,
        probabilities: Floats | None = None,
    ) -> FixedListGenotypes:
        start = self._start(grammar, 1)
        entries, used = kernels.fixed_lists.cross_lists(
            genotypes.entries, genotypes.used, start, mothers, fathers, seed, generation
        )
        kernels.fixed_lists.mutate_one_each(entries, used, start, grammar.arrays, mutation, seed, generation)
        return FixedListGenotypes(entries, used)

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Floats, seed: Seed, generation: int = 0
    ) -> tuple[FixedListGenotypes, NDArray[np.bool_]]:
        """Of derivations of the rewritten grammar: `Rewriting.unfold` says which of the original fit into it."""
        n = len(derivations)
        start = self._start(grammar, n)
        entries, fits = kernels.fixed_lists.encode_lists(
            derivations.productions, derivations.offsets, derivations.status, start, grammar.arrays, seed, generation
        )
        return FixedListGenotypes(entries, np.zeros((n, len(start) - 1), np.int32)), fits

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Floats) -> str:
        return f"it recurs deeper than recursion={self.recursion} levels; set recursion higher"

    def change(
        self,
        grammar: Grammar,
        genotypes: FixedListGenotypes,
        count: int,
        seed: Seed,
        generation: int = 0,
        how: How = "any",
    ) -> tuple[FixedListGenotypes, NDArray[np.int64]]:
        n, total = genotypes.entries.shape
        start = np.append(np.arange(n)[:, None] * total + self._start(grammar, 1)[:-1], n * total)
        sizes = changeable(grammar, start, genotypes.used if how == "used" else None)
        lists, places, numbers = kernels.neighbours.pick_entries(sizes, count, seed, generation)
        entries = genotypes.entries.ravel().copy()
        kernels.neighbours.redraw_entries(entries, start, lists, places, numbers, grammar.arrays.rule_start)
        return replace(genotypes, entries=entries.reshape(n, total)), places

    def distance(self, grammar: Grammar, first: FixedListGenotypes, second: FixedListGenotypes) -> NDArray[np.int64]:
        found: NDArray[np.int64] = np.count_nonzero(first.entries != second.entries, axis=1)
        return found

    def read(self, grammar: Grammar, genotype: Any) -> FixedListGenotypes:
        check_names(grammar, genotype, self.shows_genotype_as, "without recursion the grammar")
        start = self._start(grammar, 1)
        entries = np.full((1, start[-1]), MISSING, np.int32)
        for a, name in enumerate(grammar.nonterminals):
            row, most = read_entries(grammar, name, genotype.get(name, ())), start[a + 1] - start[a]
            if len(row) > most:
                raise GenotypeError(f"{name} has {len(row)} entries, but no program expands it more than {most} times")
            entries[0, start[a] : start[a] + len(row)] = row
        return FixedListGenotypes(entries, np.zeros((1, len(start) - 1), np.int32))

    def show(self, grammar: Grammar, genotypes: FixedListGenotypes, i: int) -> dict[str, list[int]]:
        lists = np.split(genotypes.entries[i], self._start(grammar, 1)[1:-1])
        return {name: row[row != MISSING].tolist() for name, row in zip(grammar.nonterminals, lists, strict=True)}

    def trace(
        self, grammar: Grammar, genotypes: FixedListGenotypes, probabilities: Floats, seed: Seed
    ) -> Iterator[Step]:
        given = np.array([len(row) for row in self.show(grammar, genotypes, 0).values()])
        filled = self._filled(grammar, genotypes, seed)
        _, derivations = self.map(grammar, filled, probabilities, seed, 0, 0)
        return trace_entries(grammar, given, derivations[0])

    def completed(
        self, grammar: Grammar, genotypes: FixedListGenotypes, probabilities: Floats, seed: Seed
    ) -> dict[str, list[int]]:
        """With what was drawn, as far as it was read: lists have room for far more than most programs need."""
        given = self.show(grammar, genotypes, 0)
        filled, _ = self.map(grammar, self._filled(grammar, genotypes, seed), probabilities, seed, 0, 0)
        lists = self.show(grammar, filled, 0).items()
        return {
            name: row[: max(len(given[name]), read)] for (name, row), read in zip(lists, filled.used[0], strict=True)
        }

    def _filled(self, grammar: Grammar, genotypes: FixedListGenotypes, seed: Seed) -> FixedListGenotypes:
        entries = genotypes.entries.copy()
        kernels.fixed_lists.fill_lists(entries, self._start(grammar, 1), grammar.arrays, seed)
        return replace(genotypes, entries=entries)
