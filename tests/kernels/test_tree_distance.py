from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import zss
from hypothesis import given, settings
from hypothesis import strategies as st

from gramarye.analysis.distances import nodes_of, sizes, spelt
from gramarye.derivations import Derivation, Derivations
from gramarye.derivations.random_trees import random_trees
from gramarye.grammar import Grammar
from gramarye.grammar.drawing import Node
from gramarye.kernels import token_distance, tree_distance
from tests.grammars import G1, GR, grammars

SEEDS = st.integers(0, 2**64 - 1)


def tree_of(node: Node) -> Any:
    return node.text, tuple(tree_of(child) for child in node.children if not child.space)


def size_of(forest: Any) -> int:
    return sum(1 + size_of(children) for _, children in forest)


@cache
def forest_distance(a: Any, b: Any) -> int:
    """The definition (Zhang and Shasha 1989, lemma 3), for whole forests, from the right."""
    if not a or not b:
        return size_of(a) + size_of(b)
    (name, below), (other, beneath) = a[-1], b[-1]
    return min(
        forest_distance(a[:-1] + below, b) + 1,
        forest_distance(a, b[:-1] + beneath) + 1,
        forest_distance(a[:-1], b[:-1]) + forest_distance(below, beneath) + (name != other),
    )


def levenshtein(a: list[Any], b: list[Any]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        row = _next(row, i, x, b)
    return row[-1]


def _next(row: list[int], i: int, x: Any, b: list[Any]) -> list[int]:
    new = [i + 1]
    for j, y in enumerate(b):
        new.append(min(new[j] + 1, row[j + 1] + 1, row[j] + (x != y)))
    return new


def drawn(grammar: Grammar, n: int, seed: int, more: int = 1) -> Derivations:
    depth = int(grammar.arrays.nt_height[0]) + more
    return random_trees(grammar, "grow", np.arange(n), np.uint64(seed), depth=depth)


def between(
    grammar: Grammar, derivations: Derivations, pairs: list[tuple[int, int]], most: int = 300
) -> tuple[list[int], list[int]]:
    """Both distances through the kernels."""
    nodes = nodes_of(grammar)
    first, second = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    arrays = derivations.productions, derivations.offsets
    room = int(sizes(grammar, derivations).max())
    trees = tree_distance.tree_distances(*arrays, *arrays, first, second, nodes.start, nodes.symbols, room, most)
    texts = spelt(grammar, derivations)
    return trees.tolist(), token_distance.token_distances(*texts, *texts, first, second).tolist()


def everyone(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(n) for j in range(n)]


# x * 1.0 - x in both of its derivations, x * 1.0 + x, x * x, x
VECTORS = [
    [0, 1, 2, 6, 4, 1, 2, 7, 5, 2, 6],
    [0, 1, 1, 2, 6, 4, 2, 7, 5, 2, 6],
    [0, 1, 2, 6, 4, 1, 2, 7, 3, 2, 6],
    [0, 1, 2, 6, 4, 2, 6],
    [0, 2, 6],
]


def test_the_vectors() -> None:
    derivations = Derivations.join([Derivations.of(np.array(p, np.int32)) for p in VECTORS])
    trees, tokens = between(Grammar.from_text(G1), derivations, [(0, 2), (0, 3), (0, 4), (3, 4), (0, 1)])
    assert trees == [1, 6, 12, 6, 2]
    assert tokens == [1, 2, 4, 2, 0]


@given(grammars(), SEEDS)
def test_distances_of_trees_equal_their_twin(grammar: Grammar, seed: int) -> None:
    derivations = drawn(grammar, 3, seed)
    trees = [tree_of(Derivation(grammar, derivations[i]).tree) for i in range(3)]
    if max(size_of((tree,)) for tree in trees) > 24:  # the twin is slow
        return
    for most in (24, 3, 0):
        found, _ = between(grammar, derivations, everyone(3), most)
        for (i, j), distance in zip(everyone(3), found, strict=True):
            expected = forest_distance((trees[i],), (trees[j],))
            assert distance == expected or (distance == tree_distance.FAR and expected > 1 and most < 24)


@pytest.mark.compiled
@settings(max_examples=20)
@given(st.sampled_from([G1, GR]), SEEDS)
def test_distances_of_trees_equal_those_of_a_published_program(text: str, seed: int) -> None:
    grammar = Grammar.from_text(text)
    derivations = drawn(grammar, 4, seed, more=3)
    found, _ = between(grammar, derivations, everyone(4), 100)

    def built(tree: Any) -> Any:
        node = zss.Node(tree[0])
        for child in tree[1]:
            node.addkid(built(child))
        return node

    trees = [tree_of(Derivation(grammar, derivations[i]).tree) for i in range(4)]
    for (i, j), distance in zip(everyone(4), found, strict=True):
        if max(size_of((trees[i],)), size_of((trees[j],))) <= 50:
            assert distance == zss.simple_distance(built(trees[i]), built(trees[j]))


@given(grammars(), SEEDS)
def test_distances_of_tokens_equal_their_twin(grammar: Grammar, seed: int) -> None:
    derivations = drawn(grammar, 3, seed)
    _, found = between(grammar, derivations, everyone(3))
    texts = [leaves(Derivation(grammar, derivations[i]).tree) for i in range(3)]
    assert found == [levenshtein(texts[i], texts[j]) for i, j in everyone(3)]


def leaves(node: Node) -> list[str]:
    """The tokens: white space is none, nor is an empty text."""
    if not node.nonterminal:
        return [] if node.space or not node.text else [node.text]
    return [token for child in node.children for token in leaves(child)]


@given(SEEDS)
def test_both_are_metrics(seed: int) -> None:
    grammar = Grammar.from_text(GR)
    derivations = drawn(grammar, 4, seed, more=2)
    for flat in between(grammar, derivations, everyone(4)):
        d = np.array(flat).reshape(4, 4)
        if (d < 0).any():
            continue
        assert (d == d.T).all()
        assert (np.diag(d) == 0).all()
        assert (d[:, :, None] + d[None] >= d[:, None, :]).all()


@pytest.mark.parametrize(("most", "expected"), [(11, 11), (10, tree_distance.FAR)])
def test_without_what_they_share_trees_may_have_exactly_as_many_nodes_as_the_limit(most: int, expected: int) -> None:
    """Both share the root; one edit relabels a leaf, the others remove the rest."""
    grammar = Grammar.from_text("<s> ::= <a><b> | y y\n<a> ::= <c><c><c><c>\n<b> ::= x\n<c> ::= z")
    derivations = Derivations.join([Derivations.of(np.array(p, np.int32)) for p in ([0, 2, 4, 4, 4, 4, 3], [1])])
    assert Derivation(grammar, derivations[0]).size == 12
    found, _ = between(grammar, derivations, [(0, 1), (1, 0)], most)
    assert found == [expected] * 2


def test_one_edit_is_told_however_large_the_trees_are() -> None:
    """A leaf, a root with all that is below it, a root more: 1 also where nothing may be left to be measured."""
    grammar = Grammar.from_text("<s> ::= <a> | <b> | <c>\n<a> ::= <d><d>\n<b> ::= <d><d>\n<c> ::= <a>\n<d> ::= x | y")
    lists = [[0, 3, 6, 6], [0, 3, 6, 7], [1, 4, 6, 6], [2, 5, 3, 6, 6], [1, 4, 7, 6]]
    derivations = Derivations.join([Derivations.of(np.array(p, np.int32)) for p in lists])
    pairs = [(0, 1), (0, 2), (0, 3), (3, 0), (0, 4), (2, 3)]
    assert between(grammar, derivations, pairs, 300)[0] == [1, 1, 1, 1, 2, 2]
    assert between(grammar, derivations, pairs, 0)[0] == [1, 1, 1, 1, tree_distance.FAR, tree_distance.FAR]


@pytest.mark.compiled
def test_the_same_base_in_many_pairs_is_as_good_as_in_one() -> None:
    grammar = Grammar.from_text(GR)
    derivations = drawn(grammar, 12, 3, more=3)
    pairs = [(i // 4, i % 12) for i in range(48)]
    assert between(grammar, derivations, pairs)[0] == [between(grammar, derivations, [p])[0][0] for p in pairs]


def test_trees_that_grow_to_one_side_are_measured_as_those_that_grow_to_the_other() -> None:
    left, right = "<a> ::= <a> y | x | z", "<a> ::= y <a> | x | z"
    lists = [[0] * 40 + [1], [0] * 25 + [2], [2]]
    derivations = Derivations.join([Derivations.of(np.array(p, np.int32)) for p in lists])
    found = [between(Grammar.from_text(text), derivations, everyone(3)) for text in (left, right)]
    assert found[0] == found[1]
    assert found[0][0][1] == 2 * 15 + 1


def test_long_texts_make_room() -> None:
    grammar = Grammar.from_text("<s> ::= " + "<a>" * 150 + "\n<a> ::= x | y z")
    lists = [[0] + [1] * 150, [0] + [2] * 150, [0] + [1, 2] * 75]
    derivations = Derivations.join([Derivations.of(np.array(p, np.int32)) for p in lists])
    assert between(grammar, derivations, everyone(3))[1] == [
        levenshtein(list(a), list(b))
        for a in ("x" * 150, "yz" * 150, "xyz" * 75)
        for b in ("x" * 150, "yz" * 150, "xyz" * 75)
    ]


def test_an_empty_production_is_a_node_but_no_token() -> None:
    grammar = Grammar.from_text('<s> ::= <a> <a>\n<a> ::= "" | x')
    lists = [[0, 1, 1], [0, 1, 2], [0, 2, 2]]
    derivations = Derivations.join([Derivations.of(np.array(p, np.int32)) for p in lists])
    trees, tokens = between(grammar, derivations, [(0, 0), (0, 1), (0, 2)])
    assert trees == [0, 1, 2]  # each is relabelled
    assert tokens == [0, 1, 2]
