from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.derivations import NO_VALUES, Derivation
from gramarye.derivations.random_trees import random_trees, tree_arrays
from gramarye.grammar import Grammar
from gramarye.kernels import codes, trees
from tests import twins
from tests.grammars import G1, grammars
from tests.kernels.test_initial_trees import Weights, grow, weighted_grammars
from tests.twins import Draws, Plain

SEEDS = st.integers(0, 2**64 - 1)
RATES = st.sampled_from([0.0, 0.5, 1.0])
MOST = 200
A = [0, 1, 2, 6, 4, 1, 2, 7, 5, 2, 6]  # x * 1.0 - x
B = [0, 1, 1, 2, 7, 3, 2, 6, 3, 2, 7]  # 1.0 + x + 1.0
EXAMPLE = Grammar.from_text(G1)

Tree = list[int]


# The twins


def left_sides(plain: Plain) -> list[int]:
    return [a for a, rule in enumerate(plain.rules) for _ in rule]


def subtree(plain: Plain, tree: Tree, step: int) -> Tree:
    """The slice from a step on in which all that it leaves open is expanded."""
    missing, end = 1, step
    while missing:
        missing += len(plain.kids[tree[end]]) - 1
        end += 1
    return tree[step:end]


def depths(plain: Plain, tree: Tree) -> list[int]:
    """The depth of each step, by replay."""
    pending, found = [0], []
    for q in tree:
        found.append(pending.pop())
        pending += [found[-1] + 1] * len(plain.kids[q])
    return found


def cross(plain: Plain, mother: Tree, father: Tree, limit: int, most: int, tries: int, draws: Draws) -> Tree:
    left = left_sides(plain)
    shared = {left[q] for q in mother} & {left[q] for q in father}
    for _ in range(tries):
        nodes = [step for step, q in enumerate(mother) if left[q] in shared]
        cut = nodes[draws.below(len(nodes))]
        same = [step for step, q in enumerate(father) if left[q] == left[mother[cut]]]
        graft = same[draws.below(len(same))]
        given_ = subtree(plain, father, graft)
        child = mother[:cut] + given_ + mother[cut + len(subtree(plain, mother, cut)) :]
        # a mother that is too deep elsewhere is no reason against what the father gives
        if max(depths(plain, child)[cut : cut + len(given_)]) + 1 <= limit and len(child) <= most:
            return child
    return mother


def mutate(plain: Plain, tree: Tree, limit: int, most: int, rate: float, draws: Draws, weights: Weights = None) -> Tree:
    if draws.unit() >= rate:
        return tree
    cut = draws.below(len(tree))
    end = cut + len(subtree(plain, tree, cut))
    left, room = left_sides(plain)[tree[cut]], most - (len(tree) - end + cut)
    grown = grow(plain, left, depths(plain, tree)[cut], limit, room, False, draws, weights)
    return tree[:cut] + grown + tree[end:]


# Populations


