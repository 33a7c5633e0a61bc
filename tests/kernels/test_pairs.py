from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Derivation, Derivations
from gramarye.grammar import Grammar
from gramarye.kernels import codes, pairs
from gramarye.representations import IntegerLists
from tests import twins
from tests.grammars import G2, GR, grammars
from tests.twins import Draws, Plain

Pair = list[int]

SEEDS = st.integers(0, 2**64 - 1)
INSERTIONS = st.sampled_from([codes.IN_PLACE, codes.AT_START, codes.AT_END])
ROWS = st.lists(st.lists(st.integers(0, 255), min_size=2, max_size=2), min_size=1, max_size=12)


@dataclass
class Node:
    """The plain twin's tree."""

    symbol: int
    production: int = -1
    kids: list[Node] = field(default_factory=list)

    def preorder(self) -> list[int]:
        return [self.production, *(q for kid in self.kids for q in kid.preorder())]


def twin(grammar: Grammar, row: list[Pair], wraps: int, insertion: int) -> tuple[int, list[int], int]:
    """Status, productions in leftmost order, pairs used."""
    plain = Plain.of(grammar)
    root = Node(0)
    pending, used = [root], 0
    while pending:
        if used == len(row) * (wraps + 1):
            return codes.OUT_OF_CODONS, [], used
        which, how = row[used % len(row)]
        used += 1
        index = which % len(pending)
        node = pending.pop(index)
        rule = plain.rules[node.symbol]
        node.production = rule[how % len(rule)]
        node.kids = [Node(kid) for kid in plain.kids[node.production]]
        if insertion == codes.AT_END:
            pending += node.kids
        else:
            place = index if insertion == codes.IN_PLACE else 0
            pending = pending[:place] + node.kids + pending[place:]
    return codes.OK, root.preorder(), used


def twin_encode(
    grammar: Grammar, derivation: list[int] | None, length: int, insertion: int, codon_max: int, draws: Draws
) -> tuple[list[Pair], bool]:
    plain = Plain.of(grammar)
    row = [[draws.below(codon_max + 1) for _ in range(2)] for _ in range(length)]
    if derivation is None or len(derivation) > length:
        return row, False
    root = Node(0)
    pending, walk = [root], [root]
    for k, q in enumerate(derivation):
        node = walk.pop()
        index = next(i for i, other in enumerate(pending) if other is node)
        (rule,) = (rule for rule in plain.rules if q in rule)
        places = range(index, codon_max + 1, len(pending))
        values = range(rule.index(q), codon_max + 1, len(rule))
        words = draws.word(), draws.word()
        if not places or not values:
            return row, False
        row[k] = [places[twins.below(words[0], len(places))], values[twins.below(words[1], len(values))]]
        del pending[index]
        kids = [Node(kid) for kid in plain.kids[q]]
        place = len(pending) if insertion == codes.AT_END else index if insertion == codes.IN_PLACE else 0
        pending[place:place] = kids
        walk += reversed(kids)
    return row, True


def mapped(grammar: Grammar, rows: list[list[Pair]], wraps: int, insertion: int) -> list[tuple[int, list[int], int]]:
    """A population through the kernel."""
    array = np.array(rows, np.int32).reshape(len(rows), -1, 2)
    productions, offsets, status, used = pairs.map_pairs(
        array, grammar.arrays, grammar.least_codons(True), wraps, insertion
    )
    derivations = [productions[a:b].tolist() for a, b in pairwise(offsets)]
    return list(zip(status.tolist(), derivations, used.tolist(), strict=True))


@given(grammars(), ROWS, ROWS, st.integers(0, 3), INSERTIONS)
def test_pairs_are_mapped_as_by_the_twin(
    grammar: Grammar, row: list[Pair], other: list[Pair], wraps: int, insertion: int
) -> None:
    rows = [row, (other * len(row))[: len(row)], row]
    assert mapped(grammar, rows, wraps, insertion) == [twin(grammar, each, wraps, insertion) for each in rows]


@given(grammars(), ROWS, INSERTIONS)
def test_a_derivation_is_whole_and_takes_a_pair_for_each_step(
    grammar: Grammar, row: list[Pair], insertion: int
) -> None:
    ((status, productions, used),) = mapped(grammar, [row], 1, insertion)
    if status == codes.OK:
        assert Derivation(grammar, np.array(productions, np.int32)).complete
        assert used == len(productions)
    else:
        assert (status, productions, used) == (codes.OUT_OF_CODONS, [], 2 * len(row))


@given(grammars(), st.lists(st.integers(0, 255), min_size=1, max_size=12), st.integers(0, 2))
def test_always_the_first_one_in_place_is_the_leftmost_derivation(
    grammar: Grammar, codons: list[int], wraps: int
) -> None:
    """The same as GE where single productions take a codon."""
    expected = twins.map_flat(grammar, codons, [], wraps, True, True)
    for insertion in (codes.IN_PLACE, codes.AT_START):
        assert mapped(grammar, [[[0, codon] for codon in codons]], wraps, insertion) == [expected]


