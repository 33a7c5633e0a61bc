from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Derivation, Derivations
from gramarye.derivations.random_trees import SMALLEST, random_trees, texts, tree_arrays
from gramarye.errors import SettingsError
from gramarye.grammar import Grammar
from tests.grammars import G1, GR, grammars

GRAMMAR, GRAMMAR_R = Grammar.from_text(G1), Grammar.from_text(GR)
SHAPES: list[Any] = ["grow", "full", "ramped", "pi-grow", "ptc2"]
SEED = np.uint64(5)


def trees(grammar: Grammar, shape: Any, n: int, **settings: Any) -> list[Derivation]:
    found = random_trees(grammar, shape, np.arange(n), SEED, **settings)
    assert set(found.status.tolist()) <= {0}
    return [Derivation(grammar, found[i]) for i in range(n)]


@given(grammars(), st.sampled_from(SHAPES), st.integers(0, 2**64 - 1), st.integers(0, 5), st.integers(-3, 3))
def test_every_tree_is_whole_and_keeps_to_its_limit(
    grammar: Grammar, shape: Any, seed: int, more: int, shift: int
) -> None:
    depth, size = int(grammar.arrays.nt_height[0]) + more, int(tree_arrays(grammar).least[0]) + more
    found = random_trees(grammar, shape, np.arange(6), np.uint64(seed), depth=depth, size=size, shifts=shift)
    for i in range(6):
        tree = Derivation(grammar, found[i])
        assert tree.complete
        assert len(tree.productions) <= size if shape == "ptc2" else tree.depth <= depth


@given(grammars(), st.sampled_from(SHAPES), st.integers(0, 2**64 - 1))
def test_an_individual_is_the_same_in_any_batch(grammar: Grammar, shape: Any, seed: int) -> None:
    limits: Any = {"depth": int(grammar.arrays.nt_height[0]) + 2, "size": int(tree_arrays(grammar).least[0]) + 40}
    numbers = np.array([8, 3, 5])
    batch = random_trees(grammar, shape, numbers, np.uint64(seed), **limits)
    whole = random_trees(grammar, shape, np.arange(10), np.uint64(seed), **limits)
    for place, number in enumerate(numbers):
        assert batch[place].tolist() == whole[number].tolist()


def test_text_that_looks_like_a_non_terminal_is_not_recursive() -> None:
    assert tree_arrays(Grammar.from_text('<a> ::= "<a>" | <a> x | y')).recursive.tolist() == [0, 1, 0]


def test_ramped_half_and_half_goes_through_the_depths_in_pairs() -> None:
    """From the lowest tree (depth 3) to the limit (6): grow, full, grow, full … two at each depth."""
    found = trees(GRAMMAR_R, "ramped", 16)
    assert [tree.depth for tree in found[1::2]] == [3, 4, 5, 6] * 2  # full ones reach their limit
    assert all(tree.depth <= limit for tree, limit in zip(found[::2], [3, 4, 5, 6] * 2, strict=True))
    lowest = trees(GRAMMAR_R, "ramped", 10, depth=3)
    assert {tree.depth for tree in lowest} == {3}


def test_a_ramped_tree_is_a_grown_or_a_full_one_of_its_depth() -> None:
    found = trees(GRAMMAR_R, "ramped", 8)
    for k, tree in enumerate(found):
        shape = "full" if k % 2 else "grow"
        assert tree.productions.tolist() == trees(GRAMMAR_R, shape, 8, depth=3 + k // 2)[k].productions.tolist()


@pytest.mark.parametrize(
    ("shape", "shift", "depth"), [("full", -1, 5), ("full", -9, 3), ("full", 2, 6), ("pi-grow", -2, 4)]
)
def test_a_shift_moves_the_limit_within_the_grammar_s_bounds(shape: Any, shift: int, depth: int) -> None:
    assert {tree.depth for tree in trees(GRAMMAR_R, shape, 9, shifts=shift)} == {depth}


def test_a_shift_moves_a_ramped_tree_along_the_ramp() -> None:
    shifts = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    assert [tree.depth for tree in trees(GRAMMAR_R, "ramped", 8, shifts=shifts)][1::2] == [4, 5, 6, 6]


@pytest.mark.compiled
def test_sizes_of_ptc2_cover_the_ramp_evenly_however_many_there_are() -> None:
    """A tree of G1 stays at most three below its budget."""
    for n in (10, 300):
        sizes = [len(tree.productions) for tree in trees(GRAMMAR, "ptc2", n)]
        assert SMALLEST - 4 < min(sizes) < SMALLEST + 221 / n * 3
        assert 240 - 221 / n * 3 - 4 < max(sizes) <= 240
        tenths = Counter((size + 3 - SMALLEST) * 10 // 224 for size in sizes)
        assert max(tenths.values()) - min(tenths[tenth] for tenth in range(10)) <= max(2, n // 20)
    assert {len(tree.productions) for tree in trees(GRAMMAR, "ptc2", 30, size=9)} == {7}
    smaller = [len(tree.productions) for tree in trees(GRAMMAR, "ptc2", 30, shifts=-1)]
    larger = [len(tree.productions) for tree in trees(GRAMMAR, "ptc2", 30)]
    assert all(a == b - 24 or a < 20 for a, b in zip(smaller, larger, strict=True))


@pytest.mark.parametrize("shape", ["grow", "full", "ramped", "pi-grow"])
def test_a_depth_below_the_lowest_tree_is_refused_with_its_depth(shape: Any) -> None:
    with pytest.raises(SettingsError, match=r"initial_depth is 2: the lowest tree of grammar has depth 3; give 3 or"):
        trees(GRAMMAR, shape, 1, depth=2)


def test_a_size_below_the_smallest_tree_is_refused_with_its_size() -> None:
    with pytest.raises(
        SettingsError, match=r"initial_size is 2: the smallest program of grammar takes 3 exp.*; give 3"
    ):
        trees(GRAMMAR, "ptc2", 1, size=2)
    assert [tree.phenotype in ("x", "1.0") for tree in trees(GRAMMAR, "ptc2", 3, size=3, depth=1)] == [True] * 3


def test_a_grammar_whose_smallest_program_is_enormous_is_refused() -> None:
    lines = [f"<n{i}> ::= <n{i + 1}><n{i + 1}>" for i in range(40)]
    grammar = Grammar.from_text("\n".join([*lines, "<n40> ::= x"]))
    with pytest.raises(SettingsError, match="more than 2,147,483,647 expansions, and trees have at most 10,000"):
        trees(grammar, "grow", 1, depth=60)


@given(grammars(), st.integers(0, 2**64 - 1))
def test_texts_are_phenotypes(grammar: Grammar, seed: int) -> None:
    depth = int(grammar.arrays.nt_height[0]) + 2
    found = random_trees(grammar, "grow", np.arange(4), np.uint64(seed), depth=depth)
    invalid = Derivations(np.zeros(0, np.int32), np.zeros(2, np.int64), np.ones(1, np.int8))
    phenotypes = [Derivation(grammar, found[i]).phenotype for i in range(4)]
    assert texts(grammar, Derivations.join([found, invalid])) == [*phenotypes, None]
