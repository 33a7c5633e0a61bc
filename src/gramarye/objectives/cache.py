"""What a run has seen before, and what became of it: nine of ten derivations and programs are repeats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import NO_VALUES, Derivations, Status
from gramarye.populations.evaluation import Evaluation, Work

LIMIT = 64 * 2**20  # bytes; a table beyond this is emptied, which changes time only


class Records(NamedTuple):
    """What is found out about N rows."""

    fitness: NDArray[np.float64]  # [N]
    status: NDArray[np.int8]  # [N]
    size: NDArray[np.int64]  # [N]
    weights: NDArray[np.float64]  # [N, W]; W is 0 where nothing is fitted
    passes: NDArray[np.int64]  # [N] how often a program was run over the data

    @classmethod
    def blank(cls, n: int, weights: int = 0) -> Records:
        """Records of rows without a program."""
        sizes, passes = np.zeros(n, np.int64), np.ones(n, np.int64)
        return cls(np.full(n, np.inf), np.zeros(n, np.int8), sizes, np.full((n, weights), np.nan), passes)

    def take(self, rows: NDArray[Any]) -> Records:
        """Some of the records."""
        return Records(*(column[rows] for column in self))

    def put(self, rows: NDArray[Any] | slice, records: Records) -> None:
        """Write these records over some."""
        columns: tuple[NDArray[Any], ...] = self
        for ours, theirs in zip(columns, records, strict=True):
            ours[rows] = theirs


Words = NDArray[np.int32]
Compute = Callable[[Words, NDArray[np.int64]], tuple[Records, Work]]  # of rows and their N+1 bounds
Tune = Callable[[Words, NDArray[np.int64]], tuple[Records, Work, Words]]  # and the rows with other numbers in them


class Cache:
    """An exact table of rows of int32 (derivations, or programs), with a record for each.

    Of programs whose numbers are tuned, it also holds what became of them: another row of the same length.
    """

    def __init__(self, weights: int = 0, limit: int = LIMIT, tunes: bool = False) -> None:
        self._weights = weights
        self._limit = limit
        self._tunes = tunes
        self._clear()

    def _clear(self) -> None:
        self.size = 0
        self._slots = np.full(2048, -1, np.int32)
        self._hashes = np.empty(1024, np.uint64)
        self._starts = np.zeros(1025, np.int64)
        self._pool = np.empty(16384, np.int32)
        self._tuned = np.empty(16384 if self._tunes else 0, np.int32)
        self._records = Records.blank(1024, self._weights)

    @property
    def bytes(self) -> int:
        """The memory that the table takes."""
        arrays = self._slots, self._hashes, self._starts, self._pool, self._tuned, *self._records
        return sum(array.nbytes for array in arrays)

    def look_up(self, words: NDArray[np.int32], offsets: NDArray[np.int64], compute: Compute) -> tuple[Records, Work]:
        """The record of each row, and the work that new rows took; an empty row has no program."""
        entries, first = self.enter(words, offsets)
        work = Work()
        if first < self.size:
            with self._forgotten_if_it_fails():
                new, work = compute(*self.rows(first))
            self._records.put(slice(first, self.size), new)
        return self._found(entries), work

    def look_up_tuned(self, words: Words, offsets: NDArray[np.int64], tune: Tune) -> tuple[Records, Work, Words]:
        """The same, and what became of the rows."""
        entries, first = self.enter(words, offsets)
        work = Work()
        if first < self.size:
            with self._forgotten_if_it_fails():
                new, work, tuned = tune(*self.rows(first))
            self._records.put(slice(first, self.size), new)
            self._tuned[self._starts[first] : self._starts[self.size]] = tuned
        lengths = np.diff(offsets)
        places = np.repeat(self._starts[entries] - offsets[:-1], lengths) + np.arange(offsets[0], offsets[-1])
        return self._found(entries), work, self._tuned[places]

    @contextmanager
    def _forgotten_if_it_fails(self) -> Iterator[None]:
        """Rows without a record must not stay, after an interruption either."""
        try:
            yield
        except BaseException:
            self._clear()
            raise

    def _found(self, entries: NDArray[np.int32]) -> Records:
        records = self._records.take(entries)
        empty = entries < 0
        if empty.any():
            records.put(empty, Records.blank(1, self._weights))
        return records

    def enter(self, words: NDArray[np.int32], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int32], int]:
        """The entry of each row (-1: it is empty), and the first of the entries that are new."""
        if self.bytes > self._limit:
            self._clear()
        self._make_room(len(offsets) - 1, int(offsets[-1] - offsets[0]))
        before = self.size
        entries, self.size = kernels.interning.intern(
            words, offsets, self._slots, self._hashes, self._starts, self._pool, self.size
        )
        return entries, before

    def rows(self, first: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The numbers of all entries, and where those from `first` on begin and end."""
        return self._pool, self._starts[first : self.size + 1]

    def _make_room(self, rows: int, words: int) -> None:
        self._pool = _with_room(self._pool, int(self._starts[self.size]) + words)
        if self._tunes:
            self._tuned = _with_room(self._tuned, len(self._pool))
        needed = self.size + rows
        self._hashes = _with_room(self._hashes, needed)
        self._starts = _with_room(self._starts, needed + 1)
        self._records = Records(*(_with_room(column, needed) for column in self._records))
        if 2 * needed > len(self._slots):
            self._slots = np.full(1 << (2 * needed - 1).bit_length(), -1, np.int32)
            kernels.interning.rehash(self._slots, self._hashes, self.size)


def _with_room(array: NDArray, needed: int) -> NDArray:  # type: ignore[type-arg]
    if needed <= len(array):
        return array
    larger = np.empty((max(needed, 2 * len(array)), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def compute_all(words: NDArray[np.int32], offsets: NDArray[np.int64], compute: Compute) -> tuple[Records, Work]:
    """What `look_up` does, without a table: every row is computed, repeats too."""
    computed, work = compute(words, np.unique(offsets))  # an empty row begins where the next one does
    records = Records.blank(len(offsets) - 1)
    records.put(np.diff(offsets) > 0, computed)
    return records, work


def derivations_between(
    productions: NDArray[np.int32], bounds: NDArray[np.int64], values: NDArray[np.float64] = NO_VALUES
) -> Derivations:
    """Whole derivations that stand one after another in a table."""
    steps, status = slice(bounds[0], bounds[-1]), np.zeros(len(bounds) - 1, np.int8)
    return Derivations(productions[steps], bounds - bounds[0], status, values[steps])


def evaluation_of(derivations: Derivations, records: Records, work: Work) -> Evaluation:
    """The evaluation that records of a population make up."""
    return Evaluation(
        derivations,
        records.fitness,
        np.where(derivations.status != Status.OK, derivations.status, records.status),
        records.size,
        records.weights if records.weights.shape[1] else None,
        replace(work, passes=int(records.passes.sum())),
    )
