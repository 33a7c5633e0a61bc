from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.derivations import Derivation
from gramarye.derivations.random_trees import random_trees, tree_arrays
from gramarye.grammar import Grammar
from gramarye.kernels import codes, initial_trees
from tests import twins
from tests.grammars import G1, GR, grammars
from tests.twins import Draws, Plain

SEEDS = st.integers(0, 2**64 - 1)
MOST = 60  # few enough to be reached
GENERATION, ATTEMPT = 2, 3

Floats = NDArray[np.float64]
Weights = list[float] | None  # of productions; None: all of a rule are alike


# The twins


def recursive_productions(plain: Plain) -> list[bool]:
    """Whether some non-terminal on the right of each production can derive itself."""
    leads_to = [{kid for q in rule for kid in plain.kids[q]} for rule in plain.rules]
    for _ in plain.rules:  # as often as the longest way there is
        leads_to = [reached.union(*(leads_to[a] for a in reached)) for reached in leads_to]
    return [any(kid in leads_to[kid] for kid in kids) for kids in plain.kids]


def least_expansions(plain: Plain) -> tuple[list[float], list[float]]:
    """Below productions and of non-terminals: the fixpoint from infinity."""
    least = [math.inf] * len(plain.rules)
    while True:
        below = [sum(least[kid] for kid in kids) for kids in plain.kids]
        before, least = least, [1 + min(below[q] for q in rule) for rule in plain.rules]
        if least == before:
            return below, least


def pick(
    plain: Plain, symbol: int, costs: list[float], room: float, prefer: bool, draws: Draws, weights: Weights = None
) -> int:
    rule = plain.rules[symbol]
    recursive = recursive_productions(plain)
    fitting = [q for q in rule if costs[q] <= room]
    cheapest = [q for q in rule if costs[q] == min(costs[r] for r in rule)]
    options = ([q for q in fitting if recursive[q]] if prefer else []) or fitting or cheapest
    if weights is None or not any(weights[q] for q in options):
        return options[draws.below(len(options))]
    return options[twins.choose([weights[q] for q in options], draws.unit() * sum(weights[q] for q in options))]


def grow(
    plain: Plain, symbol: int, depth: int, limit: int, most: int, full: bool, draws: Draws, weights: Weights = None
) -> list[int]:
    heights, _ = plain.heights()
    productions: list[int] = []
    pending = [(symbol, depth)]
    while pending:
        hurry = len(productions) + len(pending) >= most
        a, level = pending.pop()
        q = pick(plain, a, heights, -1 if hurry else limit - level, full, draws, weights)
        productions.append(q)
        pending += [(kid, level + 1) for kid in reversed(plain.kids[q])]
    return productions


@dataclass
class Node:
    symbol: int
    depth: int
    production: int = -1
    kids: list[Node] = field(default_factory=list)

    def leftmost(self) -> list[int]:
        return [self.production, *(q for kid in self.kids for q in kid.leftmost())]


def scatter(plain: Plain, by_size: bool, limit: int, most: int, draws: Draws, weights: Weights = None) -> list[int]:
    heights, _ = plain.heights()
    below, least = least_expansions(plain)
    recursive = recursive_productions(plain)
    root = Node(0, 0)
    pending, done, reached = [root], 0, 0
    while pending:
        hurry = done + len(pending) >= most
        at = draws.below(len(pending))
        node, pending[at] = pending[at], pending[-1]
        pending.pop()
        if by_size:
            free = limit - done - 1 - sum(least[other.symbol] for other in pending)
            node.production = pick(plain, node.symbol, below, free, True, draws, weights)
        else:
            others = any(recursive[q] for other in pending for q in plain.rules[other.symbol])
            full = reached < limit and not others
            room = -1 if hurry else limit - node.depth
            node.production = pick(plain, node.symbol, heights, room, full, draws, weights)
        done += 1
        reached = max(reached, node.depth + 1)
        node.kids = [Node(kid, node.depth + 1) for kid in plain.kids[node.production]]
        pending += reversed(node.kids)
    return root.leftmost()


