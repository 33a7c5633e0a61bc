from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Derivation, Derivations
from gramarye.grammar import Grammar
from gramarye.kernels import chorus, codes
from gramarye.representations import Genes, IntegerLists
from tests import twins
from tests.grammars import G2, GR, grammars
from tests.twins import Draws, Plain

SEEDS = st.integers(0, 2**64 - 1)
ROWS = st.lists(st.integers(0, 255), min_size=1, max_size=30)


def numbering(plain: Plain, number_all: bool) -> list[int]:
    """The productions that have a number, in order."""
    return [q for rule in plain.rules if number_all or len(rule) > 1 for q in rule]


def twin(grammar: Grammar, row: list[int], number_all: bool, wraps: int) -> tuple[int, list[int], int]:
    """Status, productions, genes used."""
    plain = Plain.of(grammar)
    named = numbering(plain, number_all)
    table = dict.fromkeys(named, 0)
    pending, productions, used = [0], [], 0
    while pending:
        rule = plain.rules[pending.pop()]
        q = rule[0]
        while len(rule) > 1:
            most = max(table[r] for r in rule)
            leaders = [r for r in rule if table[r] == most]
            if most > 0 and len(leaders) == 1:
                q = leaders[0]
                table[q] -= 1
                break
            if used == len(row) * (wraps + 1):
                return codes.OUT_OF_CODONS, [], used
            table[named[row[used % len(row)] % len(named)]] += 1
            used += 1
        productions.append(q)
        pending.extend(reversed(plain.kids[q]))
    return codes.OK, productions, used


def twin_encode(
    grammar: Grammar, derivation: list[int] | None, length: int, number_all: bool, codon_max: int, draws: Draws
) -> tuple[list[int], bool]:
    plain = Plain.of(grammar)
    named = numbering(plain, number_all)
    single = {rule[0] for rule in plain.rules if len(rule) == 1}
    row = [draws.below(codon_max + 1) for _ in range(length)]
    if derivation is None:
        return row, False
    for k, q in enumerate(q for q in derivation if q not in single):
        values = range(named.index(q), codon_max + 1, len(named))
        if k == length or not values:
            return row, False
        row[k] = values[draws.below(len(values))]
    return row, True


def mapped(
    grammar: Grammar, rows: list[list[int]], number_all: bool = False, wraps: int = 0
) -> list[tuple[int, list[int], int]]:
    """A population through the kernel."""
    numbers = Genes(number_all=number_all)._numbers(grammar)
    productions, offsets, status, used = chorus.map_chorus(
        np.array(rows, np.int32), grammar.arrays, *numbers, grammar.least_codons(False), wraps
    )
    derivations = [productions[a:b].tolist() for a, b in pairwise(offsets)]
    return list(zip(status.tolist(), derivations, used.tolist(), strict=True))


@given(grammars(), ROWS, st.booleans(), st.integers(0, 3))
def test_genes_are_mapped_as_by_the_twin(grammar: Grammar, row: list[int], number_all: bool, wraps: int) -> None:
    rows = [row, row[::-1], row]
    assert mapped(grammar, rows, number_all, wraps) == [twin(grammar, each, number_all, wraps) for each in rows]


@given(grammars(), ROWS)
def test_a_derivation_is_whole_or_invalid(grammar: Grammar, row: list[int]) -> None:
    ((status, productions, used),) = mapped(grammar, [row], wraps=1)
    if status == codes.OK:
        assert Derivation(grammar, np.array(productions, np.int32)).complete
    else:
        assert (status, productions, used) == (codes.OUT_OF_CODONS, [], 2 * len(row))


def test_a_large_tree_grows_all_arrays() -> None:
    grammar = Grammar.from_text("<a> ::= <b><a><b><b> | x\n<b> ::= y")
    row = [0] * 500 + [1] * 700
    assert mapped(grammar, [row, row]) == [twin(grammar, row, False, 0)] * 2
    wide = Grammar.from_text("<s> ::= " + "<a>" * 300 + "\n<a> ::= x | y")
    assert mapped(wide, [[1] * 300]) == [(codes.OK, [0] + [2] * 300, 300)]


