from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.derivations import Derivation, Derivations
from gramarye.derivations.constants import with_values
from gramarye.derivations.random_trees import random_trees, tree_arrays
from gramarye.grammar import Grammar
from gramarye.kernels import codes, interning, mixed_trees, tree_operators
from tests import twins
from tests.grammars import G1, grammars
from tests.kernels.test_initial_trees import grow
from tests.kernels.test_trees import depths, left_sides, subtree
from tests.twins import Draws, Plain

SEEDS = st.integers(0, 2**64 - 1)
GENERATION = 4
EQUAL = [0.25] * 4
REGROW, INSERT, CHANGE, HOIST = ([float(k == kind) for k in range(4)] for kind in range(4))
CONSTANTS = Grammar.from_text("<e> ::= (<e> + <e>) | (<e> * <e>) | sin(<e>) | cos(<e>) | x | <const> | <const:-1..1>")

Step = tuple[int, float]  # a production, and the value of a constant; NaN: to be drawn
Tree = list[Step]


# The twin


@dataclass
class Varying:
    """What the twin knows about a grammar and its limits."""

    grammar: Grammar
    rates: list[float]
    most: int = 30
    limit: int = 8
    longest: int = 120
    rate: float = 0.2

    def __post_init__(self) -> None:
        self.plain = Plain.of(self.grammar)
        self.left = left_sides(self.plain)
        self.counts = self.grammar.node_counts.tolist()
        self.constants = self.grammar.constants.tolist()

    def end(self, tree: Tree, step: int) -> int:
        return step + len(subtree(self.plain, [q for q, _ in tree], step))

    def nodes(self, tree: Tree) -> int:
        return sum(self.counts[q] for q, _ in tree)

    def depths(self, tree: Tree) -> list[int]:
        return depths(self.plain, [q for q, _ in tree])

    def pick(self, tree: Tree, first: int, stop: int, draws: Draws) -> int:
        step = first
        for _ in range(tree_operators.PICKS):
            step = first + draws.below(stop - first)
            rather = draws.unit() < tree_operators.LEAF
            if rather or self.nodes(tree[step : self.end(tree, step)]) > 1:
                break
        return step

    def replaced(self, tree: Tree, cut: int, new: Tree | None) -> Tree | None:
        """The tree with another subtree, unless it is too long."""
        if new is None:
            return None
        child = tree[:cut] + new + tree[self.end(tree, cut) :]
        return child if len(child) <= self.longest else None

    def grown(self, symbol: int, depth: int, levels: int, state: int, end: int) -> Tree | None:
        lowest = depth + int(self.plain.heights()[1][symbol])
        limit = min(max(self.limit, lowest), lowest + levels)
        room = self.longest - end
        new = grow(self.plain, symbol, depth, limit, room // 2, False, Draws(state))
        return [(q, math.nan) for q in new] if len(new) <= room else None

    def cross(self, mother: Tree, father: Tree, draws: Draws) -> Tree | None:
        for _ in range(tree_operators.PICKS):
            cut = self.pick(mother, 0, len(mother), draws)
            for _ in range(tree_operators.PICKS):
                graft = self.pick(father, 0, len(father), draws)
                if self.left[father[graft][0]] == self.left[mother[cut][0]]:
                    return self.replaced(mother, cut, father[graft : self.end(father, graft)])
        return None

    def regrow(self, tree: Tree, draws: Draws) -> Tree | None:
        cut = self.pick(tree, 0, len(tree), draws)
        levels = draws.below(tree_operators.LEVELS)
        symbol, depth = self.left[tree[cut][0]], self.depths(tree)[cut]
        return self.replaced(tree, cut, self.grown(symbol, depth, levels, twins.fork(draws.state, 1), cut))

    def insert(self, tree: Tree, draws: Draws) -> Tree | None:
        cut = self.pick(tree, 0, len(tree), draws)
        symbol, depth = self.left[tree[cut][0]], self.depths(tree)[cut]
        options = [q for q in self.plain.rules[symbol] if symbol in self.plain.kids[q]]
        if not options:
            return None
        chosen = options[int(draws.unit() * len(options))]
        kids = self.plain.kids[chosen]
        same = [j for j, kid in enumerate(kids) if kid == symbol]
        place = same[draws.below(len(same))]
        last = sum(len(self.plain.kids[q]) for q in range(chosen + 1)) - 1
        new: Tree = [(chosen, math.nan)]
        for j, kid in enumerate(kids):
            part: Tree | None = tree[cut : self.end(tree, cut)]
            if j != place:
                levels = draws.below(2)
                part = self.grown(kid, depth + 1, levels, twins.fork(draws.state, last - j), cut + len(new))
            if part is None or cut + len(new) + len(part) > self.longest:
                return None
            new += part
        return self.replaced(tree, cut, new)

    def change(self, tree: Tree, draws: Draws) -> Tree | None:
        for _ in range(tree_operators.PICKS):
            step = draws.below(len(tree))
            old, value = tree[step]
            alike = [
                q for q in self.plain.rules[self.left[old]] if q != old and self.plain.kids[q] == self.plain.kids[old]
            ]
            if alike:
                return [*tree[:step], (alike[draws.below(len(alike))], value), *tree[step + 1 :]]
        return None

    def hoist(self, tree: Tree, draws: Draws) -> Tree | None:
        for _ in range(tree_operators.PICKS):
            cut = self.pick(tree, 0, len(tree), draws)
            end = self.end(tree, cut)
            if end - cut < 2:
                continue
            inner = self.pick(tree, cut + 1, end, draws)
            if self.left[tree[inner][0]] == self.left[tree[cut][0]]:
                return tree[:cut] + tree[inner : self.end(tree, inner)] + tree[end:]
        return None

    def mutate(self, tree: Tree, state: int) -> Tree | None:
        draws = Draws(state)
        threshold = draws.unit()
        ends = np.cumsum(self.rates).tolist()
        kind = next((k for k, end in enumerate(ends) if threshold < end), 0)
        child = None
        if kind > 0:
            operator = [self.insert, self.change, self.hoist][kind - 1]
            child = operator(tree, Draws(twins.fork(draws.state, kind)))
        return child or self.regrow(tree, Draws(twins.fork(draws.state, 0)))

    def vary(self, mother: Tree, father: Tree | None, state: int, there: set[int]) -> Tree:
        for attempt in range(mixed_trees.TRIES):
            draws = Draws(twins.fork(state, attempt))
            child: Tree | None = mother
            also = self.rate > 0
            if father is not None:
                child = self.cross(mother, father, draws)
                also = draws.unit() < self.rate
            if also and child is not None:
                child = self.mutate(child, twins.fork(draws.state, 1))
            if child is None or self.nodes(child) > self.most or max(self.depths(child)) + 1 > self.limit:
                continue
            if hashed(child) not in there:
                there.add(hashed(child))
                return child
        return mother


def steps(tree: Tree) -> tuple[int, ...]:
    return tuple(q for q, _ in tree)


def hashed(tree: Tree) -> int:
    """What a derivation is recognised by; some short ones are taken for the same."""
    productions = np.array(steps(tree), np.int32)
    return int(interning.hash_words(productions, 0, len(productions))) | 1


# The kernel


def population(grammar: Grammar, n: int, seed: int, depth: int = 5) -> Derivations:
    lowest = int(grammar.arrays.nt_height[0])
    trees = random_trees(grammar, "ramped", np.arange(n), np.uint64(seed), depth=max(depth, lowest))
    return with_values(grammar, trees, np.uint64(seed), 0)


def varied(
    how: Varying,
    parents: Derivations,
    mothers: list[int],
    fathers: list[int],
    seed: int = 1,
    generation: int = GENERATION,
    weights: NDArray[np.float64] | None = None,
) -> Derivations:
    grammar = how.grammar
    growing = tree_operators.Growing(
        grammar.arrays,
        tree_arrays(grammar).recursive,
        np.zeros(0) if weights is None else weights,
        grammar.node_counts,
    )
    productions, values, offsets = mixed_trees.vary_trees(
        parents.productions,
        parents.values,
        parents.offsets,
        growing,
        np.array(mothers, np.int64),
        np.array(fathers, np.int64),
        how.rate,
        np.array(how.rates),
        how.most,
        how.limit,
        how.longest,
        np.uint64(seed),
        generation,
    )
    return Derivations(productions, offsets, np.zeros(len(mothers), np.int8), values)


def trees_in(derivations: Derivations) -> list[Tree]:
    values = derivations.values if len(derivations.values) else np.zeros(len(derivations.productions))
    steps = list(zip(derivations.productions.tolist(), values.tolist(), strict=True))
    return [steps[a:b] for a, b in pairwise(derivations.offsets.tolist())]


def known(how: Varying, tree: Tree) -> list[tuple[int, str]]:
    """A tree for comparison: the bits of its constants, "new" where one is to be drawn; other values don't count."""
    return [(q, ("new" if math.isnan(value) else value.hex()) if how.constants[q] else "") for q, value in tree]


def parents_of(draw: st.DataObject, n: int) -> tuple[list[int], list[int]]:
    pairs = draw.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(-1, n - 1)), min_size=1, max_size=6))
    return [m for m, _ in pairs], [f for _, f in pairs]


