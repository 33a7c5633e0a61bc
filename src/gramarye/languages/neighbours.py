"""Which terminals of a grammar can stand next to each other in a phenotype."""

from __future__ import annotations

from gramarye.grammar import Grammar

Ends = dict[str, set[str]]


def neighbours(grammar: Grammar) -> set[tuple[str, str]]:
    """Every pair of terminals (white space included, empty texts not) that some sentential form puts side by side."""
    sides = {name: [_texts(p.symbols) for p in rule] for name, rule in grammar.rules.items()}
    empty = _can_be_empty(sides)
    first = _ends(sides, empty)
    last = _ends({name: [side[::-1] for side in rule] for name, rule in sides.items()}, empty)
    pairs: set[tuple[str, str]] = set()
    for side in (side for rule in sides.values() for side in rule):
        for i, left in enumerate(side):
            for right in side[i + 1 :]:
                pairs.update((a, b) for a in last.get(left, {left}) for b in first.get(right, {right}))
                if right not in empty:
                    break
    return pairs


def _texts(symbols: tuple) -> list[str]:  # type: ignore[type-arg]
    """A right-hand side, non-terminals by a name that no terminal can have."""
    return [f"\0{s.text}" if s.kind == "nonterminal" else s.text for s in symbols if s.text]


def _can_be_empty(sides: dict[str, list[list[str]]]) -> set[str]:
    empty: set[str] = set()
    changed = True
    while changed:
        grown = {f"\0{name}" for name, rule in sides.items() if any(all(s in empty for s in side) for side in rule)}
        changed = grown != empty
        empty = grown
    return empty


def _ends(sides: dict[str, list[list[str]]], empty: set[str]) -> Ends:
    """The terminals that what a non-terminal derives can begin with (sides reversed: end with)."""
    ends: Ends = {f"\0{name}": set() for name in sides}
    changed = True
    while changed:
        changed = False
        for name, rule in sides.items():
            own = ends[f"\0{name}"]
            before = len(own)
            for side in rule:
                for symbol in side:
                    own |= ends.get(symbol, {symbol})
                    if symbol not in empty:
                        break
            changed = changed or len(own) > before
    return ends