def test_where_nothing_can_be_chosen_nothing_is_read() -> None:
    grammar = Grammar.from_text("<a> ::= x <b>\n<b> ::= y")
    assert mapped(grammar, [[5, 6]]) == mapped(grammar, [[5, 6]], number_all=True) == [(codes.OK, [0, 1], 0)]


def test_a_population_of_nobody_is_mapped() -> None:
    grammar = Grammar.from_text(G2)
    found = chorus.map_chorus(
        np.empty((0, 3), np.int32), grammar.arrays, *Genes()._numbers(grammar), grammar.least_codons(False), 0
    )
    assert [part.tolist() for part in found] == [[], [0], [], []]


# The worked example

EXAMPLE = [26, 112, 183, 90, 46, 202, 33, 244]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (EXAMPLE, (codes.OK, [0, 1, 2, 9, 5, 2, 7], 8)),
        ([112, 26, *EXAMPLE[2:]], (codes.OK, [0, 1, 2, 9, 5, 2, 7], 8)),  # order does not matter
        (EXAMPLE[:-1], (codes.OUT_OF_CODONS, [], 7)),
    ],
)
def test_the_worked_example(row: list[int], expected: tuple[int, list[int], int]) -> None:
    assert mapped(Grammar.from_text(G2), [row]) == [expected]


def test_a_concentration_of_three_is_good_for_three_expansions() -> None:
    """Named three times while another rule waited, <a> grows three times without a gene being read."""
    grammar = Grammar.from_text("<s> ::= <w><a>\n<w> ::= p | q\n<a> ::= <a>. | x")
    assert mapped(grammar, [[2, 2, 2, 0, 3, 3]]) == [(codes.OK, [0, 1, 3, 3, 3, 4], 5)]


def test_what_the_table_holds_for_others_does_not_save_a_genome_that_has_ended() -> None:
    grammar = Grammar.from_text("<s> ::= <w><a>\n<w> ::= p | q\n<a> ::= x | y")
    assert mapped(grammar, [[2, 3, 2]]) == [(codes.OUT_OF_CODONS, [], 3)]
    assert mapped(grammar, [[2, 3, 2, 0]]) == [(codes.OK, [0, 1, 3], 4)]
    assert mapped(grammar, [[2, 3, 0]]) == [(codes.OUT_OF_CODONS, [], 3)]  # a tie


# The way back


def derivations_of(grammar: Grammar, n: int, seed: int) -> Derivations:
    lists = IntegerLists(4, 6)
    return lists.map(grammar, lists.initial(grammar, n, np.uint64(seed)), np.zeros(0), np.uint64(seed), 0, 0)[1]


@given(grammars(), st.booleans(), st.sampled_from([0, 3, 255]), st.integers(1, 40), SEEDS)
def test_encoding_equals_its_twin(grammar: Grammar, number_all: bool, codon_max: int, length: int, seed: int) -> None:
    found = derivations_of(grammar, 4, seed)
    rows, fits = chorus.encode_chorus(
        found.productions, found.offsets, found.status, grammar.arrays,
        *Genes(number_all=number_all)._numbers(grammar), length, codon_max, np.uint64(seed), 3,
    )  # fmt: skip
    assert rows.dtype == np.int32
    for i in range(4):
        draws = Draws(twins.stream(seed, 3, codes.ENCODE, i))
        given_one = found[i].tolist() if found.status[i] == codes.OK else None
        expected = twin_encode(grammar, given_one, length, number_all, codon_max, draws)
        assert (rows[i].tolist(), bool(fits[i])) == expected


@given(grammars() | st.just(Grammar.from_text(GR)), st.booleans(), SEEDS)
def test_what_was_encoded_maps_back(grammar: Grammar, number_all: bool, seed: int) -> None:
    found = derivations_of(grammar, 5, seed)
    rows, fits = chorus.encode_chorus(
        found.productions, found.offsets, found.status, grammar.arrays,
        *Genes(number_all=number_all)._numbers(grammar), 60, 255, np.uint64(seed), 0,
    )  # fmt: skip
    for i, (status, productions, _) in enumerate(mapped(grammar, rows.tolist(), number_all)):
        if fits[i]:
            assert (status, productions) == (codes.OK, found[i].tolist())
        else:
            assert found.status[i] != codes.OK or len(found[i]) > 60
