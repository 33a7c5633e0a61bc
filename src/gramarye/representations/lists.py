"""Structured genotypes: a list of production numbers for each non-terminal, growing on demand (dynamic SGE)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivation import Derivations
from gramarye.errors import GenotypeError
from gramarye.grammar import Grammar
from gramarye.kernels import codes
from gramarye.representations.base import Genotypes, Probabilities, Reads, Representation, Seed, Step
from gramarye.representations.structured import (
    DEPTH_RULES,
    DepthRule,
    changeable,
    check_depths,
    check_names,
    sorted_into_lists,
    too_large,
)
from gramarye.settings import check_settings, setting
from gramarye.trees import MOST_STEPS


@dataclass(frozen=True)
class ListGenotypes(Genotypes):
    """The lists of all individuals one after another, and what the last mapping noted about them."""

    values: NDArray[np.int32]  # [total]
    start: NDArray[np.int64]  # [N*K+1] where list a of individual i begins: start[i*K+a]
    used: NDArray[np.int32]  # [N, K] entries read
    depth: NDArray[np.int32]  # [N] of the tree

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
        lengths = np.concatenate([np.diff(part.start) for part in parts])
        return cls(
            np.concatenate([part.values for part in parts]),
            np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
            np.concatenate([part.used for part in parts]),
            np.concatenate([part.depth for part in parts]),
        )


@dataclass(frozen=True)
class IntegerLists(Representation):
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

    def __post_init__(self) -> None:
        check_settings(self)

    def check(self, grammar: Grammar, population: int = 1) -> None:
        check_depths(grammar, self.initial_depth, self.max_depth)

    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Probabilities | None = None
    ) -> ListGenotypes:
        k = len(grammar.nonterminals)
        empty = ListGenotypes(
            np.zeros(0, np.int32), np.zeros(n * k + 1, np.int64), np.zeros((n, k), np.int32), np.zeros(n, np.int32)
        )
        return self._derive(grammar, empty, self.initial_depth, seed, generation, codes.INITIAL, 0)[0]

    def map(
        self,
        grammar: Grammar,
        genotypes: ListGenotypes,
        probabilities: NDArray[np.float64],
        seed: Seed,
        generation: int,
        first: int,
    ) -> tuple[ListGenotypes, Derivations]:
        return self._derive(grammar, genotypes, self.max_depth, seed, generation, codes.FILL, first)

    def _derive(
        self,
        grammar: Grammar,
        genotypes: ListGenotypes,
        depth: int,
        seed: Seed,
        generation: int,
        purpose: int,
        first: int,
    ) -> tuple[ListGenotypes, Derivations]:
        values, start, productions, offsets, status, used, depths = kernels.lists.map_lists(
            genotypes.values,
            genotypes.start,
            grammar.arrays,
            depth,
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
        fitness: NDArray[np.float64] | None = None,
        probabilities: Probabilities | None = None,
    ) -> ListGenotypes:
        k = len(grammar.nonterminals)
        values, start = kernels.lists.take_lists(
            genotypes.values, genotypes.start, mothers, fathers, k, seed, generation
        )
        children = ListGenotypes(values, start, np.zeros((len(mothers), k), np.int32), np.zeros(len(mothers), np.int32))
        # Which entries a child uses is known only once it is mapped, and only those mutate.
        children, _ = self.map(grammar, children, np.zeros(0), seed, generation, 0)
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
        self, grammar: Grammar, derivations: Derivations, probabilities: Probabilities, seed: Seed, generation: int = 0
    ) -> tuple[ListGenotypes, NDArray[np.bool_]]:
        entries = derivations.productions - grammar.arrays.rule_start[grammar.arrays.left[derivations.productions]]
        genotypes = _listed(grammar, derivations, entries, np.ones(len(derivations), np.bool_))
        # A depth rule may forbid some of them, the step limit end others: those map to something else.
        _, mapped = self.map(grammar, genotypes, probabilities, seed, generation, 0)
        same = [np.array_equal(derivations[i], mapped[i]) for i in range(len(derivations))]
        fits = np.array(same, np.bool_) & (mapped.status == codes.OK)
        return _listed(grammar, derivations, entries, fits), fits

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Probabilities) -> str:
        large = too_large(grammar, productions, self.max_depth)
        return large or super().misfit(grammar, productions, probabilities)

    def change(
        self,
        grammar: Grammar,
        genotypes: ListGenotypes,
        count: int,
        seed: Seed,
        generation: int = 0,
        *,
        used_only: bool = False,
        small: bool = False,
    ) -> tuple[ListGenotypes, NDArray[np.int64]]:
        sizes = changeable(grammar, genotypes.start, genotypes.used if used_only else None)
        lists, places, numbers = kernels.changes.pick_entries(sizes, count, seed, generation)
        values = genotypes.values.copy()
        kernels.changes.redraw_entries(values, genotypes.start, lists, places, numbers, grammar.arrays.rule_start)
        return replace(genotypes, values=values), places

    def distance(self, grammar: Grammar, first: ListGenotypes, second: ListGenotypes) -> NDArray[np.int64]:
        found: NDArray[np.int64] = kernels.changes.list_distances(
            first.values, first.start, second.values, second.start, first.used.shape[1]
        )
        return found

    def read(self, grammar: Grammar, genotype: Any) -> ListGenotypes:
        check_names(grammar, genotype, self.shows_genotype_as)
        rows = [self._read_list(grammar, name, genotype.get(name, ())) for name in grammar.nonterminals]
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(row) for row in rows])])
        values = np.array([entry for row in rows for entry in row], np.int32)
        return ListGenotypes(values, start, np.zeros((1, len(rows)), np.int32), np.zeros(1, np.int32))

    def _read_list(self, grammar: Grammar, name: str, row: Any) -> list[int]:
        if not isinstance(row, Sequence | np.ndarray) or isinstance(row, str):
            raise GenotypeError(f"the entries of {name} are a list of production numbers, not {row!r}")
        for position, entry in enumerate(row):
            j = len(grammar.rules[name])
            whole = isinstance(entry, int | np.integer) and not isinstance(entry, bool | np.bool_)
            if not whole or not 0 <= entry < j:
                raise GenotypeError(f"entry {position} of {name} is {entry!r}: it must be an integer in 0 … {j - 1}")
        return [int(entry) for entry in row]

    def show(self, grammar: Grammar, genotypes: ListGenotypes, i: int) -> dict[str, list[int]]:
        k = len(grammar.nonterminals)
        start = genotypes.start[i * k : (i + 1) * k + 1]
        return {name: genotypes.values[start[a] : start[a + 1]].tolist() for a, name in enumerate(grammar.nonterminals)}

    def trace(
        self, grammar: Grammar, genotypes: ListGenotypes, probabilities: NDArray[np.float64], seed: Seed
    ) -> Iterator[Step]:
        given = np.diff(genotypes.start)
        _, derivations = self.map(grammar, genotypes, probabilities, seed, 0, 0)
        seen = np.zeros(len(given), np.int64)
        for q in derivations[0]:
            production = grammar.productions[q]
            a = int(grammar.arrays.left[q])
            entry = int(q - grammar.arrays.rule_start[a])
            position = int(seen[a])
            seen[a] += 1
            filled = position >= given[a]
            why = f"entry {position} of {production.nonterminal}" + (", drawn" if filled else "")
            yield Step(production.nonterminal, entry, why, int(q), filled)

    def completed(
        self, grammar: Grammar, genotypes: ListGenotypes, probabilities: Probabilities, seed: Seed
    ) -> dict[str, list[int]]:
        mapped, _ = self.map(grammar, genotypes, probabilities, seed, 0, 0)
        return self.show(grammar, mapped, 0)


def _listed(
    grammar: Grammar, derivations: Derivations, entries: NDArray[np.int32], fits: NDArray[np.bool_]
) -> ListGenotypes:
    n, k = len(derivations), len(grammar.nonterminals)
    values, start = sorted_into_lists(grammar, derivations, entries, fits)
    return ListGenotypes(values, start, np.zeros((n, k), np.int32), np.zeros(n, np.int32))
