from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.kernels import interning
from gramarye.objectives.cache import Cache

WORD = st.integers(-(2**31), 2**31 - 1) | st.integers(0, 2)  # few different words: many equal programs
BATCH = st.lists(st.lists(WORD, max_size=4), max_size=12)


def as_programs(batch: list[list[int]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    words = np.array([word for row in batch for word in row], np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in batch])]).astype(np.int64)
    return words, offsets


def expected(batches: list[list[list[int]]]) -> list[list[int]]:
    """The twin of the table: a dictionary."""
    numbers: dict[tuple[int, ...], int] = {}
    return [[numbers.setdefault(tuple(row), len(numbers)) if row else -1 for row in batch] for batch in batches]


@given(st.lists(BATCH, min_size=1, max_size=4))
def test_a_table_equals_a_dictionary(batches: list[list[list[int]]]) -> None:
    seen = Cache()
    found = [seen.enter(*as_programs(batch))[0].tolist() for batch in batches]
    assert found == expected(batches)


@given(st.lists(BATCH, min_size=1, max_size=4))
def test_what_is_new_stands_in_the_pool(batches: list[list[list[int]]]) -> None:
    seen = Cache()
    known: list[list[int]] = []
    for batch in batches:
        _, first = seen.enter(*as_programs(batch))
        words, bounds = seen.rows(first)
        new = [words[a:b].tolist() for a, b in pairwise(bounds)]
        assert first == len(known)
        assert new == [list(row) for row in dict.fromkeys(map(tuple, batch)) if row and list(row) not in known]
        known += new


def tight(batch: list[list[int]], slots: int) -> NDArray[np.int32]:
    """The entries of a batch in a table with so few slots that programs meet in them."""
    words, offsets = as_programs(batch)
    n, w = len(batch), len(words)
    entries, _ = interning.intern(
        words,
        offsets,
        np.full(slots, -1, np.int32),
        np.empty(n, np.uint64),
        np.zeros(n + 1, np.int64),
        np.empty(w, np.int32),
        0,
    )
    return entries


@given(st.lists(st.lists(WORD, max_size=4), max_size=7))
def test_programs_that_meet_in_one_slot_are_told_apart(batch: list[list[int]]) -> None:
    assert tight(batch, 8).tolist() == expected([batch])[0]


def test_a_full_cycle_of_slots_is_searched() -> None:
    batch = [[k] for k in range(7)]
    assert tight(batch * 2, 8).tolist() == [*range(7), *range(7)]


def test_equal_hashes_of_different_programs_are_told_apart() -> None:
    """The words are compared: entries whose hash is that of the next program, but whose words or length are not."""
    words = np.array([1, 2, 3], np.int32)
    the_hash = interning.hash_words(words, 0, 3)
    for other in ([1, 2, 4], [1, 2]):
        slots = np.full(8, -1, np.int32)
        slots[int(the_hash) & 7] = 0
        hashes = np.array([the_hash, 0], np.uint64)
        starts = np.array([0, len(other), 0], np.int64)
        pool = np.array([*other, 3, 0, 0], np.int32)  # what stands after an entry is none of it
        entries, size = interning.intern(words, np.array([0, 3], np.int64), slots, hashes, starts, pool, 1)
        assert entries.tolist() == [1]
        assert size == 2
        assert pool[starts[1] : starts[2]].tolist() == [1, 2, 3]


def test_a_table_grows_and_keeps_all_its_entries() -> None:
    seen = Cache()
    batches = [[[k, k % 7, -k] for k in range(first, first + 700)] for first in (0, 300, 600, 900, 0)]
    found = [seen.enter(*as_programs(batch))[0].tolist() for batch in batches]
    assert found == expected(batches)
    assert seen.size == 1600
    assert len(seen._slots) >= 2 * seen.size


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20, unique=True))
def test_rehashing_leaves_every_entry_where_a_search_finds_it(values: list[int]) -> None:
    slots = np.full(64, -1, np.int32)
    interning.rehash(slots, np.array(values, np.uint64), len(values))
    for entry, value in enumerate(values):
        slot = value % 64
        while slots[slot] != entry:
            assert slots[slot] >= 0, "an empty slot ends the search"
            slot = (slot + 1) % 64


def test_rehashing_goes_on_where_slots_are_taken() -> None:
    slots = np.full(4, -1, np.int32)
    interning.rehash(slots, np.array([3, 7], np.uint64), 2)
    assert slots.tolist() == [1, -1, -1, 0]


@given(st.lists(WORD, min_size=1, max_size=4), st.integers(0, 3), WORD)
def test_a_hash_depends_on_the_words_alone_and_on_each_of_them(row: list[int], at: int, other: int) -> None:
    words = np.array([9, *row, 9], np.int32)
    the_hash = interning.hash_words(words, 1, 1 + len(row))
    assert the_hash == interning.hash_words(np.array(row, np.int32), 0, len(row))
    changed = list(row)
    changed[at % len(row)] = other
    if changed != row:  # each step is a bijection of the hash so far: one changed word always shows
        assert the_hash != interning.hash_words(np.array(changed, np.int32), 0, len(row))
