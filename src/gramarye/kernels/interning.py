"""The programs that a run has seen: an exact table (hash, then comparison) from programs to numbered entries."""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel
from gramarye.kernels.random import scramble

_PRIME = np.uint64(0x9E3779B97F4A7C15)


@kernel
def hash_words(words: np.ndarray, begin: int, stop: int) -> np.uint64:
    """A 64-bit hash of a program."""
    h = np.uint64(stop - begin)
    for w in range(begin, stop):
        h = (h ^ np.uint64(np.uint32(words[w]))) * _PRIME
        h ^= h >> np.uint64(29)
    return scramble(h)


@kernel
def same(a: np.ndarray, a_begin: int, b: np.ndarray, b_begin: int, n: int) -> bool:
    """Whether two programs of n words are equal."""
    for w in range(n):
        if a[a_begin + w] != b[b_begin + w]:
            return False
    return True


@kernel
def intern(
    words: np.ndarray,
    offsets: np.ndarray,  # [N+1]; an empty program is passed over
    slots: np.ndarray,  # int32[2**b], -1: free; else the number of an entry. At most half full.
    hashes: np.ndarray,  # uint64[entries]
    starts: np.ndarray,  # int64[entries + 1]: where each entry's words stand in the pool
    pool: np.ndarray,  # int32[…]
    size: int,
) -> tuple[np.ndarray, int]:
    """The entry of each program [N] (-1: none), new programs entered; the new size.

    The arrays have room for everything that the batch may add.
    """
    n = len(offsets) - 1
    entries = np.empty(n, np.int32)
    mask = np.uint64(len(slots) - 1)
    for i in range(n):
        length = offsets[i + 1] - offsets[i]
        if length == 0:
            entries[i] = -1
            continue
        h = hash_words(words, offsets[i], offsets[i + 1])
        slot = np.int64(h & mask)
        entry = slots[slot]
        while entry >= 0:
            if (
                hashes[entry] == h
                and starts[entry + 1] - starts[entry] == length
                and same(words, offsets[i], pool, starts[entry], length)
            ):
                break
            slot = (slot + 1) & np.int64(mask)
            entry = slots[slot]
        if entry < 0:
            entry = np.int32(size)
            slots[slot] = entry
            hashes[entry] = h
            starts[entry + 1] = starts[entry] + length
            for w in range(length):
                pool[starts[entry] + w] = words[offsets[i] + w]
            size += 1
        entries[i] = entry
    return entries, size


@kernel
def rehash(slots: np.ndarray, hashes: np.ndarray, size: int) -> None:
    """Fill a larger, empty array of slots."""
    mask = np.int64(len(slots) - 1)
    for entry in range(size):
        slot = np.int64(hashes[entry] & np.uint64(mask))
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = entry
