"""Structured genotypes: a list of production numbers for each non-terminal, growing on demand (dynamic SGE)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivations
from gramarye.derivations.random_trees import MOST_STEPS
from gramarye.grammar import Grammar
from gramarye.kernels import codes
from gramarye.representations.base import Floats, Genotypes, Reads, Representation, Seed
from gramarye.representations.optional import Encodes, Explains, HasNeighbours, How, Step
from gramarye.representations.structured import (
    DEPTH_RULES,
    DepthRule,
    changeable,
    check_depths,
    check_names,
    read_entries,
    show_lists,
    sorted_into_lists,
    starts,
    too_large,
    trace_entries,
)
from gramarye.settings import setting


@dataclass(frozen=True)
class ListGenotypes(Genotypes):
    """The lists of all individuals one after another, and what the last mapping noted about them."""

    values: NDArray[np.int32]  # [total]
    start: NDArray[np.int64]  # [N*K+1] where list a of individual i begins: start[i*K+a]
    used: NDArray[np.int32]  # [N, K] entries read
    depth: NDArray[np.int32]  # [N] of the tree

    @classmethod
    def of_lists(cls, values: NDArray[np.int32], start: NDArray[np.int64], k: int) -> Self:
        """Lists, k for each individual, of which nothing was read yet."""
        n = (len(start) - 1) // k
        return cls(values, start, np.zeros((n, k), np.int32), np.zeros(n, np.int32))

    def __len__(self) -> int:
        return len(self.depth)

    def take(self, individuals: NDArray[np.int64]) -> Self:
        nobody = np.full(len(individuals), -1)
        values, start = kernels.lists.take_lists(
            self.values, self.start, individuals, nobody, self.used.shape[1], np.uint64(0), 0
        )
        return replace(self, values=values, start=start, used=self.used[individuals], depth=self.depth[individuals])

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.values for part in parts]),
            starts(np.concatenate([np.diff(part.start) for part in parts])),
            np.concatenate([part.used for part in parts]),
            np.concatenate([part.depth for part in parts]),
        )


@final
@dataclass(frozen=True)
class IntegerLists(
    Representation[ListGenotypes], Encodes[ListGenotypes], HasNeighbours[ListGenotypes], Explains[ListGenotypes]
):
    """One list of production numbers per non-terminal; the k-th expansion of a non-terminal reads its k-th entry."""

    initial_depth: int = setting(6, low=1, high=2**20, doc="depth limit of the initial trees")
    max_depth: int = setting(
        17,
        low=1,
        high=2**20,
        doc="depth limit of trees in later generations; only the depth rule 'height' never exceeds it",
    )
    depth_rule: DepthRule = setting(
        "shortest", doc="productions allowed near the depth limit: those that fit, the shortest, or the non-recursive"
    )

    reads: ClassVar[Reads] = "no"
    shows_genotype_as: ClassVar[str] = "a mapping from each non-terminal to a list of production numbers"

    def check(self, grammar: Grammar, population: int = 1) -> None:
        check_depths(grammar, self.initial_depth, self.max_depth)

    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Floats | None = None
    ) -> ListGenotypes:
        k = len(grammar.nonterminals)
        empty = ListGenotypes.of_lists(np.zeros(0, np.int32), np.zeros(n * k + 1, np.int64), k)
        lower = replace(self, max_depth=self.initial_depth)
        return lower.map(grammar, empty, np.zeros(0), seed, generation, 0, codes.INITIAL)[0]

    def map(
        self,
        grammar: Grammar,
        genotypes: ListGenotypes,
        probabilities: Floats,
        seed: Seed,
        generation: int,
        first: int,
        purpose: int = codes.FILL,  # of the random numbers
    ) -> tuple[ListGenotypes, Derivations]:
        values, start, productions, offsets, status, used, depths = kernels.lists.map_lists(
            genotypes.values,
            genotypes.start,
            grammar.arrays,
            self.max_depth,
            DEPTH_RULES[self.depth_rule],
            MOST_STEPS,
            seed,
            generation,
            purpose,
            first,
        )
        return ListGenotypes(values, start, used, depths), Derivations(productions, offsets, status)

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
        k = len(grammar.nonterminals)
        values, start = kernels.lists.take_lists(
            genotypes.values, genotypes.start, mothers, fathers, k, seed, generation
        )
        # Which entries a child uses is known only once it is mapped, and only those mutate.
        children, _ = self.map(grammar, ListGenotypes.of_lists(values, start, k), np.zeros(0), seed, generation, 0)
        kernels.lists.mutate_lists(
            children.values,
            children.start,
            children.used,
            children.depth,
            grammar.arrays,
            self.max_depth,
            DEPTH_RULES[self.depth_rule],
            mutation,
            seed,
            generation,
        )
        return children

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Floats, seed: Seed, generation: int = 0
    ) -> tuple[ListGenotypes, NDArray[np.bool_]]:
        entries = derivations.productions - grammar.arrays.rule_start[grammar.arrays.left[derivations.productions]]
        k, every = len(grammar.nonterminals), np.ones(len(derivations), np.bool_)
        genotypes = ListGenotypes.of_lists(*sorted_into_lists(grammar, derivations, entries, every), k)
        # A depth rule may forbid some of them, the step limit end others: those map to something else.
        _, mapped = self.map(grammar, genotypes, probabilities, seed, generation, 0)
        same = [np.array_equal(derivations[i], mapped[i]) for i in range(len(derivations))]
        fits = np.array(same, np.bool_) & (mapped.status == codes.OK)
        return ListGenotypes.of_lists(*sorted_into_lists(grammar, derivations, entries, fits), k), fits

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Floats) -> str:
        large = too_large(grammar, productions, self.max_depth)
        return large or f"no genotype of {self!r} derives it; give it more room by other settings"

    def change(
        self, grammar: Grammar, genotypes: ListGenotypes, count: int, seed: Seed, generation: int = 0, how: How = "any"
    ) -> tuple[ListGenotypes, NDArray[np.int64]]:
        sizes = changeable(grammar, genotypes.start, genotypes.used if how == "used" else None)
        lists, places, numbers = kernels.neighbours.pick_entries(sizes, count, seed, generation)
        values = genotypes.values.copy()
        kernels.neighbours.redraw_entries(values, genotypes.start, lists, places, numbers, grammar.arrays.rule_start)
        return replace(genotypes, values=values), places

    def distance(self, grammar: Grammar, first: ListGenotypes, second: ListGenotypes) -> NDArray[np.int64]:
        found: NDArray[np.int64] = kernels.neighbours.list_distances(
            first.values, first.start, second.values, second.start, first.used.shape[1]
        )
        return found

    def read(self, grammar: Grammar, genotype: Any) -> ListGenotypes:
        check_names(grammar, genotype, self.shows_genotype_as)
        rows = [read_entries(grammar, name, genotype.get(name, ())) for name in grammar.nonterminals]
        values = np.array([entry for row in rows for entry in row], np.int32)
        return ListGenotypes.of_lists(values, starts([len(row) for row in rows]), len(rows))

    def show(self, grammar: Grammar, genotypes: ListGenotypes, i: int) -> dict[str, list[int]]:
        return show_lists(grammar, genotypes.values, genotypes.start, i)

    def trace(self, grammar: Grammar, genotypes: ListGenotypes, probabilities: Floats, seed: Seed) -> Iterator[Step]:
        _, derivations = self.map(grammar, genotypes, probabilities, seed, 0, 0)
        return trace_entries(grammar, np.diff(genotypes.start), derivations[0])

    def completed(
        self, grammar: Grammar, genotypes: ListGenotypes, probabilities: Floats, seed: Seed
    ) -> dict[str, list[int]]:
        mapped, _ = self.map(grammar, genotypes, probabilities, seed, 0, 0)
        return self.show(grammar, mapped, 0)