def draws_of(seed: int, individual: int) -> Draws:
    return Draws(twins.fork(twins.stream(seed, GENERATION, codes.TREES, individual), ATTEMPT))


# The kernels


def grown(
    grammar: Grammar, full: list[bool], limits: list[int], individuals: list[int], seed: int, most: int = MOST,
    weights: Floats | None = None,
) -> list[list[int]]:  # fmt: skip
    productions, offsets = initial_trees.grow_trees(
        grammar.arrays, tree_arrays(grammar).recursive, np.zeros(0) if weights is None else weights,
        np.array(full, np.bool_), np.array(limits, np.int64), np.array(individuals, np.int64), ATTEMPT, most,
        np.uint64(seed), GENERATION,
    )  # fmt: skip
    return [productions[a:b].tolist() for a, b in pairwise(offsets)]


def scattered(
    grammar: Grammar, by_size: bool, limits: list[int], individuals: list[int], seed: int, most: int = MOST,
    weights: Floats | None = None,
) -> list[list[int]]:  # fmt: skip
    found = tree_arrays(grammar)
    productions, offsets = initial_trees.scatter_trees(
        grammar.arrays, found.recursive, np.zeros(0) if weights is None else weights,
        found.eager, found.expansions, found.least, by_size, np.array(limits, np.int64),
        np.array(individuals, np.int64), ATTEMPT, most, np.uint64(seed), GENERATION,
    )  # fmt: skip
    return [productions[a:b].tolist() for a, b in pairwise(offsets)]


def tree(grammar: Grammar, productions: list[int]) -> Derivation:
    found = Derivation(grammar, np.array(productions, np.int32))
    assert found.complete
    return found


@given(grammars())
def test_the_arrays_equal_their_twins(grammar: Grammar) -> None:
    plain, found = Plain.of(grammar), tree_arrays(grammar)
    recursive = recursive_productions(plain)
    assert found.recursive.tolist() == recursive
    assert found.eager.tolist() == [any(recursive[q] for q in rule) for rule in plain.rules]
    below, least = least_expansions(plain)
    assert found.expansions.tolist() == below
    assert found.least.tolist() == least


@given(grammars(), SEEDS, st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 99)), max_size=4))
def test_trees_grown_from_the_left_equal_their_twin(
    grammar: Grammar, seed: int, wanted: list[tuple[bool, int, int]]
) -> None:
    """Also below the lowest tree, where the lowest productions are taken."""
    plain = Plain.of(grammar)
    found = grown(grammar, [full for full, _, _ in wanted], [d for _, d, _ in wanted], [i for _, _, i in wanted], seed)
    assert found == [grow(plain, 0, 0, limit, MOST, full, draws_of(seed, i)) for full, limit, i in wanted]


@given(grammars(), SEEDS, st.booleans(), st.lists(st.tuples(st.integers(0, 12), st.integers(0, 99)), max_size=4))
def test_trees_grown_at_random_places_equal_their_twin(
    grammar: Grammar, seed: int, by_size: bool, wanted: list[tuple[int, int]]
) -> None:
    plain = Plain.of(grammar)
    found = scattered(grammar, by_size, [limit for limit, _ in wanted], [i for _, i in wanted], seed)
    assert found == [scatter(plain, by_size, limit, MOST, draws_of(seed, i)) for limit, i in wanted]


@given(grammars(), SEEDS, st.integers(0, 4))
def test_no_tree_is_deeper_than_its_limit(grammar: Grammar, seed: int, more: int) -> None:
    limit = int(grammar.arrays.nt_height[0]) + more
    found = grown(grammar, [False, True] * 3, [limit] * 6, list(range(6)), seed)
    for productions in found + scattered(grammar, False, [limit] * 6, list(range(6)), seed):
        assert tree(grammar, productions).depth <= limit


@given(grammars(), SEEDS, st.integers(0, 30))
def test_no_tree_of_ptc2_is_larger_than_its_budget(grammar: Grammar, seed: int, more: int) -> None:
    budget = int(tree_arrays(grammar).least[0]) + more
    for productions in scattered(grammar, True, [budget] * 6, list(range(6)), seed):
        assert tree(grammar, productions).complete
        assert len(productions) <= budget


