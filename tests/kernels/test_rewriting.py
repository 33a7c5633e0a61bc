from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gramarye.grammar import Grammar
from gramarye.kernels import codes, rewriting
from tests.grammars import grammars
from tests.kernels.test_trees import packed, population, text

SEEDS = st.integers(0, 2**64 - 1)


def leaves(trees: list[list[int]], grammar: Grammar) -> list[str]:
    """The terminals of derivations: templates in which each right-hand side stands for itself."""
    templates = np.maximum(~grammar.arrays.symbols, codes.CHILD)
    numbers, ends = rewriting.translate(*packed(trees), grammar.arrays.symbol_start, templates)
    return ["".join(grammar.terminals[t] for t in numbers[a:b]) for a, b in pairwise(ends)]


@given(grammars(), SEEDS)
def test_leaves_spell_the_phenotype(grammar: Grammar, seed: int) -> None:
    trees = [[], *population(grammar, 5, seed)]
    assert leaves(trees, grammar) == ["", *(text(tree, grammar) for tree in trees[1:])]


def test_leaves_of_deep_and_of_wordy_trees() -> None:
    deep = Grammar.from_text("<a> ::= <a>x | y")
    assert leaves([[0] * 300 + [1]], deep) == ["y" + "x" * 300]
    wordy = Grammar.from_text("<a> ::= " + "x" + " x" * 49 + " | " + "y" + " y" * 69)
    assert [found.replace(" ", "") for found in leaves([[0], [1]], wordy)] == ["x" * 50, "y" * 70]


def test_a_derivation_that_was_cut_off_has_the_leaves_so_far() -> None:
    grammar = Grammar.from_text("<a> ::= x<a>y | z")
    assert leaves([[0, 0], [0, 1]], grammar) == ["xx", "xzy"]
