from __future__ import annotations

import struct
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gramarye.languages.arithmetic.kernels import codes, terms
from tests.languages.arithmetic.test_machine import BINARY, UNARY, Program, X, Y, code, number

SPLIT = codes.ADD, codes.SUBTRACT


def tuned(value: float, kind: int = 0) -> Program:
    """A number that the search tunes."""
    return [~kind, *struct.unpack("<ii", struct.pack("<d", value))]


@st.composite
def tuned_programs(
    draw: st.DrawFn,
    binary: list[int] = BINARY,
    unary: list[int] = UNARY,
    numbers: st.SearchStrategy[float] | None = None,
    most: int = 12,
) -> Program:
    """Programs with numbers that are tuned, beside others."""
    numbers = st.floats(-3, 3) if numbers is None else numbers
    leaf = st.sampled_from([[X], [Y]]) | numbers.map(number) | numbers.map(tuned)
    grow = lambda inner: st.one_of(  # noqa: E731
        st.tuples(inner, inner, st.sampled_from([*binary, *SPLIT])).map(lambda t: [*t[0], *t[1], t[2]]),
        st.tuples(inner, st.sampled_from(unary)).map(lambda t: [*t[0], t[1]]),
    )
    return draw(st.recursive(leaf, grow, max_leaves=most))


class Node(NamedTuple):
    """A node of the twin's trees: its words alone, its operands, its number in postfix order."""

    words: tuple[int, ...]
    operands: tuple[Node, ...]
    place: int

    @property
    def program(self) -> Program:
        return [*(word for operand in self.operands for word in operand.program), *self.words]

    @property
    def places(self) -> list[int]:
        return [*(place for operand in self.operands for place in operand.places), self.place]


def tree_of(program: Program) -> tuple[Node, list[Node]]:
    """The root, and all nodes."""
    stack: list[Node] = []
    nodes: list[Node] = []
    rest = iter(program)
    for word in rest:
        words: tuple[int, ...] = (word, next(rest), next(rest)) if word <= codes.CONSTANT else (word,)
        taken = 0 if word <= codes.CONSTANT or word >= codes.VARIABLE else 2 if word < codes.UNARY else 1
        operands = tuple(stack[len(stack) - taken :])
        del stack[len(stack) - taken :]
        stack.append(Node(words, operands, len(nodes)))
        nodes.append(stack[-1])
    return stack[0], nodes


def terms_of(program: Program, most: int) -> list[Node]:
    """The first sum from the left is split again and again."""
    found = [tree_of(program)[0]]
    while len(found) < most:
        sums = [k for k, term in enumerate(found) if term.words[0] in SPLIT]
        if not sums:
            break
        found[sums[0] : sums[0] + 1] = found[sums[0]].operands
    return found


@given(tuned_programs())
def test_the_operands_of_each_node_are_found(program: Program) -> None:
    _, nodes = tree_of(program)
    tree = terms.Tree(np.zeros(len(nodes), np.int32), np.full(len(nodes), -1), np.full(len(nodes), -1))
    words, bounds = code([program])
    assert terms.read_tree(words, bounds[0], bounds[1], tree) == len(nodes)
    assert tree.word.tolist() == [node.words[0] for node in nodes]
    for k, node in enumerate(nodes):
        if node.operands:
            assert tree.second[k] == node.operands[-1].place
        if len(node.operands) == 2:
            assert tree.first[k] == node.operands[0].place
        assert terms.first_node(tree, k) == node.places[0]


@given(tuned_programs(), st.integers(1, 7))
def test_the_sum_at_the_root_is_split_from_the_left(program: Program, most: int) -> None:
    _, nodes = tree_of(program)
    tree = terms.Tree(np.zeros(len(nodes), np.int32), np.zeros(len(nodes), np.int64), np.zeros(len(nodes), np.int64))
    words, bounds = code([program])
    roots = np.empty(most, np.int64)
    count = terms.split_terms(tree, terms.read_tree(words, bounds[0], bounds[1], tree), roots)
    assert roots[:count].tolist() == [term.place for term in terms_of(program, most)]


@given(st.lists(tuned_programs() | st.just([]), max_size=5), st.integers(1, 7))
def test_terms_are_slices_of_programs_and_own_their_constants(given_programs: list[Program], most: int) -> None:
    words, bounds = code([[Y, codes.SIN], *given_programs])
    counts, parameters, spans, owners = terms.lay_out(words, bounds[1:], most)
    wanted = [terms_of(program, most) if program else [] for program in given_programs]
    assert counts.tolist() == [len(found) for found in wanted]
    own = [[k for k, term in enumerate(found) for word in _kinds(term) if word < codes.CONSTANT] for found in wanted]
    assert parameters.tolist() == [len(each) for each in own]
    assert owners.tolist() == [term for each in own for term in each]
    for found, places in zip(wanted, spans, strict=True):
        slices = [words[begin:end].tolist() for begin, end in places]
        assert slices == [*(term.program for term in found), *[[]] * (most - len(found))]


def _kinds(term: Node) -> list[int]:
    """The first word of each node of a term."""
    return [*(word for operand in term.operands for word in _kinds(operand)), term.words[0]]


def test_six_terms_of_a_longer_sum_leave_the_rest_to_the_last_one() -> None:
    # x - y + x + … from the left: ((((x - y) + x) + x) + x), split into three
    program = [X, Y, codes.SUBTRACT, X, codes.ADD, X, codes.ADD, X, codes.ADD]
    _, _, spans, _ = terms.lay_out(*code([program]), 3)
    assert [program[a:b] for a, b in spans[0]] == [[X, Y, codes.SUBTRACT, X, codes.ADD], [X], [X]]
    nested = [X, X, X, X, codes.ADD, codes.ADD, codes.ADD]
    _, _, spans, _ = terms.lay_out(*code([nested]), 3)
    assert [nested[a:b] for a, b in spans[0]] == [[X], [X], [X, X, codes.ADD]]
    assert all(a <= b for a, b in pairwise(spans[0, :, 0]))
