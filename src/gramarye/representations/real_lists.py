"""Structured genotypes of reals: a list of codons for each non-terminal, read through probabilities (PSGE)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, final

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivations
from gramarye.derivations.random_trees import MOST_STEPS
from gramarye.grammar import Grammar
from gramarye.kernels import codes
from gramarye.representations.base import Floats, Representation, Seed
from gramarye.representations.optional import Encodes, Explains, HasNeighbours, How, Step
from gramarye.representations.real_list_genotypes import RealListGenotypes, read_lists, trace_lists
from gramarye.representations.structured import (
    DEPTH_RULES,
    DepthRule,
    changeable,
    check_depths,
    show_lists,
    sorted_into_lists,
    too_large,
)
from gramarye.settings import setting

Borders = Literal["clip", "reflect"]


@final
@dataclass(frozen=True)
class RealLists(
    Representation[RealListGenotypes],
    Encodes[RealListGenotypes],
    HasNeighbours[RealListGenotypes],
    Explains[RealListGenotypes],
):
    """One list of codons per non-terminal; the k-th expansion of a non-terminal reads its k-th codon.

    All are read through the same probabilities, but for individuals that carry their own.
    """

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
    shows_genotype_as: ClassVar[str] = "a mapping from each non-terminal to a list of numbers in [0, 1]"

    def check(self, grammar: Grammar, population: int = 1) -> None:
        check_depths(grammar, self.initial_depth, self.max_depth)

    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Floats | None = None
    ) -> RealListGenotypes:
        shared = grammar.start_probabilities() if probabilities is None else probabilities
        empty = RealListGenotypes.of_lists(grammar, np.zeros(0), np.zeros(n * len(grammar.nonterminals) + 1, np.int64))
        lower = replace(self, max_depth=self.initial_depth)
        _, derivations = lower.map(grammar, empty, shared, seed, generation, 0, codes.INITIAL)
        # The codons that grew a tree under the initial limit would mean another one under the limit of all later
        # mappings: they get others from the slices of the productions that they chose.
        return self.encode(grammar, derivations, shared, seed, generation)[0]

    def map(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        probabilities: Floats,
        seed: Seed,
        generation: int,
        first: int,
        purpose: int = codes.FILL,  # of the random numbers
    ) -> tuple[RealListGenotypes, Derivations]:
        values, start, productions, offsets, status, used = kernels.real_lists.map_real_lists(
            genotypes.values,
            genotypes.start,
            grammar.arrays,
            genotypes.read_through(probabilities),
            self.max_depth,
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
        fitness: Floats | None = None,
        probabilities: Floats | None = None,
        own: Floats | None = None,  # [N, R] the probabilities of children that carry their own
    ) -> RealListGenotypes:
        varying, k = kernels.real_variation, np.arange(len(grammar.nonterminals))
        parents = varying.list_parents(mothers, fathers, len(k), seed, generation)
        values, start = varying.gather_lists(genotypes.values, genotypes.start, parents)
        rates = mutation + genotypes.drift[parents, k]
        if self.facilitated:
            varying.change_rates(rates, seed, generation)
        own = genotypes.probabilities[mothers] if own is None else own
        children = RealListGenotypes(values, start, genotypes.used[parents, k], rates - mutation, own)
        # Which codons a child uses is known only once it is mapped, and only those mutate.
        shared = grammar.start_probabilities() if probabilities is None else probabilities
        children, _ = self.map(grammar, children, shared, seed, generation, 0)
        lists = (children.values, children.start, children.used)
        reflect = self.borders == "reflect"
        varying.mutate_real_lists(*lists, grammar.arrays, rates, self.sigma, reflect, seed, generation)
        return children

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Floats, seed: Seed, generation: int = 0
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
        return RealListGenotypes.of_lists(grammar, *sorted_into_lists(grammar, derivations, codons, fits)), fits

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Floats) -> str:
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
        how: How = "any",
    ) -> tuple[RealListGenotypes, NDArray[np.int64]]:
        sizes = changeable(grammar, genotypes.start, genotypes.used if how == "used" else None)
        lists, places, numbers = kernels.neighbours.pick_entries(sizes, count, seed, generation)
        return self.moved(genotypes, lists, places, numbers, how), places

    def moved(
        self,
        genotypes: RealListGenotypes,
        lists: NDArray[np.int64],  # [N, count], and so are the others; beyond the last list, nothing is moved
        places: NDArray[np.int64],
        numbers: Floats,
        how: How,
    ) -> RealListGenotypes:
        """Genotypes with some codons drawn again, or moved by mutation, by a number in [0, 1) for each."""
        values, k = genotypes.values.copy(), genotypes.used.shape[1]
        who, which = np.nonzero((lists >= 0) & (lists < k))
        at = genotypes.start[who * k + lists[who, which]] + places[who, which]
        drawn = numbers[who, which]
        values[at] = self._bounded(values[at] + self.sigma * normals(drawn)) if how == "small" else drawn
        return replace(genotypes, values=values)

    def _bounded(self, codons: Floats) -> Floats:
        """Codons that mutation moved, back in [0, 1]."""
        if self.borders == "clip":
            return np.clip(codons, 0.0, 1.0)
        folded = np.abs(codons) % 2.0
        return np.where(folded > 1.0, 2.0 - folded, folded)

    def distance(self, grammar: Grammar, first: RealListGenotypes, second: RealListGenotypes) -> NDArray[np.int64]:
        found: NDArray[np.int64] = kernels.neighbours.list_distances(
            first.values, first.start, second.values, second.start, first.used.shape[1]
        )
        return found

    def read(self, grammar: Grammar, genotype: Any) -> RealListGenotypes:
        return read_lists(grammar, genotype, self.shows_genotype_as)

    def show(self, grammar: Grammar, genotypes: RealListGenotypes, i: int) -> dict[str, list[float]]:
        return show_lists(grammar, genotypes.values, genotypes.start, i)

    def trace(
        self, grammar: Grammar, genotypes: RealListGenotypes, probabilities: Floats, seed: Seed
    ) -> Iterator[Step]:
        mapped, derivations = self.map(grammar, genotypes, probabilities, seed, 0, 0)
        return trace_lists(grammar, genotypes, mapped, derivations[0], probabilities, self.max_depth, self.depth_rule)

    def completed(
        self, grammar: Grammar, genotypes: RealListGenotypes, probabilities: Floats, seed: Seed
    ) -> dict[str, list[float]]:
        mapped, _ = self.map(grammar, genotypes, probabilities, seed, 0, 0)
        return self.show(grammar, mapped, 0)


def normals(numbers: Floats) -> Floats:
    """A normal number for each number in [0, 1), which becomes a state of a random stream."""
    drawn: Floats = kernels.gaussian.normals((numbers * 2.0**53).astype(np.uint64))
    return drawn
