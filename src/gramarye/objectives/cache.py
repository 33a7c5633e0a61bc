"""What a run has seen before, and what became of it: nine of ten derivations, programs and texts are repeats."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivation import Derivations, Status
from gramarye.evaluation import Evaluation, Work

LIMIT = 64 * 2**20  # bytes; a table beyond this is emptied, which changes time only

Records = NDArray[np.void]  # [N] what an evaluation finds out: fitness, status, size, weights
Compute = Callable[[NDArray[np.int32], NDArray[np.int64]], tuple[Records, Work]]  # of rows and their N+1 bounds


def records_of_nothing(n: int, weights: int = 0) -> Records:
    """Records of n individuals without a program."""
    fields = [("fitness", np.float64), ("status", np.int8), ("size", np.int64), ("weights", np.float64, (weights,))]
    records = np.zeros(n, np.dtype(fields))
    records["fitness"], records["weights"] = np.inf, np.nan
    return records


class Cache:
    """An exact table of rows of int32 (derivations, programs, or texts), with a record for each."""

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
        self._records = records_of_nothing(1024, self._weights)

    @property
    def bytes(self) -> int:
        """The memory that the table takes."""
        return sum(a.nbytes for a in (self._slots, self._hashes, self._starts, self._pool, self._records))

    def look_up(self, words: NDArray[np.int32], offsets: NDArray[np.int64], compute: Compute) -> tuple[Records, Work]:
        """The record of each row, and the work that new rows took; an empty row has no program."""
        entries, first = self.enter(words, offsets)
        work = Work()
        if first < self.size:
            try:
                self._records[first : self.size], work = compute(self._pool, self._starts[first : self.size + 1])
            except BaseException:  # an interruption too: rows without a record must not stay
                self._clear()
                raise
        if len(entries) and entries.min() >= 0:
            return self._records[entries], work
        records = records_of_nothing(len(entries), self._weights)
        known = entries >= 0
        records[known] = self._records[entries[known]]
        return records, work

    def enter(self, words: NDArray[np.int32], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int32], int]:
        """The entry of each row (-1: it is empty), and the first of the entries that are new."""
        if self.bytes > self._limit:
            self._clear()
        self._make_room(len(offsets) - 1, int(offsets[-1] - offsets[0]))
        before = self.size
        entries, self.size = kernels.table.intern(
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
        self._records = _with_room(self._records, needed)
        if 2 * needed > len(self._slots):
            self._slots = np.full(1 << (2 * needed - 1).bit_length(), -1, np.int32)
            kernels.table.rehash(self._slots, self._hashes, self.size)


def _with_room(array: NDArray, needed: int) -> NDArray:  # type: ignore[type-arg]
    if needed <= len(array):
        return array
    larger = np.empty(max(needed, 2 * len(array)), array.dtype)
    larger[: len(array)] = array
    return larger


def compute_all(words: NDArray[np.int32], offsets: NDArray[np.int64], compute: Compute) -> tuple[Records, Work]:
    """What `look_up` does, without a table: every row is computed, repeats too."""
    computed, work = compute(words, np.unique(offsets))  # an empty row begins where the next one does
    records = records_of_nothing(len(offsets) - 1)
    records[np.diff(offsets) > 0] = computed
    return records, work


def derivations_between(productions: NDArray[np.int32], bounds: NDArray[np.int64]) -> Derivations:
    """Whole derivations that stand one after another in a table."""
    return Derivations(productions[bounds[0] : bounds[-1]], bounds - bounds[0], np.zeros(len(bounds) - 1, np.int8))


def only_whole(derivations: Derivations) -> Derivations:
    """The same population, where those that failed have no productions."""
    failed = derivations.status != Status.OK
    lengths = np.diff(derivations.offsets)
    if not lengths[failed].any():
        return derivations
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.where(failed, 0, lengths))])
    return Derivations(derivations.productions[np.repeat(~failed, lengths)], offsets, derivations.status)


def evaluation_of(derivations: Derivations, records: Records, work: Work) -> Evaluation:
    """The evaluation that records of a population make up."""
    failed = derivations.status != Status.OK
    weights = records["weights"].copy() if records["weights"].shape[1] else None
    return Evaluation(
        derivations,
        fitness=records["fitness"].copy(),
        status=np.where(failed, derivations.status, records["status"]),
        size=records["size"].copy(),
        weights=weights,
        work=work,
    )
