from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.derivations import Derivations, Status, only_whole
from gramarye.objectives.cache import Cache, Records, compute_all
from gramarye.populations.evaluation import Work


def programs(rows: list[list[int]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return np.array([word for row in rows for word in row], np.int32), offsets


batches = st.lists(st.lists(st.lists(st.integers(-3, 70), max_size=3), max_size=12), max_size=6)


@given(batches)
def test_the_table_is_a_dictionary(rows: list[list[list[int]]]) -> None:
    seen, twin = Cache(), dict[tuple[int, ...], int]()
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


class Summing:
    """What is cached in these tests: the sum of a row as its fitness, and counts of what was computed."""

    def __init__(self, weights: int = 0) -> None:
        self.weights = weights
        self.computed: list[tuple[int, ...]] = []

    def __call__(self, words: NDArray[np.int32], bounds: NDArray[np.int64]) -> tuple[Records, Work]:
        rows = [tuple(words[a:b].tolist()) for a, b in pairwise(bounds)]
        self.computed += rows
        records = Records.blank(len(rows), self.weights)
        records.fitness[:] = [sum(row) for row in rows]
        records.status[:] = [Status.NOT_FINITE if sum(row) < 0 else Status.OK for row in rows]
        records.size[:] = [len(row) for row in rows]
        records.weights[:] = [[sum(row), k] if self.weights else [] for k, row in enumerate(rows)]
        return records, Work(len(rows), 2 * len(rows))


@given(batches, st.sampled_from([0, 2]), st.sampled_from([0, 2**20]))
def test_what_is_looked_up_is_what_would_be_computed(rows: list[list[list[int]]], weights: int, limit: int) -> None:
    cache, summing = Cache(weights, limit), Summing(weights)
    work = Work()
    for batch in rows:
        records, more = cache.look_up(*programs(batch), summing)
        work += more
        assert records.fitness.tolist() == [sum(row) if row else np.inf for row in batch]
        assert records.size.tolist() == [len(row) for row in batch]
        assert (records.status == Status.NOT_FINITE).tolist() == [sum(row) < 0 for row in batch]
        assert records.weights.shape == (len(batch), weights)
        if weights:
            assert np.array_equal(records.weights[:, 0], [sum(row) if row else np.nan for row in batch], True)
    assert work.distinct == len(summing.computed)
    if limit:
        assert len(summing.computed) == len({tuple(row) for batch in rows for row in batch if row})


@given(st.lists(st.lists(st.integers(-3, 70), max_size=3), max_size=12))
def test_without_a_table_every_row_is_computed(batch: list[list[int]]) -> None:
    summing = Summing()
    records, work = compute_all(*programs(batch), summing)
    assert records.fitness.tolist() == [sum(row) if row else np.inf for row in batch]
    assert summing.computed == [tuple(row) for row in batch if row]
    assert work.distinct == len(summing.computed)


def test_rows_whose_computation_was_interrupted_are_computed_again() -> None:
    def interrupted(words: NDArray[np.int32], bounds: NDArray[np.int64]) -> tuple[Records, Work]:
        raise KeyboardInterrupt

    cache = Cache()
    with pytest.raises(KeyboardInterrupt):
        cache.look_up(*programs([[1, 2]]), interrupted)
    records, _ = cache.look_up(*programs([[1, 2]]), Summing())
    assert records.fitness.tolist() == [3.0]


def test_the_table_grows_and_forgets_nothing() -> None:
    cache, summing = Cache(), Summing()
    rows = [[k, k % 7, 3] for k in range(5000)]
    cache.look_up(*programs(rows[:10]), summing)
    records, work = cache.look_up(*programs(rows), summing)
    assert work.distinct == 4990
    assert records.fitness.tolist() == [sum(row) for row in rows]


def test_derivations_that_failed_lose_their_productions() -> None:
    status = np.array([0, 1, 0, 2], np.int8)
    cut_off = Derivations(np.arange(7, dtype=np.int32), np.array([0, 2, 5, 6, 7], np.int64), status)
    whole = only_whole(cut_off)
    assert [whole[i].tolist() for i in range(4)] == [[0, 1], [], [5], []]
    assert only_whole(whole) is whole


def test_a_table_beyond_its_limit_is_emptied() -> None:
    seen = Cache(limit=200_000)
    seen.enter(*programs([[k] * 30 for k in range(3000)]))
    assert seen.bytes > 200_000
    entries, first_new = seen.enter(*programs([[7] * 30]))
    assert (entries.tolist(), first_new, seen.size) == ([0], 0, 1)
    assert seen.bytes < 200_000


class Doubling(Summing):
    """The same, with rows that become twice as large."""

    def tuned(self, words: NDArray[np.int32], bounds: NDArray[np.int64]) -> tuple[Records, Work, NDArray[np.int32]]:
        records, work = self(words, bounds)
        return records, work, 2 * words[bounds[0] : bounds[-1]]


@given(batches, st.sampled_from([0, 2**20]), st.integers(0, 3))
def test_what_became_of_rows_comes_back_whether_they_were_computed_now_or_before(
    rows: list[list[list[int]]], limit: int, skipped: int
) -> None:
    cache, doubling = Cache(0, limit, tunes=True), Doubling()
    for batch in rows:
        words, offsets = programs(batch)
        part = offsets[min(skipped, len(batch)) :]  # a part of a population begins anywhere
        kept = batch[min(skipped, len(batch)) :]
        records, _, tuned = cache.look_up_tuned(words, part, doubling.tuned)
        assert records.fitness.tolist() == [sum(row) if row else np.inf for row in kept]
        assert tuned.tolist() == [2 * word for row in kept for word in row]
    if limit:
        assert len(doubling.computed) == len(set(doubling.computed))


def test_rows_whose_tuning_failed_are_tuned_again() -> None:
    def failing(words: NDArray[np.int32], bounds: NDArray[np.int64]) -> tuple[Records, Work, NDArray[np.int32]]:
        raise ValueError("no")

    cache, doubling = Cache(tunes=True), Doubling()
    cache.look_up_tuned(*programs([[5]]), doubling.tuned)
    with pytest.raises(ValueError, match="no"):
        cache.look_up_tuned(*programs([[5], [1, 2]]), failing)
    records, _, tuned = cache.look_up_tuned(*programs([[1, 2], [5]]), doubling.tuned)
    assert records.fitness.tolist() == [3.0, 5.0]
    assert tuned.tolist() == [2, 4, 10]


def test_the_table_of_tuned_rows_grows_and_forgets_nothing() -> None:
    cache, doubling = Cache(tunes=True), Doubling()
    rows = [[k, k % 7, 3] for k in range(9000)]
    cache.look_up_tuned(*programs(rows[:10]), doubling.tuned)
    _, work, tuned = cache.look_up_tuned(*programs(rows), doubling.tuned)
    assert work.distinct == 8990
    assert tuned.tolist() == [2 * word for row in rows for word in row]
