"""Trees as genotypes: the derivation itself, crossed and mutated by subtrees (CFG-GP)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self, final

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import NO_VALUES, Derivation, Derivations, Status
from gramarye.derivations.constants import with_values
from gramarye.derivations.random_trees import (
    MOST_STEPS,
    check_limits,
    growing_weights,
    random_trees,
    smallest_tree,
    tree_arrays,
)
from gramarye.errors import GenotypeError, SettingsError
from gramarye.grammar import Grammar
from gramarye.kernels import codes
from gramarye.representations.base import Floats, Genotypes, Reads, Seed
from gramarye.representations.by_hand import is_integer, is_list, no_genotype
from gramarye.representations.optional import FullRepresentation, How, Step
from gramarye.representations.structured import check_order
from gramarye.settings import setting
from gramarye.text import counted

ATTEMPTS = 50  # to grow a subtree that is not the old one
RATES = np.array([0.35, 0.35, 0.2, 0.1])  # of mixed mutations: regrow, insert, change, hoist
REDRAWS = 20  # of an initial tree that is too large, each lower than the one before; then it is the smallest one
RETRIES = 10  # of a crossover whose child is too deep; then the child is a copy of its mother


@dataclass(frozen=True)
class TreeGenotypes(Genotypes):
    """Whole derivations, one after another in one array."""

    productions: NDArray[np.int32]  # [total]
    offsets: NDArray[np.int64]  # [N+1]
    values: Floats = field(default_factory=lambda: NO_VALUES)  # [total] of constants, NaN where they are to be drawn

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def derivations(self) -> Derivations:
        """The same as derivations."""
        return Derivations(self.productions, self.offsets, np.full(len(self), Status.OK, np.int8), self.values)

    @classmethod
    def of(cls, derivations: Derivations) -> Self:
        """The genotypes whose derivations these are."""
        return cls(derivations.productions, derivations.offsets, derivations.values)

    def take(self, individuals: NDArray[np.int64]) -> Self:
        return self.of(self.derivations.take(individuals))

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        return cls.of(Derivations.join([part.derivations for part in parts]))


@final
@dataclass(frozen=True)
class Trees(FullRepresentation[TreeGenotypes]):
    """Derivation trees; in leftmost order every subtree is a slice."""

    initial_depth: int = setting(6, low=1, high=2**20, doc="depth limit of the initial trees")
    max_depth: int = setting(17, low=1, high=2**20, doc="depth limit of trees in later generations")
    max_size: int | None = setting(None, low=1, high=2**20, doc="limit of a program's nodes (words and operators)")
    variation: Literal["subtrees", "mixed"] = setting(
        "subtrees",
        doc="how trees are varied: subtrees exchanged and regrown, or also productions inserted, changed and left out",
    )

    reads: ClassVar[Reads] = "shared"
    shows_genotype_as: ClassVar[str] = "a list of production numbers in leftmost order"  # and of values of constants
    uses_all: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_order(self.initial_depth, self.max_depth)

    def check(self, grammar: Grammar, population: int = 1) -> None:
        check_limits(grammar, "ramped", self.initial_depth)
        if self.max_size is not None and (least := smallest_tree(grammar, self.initial_depth)[0]) > self.max_size:
            raise SettingsError(
                f"max_size is {self.max_size}: the smallest program of {grammar.name} with initial_depth "
                f"{self.initial_depth} has {counted(least, 'node')}; give {least} or more"
            )

    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Floats | None = None
    ) -> TreeGenotypes:
        def drawn(individuals: NDArray[np.int64], attempt: int = 0) -> TreeGenotypes:
            ramp = {"depth": self.initial_depth, "attempt": attempt, "shifts": -attempt}
            return TreeGenotypes.of(
                random_trees(grammar, "ramped", individuals, seed, generation, probabilities=probabilities, **ramp)
            )

        trees = drawn(np.arange(n))
        for attempt in range(1, REDRAWS + 1):
            large = np.flatnonzero(~self._is_small(grammar, trees.derivations))
            if len(large) == 0:
                return trees
            trees = _replaced(trees, large, drawn(large, attempt))
        large = np.flatnonzero(~self._is_small(grammar, trees.derivations))
        smallest = TreeGenotypes.of(Derivations.of(smallest_tree(grammar, self.initial_depth)[1]))
        return _replaced(trees, large, smallest.take(np.zeros(len(large), np.int64)))

    def _is_small(self, grammar: Grammar, derivations: Derivations) -> NDArray[np.bool_]:
        """[N] whether programs have no more nodes than they may have."""
        if self.max_size is None:
            return np.ones(len(derivations), np.bool_)
        nodes = np.concatenate([np.zeros(1, np.int64), np.cumsum(grammar.node_counts[derivations.productions])])
        small: NDArray[np.bool_] = np.diff(nodes[derivations.offsets]) <= self.max_size
        return small

    def map(
        self, grammar: Grammar, genotypes: TreeGenotypes, probabilities: Floats, seed: Seed, generation: int, first: int
    ) -> tuple[TreeGenotypes, Derivations]:
        if not grammar.has_constants:
            return genotypes, genotypes.derivations
        derivations = with_values(grammar, genotypes.derivations, seed, generation, first)
        return TreeGenotypes.of(derivations), derivations

    def tuned(self, genotypes: TreeGenotypes, derivations: Derivations) -> TreeGenotypes:
        return TreeGenotypes.of(derivations)

    def vary(
        self,
        grammar: Grammar,
        genotypes: TreeGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        mutation: float,
        seed: Seed,
        generation: int,
        fitness: Floats | None = None,
        probabilities: Floats | None = None,
    ) -> TreeGenotypes:
        if self.variation == "mixed":
            return self._mixed(grammar, genotypes, mothers, fathers, mutation, seed, generation, probabilities)
        productions, values, offsets = kernels.trees.cross_trees(
            genotypes.productions,
            genotypes.values,
            genotypes.offsets,
            grammar.arrays,
            mothers,
            fathers,
            self.max_depth,
            MOST_STEPS,
            1 + RETRIES,
            seed,
            generation,
        )
        productions, values, offsets = kernels.trees.mutate_trees(
            productions,
            values,
            offsets,
            grammar.arrays,
            tree_arrays(grammar).recursive,
            growing_weights(grammar, probabilities),
            self.max_depth,
            MOST_STEPS,
            mutation,
            seed,
            generation,
        )
        return TreeGenotypes(productions, offsets, values)

    def _mixed(
        self,
        grammar: Grammar,
        genotypes: TreeGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        mutation: float,
        seed: Seed,
        generation: int,
        probabilities: Floats | None,
    ) -> TreeGenotypes:
        weights = growing_weights(grammar, probabilities)
        growing = kernels.tree_operators.Growing(
            grammar.arrays, tree_arrays(grammar).recursive, weights, grammar.node_counts
        )
        size = MOST_STEPS if self.max_size is None else self.max_size
        longest = max(int(np.diff(genotypes.offsets).max()), min(MOST_STEPS, 8 * size))
        productions, values, offsets = kernels.mixed_trees.vary_trees(
            genotypes.productions,
            genotypes.values,
            genotypes.offsets,
            growing,
            mothers,
            fathers,
            mutation,
            RATES,
            size,
            self.max_depth,
            longest,
            seed,
            generation,
        )
        return TreeGenotypes(productions, offsets, values)

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Floats, seed: Seed, generation: int = 0
    ) -> tuple[TreeGenotypes, NDArray[np.bool_]]:
        _, height = kernels.trees.measured(derivations.productions, derivations.offsets, grammar.arrays)
        fits = derivations.status == Status.OK
        fits[fits] = height[derivations.offsets[:-1][fits]] <= self.max_depth
        fits &= self._is_small(grammar, derivations)
        if fits.all():
            return TreeGenotypes.of(derivations), fits
        n = len(derivations)
        others = self.initial(grammar, n, seed, generation, probabilities)
        both = TreeGenotypes.join([TreeGenotypes.of(derivations), others])
        return both.take(np.where(fits, np.arange(n), n + np.arange(n))), fits

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Floats) -> str:
        depth, nodes = Derivation(grammar, productions).depth, int(grammar.node_counts[productions].sum())
        if depth <= self.max_depth and self.max_size is not None:
            return f"it has {counted(nodes, 'node')}, and max_size is {self.max_size}; give max_size={nodes}"
        return f"its tree has depth {depth}, and max_depth is {self.max_depth}; give max_depth={depth}"

    def change(
        self, grammar: Grammar, genotypes: TreeGenotypes, count: int, seed: Seed, generation: int = 0, how: How = "any"
    ) -> tuple[TreeGenotypes, NDArray[np.int64]]:
        changed, places = genotypes, np.empty((len(genotypes), count), np.int64)
        for k in range(count):
            changed, places[:, k] = self._replace_subtrees(grammar, changed, seed, generation, k)
        return changed, places

    def _replace_subtrees(
        self, grammar: Grammar, genotypes: TreeGenotypes, seed: Seed, generation: int, number: int
    ) -> tuple[TreeGenotypes, NDArray[np.int64]]:
        """One subtree of each tree regrown, again and again where it grew as it was; the first step that differs."""
        nobody, every = np.full(len(genotypes), -1), np.arange(len(genotypes))
        changed, places = genotypes, nobody.copy()
        for attempt in range(ATTEMPTS):
            key = np.uint64(kernels.random.stream(seed, number, codes.ANALYSE, attempt))
            grown = self.vary(
                grammar, genotypes, every, nobody, 1.0, key, generation, probabilities=grammar.probabilities
            )
            found = kernels.neighbours.first_differences(
                genotypes.productions, genotypes.offsets, grown.productions, grown.offsets
            )
            new = (places < 0) & (found >= 0)
            places[new] = found[new]
            changed = TreeGenotypes.join([changed, grown]).take(every + new * len(genotypes))
            if (places >= 0).all():
                break
        return changed, places

    def distance(self, grammar: Grammar, first: TreeGenotypes, second: TreeGenotypes) -> NDArray[np.int64]:
        """How many subtrees must be replaced: none or one, for a tree is a subtree too."""
        found = kernels.neighbours.first_differences(
            first.productions, first.offsets, second.productions, second.offsets
        )
        replaced: NDArray[np.int64] = (found >= 0).astype(np.int64)
        return replaced

    def read(self, grammar: Grammar, genotype: Any) -> TreeGenotypes:
        if not is_list(genotype):
            raise no_genotype(self.shows_genotype_as, genotype)
        pending = [grammar.nonterminals[0]]
        productions, values = [], []
        for position, number in enumerate(genotype):
            problem = _problem(grammar, number, pending)
            if problem:
                raise GenotypeError(f"number {position} is {number!r}: {problem}")
            is_value = not is_integer(number)
            productions.append(grammar.spans[pending[-1]].start if is_value else int(number))
            values.append(float(number) if is_value else np.nan)
            symbols = grammar.productions[productions[-1]].symbols
            pending[-1:] = [s.text for s in reversed(symbols) if s.kind == "nonterminal"]
        if pending:
            raise GenotypeError(f"the list ends after {len(genotype)} numbers, and {pending[-1]} is left to expand")
        known = np.array(values) if grammar.has_constants else NO_VALUES
        return TreeGenotypes.of(Derivations.of(np.array(productions, np.int32), known))

    def show(self, grammar: Grammar, genotypes: TreeGenotypes, i: int) -> list[int | float]:
        """Production numbers; in place of that of a constant its value, if it has been drawn."""
        steps = slice(genotypes.offsets[i], genotypes.offsets[i + 1])
        productions: list[int] = genotypes.productions[steps].tolist()
        if not len(genotypes.values):
            return list(productions)
        values = genotypes.values[steps].tolist()
        known = grammar.constants[productions] & ~np.isnan(genotypes.values[steps])
        return [value if own else q for q, value, own in zip(productions, values, known.tolist(), strict=True)]

    def trace(self, grammar: Grammar, genotypes: TreeGenotypes, probabilities: Floats, seed: Seed) -> Iterator[Step]:
        shown, derivation = self.show(grammar, genotypes, 0), genotypes.derivations[0]
        for position, (number, q) in enumerate(zip(shown, derivation.tolist(), strict=True)):
            value = number if isinstance(number, float) else None
            nonterminal = grammar.productions[q].nonterminal
            yield Step(nonterminal, number, f"number {position} of the tree", q, value=value)

    def completed(
        self, grammar: Grammar, genotypes: TreeGenotypes, probabilities: Floats, seed: Seed
    ) -> list[int | float]:
        return self.show(grammar, TreeGenotypes.of(with_values(grammar, genotypes.derivations, seed)), 0)


def _replaced(trees: TreeGenotypes, which: NDArray[np.int64], others: TreeGenotypes) -> TreeGenotypes:
    """Trees, with others in place of some."""
    sources = np.arange(len(trees))
    sources[which] = len(trees) + np.arange(len(which))
    return TreeGenotypes.join([trees, others]).take(sources)


def _problem(grammar: Grammar, number: Any, pending: Sequence[str]) -> str | None:
    """Why a number given by the user can't be the next step, or None where it can."""
    if pending and pending[-1] in grammar.constant_names and isinstance(number, float | np.floating):
        low, high = grammar.bounds[grammar.spans[pending[-1]].start].tolist()
        inside = low <= number <= high and np.isfinite(number)
        return None if inside else f"a value of {pending[-1]} is a finite number in {low!r} … {high!r}"
    last = len(grammar.productions) - 1
    if not is_integer(number) or not 0 <= number <= last:
        return f"a production number is an integer in 0 … {last}"
    if not pending:
        return "the tree is complete already; end the list here"
    if grammar.productions[number].nonterminal == pending[-1]:
        return None
    rule = grammar.spans[pending[-1]]
    wanted = f"{pending[-1]} is next, whose productions are {rule.start} … {rule.stop - 1}"
    if pending[-1] in grammar.constant_names:
        wanted = f"{pending[-1]} is next; write its value with a point, such as 0.5"
    return f"that is a production of {grammar.productions[number].nonterminal}, but {wanted}"
