"""Which terminals of a grammar can stand next to each other in a phenotype."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gramarye.derivations.chart import NEVER, Side, tables
from gramarye.grammar import Grammar

Ends = dict[int | str, set[str]]


def neighbours(grammar: Grammar) -> set[tuple[str, str]]:
    """Every pair of terminals (white space included, empty texts not) that some sentential form puts side by side."""
    found = tables(grammar, False)
    empty = {a for a, production in enumerate(found.empty) if production != NEVER}
    first = _ends(found.sides, found.left, empty)
    last = _ends([side[::-1] for side in found.sides], found.left, empty)
    pairs: set[tuple[str, str]] = set()
    for side in found.sides:
        for i, left in enumerate(side):
            for right in map(side.__getitem__, range(i + 1, len(side))):  # no copy: a side may be very long
                pairs.update((a, b) for a in last[left] for b in first[right])
                if right not in empty:
                    break
    return pairs


def _ends(sides: Sequence[Side], left: Sequence[int], empty: Collection[int]) -> Ends:
    """The terminals that what a symbol derives can begin with (sides reversed: end with)."""
    users: dict[int | str, list[int]] = {}  # which non-terminals have a production that can begin with a symbol
    for a, side in zip(left, sides, strict=True):
        for symbol in side:
            users.setdefault(symbol, []).append(a)
            if symbol not in empty:
                break
    ends: Ends = {a: set() for a in left}
    for terminal in {symbol for side in sides for symbol in side if isinstance(symbol, str)}:
        ends[terminal] = {terminal}
        reached: list[int | str] = [terminal]
        while reached:
            for user in users.get(reached.pop(), ()):
                if terminal not in ends[user]:
                    ends[user].add(terminal)
                    reached.append(user)
    return ends