@given(grammars(), SEEDS, st.integers(0, 5), st.booleans())
def test_a_batch_equals_one_by_one(grammar: Grammar, seed: int, limit: int, full: bool) -> None:
    batch = grown(grammar, [full] * 5, [limit] * 5, list(range(5)), seed)
    assert batch == [grown(grammar, [full], [limit], [i], seed)[0] for i in range(5)]
    batch = scattered(grammar, full, [limit] * 5, list(range(5)), seed)
    assert batch == [scattered(grammar, full, [limit], [i], seed)[0] for i in range(5)]


def leaf_depths(grammar: Grammar, productions: list[int], name: str) -> list[int]:
    """The depths at which a non-terminal was expanded."""
    pending, found = [("<start>", 0)], []
    for q in productions:
        symbol, depth = pending.pop()
        if symbol == name:
            found.append(depth)
        kids = [s.text for s in reversed(grammar.productions[q].symbols) if s.kind == "nonterminal"]
        pending += [(kid, depth + 1) for kid in kids]
    return found


@pytest.mark.parametrize("limit", range(3, 9))
def test_full_ends_every_branch_of_recursion_at_the_limit(limit: int) -> None:
    grammar = Grammar.from_text(GR)
    for productions in grown(grammar, [True] * 20, [limit] * 20, list(range(20)), 4, 10_000):
        assert set(leaf_depths(grammar, productions, "<var>")) == {limit - 1}


@pytest.mark.compiled
def test_grow_chooses_evenly_among_what_fits() -> None:
    grammar = Grammar.from_text(GR)
    n = 4000
    found = grown(grammar, [False] * n, [4] * n, list(range(n)), 5)
    counts = np.bincount([productions[1] for productions in found], minlength=5)[1:5]
    assert (abs(counts - n / 4) < 4 * math.sqrt(n * 3 / 16)).all()
    assert {tuple(productions[2:]) for productions in found if productions[1] == 4} == {(14,), (15,), (16,)}


@pytest.mark.parametrize("limit", range(3, 9))
def test_position_independent_grow_reaches_the_limit_with_one_branch_at_least(limit: int) -> None:
    grammar = Grammar.from_text(GR)
    depths = [
        leaf_depths(grammar, productions, "<var>")
        for productions in scattered(grammar, False, [limit] * 30, list(range(30)), 4, 10_000)
    ]
    assert {max(found) for found in depths} == {limit - 1}
    assert limit < 6 or any(min(found) < limit - 1 for found in depths)


def test_ptc2_comes_as_near_to_its_budget_as_the_grammar_allows() -> None:
    """Sizes are odd in G1, and a recursive production adds four: 3, 7, 11 …"""
    budgets = list(range(3, 120))
    found = scattered(Grammar.from_text(G1), True, budgets, list(range(len(budgets))), 4)
    assert [len(productions) for productions in found] == [budget - (budget - 3) % 4 for budget in budgets]


WIDE = "<a> ::= <a><a><a><a> | <a><a><a> | <a><a> | <b>\n<b> ::= x"


@pytest.mark.parametrize("most", [10, 1000])
def test_a_tree_that_grows_too_large_is_ended_with_the_lowest_productions(most: int) -> None:
    grammar = Grammar.from_text(WIDE)
    for productions in grown(grammar, [True], [14], [0], 1, most) + scattered(grammar, False, [14], [0], 1, most):
        assert tree(grammar, productions).depth <= 14
        assert most <= len(productions) < 2 * most + 10  # what was pending takes two more steps each


@pytest.mark.parametrize("attempt", [0, 1])
def test_every_attempt_and_generation_draws_anew(attempt: int) -> None:
    grammar = Grammar.from_text(GR)
    one = (np.zeros(1, np.bool_), np.array([9]), np.array([7]))
    trees = {
        tuple(
            initial_trees.grow_trees(
                grammar.arrays, tree_arrays(grammar).recursive, np.zeros(0), *one, attempt, 99, np.uint64(1), generation
            )[0].tolist()
        )
        for generation in range(20)
    }
    assert len(trees) > 10


