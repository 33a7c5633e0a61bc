from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.objectives.seen import Seen


def programs(rows: list[list[int]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return np.array([word for row in rows for word in row], np.int32), offsets


batches = st.lists(st.lists(st.lists(st.integers(-3, 70), max_size=3), max_size=12), max_size=6)


@given(batches)
def test_the_table_is_a_dictionary(rows: list[list[list[int]]]) -> None:
    seen, twin = Seen(), dict[tuple[int, ...], int]()
    for batch in rows:
        before = len(twin)
        wanted = [twin.setdefault(tuple(row), len(twin)) if row else -1 for row in batch]
        entries, first_new = seen.enter(*programs(batch))
        assert entries.tolist() == wanted
        assert first_new == before
        assert seen.size == len(twin)
        words, bounds = seen.rows(first_new)
        new = list(twin)[before:]
        assert [tuple(words[a:b]) for a, b in pairwise(bounds)] == new


def test_the_table_grows_and_forgets_nothing() -> None:
    seen = Seen()
    rows = [[k, k % 7, 3] for k in range(5000)]
    first, _ = seen.enter(*programs(rows[:10]))
    seen.fitness[:10] = np.arange(10)
    everyone, first_new = seen.enter(*programs(rows))
    assert first_new == 10
    assert everyone.tolist() == list(range(5000))
    assert first.tolist() == everyone[:10].tolist()
    assert seen.fitness[:10].tolist() == list(range(10))
    assert len(seen.fitness) >= 5000


def test_a_table_beyond_its_limit_is_emptied() -> None:
    seen = Seen(limit=200_000)
    seen.enter(*programs([[k] * 30 for k in range(3000)]))
    assert seen.bytes > 200_000
    entries, first_new = seen.enter(*programs([[7] * 30]))
    assert (entries.tolist(), first_new, seen.size) == ([0], 0, 1)
    assert seen.bytes < 200_000
