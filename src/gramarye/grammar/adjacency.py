"""Which terminals of a grammar can stand next to each other in a phenotype."""

from __future__ import annotations

from gramarye.grammar.grammar import Grammar

Sides = dict[str, list[list[str]]]
Ends = dict[str, set[str]]


def neighbours(grammar: Grammar) -> set[tuple[str, str]]:
    """Every pair of terminals (white space included, empty texts not) that some sentential form puts side by side."""
    sides: Sides = {name: [_texts(p.symbols) for p in rule] for name, rule in grammar.rules.items()}
    empty = _can_be_empty(sides)
    first = _ends(sides, empty)
    last = _ends({name: [side[::-1] for side in rule] for name, rule in sides.items()}, empty)
    pairs: set[tuple[str, str]] = set()
    for side in (side for rule in sides.values() for side in rule):
        for i, left in enumerate(side):
            for right in map(side.__getitem__, range(i + 1, len(side))):  # no copy: a side may be very long
                pairs.update((a, b) for a in last.get(left, {left}) for b in first.get(right, {right}))
                if right not in empty:
                    break
    return pairs


def _texts(symbols: tuple) -> list[str]:  # type: ignore[type-arg]
    """A right-hand side, non-terminals by a name that no terminal can have."""
    return [f"\0{s.text}" if s.kind == "nonterminal" else s.text for s in symbols if s.text]


def _can_be_empty(sides: Sides) -> set[str]:
    """The non-terminals that derive the empty text."""
    owners = [f"\0{name}" for name, rule in sides.items() for _ in rule]
    missing = [len(side) for rule in sides.values() for side in rule]  # symbols not known to be empty
    places: dict[str, list[int]] = {owner: [] for owner in owners}
    for number, side in enumerate(side for rule in sides.values() for side in rule):
        for symbol in side:
            places.setdefault(symbol, []).append(number)
    empty: set[str] = set()
    found = [owner for owner, count in zip(owners, missing, strict=True) if count == 0]
    while found:
        symbol = found.pop()
        if symbol not in empty:
            empty.add(symbol)
            for number in places[symbol]:
                missing[number] -= 1
                if missing[number] == 0:
                    found.append(owners[number])
    return empty


def _ends(sides: Sides, empty: set[str]) -> Ends:
    """The terminals that what a non-terminal derives can begin with (sides reversed: end with)."""
    ends: Ends = {f"\0{name}": set() for name in sides}
    users: dict[str, list[str]] = {}  # which non-terminals have a production that can begin with a symbol
    for name, rule in sides.items():
        for side in rule:
            for symbol in side:
                users.setdefault(symbol, []).append(f"\0{name}")
                if symbol not in empty:
                    break
    for terminal in users.keys() - ends.keys():
        reached = [terminal]
        while reached:
            for user in users.get(reached.pop(), ()):
                if terminal not in ends[user]:
                    ends[user].add(terminal)
                    reached.append(user)
    return ends
