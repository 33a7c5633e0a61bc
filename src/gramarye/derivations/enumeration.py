"""The derivations of the smallest programs of a non-terminal, without numbers that are tuned.

Productions of probability 0 are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from gramarye.grammar import Grammar
from gramarye.grammar.arrays import rows

Steps = tuple[int, ...]  # productions in leftmost order


class Enumeration:
    """Derivations by non-terminal and by the nodes of their programs."""

    def __init__(self, grammar: Grammar, most: int) -> None:
        self._counts, self._kids = grammar.node_counts.tolist(), list(rows(grammar.arrays))
        self._bounds = grammar.arrays.rule_start.tolist()
        self._left_out = (grammar.constants | (grammar.start_probabilities() == 0.0)).tolist()
        self._most = most  # of one size
        self._found: dict[tuple[int, int], list[Steps]] = {}

    def smallest(self, symbol: int, largest: int, most: int) -> list[Steps]:
        """The derivations of a non-terminal, by size: at most so many, and none with more nodes than that."""
        return list(islice((steps for size in range(largest + 1) for steps in self._of_size(symbol, size)), most))

    def _of_size(self, symbol: int, size: int) -> list[Steps]:
        """Those whose programs have so many nodes, or as many of them as may be."""
        if (symbol, size) not in self._found:
            self._found[symbol, size] = []  # what is asked for while it is made would lead back to itself
            made = (
                (q, *(step for part in parts for step in part))
                for q in range(self._bounds[symbol], self._bounds[symbol + 1])
                if not self._left_out[q] and size >= self._counts[q]
                for parts in self._filled(self._kids[q], size - self._counts[q])
            )
            self._found[symbol, size] = list(islice(made, self._most))
        return self._found[symbol, size]

    def _filled(self, kids: list[int], size: int) -> Iterator[tuple[Steps, ...]]:
        """All ways to derive some non-terminals whose programs have so many nodes together."""
        for sizes in _shares(size, len(kids)):
            yield from product(*(self._of_size(kid, own) for kid, own in zip(kids, sizes, strict=True)))


def _shares(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to share a number out among some parts."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in _shares(total - first, parts - 1))