RATES = st.sampled_from([EQUAL, REGROW, INSERT, CHANGE, HOIST, [0.35, 0.35, 0.2, 0.1]])


LIMITS = st.sampled_from([(30, 8, 120), (6, 5, 40), (10**4, 30, 60)])


@given(grammars() | st.just(CONSTANTS), RATES, SEEDS, LIMITS, st.data())
def test_children_equal_those_of_the_twin(
    grammar: Grammar, rates: list[float], seed: int, limits: tuple[int, int, int], data: st.DataObject
) -> None:
    parents = population(grammar, 6, seed)
    how = Varying(grammar, rates, *limits)
    how.longest = max(how.longest, int(np.diff(parents.offsets).max()))
    mothers, fathers = parents_of(data, 6)
    trees = trees_in(parents)
    found = trees_in(varied(how, parents, mothers, fathers, seed))
    there = {hashed(tree) for tree in trees}
    for i, (mother, father) in enumerate(zip(mothers, fathers, strict=True)):
        state = twins.stream(seed, GENERATION, codes.VARY, i)
        wanted = how.vary(trees[mother], None if father < 0 else trees[father], state, there)
        assert known(how, found[i]) == known(how, wanted)


@given(grammars() | st.just(CONSTANTS), RATES, SEEDS, st.integers(1, 40), st.integers(2, 10), st.data())
def test_children_are_complete_and_within_limits_or_copies(
    grammar: Grammar, rates: list[float], seed: int, most: int, limit: int, data: st.DataObject
) -> None:
    parents = population(grammar, 5, seed)
    longest = max(100, int(np.diff(parents.offsets).max()))
    how = Varying(grammar, rates, most, limit, longest)
    mothers, fathers = parents_of(data, 5)
    children = varied(how, parents, mothers, fathers, seed)
    old = trees_in(parents)
    for mother, tree in zip(mothers, trees_in(children), strict=True):
        child = Derivation(grammar, np.array([q for q, _ in tree], np.int32))
        assert child.complete
        fits = how.nodes(tree) <= most and child.depth <= limit and len(tree) <= longest
        assert fits or known(how, tree) == known(how, old[mother])