def packed(population: list[Tree]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    offsets = np.cumsum([0, *map(len, population)], dtype=np.int64)
    return np.array([q for tree in population for q in tree], np.int32), offsets


def unpacked(productions: NDArray[np.int32], offsets: NDArray[np.int64]) -> list[Tree]:
    assert productions.dtype == np.int32
    return [productions[a:b].tolist() for a, b in pairwise(offsets)]


def without_values(found: tuple[Any, Any, Any]) -> tuple[Any, Any]:
    productions, values, offsets = found
    assert len(values) == 0
    return productions, offsets


def population(grammar: Grammar, n: int, seed: int, more: int = 3) -> list[Tree]:
    depth = int(grammar.arrays.nt_height[0]) + more
    derivations = random_trees(grammar, "ramped", np.arange(n), np.uint64(seed), depth=depth)
    return unpacked(derivations.productions, derivations.offsets)


def crossed(
    grammar: Grammar, trees_: list[Tree], pairs: list[tuple[int, int]], limit: int, seed: int = 0,
    most: int = MOST, tries: int = 3,
) -> list[Tree]:  # fmt: skip
    mothers, fathers = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    productions, offsets = packed(trees_)
    given_ = productions, NO_VALUES, offsets
    return unpacked(
        *without_values(
            trees.cross_trees(*given_, grammar.arrays, mothers, fathers, limit, most, tries, np.uint64(seed), 4)
        )
    )


def mutated(
    grammar: Grammar, trees_: list[Tree], limit: int, rate: float, seed: int = 0, most: int = MOST
) -> list[Tree]:
    recursive = tree_arrays(grammar).recursive
    productions, offsets = packed(trees_)
    found = trees.mutate_trees(
        productions, NO_VALUES, offsets, grammar.arrays, recursive, NO_VALUES, limit, most, rate, np.uint64(seed), 4
    )
    return unpacked(*without_values(found))


def text(tree: Tree, grammar: Grammar = EXAMPLE) -> str | None:
    return Derivation(grammar, np.array(tree, np.int32)).phenotype


# Measures


@pytest.mark.parametrize(
    ("tree", "sizes", "levels"),
    [
        (A, [11, 10, 2, 1, 1, 6, 2, 1, 1, 2, 1], [0, 1, 2, 3, 2, 2, 3, 4, 3, 3, 4]),
        (B, [11, 10, 6, 2, 1, 1, 2, 1, 1, 2, 1], [0, 1, 2, 3, 4, 3, 3, 4, 2, 2, 3]),
    ],
)
def test_sizes_and_depths_of_the_worked_example(tree: Tree, sizes: list[int], levels: list[int]) -> None:
    size, height = trees.measured(*packed([tree]), EXAMPLE.arrays)
    assert size.tolist() == sizes
    assert [trees.depth_of(size, 0, step) for step in range(11)] == levels
    assert height[0] == 5


@given(grammars(), SEEDS)
def test_measures_are_those_of_the_slices(grammar: Grammar, seed: int) -> None:
    plain = Plain.of(grammar)
    trees_ = population(grammar, 4, seed)
    productions, offsets = packed(trees_)
    size, height = trees.measured(productions, offsets, grammar.arrays)
    for begin, tree in zip(offsets, trees_, strict=False):
        for step in range(len(tree)):
            part = subtree(plain, tree, step)
            assert size[begin + step] == len(part)
            assert height[begin + step] == 1 + max(depths(plain, part))
            assert trees.depth_of(size, begin, begin + step) == depths(plain, tree)[step]


def test_the_measures_of_wide_trees() -> None:
    grammar = Grammar.from_text("<s> ::= " + "<a>" * 150 + "\n<a> ::= x")
    size, height = trees.measured(*packed([[0] + [1] * 150]), grammar.arrays)
    assert (size[0], height[0], size[1:].max(), height[1:].max()) == (151, 2, 1, 1)


# Crossover


def swap(tree: Tree, step: int, other: Tree, other_step: int) -> Tree:
    plain = Plain.of(EXAMPLE)
    end = step + len(subtree(plain, tree, step))
    return tree[:step] + subtree(plain, other, other_step) + tree[end:]


def test_the_worked_example_of_a_crossover() -> None:
    """Among many children of A and B, and of B and A, are those of the example."""
    assert (text(A), text(B)) == ("x * 1.0 - x", "1.0 + x + 1.0")
    one, other = [0, 1, 2, 6, 4, 1, 2, 7, 3, 2, 6], [0, 1, 1, 2, 7, 5, 2, 6, 3, 2, 7]
    assert (swap(A, 5, B, 2), swap(B, 2, A, 5)) == (one, other)
    assert (text(one), text(other)) == ("x * 1.0 + x", "1.0 - x + 1.0")
    children = [crossed(EXAMPLE, [A, B], [(0, 1), (1, 0)], 17, seed) for seed in range(300)]
    assert one in [child for child, _ in children]
    assert other in [child for _, child in children]


@given(grammars(), SEEDS, st.integers(-1, 5), st.integers(1, 3), st.data())
def test_crossover_equals_its_twin(grammar: Grammar, seed: int, more: int, tries: int, data: st.DataObject) -> None:
    plain = Plain.of(grammar)
    trees_ = population(grammar, 5, seed)
    limit, most = int(grammar.arrays.nt_height[0]) + more, data.draw(st.integers(1, 60))
    pairs = data.draw(st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 4)), max_size=5))
    assert crossed(grammar, trees_, pairs, limit, seed, most, tries) == [
        trees_[mother]
        if father < 0
        else cross(
            plain, trees_[mother], trees_[father], limit, most, tries,
            Draws(twins.stream(seed, 4, codes.CROSS, i)),
        )
        for i, (mother, father) in enumerate(pairs)
    ]  # fmt: skip


