"""A grammar as flat arrays for kernels, and the numbers that follow from its shape."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye.grammar.rules import Rule

Ints = NDArray[np.int32]


class GrammarArrays(NamedTuple):
    """A grammar of K non-terminals and R productions, compiled: contiguous and writable, as Numba likes them."""

    rule_start: Ints  # [K+1] productions of non-terminal a: rule_start[a] .. rule_start[a+1]-1
    left: Ints  # [R] non-terminal on the left of each production
    kid_start: Ints  # [R+1]
    kids: Ints  # non-terminals of each production, last one first: ready to push
    height: Ints  # [R] least height of a tree that begins with the production
    nt_height: Ints  # [K]
    direct: NDArray[np.uint8]  # [R] whether the left side occurs on the right
    symbol_start: Ints  # [R+1]
    symbols: Ints  # right-hand sides, left to right: >= 0 non-terminal, < 0 ~index into the terminals


def compile_arrays(rules: Sequence[Rule], terminals: Sequence[str]) -> GrammarArrays:
    """The arrays of rules in which every non-terminal is defined and productive."""
    number = {rule.name: index for index, rule in enumerate(rules)}
    code = {text: ~index for index, text in enumerate(terminals)}
    left = [number[rule.name] for rule in rules for _ in rule.productions]
    kids = kids_of(rules)
    sides = [
        [number[s.text] if s.kind == "nonterminal" else code[s.text] for s in production.symbols] or [code[""]]
        for rule in rules
        for production in rule.productions
    ]
    height, nt_height = heights(left, kids, len(rules))
    return GrammarArrays(
        rule_start=_offsets([len(rule.productions) for rule in rules]),
        left=_ints(left),
        kid_start=_offsets([len(row) for row in kids]),
        kids=_ints([kid for row in kids for kid in reversed(row)]),
        height=_ints(height),
        nt_height=_ints(nt_height),
        direct=np.array([a in row for a, row in zip(left, kids, strict=True)], dtype=np.uint8),
        symbol_start=_offsets([len(side) for side in sides]),
        symbols=_ints([symbol for side in sides for symbol in side]),
    )


def kids_of(rules: Sequence[Rule]) -> list[list[int]]:
    """The non-terminals of each production, left to right; undefined ones are left out."""
    number = {rule.name: index for index, rule in enumerate(rules)}
    return [
        [number[s.text] for s in production.symbols if s.kind == "nonterminal" and s.text in number]
        for rule in rules
        for production in rule.productions
    ]


def _ints(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int32)


def _offsets(lengths: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


def heights(left: Sequence[int], kids: Sequence[Sequence[int]], count: int) -> tuple[list[int], list[int]]:
    """Least height of a tree under each production and each non-terminal; -1 where no tree ever ends."""
    return least(left, kids, count, lambda _, below: 1 + max(below, default=0))


def least(
    left: Sequence[int], kids: Sequence[Sequence[int]], count: int, value: Callable[[int, list[int]], int]
) -> tuple[list[int], list[int]]:
    """The least value of a tree under each production and each non-terminal; -1 where no tree ever ends.

    `value(q, below)` is that of production q over those of its non-terminals, and never less than any of them.
    """
    found, best = [-1] * len(left), [-1] * count
    users: list[list[int]] = [[] for _ in range(count)]  # the productions in which each non-terminal occurs
    for q, row in enumerate(kids):
        for a in set(row):
            users[a].append(q)
    waiting = [len(set(row)) for row in kids]
    heap = [(value(q, []), q) for q, missing in enumerate(waiting) if missing == 0]
    heapq.heapify(heap)
    while heap:  # the least first (Knuth's generalisation of Dijkstra's algorithm)
        reached, q = heapq.heappop(heap)
        found[q] = reached
        if best[left[q]] >= 0:
            continue
        best[left[q]] = reached
        for user in users[left[q]]:
            waiting[user] -= 1
            if waiting[user] == 0:
                heapq.heappush(heap, (value(user, [best[a] for a in kids[user]]), user))
    return found, best


def rows(arrays: GrammarArrays) -> Iterator[list[int]]:
    """The non-terminals of each production, left to right."""
    kids, start = arrays.kids.tolist(), arrays.kid_start.tolist()
    for begin, end in pairwise(start):
        yield kids[begin:end][::-1]


def consumes(arrays: GrammarArrays, consume_single: bool) -> list[bool]:
    """Whether each non-terminal costs a codon: those with a single production need not."""
    return [consume_single or count > 1 for count in np.diff(arrays.rule_start).tolist()]


def least_codons(arrays: GrammarArrays, consume_single: bool) -> Ints:
    """Least number of codons that finish each non-terminal, at most the largest int32."""
    limit = int(np.iinfo(np.int32).max)
    left, cost = arrays.left.tolist(), consumes(arrays, consume_single)
    _, codons = least(left, list(rows(arrays)), len(cost), lambda q, below: min(cost[left[q]] + sum(below), limit))
    return _ints(codons)


def max_steps(arrays: GrammarArrays, reads: int, consume_single: bool) -> int:
    """The most productions a derivation can take that reads so many codons, exactly."""
    kids = list(rows(arrays))
    free = [0] * len(arrays.nt_height)
    pays = consumes(arrays, consume_single)
    # A single production's non-terminals are lower than its own, so they come first.
    for a in np.argsort(arrays.nt_height, kind="stable").tolist():
        if not pays[a]:
            free[a] = 1 + sum(free[kid] for kid in kids[arrays.rule_start[a]])
    return reads * (1 + max(sum(free[kid] for kid in row) for row in kids)) + free[0]