@given(SEEDS, st.data())
def test_a_child_does_not_depend_on_those_made_after_it(seed: int, data: st.DataObject) -> None:
    how, parents = Varying(CONSTANTS, EQUAL), population(CONSTANTS, 8, seed)
    mothers, fathers = parents_of(data, 8)
    whole = trees_in(varied(how, parents, mothers, fathers, seed))
    for n in range(1, len(mothers)):
        assert str(trees_in(varied(how, parents, mothers[:n], fathers[:n], seed))) == str(whole[:n])


@pytest.mark.parametrize("seed", range(3))
def test_a_child_is_a_new_derivation_or_a_copy_of_its_mother(seed: int) -> None:
    how, parents = Varying(CONSTANTS, EQUAL, 60, 12, 300), population(CONSTANTS, 200, seed)
    old = trees_in(parents)
    there, copies = {steps(tree) for tree in old}, 0
    for i, child in enumerate(trees_in(varied(how, parents, list(range(200)), [-1] * 200, seed))):
        copies += known(how, child) == known(how, old[i])
        assert steps(child) not in there or known(how, child) == known(how, old[i])
        there.add(steps(child))
    assert copies < 50


def test_a_child_that_is_there_already_is_a_copy_of_its_mother_where_nothing_else_is_possible() -> None:
    grammar = Grammar.from_text("<e> ::= x | <const>")
    parents = population(grammar, 20, 1)
    assert {steps(tree) for tree in trees_in(parents)} == {(0,), (1, 2)}
    children = varied(Varying(grammar, EQUAL), parents, list(range(20)), [-1] * 20)
    assert children.productions.tolist() == parents.productions.tolist()
    assert children.values.tobytes() == parents.values.tobytes()


