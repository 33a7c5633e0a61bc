"""Structured genotypes of fixed size: lists with an entry for every expansion that a program may need (static SGE)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivation import Derivations, Status
from gramarye.errors import GenotypeError, SettingsError, did_you_mean
from gramarye.grammar import Grammar
from gramarye.recursion import most_expansions, without_recursion
from gramarye.representations.base import Probabilities, Reads, Representation, RowGenotypes, Seed, Step, no_genotype
from gramarye.representations.structured import changeable
from gramarye.rewriting import Rewriting
from gramarye.settings import check_settings, setting

MOST_ENTRIES = 2**26  # of a whole population: 256 MB
MISSING = -1  # an entry that a genotype given by hand leaves open


@dataclass(frozen=True)
class FixedListGenotypes(RowGenotypes):
    """The lists of each individual one after another, and how far the last mapping read them."""

    entries: NDArray[np.int32]  # [N, total]
    used: NDArray[np.int32]  # [N, K]


@dataclass(frozen=True)
class FixedLists(Representation):
    """One list per non-terminal; recursion is written out over so many levels before, so that lists have an end."""

    recursion: int = setting(6, low=0, high=100, doc="levels over which recursion is written out in the grammar")

    reads: ClassVar[Reads] = "no"
    shows_genotype_as: ClassVar[str] = "a mapping from each non-terminal to a list of production numbers"

    def __post_init__(self) -> None:
        check_settings(self)

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
        return np.array([*accumulate(most_expansions(grammar), initial=0)], np.int64)

    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Probabilities | None = None
    ) -> FixedListGenotypes:
        start = self._start(grammar, n)
        entries = kernels.fixed_lists.random_lists(n, start, grammar.arrays, seed, generation)
        return FixedListGenotypes(entries, np.zeros((n, len(start) - 1), np.int32))

    def map(
        self,
        grammar: Grammar,
        genotypes: FixedListGenotypes,
        probabilities: NDArray[np.float64],
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
        fitness: NDArray[np.float64] | None = None,
        probabilities: Probabilities | None = None,
    ) -> FixedListGenotypes:
        start = self._start(grammar, 1)
        entries, used = kernels.fixed_lists.cross_lists(
            genotypes.entries, genotypes.used, start, mothers, fathers, seed, generation
        )
        kernels.fixed_lists.mutate_one_each(entries, used, start, grammar.arrays, mutation, seed, generation)
        return FixedListGenotypes(entries, used)

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Probabilities, seed: Seed, generation: int = 0
    ) -> tuple[FixedListGenotypes, NDArray[np.bool_]]:
        """Of derivations of the rewritten grammar: `Rewriting.unfold` says which of the original fit into it."""
        n = len(derivations)
        start = self._start(grammar, n)
        entries, fits = kernels.fixed_lists.encode_lists(
            derivations.productions, derivations.offsets, derivations.status, start, grammar.arrays, seed, generation
        )
        return FixedListGenotypes(entries, np.zeros((n, len(start) - 1), np.int32)), fits

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Probabilities) -> str:
        return f"it recurs deeper than recursion={self.recursion} levels; set recursion higher"

    def change(
        self,
        grammar: Grammar,
        genotypes: FixedListGenotypes,
        count: int,
        seed: Seed,
        generation: int = 0,
        *,
        used_only: bool = False,
        small: bool = False,
    ) -> tuple[FixedListGenotypes, NDArray[np.int64]]:
        n, total = genotypes.entries.shape
        start = np.append(np.arange(n)[:, None] * total + self._start(grammar, 1)[:-1], n * total)
        sizes = changeable(grammar, start, genotypes.used if used_only else None)
        lists, places, numbers = kernels.changes.pick_entries(sizes, count, seed, generation)
        entries = genotypes.entries.ravel().copy()
        kernels.changes.redraw_entries(entries, start, lists, places, numbers, grammar.arrays.rule_start)
        return replace(genotypes, entries=entries.reshape(n, total)), places

    def distance(self, grammar: Grammar, first: FixedListGenotypes, second: FixedListGenotypes) -> NDArray[np.int64]:
        found: NDArray[np.int64] = np.count_nonzero(first.entries != second.entries, axis=1)
        return found

    def read(self, grammar: Grammar, genotype: Any) -> FixedListGenotypes:
        if not isinstance(genotype, Mapping):
            raise no_genotype(self.shows_genotype_as, genotype)
        for name in genotype:
            if name not in grammar.rules:
                near = did_you_mean(str(name), grammar.nonterminals)
                raise GenotypeError(f"without recursion the grammar has no {name}{near}")
        start = self._start(grammar, 1)
        entries = np.full((1, start[-1]), MISSING, np.int32)
        for a, name in enumerate(grammar.nonterminals):
            row = _read_list(grammar, name, genotype.get(name, ()), int(start[a + 1] - start[a]))
            entries[0, start[a] : start[a] + len(row)] = row
        return FixedListGenotypes(entries, np.zeros((1, len(start) - 1), np.int32))

    def show(self, grammar: Grammar, genotypes: FixedListGenotypes, i: int) -> dict[str, list[int]]:
        lists = np.split(genotypes.entries[i], self._start(grammar, 1)[1:-1])
        return {name: row[row != MISSING].tolist() for name, row in zip(grammar.nonterminals, lists, strict=True)}

    def trace(
        self, grammar: Grammar, genotypes: FixedListGenotypes, probabilities: NDArray[np.float64], seed: Seed
    ) -> Iterator[Step]:
        given = self.show(grammar, genotypes, 0)
        lists = self.show(grammar, self._filled(grammar, genotypes, seed), 0)
        seen = dict.fromkeys(lists, 0)
        pending = [grammar.nonterminals[0]]
        while pending:
            name = pending.pop()
            position = seen[name]
            seen[name] += 1
            production = grammar.rules[name][lists[name][position]]
            filled = position >= len(given[name])
            why = f"entry {position} of {name}" + (", drawn" if filled else "")
            yield Step(name, lists[name][position], why, production.id, filled)
            pending.extend(s.text for s in reversed(production.symbols) if s.kind == "nonterminal")

    def completed(
        self, grammar: Grammar, genotypes: FixedListGenotypes, probabilities: Probabilities, seed: Seed
    ) -> dict[str, list[int]]:
        """With what was drawn, as far as it was read: lists have room for far more than most programs need."""
        given = self.show(grammar, genotypes, 0)
        lists = self.show(grammar, self._filled(grammar, genotypes, seed), 0)
        read = dict.fromkeys(lists, 0)
        for step in self.trace(grammar, genotypes, probabilities, seed):
            read[step.nonterminal] += 1
        return {name: row[: max(len(given[name]), read[name])] for name, row in lists.items()}

    def _filled(self, grammar: Grammar, genotypes: FixedListGenotypes, seed: Seed) -> FixedListGenotypes:
        entries = genotypes.entries.copy()
        kernels.fixed_lists.fill_lists(entries, self._start(grammar, 1), grammar.arrays, seed)
        return replace(genotypes, entries=entries)


def _read_list(grammar: Grammar, name: str, row: Any, most: int) -> list[int]:
    if not isinstance(row, Sequence | np.ndarray) or isinstance(row, str):
        raise GenotypeError(f"the entries of {name} are a list of production numbers, not {row!r}")
    if len(row) > most:
        raise GenotypeError(f"{name} has {len(row)} entries, but no program expands it more than {most} times")
    last = len(grammar.rules[name]) - 1
    for position, entry in enumerate(row):
        whole = isinstance(entry, int | np.integer) and not isinstance(entry, bool | np.bool_)
        if not whole or not 0 <= entry <= last:
            raise GenotypeError(f"entry {position} of {name} is {entry!r}: it must be an integer in 0 … {last}")
    return [int(entry) for entry in row]
