"""Structured genotypes of fixed size: lists with an entry for every expansion that a program may need (static SGE)."""

from __future__ import annotations

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
from gramarye.kernels import codes
from gramarye.representations.base import Floats, Seed
from gramarye.representations.structured import Entries, ListGenotypes, mapped_lists, sorted_into_lists, starts
from gramarye.settings import setting

MOST_ENTRIES = 2**26  # of a whole population: 256 MB


@final
@dataclass(frozen=True)
class FixedLists(Entries):
    """One list per non-terminal; recursion is written out over so many levels before, so that lists have an end."""

    recursion: int = setting(6, low=0, high=100, doc="levels over which recursion is written out in the grammar")

    reads_through: ClassVar[str] = "without recursion the grammar"

    def rewritten(self, grammar: Grammar) -> Rewriting:
        return without_recursion(grammar, self.recursion)

    def check(self, grammar: Grammar, population: int = 1) -> None:
        self._sizes(grammar, population)

    def _sizes(self, grammar: Grammar, n: int) -> NDArray[np.int64]:
        """How long each list is [K]; a SettingsError where n individuals would not fit into memory."""
        total = sum(most_expansions(grammar))
        if n * total > MOST_ENTRIES:
            raise SettingsError(
                f"recursion is {self.recursion}: an individual of {grammar.name} would have {total:,} entries, so that "
                f"{n:,} of them have {n * total:,}, and {MOST_ENTRIES:,} is the most; set recursion or population lower"
            )
        return np.array(most_expansions(grammar), np.int64)

    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Floats | None = None
    ) -> ListGenotypes:
        return self._drawn(grammar, n, seed, generation, codes.INITIAL)

    def _drawn(self, grammar: Grammar, n: int, seed: Seed, generation: int, purpose: int) -> ListGenotypes:
        sizes = self._sizes(grammar, n)
        values = kernels.fixed_lists.random_lists(n, sizes, grammar.arrays, seed, generation, purpose)
        return ListGenotypes.of_lists(grammar, values, starts(np.tile(sizes, n)))

    def map(
        self, grammar: Grammar, genotypes: ListGenotypes, probabilities: Floats, seed: Seed, generation: int, first: int
    ) -> tuple[ListGenotypes, Derivations]:
        """Only a genotype given by the user lacks entries, which are drawn as for lists that grow."""
        nothing_forbidden = (MOST_ENTRIES, codes.SHORTEST, MOST_ENTRIES)
        draws = (seed, generation, codes.FILL, first)
        mapped, depth, derivations = mapped_lists(grammar, genotypes, None, nothing_forbidden, draws)
        return replace(mapped, depth=depth), derivations

    def vary(
        self,
        grammar: Grammar,
        genotypes: ListGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        mutation: float,
        seed: Seed,
        generation: int,
        fitness: Floats | None = None,
        probabilities: Floats | None = None,
    ) -> ListGenotypes:
        parents = kernels.lists.list_parents(mothers, fathers, len(grammar.nonterminals), seed, generation)
        values, start = kernels.lists.gather_lists(genotypes.values, genotypes.start, parents)
        used = np.maximum(genotypes.used[mothers], genotypes.used[np.where(fathers < 0, mothers, fathers)])
        kernels.fixed_lists.mutate_one_each(values, start, used, grammar.arrays, mutation, seed, generation)
        return ListGenotypes(values, start, used, np.zeros(len(mothers), np.int32))

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Floats, seed: Seed, generation: int = 0
    ) -> tuple[ListGenotypes, NDArray[np.bool_]]:
        """Of derivations of the rewritten grammar: `Rewriting.unfold` says which of the original fit into it."""
        entries = derivations.productions - grammar.arrays.rule_start[grammar.arrays.left[derivations.productions]]
        drawn = self._drawn(grammar, len(derivations), seed, generation, codes.ENCODE)
        every = np.ones(len(derivations), np.bool_)
        _, start = sorted_into_lists(grammar, derivations, entries, every)
        enough = (np.diff(start) <= np.diff(drawn.start)).reshape(drawn.used.shape).all(axis=1)
        fits = (derivations.status == Status.OK) & enough
        values, start = sorted_into_lists(grammar, derivations, entries, fits)
        ahead = drawn.start[:-1] - start[:-1]  # how much further an entry of a list stands among those drawn
        drawn.values[np.arange(len(values)) + np.repeat(ahead, np.diff(start))] = values
        return drawn, fits

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Floats) -> str:
        return f"it recurs deeper than recursion={self.recursion} levels; set recursion higher"

    def read(self, grammar: Grammar, genotype: Any) -> ListGenotypes:
        found = super().read(grammar, genotype)
        lengths = zip(grammar.nonterminals, np.diff(found.start), self._sizes(grammar, 1), strict=True)
        for name, length, most in lengths:
            if length > most:
                raise GenotypeError(f"{name} has {length} entries, but no program expands it more than {most} times")
        return found
