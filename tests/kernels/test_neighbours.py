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
