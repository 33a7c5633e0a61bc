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
def pick_entries(
    sizes: np.ndarray,  # [N, K] how many entries of each list may be changed, from its first one on
    count: int,
    seed: np.uint64,
    generation: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """So many different entries of the lists of each individual: their lists, their places there, numbers in [0, 1)."""
    n, k_all = sizes.shape
    eligible = np.zeros(n, np.int64)
    for i in range(n):
        for a in range(k_all):
            eligible[i] += sizes[i, a]
    places, numbers = pick(eligible, count, seed, generation)
    lists = np.full((n, count), NOWHERE, np.int64)
    for i in range(n):
        for k in range(min(count, eligible[i])):
            a = 0
            while places[i, k] >= sizes[i, a]:
                places[i, k] -= sizes[i, a]
                a += 1
            lists[i, k] = a
    return lists, places, numbers


@kernel
def other(value: int, number: float, n: int) -> int:
    """One of 0 … n-1 that is not the value, each as likely as another, for n > 1."""
    return (value % n + 1 + int(number * (n - 1))) % n


@kernel
def redraw_integers(codons: np.ndarray, places: np.ndarray, numbers: np.ndarray, codon_max: int) -> None:
    """Change codons [N, W] at some places [N, count] to other ones in 0 … codon_max; in place."""
    for i in range(len(places)):
        for k in range(places.shape[1]):
            if places[i, k] >= 0:
                codons[i, places[i, k]] = other(codons[i, places[i, k]], numbers[i, k], codon_max + 1)


@kernel
def redraw_reals(codons: np.ndarray, places: np.ndarray, numbers: np.ndarray) -> None:
    """Change codons [N, W] at some places [N, count] to numbers in [0, 1); in place."""
    for i in range(len(places)):
        for k in range(places.shape[1]):
            if places[i, k] >= 0:
                codons[i, places[i, k]] = numbers[i, k]


@kernel
def redraw_entries(
    values: np.ndarray,
    start: np.ndarray,  # [N*K+1]
    lists: np.ndarray,  # [N, count], and so are the others
    places: np.ndarray,
    numbers: np.ndarray,
    rule_start: np.ndarray,  # [K+1]
) -> None:
    """Change entries of lists to other production numbers; in place."""
    k_all = len(rule_start) - 1
    for i in range(len(places)):
        for k in range(places.shape[1]):
            a = lists[i, k]
            if a >= 0:
                at = start[i * k_all + a] + places[i, k]
                values[at] = other(values[at], numbers[i, k], rule_start[a + 1] - rule_start[a])


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
def row_distances(a: np.ndarray, b: np.ndarray, length_a: np.ndarray, length_b: np.ndarray) -> np.ndarray:
    """In how many places the rows of two arrays [N, W] differ, those that only one of them has included."""
    out = np.empty(len(a), np.int64)
    for i in range(len(a)):
        shared, longest = min(length_a[i], length_b[i]), max(length_a[i], length_b[i])
        count = longest - shared
        for k in range(shared):
            if a[i, k] != b[i, k]:
                count += 1
        out[i] = count
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
