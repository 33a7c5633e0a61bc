"""Structured genotypes of reals: a list of codons for each non-terminal, read through probabilities (PSGE)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, final

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivations
from gramarye.derivations.random_trees import MOST_STEPS
from gramarye.grammar import Grammar
from gramarye.kernels import codes
from gramarye.representations.base import Floats, Seed
from gramarye.representations.by_hand import is_number
from gramarye.representations.optional import How, Step
from gramarye.representations.structured import (
    DEPTH_RULES,
    DepthLimited,
    Lists,
    Structured,
    changeable,
    mapped_lists,
    picked,
    read_lists,
    sorted_into_lists,
    too_large,
)
from gramarye.settings import setting

Borders = Literal["clip", "reflect"]


@dataclass(frozen=True)
class RealListGenotypes(Lists):
    """Lists of codons, float64; of a child, `used` is what its parents had read."""

    drift: Floats  # [N, K] how far mutation rates have moved from the common one
    probabilities: Floats  # [N, R] each individual's own; [N, 0] where they are not

    @classmethod
    def of_lists(cls, grammar: Grammar, values: Floats, start: NDArray[np.int64]) -> Self:
        """Lists of which nothing was read yet."""
        k = len(grammar.nonterminals)
        n = (len(start) - 1) // k
        return cls(values, start, np.zeros((n, k), np.int32), np.zeros((n, k)), np.zeros((n, 0)))

    def read_through(self, probabilities: Floats) -> Floats:
        """What individuals are read through: [N, R] their own probabilities, or [1, R] those that all share."""
        return self.probabilities if self.probabilities.shape[1] else np.array(probabilities)[None]


@dataclass(frozen=True)
class RealListsBase(DepthLimited, Structured[RealListGenotypes]):
    """What lists of codons share, whether all are read through the same probabilities or each through its own."""

    sigma: float = setting(0.5, low=0, high=2**20, doc="standard deviation of a mutated codon's step")
    borders: Borders = setting("clip", doc="what happens to a codon that steps out of [0, 1]")
    facilitated: bool = setting(
        False, doc="whether each individual has its own mutation rate for each non-terminal, which evolves too"
    )

    small_steps: ClassVar[bool] = True
    shows_genotype_as: ClassVar[str] = "a mapping from each non-terminal to a list of numbers in [0, 1]"

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
        limits, draws = (self.max_depth, DEPTH_RULES[self.depth_rule], MOST_STEPS), (seed, generation, purpose, first)
        rows = genotypes.read_through(probabilities)
        mapped, _, derivations = mapped_lists(grammar, genotypes, rows, limits, draws)
        return mapped, derivations

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
    ) -> RealListGenotypes:
        varying, k = kernels.real_lists, np.arange(len(grammar.nonterminals))
        parents = kernels.lists.list_parents(mothers, fathers, len(k), seed, generation)
        values, start = kernels.lists.gather_lists(genotypes.values, genotypes.start, parents)
        rates = mutation + genotypes.drift[parents, k]
        if self.facilitated:
            varying.change_rates(rates, seed, generation)
        own = self.inherited(grammar, genotypes, mothers, fathers, seed, generation, fitness)
        children = RealListGenotypes(values, start, genotypes.used[parents, k], rates - mutation, own)
        # Which codons a child uses is known only once it is mapped, and only those mutate.
        shared = grammar.start_probabilities() if probabilities is None else probabilities
        children, _ = self.map(grammar, children, shared, seed, generation, 0)
        lists = (children.values, children.start, children.used)
        reflect = self.borders == "reflect"
        varying.mutate_real_lists(*lists, grammar.arrays, rates, self.sigma, reflect, seed, generation)
        return children

    @abstractmethod
    def inherited(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        seed: Seed,
        generation: int,
        fitness: Floats | None,
    ) -> Floats:
        """The probabilities that children carry themselves [N, R], or [N, 0]."""

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
        lists, places, numbers = picked(changeable(grammar, genotypes, how), count, seed, generation)
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
        values[at] = numbers[who, which] if how != "small" else self._moved(values[at], numbers[who, which])
        return replace(genotypes, values=values)

    def _moved(self, codons: Floats, numbers: Floats) -> list[float]:
        bounded, reflect = kernels.real_lists.bounded, self.borders == "reflect"
        return [bounded(codon, reflect) for codon in (codons + self.sigma * normals(numbers)).tolist()]

    def read(self, grammar: Grammar, genotype: Any) -> RealListGenotypes:
        def wanted(_: str, codon: Any) -> str | None:
            return None if is_number(codon) and 0 <= codon <= 1 else "a number in [0, 1]"

        words = "codon", "codons", "numbers in [0, 1]"
        values, start = read_lists(grammar, genotype, self.shows_genotype_as, words, wanted)
        return RealListGenotypes.of_lists(grammar, np.array(values, np.float64), start)

    def trace(
        self, grammar: Grammar, genotypes: RealListGenotypes, probabilities: Floats, seed: Seed
    ) -> Iterator[Step]:
        mapped, derivations = self.map(grammar, genotypes, probabilities, seed, 0, 0)
        row, lengths = mapped.read_through(probabilities)[0], np.diff(genotypes.start)
        seen, levels = [0] * len(lengths), [0]
        for number, q in enumerate(derivations[0].tolist()):
            a, level = int(grammar.arrays.left[q]), levels.pop()
            codon, filled = float(mapped.values[mapped.start[a] + seen[a]]), bool(seen[a] >= lengths[a])
            seen[a] += 1
            limits = self.max_depth, DEPTH_RULES[self.depth_rule]
            limits = limits if number < MOST_STEPS else (kernels.lists.NO_ROOM, codes.SHORTEST)
            why = _why(grammar, row, level, *limits, codon, q) + (", drawn" if filled else "")
            yield Step(grammar.nonterminals[a], codon, why, q, filled)
            levels += [level + 1] * int(grammar.arrays.kid_start[q + 1] - grammar.arrays.kid_start[q])


@final
@dataclass(frozen=True)
class RealLists(RealListsBase):
    """One list of codons per non-terminal; the k-th expansion of a non-terminal reads its k-th codon.

    All are read through the same probabilities, but for individuals that carry their own.
    """

    def inherited(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        seed: Seed,
        generation: int,
        fitness: Floats | None,
    ) -> Floats:
        return genotypes.probabilities[mothers]


def normals(numbers: Floats) -> Floats:
    """A normal number for each number in [0, 1), which becomes a state of a random stream."""
    drawn: Floats = kernels.real_lists.normals((numbers * 2.0**53).astype(np.uint64))
    return drawn


def _why(grammar: Grammar, row: Floats, level: int, limit: int, rule: int, codon: float, q: int) -> str:
    """The comparison by which a codon chose a production, in words."""
    a = int(grammar.arrays.left[q])
    span = grammar.spans[grammar.nonterminals[a]]
    weights = np.empty(span.stop - span.start)
    limited = kernels.lists.weigh(grammar.arrays, row, a, level, limit, rule, weights)
    total = below = 0.0
    for weight in weights[: q - span.start + 1].tolist():
        below, total = total, total + weight
    end = (", near the depth limit" if limit >= 0 else ", at the step limit") if limited else ""
    if codon >= total:
        return f"{codon:.4g} ≥ {total:.4g}: the last possible one{end}"
    return f"{f'{below:.4g} ≤ ' if below > 0 else ''}{codon:.4g} < {total:.4g}{end}"
