from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Derivation, Status
from gramarye.derivations.chart import tables
from gramarye.grammar import Grammar
from gramarye.grammar.adjacency import NEVER, Ends, Side, _ends
from gramarye.grammar.drawing import Node
from gramarye.representations import IntegerLists
from tests.grammars import grammars


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("<a> ::= x", set()),
        ("<a> ::= <b>y\n<b> ::= x", {("x", "y")}),
        ("<a> ::= <b><b>\n<b> ::= x | y", {("x", "x"), ("x", "y"), ("y", "x"), ("y", "y")}),
        ("<a> ::= <b> <b>\n<b> ::= x", {("x", " "), (" ", "x")}),
        ('<a> ::= <b><c><b>\n<b> ::= x\n<c> ::= "" | -', {("x", "x"), ("x", "-"), ("-", "x")}),
        ('<a> ::= x<c><d>y\n<c> ::= <d>\n<d> ::= ""', {("x", "y")}),
        ("<a> ::= (<a>) | x", {("(", "("), ("(", "x"), ("x", ")"), (")", ")")}),
        ("<a> ::= <d>.<d>\n<d> ::= 1 | <d>1", {("1", "."), (".", "1"), ("1", "1")}),
        ("<a> ::= <b>z\n<b> ::= x<c>\n<c> ::= y<b> | y", {("x", "y"), ("y", "x"), ("y", "z")}),
    ],
)
def test_what_can_stand_side_by_side(text: str, pairs: set[tuple[str, str]]) -> None:
    assert Grammar.from_text(text).neighbours() == pairs


def leaves(root: Node) -> list[str]:
    """The terminals of a tree from left to right, empty ones left out."""
    found, stack = [], [root]
    while stack:
        node = stack.pop()
        if node.children:
            stack.extend(reversed(node.children))
        elif node.text:
            found.append(node.text)
    return found


@given(grammars(), st.integers(0, 2**32))
def test_every_pair_that_occurs_is_foreseen(grammar: Grammar, seed: int) -> None:
    representation = IntegerLists(5, 5)
    genotypes = representation.initial(grammar, 10, np.uint64(seed))
    _, derivations = representation.map(grammar, genotypes, np.zeros(0), np.uint64(seed), 0, 0)
    foreseen = grammar.neighbours()
    for i in np.nonzero(derivations.status == Status.OK)[0]:
        if len(derivations[i]) < 500:
            assert set(pairwise(leaves(Derivation(grammar, derivations[i]).tree))) <= foreseen


def slow_ends(sides: Sequence[Side], left: Sequence[int], empty: set[int]) -> Ends:
    """The plain twin: all rules again and again until nothing is new."""
    ends: Ends = {a: set() for a in left} | {s: {s} for side in sides for s in side if isinstance(s, str)}
    while True:
        before = sum(map(len, ends.values()))
        for a, side in zip(left, sides, strict=True):
            for symbol in side:
                ends[a] |= ends[symbol]
                if symbol not in empty:
                    break
        if sum(map(len, ends.values())) == before:
            return ends


@given(grammars())
def test_empty_texts_and_ends_are_those_of_the_plain_twins(grammar: Grammar) -> None:
    found = tables(grammar, False)
    empty: set[int] = set()
    for _ in found.left:
        empty |= {a for a, side in zip(found.left, found.sides, strict=True) if all(s in empty for s in side)}
    assert {a for a, production in enumerate(found.empty) if production != NEVER} == empty
    for sides in (found.sides, [side[::-1] for side in found.sides]):
        assert _ends(sides, found.left, empty) == slow_ends(sides, found.left, empty)
