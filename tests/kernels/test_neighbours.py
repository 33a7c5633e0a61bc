from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.kernels import codes, neighbours
from tests import twins

SEEDS = st.integers(0, 2**64 - 1)


@given(st.lists(st.integers(0, 6), max_size=5), st.integers(1, 4), SEEDS)
def test_places_equal_those_of_the_twin(eligible: list[int], count: int, seed: int) -> None:
    places, numbers = neighbours.pick(np.array(eligible, np.int64), count, np.uint64(seed), 3)
    for i, n in enumerate(eligible):
        draws = twins.Draws(twins.stream(seed, 3, codes.ANALYSE, i))
        left = list(range(n))
        expected = [(left.pop(draws.below(len(left))), draws.unit()) for _ in range(min(count, n))]
        found = list(zip(places[i].tolist(), numbers[i].tolist(), strict=True))
        assert found == expected + [(neighbours.NOWHERE, 0.0)] * (count - len(expected))


def test_every_place_is_as_likely_as_another() -> None:
    n = 3000
    places, _ = neighbours.pick(np.full(n, 5), 2, np.uint64(4), 0)
    counts = np.bincount(places.ravel(), minlength=5)
    assert (abs(counts - 2 * n / 5) < 4 * math.sqrt(2 * n * 0.24)).all()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4), st.integers(1, 4), SEEDS)
def test_entries_are_different_ones_of_their_lists(sizes: list[tuple[int, int]], count: int, seed: int) -> None:
    lists, places, _ = neighbours.pick_entries(np.array(sizes, np.int64), count, np.uint64(seed), 0)
    for row, own, where in zip(sizes, lists.tolist(), places.tolist(), strict=True):
        found = [(a, place) for a, place in zip(own, where, strict=True) if a != neighbours.NOWHERE]
        assert len(set(found)) == len(found) == min(count, sum(row))
        assert all(0 <= place < row[a] for a, place in found)


@given(st.integers(0, 300), st.integers(2, 256))
def test_another_value_is_any_but_the_old_one(value: int, n: int) -> None:
    found = [neighbours.other(value, (k + 0.5) / (n - 1), n) for k in range(n - 1)]
    assert sorted(found) == [v for v in range(n) if v != value % n]


def test_only_what_was_picked_is_redrawn() -> None:
    codons = np.zeros((2, 3), np.int32)
    neighbours.redraw_integers(codons, np.array([[0, 2], [1, -1]]), np.array([[0.0, 0.9], [0.5, 0.0]]), 4)
    assert codons.tolist() == [[1, 0, 4], [0, 3, 0]]
    reals = np.zeros((1, 3))
    neighbours.redraw_reals(reals, np.array([[2, -1]]), np.array([[0.25, 0.5]]))
    assert reals.tolist() == [[0, 0, 0.25]]
    values = np.array([0, 1, 2, 0], np.int32)  # two lists of two entries, of rules with three and two productions
    neighbours.redraw_entries(
        values, np.array([0, 2, 4]), np.array([[0, 1, -1]]), np.array([[1, 1, -1]]), np.array([[0.9, 0.0, 0.0]]),
        np.array([0, 3, 5], np.int32),
    )  # fmt: skip
    assert values.tolist() == [0, 0, 2, 1]


Lists = st.lists(st.integers(0, 2), max_size=4)


@given(st.lists(st.tuples(Lists, Lists), min_size=1, max_size=4))
def test_derivations_first_differ_where_the_twin_says(pairs: list[tuple[list[int], list[int]]]) -> None:
    packed: list[NDArray[Any]] = []
    for side in (0, 1):
        rows = [pair[side] for pair in pairs]
        entries = np.array([entry for row in rows for entry in row], np.int32)
        packed += [entries, np.cumsum([0, *map(len, rows)], dtype=np.int64)]
    found = neighbours.first_differences(*packed)
    for (a, b), place in zip(pairs, found.tolist(), strict=True):
        shared = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
        assert place == (neighbours.NOWHERE if a == b else shared)


ROWS = st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=4)


@given(st.data())
def test_rows_differ_in_places_and_in_length(data: st.DataObject) -> None:
    a = data.draw(ROWS)
    b = data.draw(st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=len(a), max_size=len(a)))
    lengths = st.lists(st.integers(0, 3), min_size=len(a), max_size=len(a))
    short, long = data.draw(lengths), data.draw(lengths)
    found = neighbours.row_distances(
        np.array(a, np.int32), np.array(b, np.int32), np.array(short, np.int32), np.array(long, np.int32)
    )
    expected = [
        sum(x != y for x, y in zip(row[:m], other[:n], strict=False)) + abs(m - n)
        for row, other, m, n in zip(a, b, short, long, strict=True)
    ]
    assert found.tolist() == expected


@given(st.integers(1, 3), st.data())
def test_lists_differ_in_entries_and_in_length(k: int, data: st.DataObject) -> None:
    lists = st.lists(st.lists(st.integers(0, 2), max_size=4), min_size=2 * k, max_size=2 * k)
    a, b = data.draw(lists), data.draw(lists)
    packed = [
        part
        for rows in (a, b)
        for part in (
            np.array([entry for row in rows for entry in row], np.int32),
            np.cumsum([0, *map(len, rows)], dtype=np.int64),
        )
    ]
    each = [sum(x != y for x, y in zip(p, q, strict=False)) + abs(len(p) - len(q)) for p, q in zip(a, b, strict=True)]
    found = neighbours.list_distances(packed[0], packed[1], packed[2], packed[3], k)
    assert found.tolist() == [sum(each[i:j]) for i, j in pairwise([0, k, 2 * k])]