@pytest.mark.parametrize("insertion", [codes.IN_PLACE, codes.AT_START, codes.AT_END])
def test_a_large_tree_grows_all_arrays(insertion: int) -> None:
    grammar = Grammar.from_text("<a> ::= <b><a><b> | x\n<b> ::= y | z <c>\n<c> ::= w")
    row = [[(7 * k) % 256, (k // 3 if k < 900 else k) % 256] for k in range(4000)]
    found = mapped(grammar, [row, row], 2, insertion)
    assert found == [twin(grammar, row, 2, insertion)] * 2
    wide = Grammar.from_text("<s> ::= " + "<a>" * 700 + "\n<a> ::= x | y")
    row = [[(31 * k) % 256, k % 256] for k in range(701)]
    assert mapped(wide, [row], 0, insertion) == [twin(wide, row, 0, insertion)]
    assert mapped(wide, [row], 0, insertion)[0][0] == codes.OK


def test_a_population_of_nobody_is_mapped() -> None:
    productions, offsets, status, used = pairs.map_pairs(
        np.empty((0, 3, 2), np.int32), (g := Grammar.from_text(G2)).arrays, g.least_codons(True), 0, codes.IN_PLACE
    )
    assert (productions.tolist(), offsets.tolist(), status.tolist(), used.tolist()) == ([], [0], [], [])


# The worked example

EXAMPLE = [[8, 19], [32, 14], [41, 51], [17, 15], [20, 11], [43, 27], [41, 44]]


@pytest.mark.parametrize(
    ("insertion", "productions", "phenotype"),
    [
        (codes.IN_PLACE, [0, 1, 2, 9, 6, 2, 7], "1.0 / x"),
        (codes.AT_START, [0, 1, 2, 9, 6, 2, 9], "1.0 / 1.0"),
        (codes.AT_END, [0, 1, 2, 7, 3, 2, 7], "x + x"),
    ],
)
def test_the_worked_example(insertion: int, productions: list[int], phenotype: str) -> None:
    grammar = Grammar.from_text(G2)
    assert mapped(grammar, [EXAMPLE], 0, insertion) == [(codes.OK, productions, 7)]
    assert Derivation(grammar, np.array(productions, np.int32)).phenotype == phenotype
    assert mapped(grammar, [EXAMPLE[:6]], 0, insertion) == [(codes.OUT_OF_CODONS, [], 6)]  # one pair too few


def test_wraps_count_pairs() -> None:
    grammar = Grammar.from_text("<a> ::= <b><b><b>\n<b> ::= x | y")
    row = [[0, 0], [0, 1], [0, 2]]
    assert mapped(grammar, [row], 0, codes.IN_PLACE) == [(codes.OUT_OF_CODONS, [], 3)]
    assert mapped(grammar, [row], 1, codes.IN_PLACE) == [(codes.OK, [0, 2, 1, 1], 4)]


# The way back


def derivations_of(grammar: Grammar, n: int, seed: int) -> Derivations:
    lists = IntegerLists(4, 6)
    return lists.map(grammar, lists.initial(grammar, n, np.uint64(seed)), np.zeros(0), np.uint64(seed), 0, 0)[1]


@given(grammars(), INSERTIONS, st.sampled_from([0, 1, 3, 255]), st.integers(1, 40), SEEDS)
def test_encoding_equals_its_twin(grammar: Grammar, insertion: int, codon_max: int, length: int, seed: int) -> None:
    found = derivations_of(grammar, 4, seed)
    rows, fits = pairs.encode_pairs(
        found.productions, found.offsets, found.status, grammar.arrays, length, insertion, codon_max,
        np.uint64(seed), 3,
    )  # fmt: skip
    assert rows.dtype == np.int32
    assert rows.shape == (4, length, 2)
    for i in range(4):
        draws = Draws(twins.stream(seed, 3, codes.ENCODE, i))
        given_one = found[i].tolist() if found.status[i] == codes.OK else None
        expected = twin_encode(grammar, given_one, length, insertion, codon_max, draws)
        assert (rows[i].tolist(), bool(fits[i])) == expected


@given(grammars() | st.just(Grammar.from_text(GR)), INSERTIONS, SEEDS)
def test_what_was_encoded_maps_back(grammar: Grammar, insertion: int, seed: int) -> None:
    found = derivations_of(grammar, 5, seed)
    rows, fits = pairs.encode_pairs(
        found.productions, found.offsets, found.status, grammar.arrays, 60, insertion, 255, np.uint64(seed), 0
    )
    assert rows.min() >= 0
    assert rows.max() <= 255
    for i, (status, productions, used) in enumerate(mapped(grammar, rows.tolist(), 0, insertion)):
        if fits[i]:
            assert (status, productions, used) == (codes.OK, found[i].tolist(), len(found[i]))
        else:
            assert found.status[i] != codes.OK or len(found[i]) > 60