# By probabilities


@st.composite
def weighted_grammars(draw: st.DrawFn) -> tuple[Grammar, list[float]]:
    """A grammar with weights of its productions, some of them 0."""
    grammar = draw(grammars())
    count = len(grammar.productions)
    return grammar, draw(st.lists(st.sampled_from([0.0, 0.125, 0.5, 2.0]), min_size=count, max_size=count))


@given(
    weighted_grammars(), SEEDS, st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 99)), max_size=4)
)
def test_trees_grown_by_weights_equal_their_twin(
    weighted: tuple[Grammar, list[float]], seed: int, wanted: list[tuple[bool, int, int]]
) -> None:
    grammar, weights = weighted
    plain, given_ = Plain.of(grammar), np.array(weights)
    full, limits, individuals = ([row[k] for row in wanted] for k in range(3))
    found = grown(grammar, [bool(one) for one in full], limits, individuals, seed, MOST, given_)
    assert found == [grow(plain, 0, 0, limit, MOST, full, draws_of(seed, i), weights) for full, limit, i in wanted]


@given(
    weighted_grammars(), SEEDS, st.booleans(), st.lists(st.tuples(st.integers(0, 12), st.integers(0, 99)), max_size=4)
)
def test_trees_grown_at_random_places_by_weights_equal_their_twin(
    weighted: tuple[Grammar, list[float]], seed: int, by_size: bool, wanted: list[tuple[int, int]]
) -> None:
    grammar, weights = weighted
    plain = Plain.of(grammar)
    limits, individuals = [limit for limit, _ in wanted], [i for _, i in wanted]
    found = scattered(grammar, by_size, limits, individuals, seed, MOST, np.array(weights))
    assert found == [scatter(plain, by_size, limit, MOST, draws_of(seed, i), weights) for limit, i in wanted]


@given(grammars(), st.sampled_from(["grow", "full", "ramped", "pi-grow", "ptc2"]), SEEDS)
def test_uniform_probabilities_draw_the_same_trees_as_none(grammar: Grammar, shape: Any, seed: int) -> None:
    limits: Any = {"depth": int(grammar.arrays.nt_height[0]) + 3, "size": int(tree_arrays(grammar).least[0]) + 40}
    plain = random_trees(grammar, shape, np.arange(6), np.uint64(seed), **limits)
    uniform = grammar.uniform_probabilities()
    same = random_trees(grammar, shape, np.arange(6), np.uint64(seed), probabilities=uniform, **limits)
    assert plain.productions.tolist() == same.productions.tolist()
    assert plain.offsets.tolist() == same.offsets.tolist()


@pytest.mark.compiled
def test_grow_chooses_by_probabilities_among_what_fits() -> None:
    grammar = Grammar.from_text("<e> ::= <e> + <e> | x | y | z")
    n, weights = 4000, np.array([0.5, 0.25, 0.25, 0.0])
    found = grown(grammar, [False] * n, [3] * n, list(range(n)), 5, 1000, weights)
    counts = np.bincount([productions[0] for productions in found], minlength=4)
    assert counts[3] == 0
    assert (abs(counts - n * weights) <= 4 * np.sqrt(n * weights * (1 - weights))).all()
    low = grown(grammar, [False] * n, [1] * n, list(range(n)), 5, 1000, weights)
    counts = np.bincount([productions[0] for productions in low], minlength=4)
    assert counts[0] == counts[3] == 0
    assert abs(counts[1] - n / 2) < 4 * math.sqrt(n / 4)


def test_where_all_that_fits_has_the_weight_0_it_is_chosen_evenly() -> None:
    grammar = Grammar.from_text("<e> ::= <e> + <e> | x | y")
    found = grown(grammar, [False] * 60, [1] * 60, list(range(60)), 5, 1000, np.array([1.0, 0.0, 0.0]))
    assert {productions[0] for productions in found} == {1, 2}
