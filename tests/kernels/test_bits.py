from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Derivation
from gramarye.grammar import Grammar
from gramarye.kernels import bits, codes
from gramarye.representations.bits import symbol_parts
from tests import twins
from tests.grammars import G1, GR, grammars
from tests.twins import Draws, Plain

SEEDS = st.integers(0, 2**64 - 1)
TEXTS = st.text("01", min_size=1, max_size=70)


def power(grammar: Grammar, name: str, level: int, depth: int) -> int:
    """How much a non-terminal can express, as the specification defines it."""
    rule = grammar.rules[name]
    if level >= depth:
        return len(rule)
    total = 0
    for production in rule:
        nodes = [s for s in production.symbols if s.kind != "space"]
        total += 1 if not nodes else 0
        total += sum(power(grammar, s.text, level + 1, depth) if s.kind == "nonterminal" else 1 for s in nodes)
    return total


def weight(grammar: Grammar, name: str, depth: int) -> int:
    value = power(grammar, name, 0, depth)
    return next(w for w in range(10**6) if 2**w >= value)


def parts_of(text: str, sizes: list[int]) -> list[str]:
    found = []
    for size in sizes:
        found.append(text[:size])
        text = text[size:]
    return found


def twin(grammar: Grammar, whole: str, depth: int) -> list[int]:
    plain = Plain.of(grammar)
    heights, _ = plain.heights()
    weights = {name: weight(grammar, name, depth) for name in grammar.nonterminals}

    def choose(name: str, own: str) -> int:
        rule = [p.id for p in grammar.rules[name]]
        j, n = len(rule), len(own)
        if j == 1:
            return rule[0]
        if n < j:
            lowest = [q for q in rule if heights[q] == min(heights[r] for r in rule)]
            return lowest[(own or whole).count("1") % len(lowest)]
        shares = [Fraction(p.count("1"), len(p)) for p in parts_of(own, [n // j + (k < n % j) for k in range(j)])]
        ties = [q for q, share in zip(rule, shares, strict=True) if share == max(shares)]
        return ties[own.count("1") % len(ties)]

    def derive(name: str, own: str) -> list[int]:
        q = choose(name, own)
        nodes = [s for s in grammar.productions[q].symbols if s.kind != "space"]
        n, u = len(own), len(nodes)
        sizes = [0] * u
        if 0 < u <= n:
            row = [weights[s.text] if s.kind == "nonterminal" else 0 for s in nodes]
            sizes = [w * n // sum(row) if sum(row) else 0 for w in row]
            rest = n
            if sum(sizes) > 0:
                m = n // sum(sizes)
                rest = n - m * sum(sizes)
                sizes = [m * size for size in sizes]
            for k in range(rest):
                sizes[k % u] += 1
        found = [q]
        for s, part in zip(nodes, parts_of(own, sizes), strict=True):
            if s.kind == "nonterminal":
                found += derive(s.text, part[:-1] if part == own else part)
        return found

    return derive(grammar.nonterminals[0], whole)


def mapped(grammar: Grammar, texts: list[str], depth: int = 3) -> list[list[int]]:
    """A population through the kernel."""
    array = np.array([[int(bit) for bit in text] for text in texts], np.uint8)
    productions, offsets = bits.map_bits(array, grammar.arrays, symbol_parts(grammar, depth))
    return [productions[a:b].tolist() for a, b in pairwise(offsets)]


def shares(length: int, weights: list[int]) -> list[int]:
    """How many of so many bits each symbol of a production gets from the kernel."""
    n = len(weights)
    symbols, totals = np.zeros(n, np.int32), np.array([sum(weights)])
    parts = bits.Parts(np.array([0, n], np.int32), symbols, np.array(weights), totals)
    stack, begins, sizes = np.zeros((3, n), np.int32)
    assert bits.push_children(parts, 0, 0, length, stack, begins, sizes, 0) == n
    found: list[int] = np.diff([*begins[::-1], length]).tolist()
    assert sizes[::-1].tolist() == [size - (size == length > 0) for size in found]  # so that every mapping ends
    return found


@pytest.mark.parametrize(
    ("length", "weights", "expected"),
    [
        (11, [6, 2, 6], [5, 2, 4]),
        (2, [6, 2, 6], [0, 0, 0]),  # fewer bits than symbols
        (3, [6, 2, 6], [2, 0, 1]),
        (5, [0, 0, 0], [2, 2, 1]),  # terminals only
        (7, [1], [7]),
        (10, [3, 0, 0], [10, 0, 0]),
        (3, [1, 1, 1, 1], [0, 0, 0, 0]),
        (7, [1, 1, 1, 1], [2, 2, 2, 1]),
        (4, [49, 0], [4, 0]),
        (0, [1], [0]),
    ],
)
def test_bits_are_shared_out_by_weight(length: int, weights: list[int], expected: list[int]) -> None:
    assert shares(length, weights) == expected


@given(st.integers(0, 300), st.lists(st.integers(0, 70), min_size=1, max_size=8))
def test_every_bit_is_shared_out_once(length: int, weights: list[int]) -> None:
    found = shares(length, weights)
    assert min(found) >= 0
    assert sum(found) == (length if len(weights) <= length else 0)


@given(grammars(), TEXTS, st.integers(0, 4))
def test_bits_are_mapped_as_by_the_twin_and_always_to_a_whole_program(grammar: Grammar, text: str, depth: int) -> None:
    texts = [text, text[::-1], "1" * len(text), "0" * len(text)]
    found = mapped(grammar, texts, depth)
    assert found == [twin(grammar, each, depth) for each in texts]
    assert all(Derivation(grammar, np.array(one, np.int32)).complete for one in found)


def test_long_genotypes_and_wide_productions_grow_all_arrays() -> None:
    grammar = Grammar.from_text(
        "<s> ::= " + "<a>" * 100 + "\n<a> ::= <a><a> | x | y<a>z | " + "<b>" * 70 + "\n<b> ::= x|y"
    )
    text = "".join("1" if (k * k) % 7 < 3 else "0" for k in range(3000))
    (found,) = mapped(grammar, [text])
    assert len(found) > 500
    assert found == twin(grammar, text, 3)


@pytest.mark.parametrize("text", ["0", "1", "10", "011"])
def test_the_shortest_genotypes_are_valid(text: str) -> None:
    for source in (G1, GR, "<a> ::= x", '<a> ::= ""', "<a> ::= <a> | x", "<a> ::= <b>\n<b> ::= <a> | x"):
        grammar = Grammar.from_text(source)
        assert mapped(grammar, [text]) == [twin(grammar, text, 3)]


@pytest.mark.parametrize(
    ("text", "productions", "phenotype"),
    [("001101000010", [0, 1, 2, 7, 4, 2, 6], "1.0 * x"), ("110100101100", [0, 2, 6], "x")],
)
def test_the_worked_examples(text: str, productions: list[int], phenotype: str) -> None:
    grammar = Grammar.from_text(G1)
    assert mapped(grammar, [text]) == [productions]
    assert Derivation(grammar, np.array(productions, np.int32)).phenotype == phenotype


def test_shares_are_compared_exactly() -> None:
    """Of 3 parts with 2/4, 1/2 and 1/2 of ones the tie is decided by the ones, 4 mod 3."""
    grammar = Grammar.from_text("<a> ::= x | y | z")
    assert mapped(grammar, ["1100" + "101" + "010"]) == [[1]]  # 2/4, 2/3, 1/3
    assert mapped(grammar, ["1010" + "0101" + "1001"]) == [[0]]  # three times 2/4, 6 mod 3 = 0
    assert mapped(grammar, ["10" + "01" + "10"]) == [[0]]
    assert mapped(grammar, ["10" + "01" + "1"]) == [[2]]
    assert mapped(grammar, ["0000000"]) == [[0]]


def test_a_population_of_nobody_is_mapped() -> None:
    grammar = Grammar.from_text(G1)
    productions, offsets = bits.map_bits(np.empty((0, 8), np.uint8), grammar.arrays, symbol_parts(grammar, 3))
    assert (productions.tolist(), offsets.tolist()) == ([], [0])


# Random genotypes and their variation


@given(st.integers(0, 3), st.integers(1, 150), SEEDS, st.integers(0, 9))
def test_random_bits_equal_their_twins(n: int, width: int, seed: int, generation: int) -> None:
    found = bits.random_bits(n, width, np.uint64(seed), generation)
    assert found.dtype == np.uint8
    assert found.shape == (n, width)
    for i in range(n):
        draws = Draws(twins.stream(seed, generation, codes.INITIAL, i))
        words = [draws.word() for _ in range(-(-width // 64))]
        assert found[i].tolist() == [(words[k // 64] >> k % 64) & 1 for k in range(width)]


def cross_twin(mother: list[int], father: list[int] | None, draws: Draws) -> list[int]:
    width = len(mother)
    if father is None or width == 1:
        return mother
    while True:
        one = draws.below(width + 1)
        other = [end for end in range(width + 1) if end != one][draws.below(width)]
        begin, end = sorted((one, other))
        if (begin, end) != (0, width):
            break
    place = draws.below(width - (end - begin) + 1)
    return mother[:begin] + father[place : place + end - begin] + mother[end:]


@given(st.integers(1, 20), st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 2)), max_size=6), SEEDS)
def test_crossover_equals_its_twin(width: int, pairs: list[tuple[int, int]], seed: int) -> None:
    parents = np.add.outer(50 * np.arange(3), np.arange(width)).astype(np.uint8)  # values that tell their place
    mothers, fathers = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    children = bits.cross_bits(parents, mothers, fathers, np.uint64(seed), 4)
    for i, (mother, father) in enumerate(pairs):
        draws = Draws(twins.stream(seed, 4, codes.CROSS, i))
        rows = parents[mother].tolist(), parents[father].tolist() if father >= 0 else None
        assert children[i].tolist() == cross_twin(*rows, draws)


def test_a_segment_has_any_place_in_both_parents_but_is_never_the_whole() -> None:
    n, width = 3000, 4
    parents = np.array([[0] * 4, [1, 2, 3, 4]], np.uint8)
    children = bits.cross_bits(parents, np.zeros(n, np.int64), np.ones(n, np.int64), np.uint64(3), 1)
    found = {tuple(row) for row in children.tolist()}
    expected = {
        (0,) * begin + (1, 2, 3, 4)[place : place + size] + (0,) * (width - begin - size)
        for size in (1, 2, 3)
        for begin in range(width - size + 1)
        for place in range(width - size + 1)
    }
    assert found == expected
    sizes = np.bincount((children > 0).sum(axis=1), minlength=5) / n
    for size in (1, 2, 3):  # 4, 3 and 2 of 9 pairs of ends
        share = (5 - size) / 9
        assert abs(sizes[size] - share) < 4 * math.sqrt(share * (1 - share) / n)


@given(st.integers(0, 3), st.integers(1, 20), st.sampled_from([0.0, 0.3, 1.0]), SEEDS)
def test_flips_equal_their_twins(n: int, width: int, rate: float, seed: int) -> None:
    before = bits.random_bits(n, width, np.uint64(seed), 0)
    after = before.copy()
    bits.flip_bits(after, rate, np.uint64(seed), 6)
    for i in range(n):
        draws = Draws(twins.stream(seed, 6, codes.MUTATE, i))
        assert after[i].tolist() == [bit ^ (draws.unit() < rate) for bit in before[i].tolist()]