@given(grammars(), SEEDS)
def test_children_are_whole_trees_within_the_limit(grammar: Grammar, seed: int) -> None:
    trees_ = population(grammar, 8, seed)
    limit = int(grammar.arrays.nt_height[0]) + 3
    children = crossed(grammar, trees_, [(i, (i + 1) % 8) for i in range(8)], limit, seed, 10**6)
    for child in children + mutated(grammar, children, limit, 1.0, seed, 10**6):
        derivation = Derivation(grammar, np.array(child, np.int32))
        assert derivation.complete
        assert derivation.depth <= limit


@pytest.mark.compiled
def test_a_node_is_chosen_evenly_among_those_with_a_shared_non_terminal_and_its_partner_among_its_like() -> None:
    """A node first, then its partner: not the non-terminal first."""
    grammar = Grammar.from_text("<s> ::= <a><b><b> | <b><b><c>\n<a> ::= a\n<b> ::= p | q | r | s\n<c> ::= c")
    n = 8000
    mother, father = [0, 2, 3, 4], [1, 5, 6, 7]
    children = crossed(grammar, [mother, father], [(0, 1)] * n, 17, 3)
    counts = Counter(map(tuple, children))
    # Shared are <s> (1 node) and <b> (2 nodes, of which the father has 2): thirds, halves.
    expected = {(1, 5, 6, 7): 1 / 3} | {(0, 2, *kids): 1 / 6 for kids in ([5, 4], [6, 4], [3, 5], [3, 6])}
    assert set(counts) == set(expected)
    for child, share in expected.items():
        assert abs(counts[child] - n * share) < 4 * math.sqrt(n * share * (1 - share))


def test_a_child_that_stays_too_deep_or_too_large_is_a_copy_of_its_mother() -> None:
    small, large = [0, 2, 6], A
    for limit, most in ((3, MOST), (17, 3)):
        children = crossed(EXAMPLE, [small, large], [(0, 1)] * 60, limit, 1, most, 2)
        assert set(map(tuple, children)) == {(0, 2, 6), (0, 2, 7)}


# Mutation


def test_the_worked_example_of_a_mutation() -> None:
    wanted = [0, 1, 2, 6, 4, 2, 6]
    assert text(wanted) == "x * x"
    mutants = mutated(EXAMPLE, [A] * 500, 17, 1.0)
    assert wanted in mutants


@given(grammars(), SEEDS, st.integers(-1, 5), st.integers(1, 60), RATES)
def test_mutation_equals_its_twin(grammar: Grammar, seed: int, more: int, most: int, rate: float) -> None:
    plain = Plain.of(grammar)
    trees_ = population(grammar, 5, seed)
    limit = int(grammar.arrays.nt_height[0]) + more
    assert mutated(grammar, trees_, limit, rate, seed, most) == [
        mutate(plain, tree, limit, most, rate, Draws(twins.stream(seed, 4, codes.MUTATE, i)))
        for i, tree in enumerate(trees_)
    ]


@pytest.mark.compiled
def test_a_mutation_strikes_individuals_at_its_rate() -> None:
    grammar = Grammar.from_text("<s> ::= " + " | ".join(f"n{i}" for i in range(1000)))
    n, rate = 4000, 0.1
    changed = sum(mutant != [0] for mutant in mutated(grammar, [[0]] * n, 5, rate))
    assert abs(changed - n * rate) < 4 * math.sqrt(n * rate * (1 - rate)) + n / 1000


@pytest.mark.compiled
def test_every_node_is_as_likely_to_mutate_as_another() -> None:
    letters = " | ".join(f"n{i}" for i in range(1000))
    grammar = Grammar.from_text(f"<s> ::= <a><a><a>\n<a> ::= {letters}")
    n = 4000
    mutants = mutated(grammar, [[0, 1, 1, 1]] * n, 5, 1.0)
    changed = Counter(tuple(q != 1 for q in mutant[1:]) for mutant in mutants)
    for place in ((True, False, False), (False, True, False), (False, False, True), (True, True, True)):
        assert abs(changed[place] - n / 4) < 4 * math.sqrt(n * 3 / 16) + n / 200


