"""Which terminals of a grammar can stand next to each other in a phenotype."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from gramarye.grammar.arrays import least
from gramarye.grammar.rules import Rule

Side = tuple[int | str, ...]  # a right-hand side: the number of a non-terminal, or the text of a terminal
Ends = dict[int | str, set[str]]
NEVER = -1

_JOINS = re.compile(r"[\w.]")  # what a number next to it becomes part of, or another number


def sides_of(rules: Sequence[Rule], loose: bool = False) -> tuple[list[Side], list[int]]:
    """The right-hand side of each production and the non-terminal on its left; `loose`: without white space."""
    number = {rule.name: index for index, rule in enumerate(rules)}
    sides: list[Side] = [
        tuple(
            number[symbol.text] if symbol.kind == "nonterminal" else symbol.text
            for symbol in production.symbols
            if not (loose and symbol.kind == "space")
        )
        for rule in rules
        for production in rule.productions
    ]
    return sides, [number[rule.name] for rule in rules for _ in rule.productions]


def empty_productions(sides: Sequence[Side], left: Sequence[int]) -> list[int]:
    """The production with which each non-terminal derives nothing in the fewest steps, the first of equal ones."""
    terminal = max(left) + 1  # all of them as one more non-terminal, which never ends
    kids = [[terminal if isinstance(symbol, str) else symbol for symbol in side] for side in sides]
    steps, fewest = least(left, kids, terminal + 1, lambda _, below: 1 + sum(below))
    chosen = [NEVER] * terminal
    for q in reversed(range(len(sides))):
        if steps[q] >= 0 and steps[q] == fewest[left[q]]:
            chosen[left[q]] = q
    return chosen


def neighbours(rules: Sequence[Rule]) -> set[tuple[str, str]]:
    """Every pair of terminals (white space included, empty texts not) that some sentential form puts side by side."""
    sides, left = sides_of(rules)
    empty = {a for a, production in enumerate(empty_productions(sides, left)) if production != NEVER}
    first = _ends(sides, left, empty)
    last = _ends([side[::-1] for side in sides], left, empty)
    pairs: set[tuple[str, str]] = set()
    for side in sides:
        for i, one in enumerate(side):
            for other in map(side.__getitem__, range(i + 1, len(side))):  # no copy: a side may be very long
                pairs.update((a, b) for a in last[one] for b in first[other])
                if other not in empty:
                    break
    return pairs


def joined_to(rules: Sequence[Rule], constants: Collection[str]) -> dict[str, str]:
    """The constants that can stand next to a digit, a letter or another constant, and what that is."""
    found: dict[str, str] = {}
    for a, b in sorted(neighbours(rules)):
        if a in constants and (b in constants or _JOINS.match(b)):
            found.setdefault(a, b)
        if b in constants and (a in constants or _JOINS.match(a[-1])):
            found.setdefault(b, a)
    return found


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
