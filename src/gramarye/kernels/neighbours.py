"""Genotypes next to each other: which elements are changed, and in how many of them two differ."""

from __future__ import annotations

import numpy as np

from gramarye.kernels.codes import ANALYSE
from gramarye.kernels.compiler import kernel
from gramarye.kernels.random import advance, below, stream, unit

NOWHERE = -1  # where there are no more elements to change


@kernel
def pick(eligible: np.ndarray, count: int, seed: np.uint64, generation: int) -> tuple[np.ndarray, np.ndarray]:
    """So many different places in 0 … eligible[i]-1 for each individual, NOWHERE where there are no more.

    With each place comes a number in [0, 1), from which its new value is made. Both are [N, count].
    """
    places = np.full((len(eligible), count), NOWHERE, np.int64)
    numbers = np.zeros((len(eligible), count))
    taken = np.empty(count, np.int64)  # in ascending order
    for i in range(len(eligible)):
        state = stream(seed, generation, ANALYSE, i)
        for k in range(min(count, eligible[i])):
            state = advance(state)
            place = below(state, eligible[i] - k)
            at = 0
            while at < k and taken[at] <= place:  # past those that are taken
                place += 1
                at += 1
            for m in range(k, at, -1):
                taken[m] = taken[m - 1]
            taken[at] = place
            places[i, k] = place
            state = advance(state)
            numbers[i, k] = unit(state)
    return places, numbers


@kernel
def first_differences(
    productions_a: np.ndarray, offsets_a: np.ndarray, productions_b: np.ndarray, offsets_b: np.ndarray
) -> np.ndarray:
    """The first step in which the derivations of two populations differ [N], NOWHERE where they are the same."""
    out = np.full(len(offsets_a) - 1, NOWHERE, np.int64)
    for i in range(len(out)):
        a, b = offsets_a[i], offsets_b[i]
        steps = min(offsets_a[i + 1] - a, offsets_b[i + 1] - b)
        k = 0
        while k < steps and productions_a[a + k] == productions_b[b + k]:
            k += 1
        if k < steps or offsets_a[i + 1] - a != offsets_b[i + 1] - b:
            out[i] = k
    return out


@kernel
def list_distances(
    values_a: np.ndarray, start_a: np.ndarray, values_b: np.ndarray, start_b: np.ndarray, k_all: int
) -> np.ndarray:
    """In how many entries the lists of two populations differ, those that only one of them has included."""
    n = (len(start_a) - 1) // k_all
    out = np.zeros(n, np.int64)
    for s in range(n * k_all):
        a, b = start_a[s], start_b[s]
        length_a, length_b = start_a[s + 1] - a, start_b[s + 1] - b
        count = max(length_a, length_b) - min(length_a, length_b)
        for e in range(min(length_a, length_b)):
            if values_a[a + e] != values_b[b + e]:
                count += 1
        out[s // k_all] += count
    return out
