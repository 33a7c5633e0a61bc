"""What a run has seen before, and what became of it: nine of ten derivations and programs are repeats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels

LIMIT = 64 * 2**20  # bytes; a table beyond this is emptied, which changes time only


class Seen:
    """An exact table of rows of int32 (derivations, or programs), with a fitness for each."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._clear()

    def _clear(self) -> None:
        self.size = 0
        self._slots = np.full(2048, -1, np.int32)
        self._hashes = np.empty(1024, np.uint64)
        self._starts = np.zeros(1025, np.int64)
        self._pool = np.empty(16384, np.int32)
        self.fitness = np.empty(1024)

    @property
    def bytes(self) -> int:
        """The memory that the table takes."""
        return sum(a.nbytes for a in (self._slots, self._hashes, self._starts, self._pool, self.fitness))

    def enter(self, words: NDArray[np.int32], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int32], int]:
        """The entry of each row (-1: it is empty), and the first of the entries that are new."""
        if self.bytes > self._limit:
            self._clear()
        self._make_room(len(offsets) - 1, len(words))
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
        self.fitness = _with_room(self.fitness, needed)
        if 2 * needed > len(self._slots):
            self._slots = np.full(1 << (2 * needed - 1).bit_length(), -1, np.int32)
            kernels.table.rehash(self._slots, self._hashes, self.size)


def _with_room(array: NDArray, needed: int) -> NDArray:  # type: ignore[type-arg]
    if needed <= len(array):
        return array
    larger = np.empty(max(needed, 2 * len(array)), array.dtype)
    larger[: len(array)] = array
    return larger
