"""Random numbers that depend on what they are for, not on when they are drawn.

Every draw comes from a SplitMix64 stream started at `stream(seed, generation, purpose, individual)`, so that a run is
the same whatever the number of threads, the size of a batch or an interruption. (Steele, Lea, Flood 2014.)
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels.codes import SPLIT
from gramarye.kernels.compiler import kernel

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)
_S11, _S32 = np.uint64(11), np.uint64(32)
_TO_UNIT = 1.0 / 9007199254740992.0  # 2 ** -53


@kernel
def scramble(state: np.uint64) -> np.uint64:
    """The output function of SplitMix64: a bijection of 64-bit words."""
    z = (state ^ (state >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@kernel
def advance(state: np.uint64) -> np.uint64:
    """The state after one draw; `scramble` of it is the number drawn."""
    return state + _GOLDEN


@kernel
def fork(state: np.uint64, key: int | np.uint64) -> np.uint64:
    """An independent stream for each key."""
    return scramble((state ^ scramble(np.uint64(key) + _GOLDEN)) + _GOLDEN)


@kernel
def stream(seed: np.uint64, generation: int, purpose: int, individual: int) -> np.uint64:
    """The state from which one purpose of one individual in one generation draws."""
    # The seed goes through `fork` like all others: scrambled only once, it could change places with the generation.
    state = fork(np.uint64(0), np.uint64(seed))  # the types of all keys are the same: `fork` is compiled once
    return fork(fork(fork(state, np.uint64(generation)), np.uint64(purpose)), np.uint64(individual))


@kernel
def unit(state: np.uint64) -> float:
    """A float in [0, 1) with 53 random bits."""
    return np.float64(scramble(state) >> _S11) * _TO_UNIT


@kernel
def below(state: np.uint64, n: int) -> np.int64:
    """An integer in 0 … n-1, for 1 <= n < 2**32 (its bias is below n / 2**32)."""
    return np.int64(((scramble(state) >> _S32) * np.uint64(n)) >> _S32)


@kernel
def units(state: np.uint64, n: int) -> np.ndarray:
    """Numbers in [0, 1) from a stream."""
    numbers = np.empty(n)
    for i in range(n):
        state = advance(state)
        numbers[i] = unit(state)
    return numbers


@kernel
def permutation(seed: np.uint64, n: int) -> np.ndarray:
    """The numbers 0 … n-1 in random order (Fisher–Yates): how data are split."""
    order = np.arange(n)
    state = stream(seed, 0, SPLIT, 0)
    for i in range(n - 1, 0, -1):
        state = advance(state)
        j = below(state, i + 1)
        order[i], order[j] = order[j], order[i]
    return order
