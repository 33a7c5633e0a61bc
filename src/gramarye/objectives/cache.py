"""What a run has seen before, and what became of it: nine of ten derivations and programs are repeats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivations, Status
from gramarye.populations.evaluation import Evaluation, Work

LIMIT = 64 * 2**20  # bytes; a table beyond this is emptied, which changes time only


class Records(NamedTuple):
    """What is found out about N rows."""

    fitness: NDArray[np.float64]  # [N]
    status: NDArray[np.int8]  # [N]
    size: NDArray[np.int64]  # [N]
    weights: NDArray[np.float64]  # [N, W]; W is 0 where nothing is scaled

    @classmethod
    def blank(cls, n: int, weights: int = 0) -> Records:
        """Records of rows without a program."""
        return cls(np.full(n, np.inf), np.zeros(n, np.int8), np.zeros(n, np.int64), np.full((n, weights), np.nan))

    def take(self, rows: NDArray[Any]) -> Records:
        """Some of the records."""
        return Records(*(column[rows] for column in self))

    def put(self, rows: NDArray[Any] | slice, records: Records) -> None:
        """Write these records over some."""
        columns: tuple[NDArray[Any], ...] = self
        for ours, theirs in zip(columns, records, strict=True):
            ours[rows] = theirs


Compute = Callable[[NDArray[np.int32], NDArray[np.int64]], tuple[Records, Work]]  # of rows and their N+1 bounds


class Cache:
    """An exact table of rows of int32 (derivations, or programs), with a record for each."""

    def __init__(self, weights: int = 0, limit: int = LIMIT) -> None:
        self._weights = weights
        self._limit = limit
        self._clear()

    def _clear(self) -> None:
        self.size = 0
        self._slots = np.full(2048, -1, np.int32)
        self._hashes = np.empty(1024, np.uint64)
        self._starts = np.zeros(1025, np.int64)
        self._pool = np.empty(16384, np.int32)
        self._records = Records.blank(1024, self._weights)

    @property
    def bytes(self) -> int:
        """The memory that the table takes."""
        arrays = self._slots, self._hashes, self._starts, self._pool, *self._records
        return sum(array.nbytes for array in arrays)

    def look_up(self, words: NDArray[np.int32], offsets: NDArray[np.int64], compute: Compute) -> tuple[Records, Work]:
        """The record of each row, and the work that new rows took; an empty row has no program."""
        entries, first = self.enter(words, offsets)
        work = Work()
        if first < self.size:
            try:
                new, work = compute(*self.rows(first))
            except BaseException:  # an interruption too: rows without a record must not stay
                self._clear()
                raise
            self._records.put(slice(first, self.size), new)
        records = self._records.take(entries)
        empty = entries < 0
        if empty.any():
            records.put(empty, Records.blank(1, self._weights))
        return records, work

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


def derivations_between(productions: NDArray[np.int32], bounds: NDArray[np.int64]) -> Derivations:
    """Whole derivations that stand one after another in a table."""
    return Derivations(productions[bounds[0] : bounds[-1]], bounds - bounds[0], np.zeros(len(bounds) - 1, np.int8))


def only_whole(derivations: Derivations) -> Derivations:
    """The same population, where those that failed have no productions."""
    failed = derivations.status != Status.OK
    lengths = np.diff(derivations.offsets)
    if not (failed & (lengths > 0)).any():
        return derivations
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.where(failed, 0, lengths))])
    return Derivations(derivations.productions[np.repeat(~failed, lengths)], offsets, derivations.status)


def evaluation_of(derivations: Derivations, records: Records, work: Work) -> Evaluation:
    """The evaluation that records of a population make up."""
    return Evaluation(
        derivations,
        records.fitness,
        np.where(derivations.status != Status.OK, derivations.status, records.status),
        records.size,
        records.weights if records.weights.shape[1] else None,
        work,
    )
