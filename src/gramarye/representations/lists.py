"""Structured genotypes: a list of production numbers for each non-terminal, growing on demand (dynamic SGE)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivations
from gramarye.derivations.random_trees import MOST_STEPS, growing_weights
from gramarye.grammar import Grammar
from gramarye.kernels import codes
from gramarye.representations.base import Floats, Seed
from gramarye.representations.structured import (
    ALIKE,
    DEPTH_RULES,
    DepthLimited,
    DepthRule,
    Entries,
    ListGenotypes,
    mapped_lists,
    sorted_into_lists,
    too_large,
)
from gramarye.settings import as_in


@final
@dataclass(frozen=True)
class IntegerLists(DepthLimited, Entries):
    """One list of production numbers per non-terminal; the k-th expansion of a non-terminal reads its k-th entry.

    Missing entries are drawn by the probabilities of the grammar; a mutation takes any other production alike.
    """

    depth_rule: DepthRule = as_in(DepthLimited, "depth_rule", default="shortest")

    grows_by_probabilities: ClassVar[bool] = True

    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Floats | None = None
    ) -> ListGenotypes:
        nowhere = np.zeros(n * len(grammar.nonterminals) + 1, np.int64)
        empty = ListGenotypes.of_lists(grammar, np.zeros(0, np.int32), nowhere)
        lower = replace(self, max_depth=self.initial_depth)
        weights = ALIKE if probabilities is None else probabilities
        return lower.map(grammar, empty, weights, seed, generation, 0, codes.INITIAL)[0]

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
        limits, draws = (self.max_depth, DEPTH_RULES[self.depth_rule], MOST_STEPS), (seed, generation, purpose, first)
        weights = growing_weights(grammar, probabilities)
        mapped, depth, derivations = mapped_lists(grammar, genotypes, None, limits, draws, weights)
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
        crossed = kernels.lists.gather_lists(genotypes.values, genotypes.start, parents)
        # Which entries a child uses is known only once it is mapped, and only those mutate.
        weights = ALIKE if probabilities is None else probabilities
        children, _ = self.map(grammar, ListGenotypes.of_lists(grammar, *crossed), weights, seed, generation, 0)
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
        every = np.ones(len(derivations), np.bool_)
        genotypes = ListGenotypes.of_lists(grammar, *sorted_into_lists(grammar, derivations, entries, every))
        # A depth rule may forbid some of them, the step limit end others: those map to something else.
        _, mapped = self.map(grammar, genotypes, probabilities, seed, generation, 0)
        same = [np.array_equal(derivations[i], mapped[i]) for i in range(len(derivations))]
        fits = np.array(same, np.bool_) & (mapped.status == codes.OK)
        return ListGenotypes.of_lists(grammar, *sorted_into_lists(grammar, derivations, entries, fits)), fits

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Floats) -> str:
        large = too_large(grammar, productions, self.max_depth)
        return large or f"no genotype of {self!r} derives it; give it more room by other settings"