def test_arrays_grow_with_the_mutants() -> None:
    """One small tree whose mutants are hundreds of times as large; and a wide one."""
    grammar = Grammar.from_text("<s> ::= <a>\n<a> ::= <a><a><a> | x")
    trees_ = [[0, 2]] * 30
    mutants = mutated(grammar, trees_, 12, 1.0, 2, 3000)
    plain = Plain.of(grammar)
    assert mutants == [
        mutate(plain, [0, 2], 12, 3000, 1.0, Draws(twins.stream(2, 4, codes.MUTATE, i))) for i in range(30)
    ]
    assert max(map(len, mutants)) > 500
    wide = Grammar.from_text("<s> ::= " + "<a>" * 150 + "\n<a> ::= x")
    assert mutated(wide, [[0] + [1] * 150] * 9, 5, 1.0) == [[0] + [1] * 150] * 9


# Values and weights


@given(grammars(), SEEDS, st.integers(-1, 5), st.data())
def test_in_a_crossover_values_travel_with_their_productions(
    grammar: Grammar, seed: int, more: int, data: st.DataObject
) -> None:
    """Each step has its own number: that of its production in the population, so that it tells where it comes from."""
    trees_ = population(grammar, 5, seed)
    limit = int(grammar.arrays.nt_height[0]) + more
    pairs = data.draw(st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 4)), min_size=1, max_size=5))
    mothers, fathers = np.array(pairs, np.int64).T.copy()
    productions, offsets = packed(trees_)
    values = np.arange(len(productions), dtype=np.float64)
    fixed = grammar.arrays, mothers, fathers, limit, MOST, 3, np.uint64(seed), 4
    children, moved, bounds = trees.cross_trees(productions, values, offsets, *fixed)
    assert unpacked(children, bounds) == crossed(grammar, trees_, pairs, limit, seed)
    origins = moved.astype(np.int64)
    assert children.tolist() == productions[origins].tolist()
    for i, (mother, father) in enumerate(pairs):
        parents = [range(offsets[who], offsets[who + 1]) for who in (mother, father) if who >= 0]
        own = origins[bounds[i] : bounds[i + 1]].tolist()
        assert all(any(place in parent for parent in parents) for place in own)
        breaks = sum(second != first + 1 for first, second in pairwise(own))
        assert breaks <= 2  # the mother's head, one slice of the father's, her tail


@given(weighted_grammars(), SEEDS, st.integers(-1, 5), st.integers(1, 60), RATES)
def test_mutation_by_weights_equals_its_twin_and_leaves_new_values_to_be_drawn(
    weighted: tuple[Grammar, list[float]], seed: int, more: int, most: int, rate: float
) -> None:
    grammar, weights = weighted
    plain, trees_ = Plain.of(grammar), population(grammar, 5, seed)
    limit = int(grammar.arrays.nt_height[0]) + more
    productions, offsets = packed(trees_)
    values = np.arange(len(productions), dtype=np.float64)
    mutants, moved, bounds = trees.mutate_trees(
        productions, values, offsets, grammar.arrays, tree_arrays(grammar).recursive, np.array(weights), limit, most,
        rate, np.uint64(seed), 4,
    )  # fmt: skip
    for i, tree in enumerate(trees_):
        draws = Draws(twins.stream(seed, 4, codes.MUTATE, i))
        found, own = mutants[bounds[i] : bounds[i + 1]].tolist(), moved[bounds[i] : bounds[i + 1]]
        assert found == mutate(plain, tree, limit, most, rate, draws, weights)
        kept = ~np.isnan(own)
        assert [found[k] for k in np.flatnonzero(kept)] == productions[own[kept].astype(np.int64)].tolist()
        new = np.flatnonzero(~kept)
        assert (np.diff(new) == 1).all()  # one subtree
        assert len(new) == 0 or len(subtree(plain, found, int(new[0]))) == len(new)


@given(grammars(), SEEDS, st.integers(0, 5))
def test_a_long_mutant_keeps_its_values(grammar: Grammar, seed: int, more: int) -> None:
    """Also where the arrays grow while they are written."""
    trees_ = population(grammar, 2, seed) * 8
    productions, offsets = packed(trees_)
    limit = int(grammar.arrays.nt_height[0]) + 2 * more
    values = np.arange(len(productions), dtype=np.float64)
    arguments = grammar.arrays, tree_arrays(grammar).recursive, NO_VALUES, limit, 300, 1.0, np.uint64(seed), 4
    mutants, moved, bounds = trees.mutate_trees(productions, values, offsets, *arguments)
    assert len(moved) == len(mutants) == bounds[-1]
    kept = ~np.isnan(moved)
    assert mutants[kept].tolist() == productions[moved[kept].astype(np.int64)].tolist()
