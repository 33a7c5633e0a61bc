"""What structured genotypes of reals share, whether they are read through the grammar's probabilities or their own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivation import Derivations
from gramarye.grammar import Grammar
from gramarye.kernels import codes
from gramarye.representations.base import Probabilities, Representation, Seed, Step
from gramarye.representations.real_list_genotypes import RealListGenotypes, trace_lists
from gramarye.representations.structured import (
    DEPTH_RULES,
    DepthRule,
    changeable,
    check_depths,
    sorted_into_lists,
    too_large,
)
from gramarye.settings import check_settings, setting
from gramarye.trees import MOST_STEPS

Borders = Literal["clip", "reflect"]
ROW = -2  # the place of a change that was made in a row of probabilities


@dataclass(frozen=True)
class RealListsBase(Representation):
    """One list of codons per non-terminal; the k-th expansion of a non-terminal reads its k-th codon."""

    initial_depth: int = setting(6, low=1, high=2**20, doc="depth limit of the initial trees")
    max_depth: int = setting(
        17,
        low=1,
        high=2**20,
        doc="depth limit of trees in later generations; only the depth rule 'height' never exceeds it",
    )
    depth_rule: DepthRule = setting(
        "height", doc="productions allowed near the depth limit: those that fit, the shortest, or the non-recursive"
    )
    sigma: float = setting(0.5, low=0, high=2**20, doc="standard deviation of a mutated codon's step")
    borders: Borders = setting("clip", doc="what happens to a codon that steps out of [0, 1]")
    facilitated: bool = setting(
        False, doc="whether each individual has its own mutation rate for each non-terminal, which evolves too"
    )

    small_steps: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_settings(self)

    def check(self, grammar: Grammar, population: int = 1) -> None:
        check_depths(grammar, self.initial_depth, self.max_depth)

    @abstractmethod
    def _adopted(self, genotypes: RealListGenotypes, probabilities: Probabilities) -> RealListGenotypes:
        """The genotypes with probabilities of their own where they need some and have none yet."""

    @abstractmethod
    def _inherited(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        seed: Seed,
        generation: int,
        fitness: NDArray[np.float64] | None,
    ) -> NDArray[np.float64]:
        """The children's own probabilities [N, R] or [N, 0]."""

    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Probabilities | None = None
    ) -> RealListGenotypes:
        probabilities = grammar.start_probabilities() if probabilities is None else probabilities
        empty = RealListGenotypes.of_lists(grammar, np.zeros(0), np.zeros(n * len(grammar.nonterminals) + 1, np.int64))
        empty = self._adopted(empty, probabilities)
        _, derivations = self._derive(
            grammar, empty, probabilities, self.initial_depth, seed, generation, codes.INITIAL, 0
        )
        # The codons that grew a tree under the initial limit would mean another one under the limit of all later
        # mappings: they get others from the slices of the productions that they chose.
        genotypes, _ = self.encode(grammar, derivations, probabilities, seed, generation)
        return genotypes

    def map(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        probabilities: NDArray[np.float64],
        seed: Seed,
        generation: int,
        first: int,
    ) -> tuple[RealListGenotypes, Derivations]:
        return self._derive(grammar, genotypes, probabilities, self.max_depth, seed, generation, codes.FILL, first)

    def _derive(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        probabilities: NDArray[np.float64],
        depth: int,
        seed: Seed,
        generation: int,
        purpose: int,
        first: int,
    ) -> tuple[RealListGenotypes, Derivations]:
        genotypes = self._adopted(genotypes, probabilities)
        values, start, productions, offsets, status, used = kernels.real_lists.map_real_lists(
            genotypes.values,
            genotypes.start,
            grammar.arrays,
            genotypes.read_through(probabilities),
            depth,
            DEPTH_RULES[self.depth_rule],
            MOST_STEPS,
            seed,
            generation,
            purpose,
            first,
        )
        return replace(genotypes, values=values, start=start, used=used), Derivations(productions, offsets, status)

    def vary(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        mutation: float,
        seed: Seed,
        generation: int,
        fitness: NDArray[np.float64] | None = None,
        probabilities: Probabilities | None = None,
    ) -> RealListGenotypes:
        varying = kernels.real_variation
        k = np.arange(len(grammar.nonterminals))
        parents = varying.list_parents(mothers, fathers, len(k), seed, generation)
        values, start = varying.gather_lists(genotypes.values, genotypes.start, parents)
        rates = mutation + genotypes.drift[parents, k]
        if self.facilitated:
            varying.change_rates(rates, seed, generation)
        own = self._inherited(grammar, genotypes, mothers, fathers, seed, generation, fitness)
        children = RealListGenotypes(values, start, genotypes.used[parents, k], rates - mutation, own)
        # Which codons a child uses is known only once it is mapped, and only those mutate.
        shared = grammar.start_probabilities() if probabilities is None else probabilities
        children, _ = self.map(grammar, children, shared, seed, generation, 0)
        lists = (children.values, children.start, children.used)
        reflect = self.borders == "reflect"
        varying.mutate_real_lists(*lists, grammar.arrays, rates, self.sigma, reflect, seed, generation)
        return children

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Probabilities, seed: Seed, generation: int = 0
    ) -> tuple[RealListGenotypes, NDArray[np.bool_]]:
        codons, fits = kernels.real_lists.encode_real_lists(
            derivations.productions,
            derivations.offsets,
            grammar.arrays,
            np.array(probabilities)[None],
            self.max_depth,
            DEPTH_RULES[self.depth_rule],
            MOST_STEPS,
            seed,
            generation,
        )
        genotypes = RealListGenotypes.of_lists(grammar, *sorted_into_lists(grammar, derivations, codons, fits))
        return self._adopted(genotypes, probabilities), fits

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Probabilities) -> str:
        rarest = grammar.productions[min(productions.tolist(), key=lambda q: float(probabilities[q]))]
        what = f"no codon chooses {rarest.text} for {rarest.nonterminal}"
        why = f"its probability is {probabilities[rarest.id]:.4g}; give it a larger one"
        return too_large(grammar, productions, self.max_depth) or f"{what}: {why}"

    def change(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        count: int,
        seed: Seed,
        generation: int = 0,
        *,
        used_only: bool = False,
        small: bool = False,
    ) -> tuple[RealListGenotypes, NDArray[np.int64]]:
        k = len(grammar.nonterminals)
        sizes = changeable(grammar, genotypes.start, genotypes.used if used_only else None)
        sizes = np.concatenate([sizes, self._changeable_rows(grammar, genotypes, used_only)], axis=1)
        lists, places, numbers = kernels.changes.pick_entries(sizes, count, seed, generation)
        # A number becomes a state of a random stream where a normal one is needed.
        steps = kernels.normal.normals((numbers.ravel() * 2.0**53).astype(np.uint64)).reshape(numbers.shape)
        values, codons = genotypes.values.copy(), (lists >= 0) & (lists < k)
        owners = np.arange(len(genotypes))[:, None]
        at = (genotypes.start[owners * k + np.where(codons, lists, 0)] + places)[codons]
        values[at] = self._bounded(values[at] + self.sigma * steps[codons]) if small else numbers[codons]
        changed = replace(genotypes, values=values)
        rows = np.nonzero(lists >= k)
        changed = self._shifted(grammar, changed, rows[0], lists[rows] - k, numbers[rows], steps[rows])
        return changed, np.where(lists >= k, ROW, places)

    def _bounded(self, codons: NDArray[np.float64]) -> NDArray[np.float64]:
        """Codons that mutation moved, back in [0, 1]."""
        if self.borders == "clip":
            return np.clip(codons, 0.0, 1.0)
        folded = np.abs(codons) % 2.0
        return np.where(folded > 1.0, 2.0 - folded, folded)

    @abstractmethod
    def _changeable_rows(self, grammar: Grammar, genotypes: RealListGenotypes, used_only: bool) -> NDArray[np.int64]:
        """Which rows of its own probabilities may be changed in each individual [N, K], 1 or 0; or [N, 0]."""

    @abstractmethod
    def _shifted(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        individuals: NDArray[np.int64],  # [M], and so are the others
        rows: NDArray[np.int64],
        numbers: NDArray[np.float64],
        steps: NDArray[np.float64],
    ) -> RealListGenotypes:
        """Genotypes with some rows of their own probabilities mutated."""

    def distance(self, grammar: Grammar, first: RealListGenotypes, second: RealListGenotypes) -> NDArray[np.int64]:
        """How many codons and how many rows of their own probabilities differ."""
        found: NDArray[np.int64] = kernels.changes.list_distances(
            first.values, first.start, second.values, second.start, first.used.shape[1]
        )
        if not first.probabilities.shape[1]:
            return found
        different = first.probabilities != second.probabilities
        rows = np.logical_or.reduceat(different, grammar.arrays.rule_start[:-1], axis=1)
        found += rows.sum(axis=1)
        return found

    def trace(
        self, grammar: Grammar, genotypes: RealListGenotypes, probabilities: NDArray[np.float64], seed: Seed
    ) -> Iterator[Step]:
        mapped, derivations = self.map(grammar, genotypes, probabilities, seed, 0, 0)
        return trace_lists(grammar, genotypes, mapped, derivations[0], probabilities, self.max_depth, self.depth_rule)