def test_generations_and_seeds_differ() -> None:
    how, parents = Varying(CONSTANTS, EQUAL), population(CONSTANTS, 30, 1)
    everyone, nobody = list(range(30)), [-1] * 30
    keys = (1, 1), (1, 2), (2, 1), (1, 1)
    children = [trees_in(varied(how, parents, everyone, nobody, seed, generation)) for seed, generation in keys]
    assert str(children[0]) == str(children[3])
    assert str(children[0]) != str(children[1])
    assert str(children[0]) != str(children[2])


def test_values_travel_with_their_productions() -> None:
    how, parents = Varying(CONSTANTS, REGROW, 60, 12, 300), population(CONSTANTS, 600, 3)
    mothers, fathers = list(range(300)), list(range(300, 600))
    old = {value for tree in trees_in(parents) for q, value in tree if how.constants[q]}
    children = trees_in(varied(how, parents, mothers, fathers, 3))
    values = [value for tree in children for q, value in tree if how.constants[q]]
    assert {value for value in values if not math.isnan(value)} < old
    assert 0 < sum(map(math.isnan, values)) < len(values) / 2


def test_mutations_come_as_often_as_their_rates_say() -> None:
    how = Varying(CONSTANTS, [0.4, 0.0, 0.6, 0.0], 10**4, 100, 1000)
    parents = population(CONSTANTS, 4000, 9, depth=9)
    old = trees_in(parents)
    mothers = [i for i, tree in enumerate(old) if len(tree) > 20]
    children = trees_in(varied(how, parents, mothers, [-1] * len(mothers), 9))
    changed = sum(
        len(tree) == len(old[mother]) and sum(a != b for a, b in zip(steps(tree), steps(old[mother]), strict=True)) == 1
        for mother, tree in zip(mothers, children, strict=True)
    )
    assert len(mothers) > 500
    assert changed / len(mothers) == pytest.approx(0.6, abs=0.06)


def test_a_mother_is_copied_where_nothing_fits() -> None:
    how, parents = Varying(CONSTANTS, EQUAL, 0, 1), population(CONSTANTS, 20, 2)
    assert trees_in(varied(how, parents, list(range(20)), [*range(10), *[-1] * 10])) == trees_in(parents)


def test_without_constants_there_are_no_values() -> None:
    grammar = Grammar.from_text(G1)
    children = varied(Varying(grammar, EQUAL), population(grammar, 9, 1), list(range(9)), [8] * 9)
    assert len(children.values) == 0
    assert len(children.productions)


def test_productions_without_weight_are_not_grown() -> None:
    weights = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0])  # no product, no cosine, no constant
    root = Derivations.of(np.array([4], np.int32), np.zeros(1))  # x
    assert len(weights) == len(CONSTANTS.productions)
    for rates in (REGROW, INSERT, EQUAL):
        how = Varying(CONSTANTS, rates)
        grown = trees_in(varied(how, root, [0] * 200, [-1] * 200, weights=weights))
        used = {q for tree in grown for q, _ in tree}
        assert used <= ({0, 2, 4} if rates is not EQUAL else {0, 1, 2, 3, 4})


def test_without_mutation_children_of_one_parent_are_copies_and_others_are_only_crossed() -> None:
    how, parents = Varying(CONSTANTS, EQUAL, rate=0.0), population(CONSTANTS, 12, 4)
    copies = varied(how, parents, list(range(12)), [-1] * 12)
    assert copies.productions.tolist() == parents.productions.tolist()
    assert copies.values.tobytes() == parents.values.tobytes()
    crossed = varied(how, parents, list(range(12)), [11 - i for i in range(12)])
    known = {value for q, value in zip(parents.productions, parents.values, strict=True) if CONSTANTS.constants[q]}
    assert {v for q, v in zip(crossed.productions, crossed.values, strict=True) if CONSTANTS.constants[q]} <= known
