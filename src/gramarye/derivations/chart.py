"""What a grammar finds in a text: Earley's chart, with the origins of all items of a place as the bits of one number.

J. Earley. An efficient context-free parsing algorithm. CACM 13(2), 1970; empty productions as by Aycock, Horspool 2002.
A set of origins is a Python integer, so that joining two of them takes a few machine words. Two more things keep
ambiguous grammars and long chains from taking n² steps and more: origins that cannot add anything are not looked at
(`Waiting.gathered`), and a chain of productions that end in their own left side is followed once, when it begins
(J. Leo. A general context-free parsing algorithm running in linear time on every LR(k) grammar. TCS 82(1), 1991).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from gramarye.derivations.waiting import Waiting
from gramarye.grammar import Grammar
from gramarye.grammar.adjacency import NEVER, Side, empty_productions
from gramarye.grammar.constants import WRITTEN, number_text, value_of


class Number(NamedTuple):
    """A constant."""

    item: int  # after the number
    low: float
    high: float


@dataclass(frozen=True)
class Tables:
    """A grammar for the chart. An item is a production with a dot between two of its symbols, as a number."""

    sides: list[Side]  # [R]
    left: list[int]  # [R] non-terminal
    first_item: list[int]  # [R] the item with the dot before all symbols; the dot moves on by adding 1
    after: list[int | str | None]  # by item: the symbol after the dot
    production: list[int]  # by item
    heads: list[dict[str, list[int]]]  # by non-terminal: terminals that open a production, and the items after them
    lengths: list[list[int]]  # by non-terminal: how long these terminals are
    inner: list[list[int]]  # by non-terminal: first items of the productions that open with a non-terminal
    empty: list[int]  # by non-terminal: the production that derives nothing in the fewest steps, or NEVER
    numbers: list[list[Number]]  # by non-terminal: itself, if it is a constant


@lru_cache(maxsize=64)
def tables(grammar: Grammar, loose: bool) -> Tables:
    """Of a grammar with its white space, or without it (loose)."""
    sides, left = grammar.sides(loose)
    count = range(len(grammar.nonterminals))
    empty = empty_productions(sides, left)
    found = Tables(sides, left, [], [], [], [{} for _ in count], [], [[] for _ in count], empty, [[] for _ in count])
    for q, side in enumerate(sides):
        item = len(found.after)
        found.first_item.append(item)
        found.after.extend((*side, None))
        found.production.extend([q] * (len(side) + 1))
        if grammar.constants[q]:
            found.numbers[left[q]].append(Number(item + 1, *grammar.bounds[q].tolist()))
        elif side and isinstance(side[0], str):
            found.heads[left[q]].setdefault(side[0], []).append(item + 1)
        elif side:
            found.inner[left[q]].append(item)
    found.lengths.extend(sorted({len(text) for text in heads}) for heads in found.heads)
    return found


@dataclass(slots=True)
class Row:
    """All items that end at one place of the text."""

    origins: dict[int, int] = field(default_factory=dict)  # item → where it may begin, as bits
    derived: dict[int, int] = field(default_factory=dict)  # non-terminal → where what it derives up to here may begin
    ended: dict[int, list[int]] = field(default_factory=dict)  # non-terminal → productions that end here
    predicted: dict[int, None] = field(default_factory=dict)  # non-terminals that may begin here, in order


@dataclass
class Chart:
    """The rows of a text, by place; where nothing ends there is none."""

    tables: Tables
    text: str
    loose: bool  # whether blanks may stand before any terminal
    rows: dict[int, Row] = field(default_factory=dict)
    waiting: dict[int, dict[int, Waiting]] = field(default_factory=dict)  # non-terminal → item before it

    def fill(self) -> None:
        """Go through the text once."""
        reached: dict[int, dict[int, int]] = {0: {}}
        for place in range(len(self.text) + 1):
            items = reached.pop(place, None)
            if items is not None:
                row = self.rows[place] = self._closed(place, items)
                self._scan(place, row, reached)

    def places(self, place: int) -> range:
        """Where a terminal may begin that stands at a place: there, or after some of the blanks."""
        end = place
        while self.loose and end < len(self.text) and self.text[end].isspace():
            end += 1
        return range(place, end + 1)

    def ends(self) -> Iterator[int]:
        """Where a whole program ends that only blanks follow, the last place first."""
        for place in sorted(self.rows, reverse=True):
            rest = self.text[place:]
            if rest and not (self.loose and rest.isspace()):
                return
            empty = place == 0 and self.tables.empty[0] != NEVER
            if empty or self.rows[place].derived.get(0, 0) & 1:
                yield place

    def _closed(self, place: int, items: dict[int, int]) -> Row:
        """The row that follows from the items which a terminal has led to."""
        after, production, left = self.tables.after, self.tables.production, self.tables.left
        row = Row()
        agenda = list(items.items())
        if place == 0:
            self._predict(0, place, row, agenda)
        while agenda:
            item, new = agenda.pop()
            known = row.origins.get(item, 0)
            new &= ~known
            if not new:
                continue
            row.origins[item] = known | new
            symbol = after[item]
            if symbol is None:
                self._complete(left[production[item]], new & ~(1 << place), row, agenda)
            elif isinstance(symbol, int):
                self._predict(symbol, place, row, agenda)
                if self.tables.empty[symbol] != NEVER:
                    agenda.append((item + 1, new))
        waiting: dict[int, dict[int, int]] = {}
        for item, origins in row.origins.items():
            symbol = after[item]
            if isinstance(symbol, int):
                waiting.setdefault(symbol, {})[item] = origins
            elif symbol is None:
                row.ended.setdefault(left[production[item]], []).append(production[item])
        for awaited, before in waiting.items():
            self._wait(awaited, before, place)
        return row

    def _wait(self, symbol: int, items: dict[int, int], place: int) -> None:
        """Note which items wait for a non-terminal at a place, and where they began."""
        found = self.waiting.setdefault(symbol, {})
        here = 1 << place
        chained = 0
        for item, origins in items.items():
            if item not in found:
                last = self.tables.after[item + 1] is None
                found[item] = Waiting(last and self.tables.left[self.tables.production[item]] == symbol)
            found[item].note(place, origins)
            found[item].itself |= origins & here
            chained |= origins & ~here if found[item].chains else 0
        for item, waiting in found.items():
            before = items.get(item, 0) & ~here
            if waiting.chains:
                before |= waiting.gathered(chained, before)
            if before:
                waiting.add(place, before)

    def _predict(self, symbol: int, place: int, row: Row, agenda: list[tuple[int, int]]) -> None:
        if symbol not in row.predicted:
            row.predicted[symbol] = None
            agenda.extend((item, 1 << place) for item in self.tables.inner[symbol])

    def _complete(self, symbol: int, new: int, row: Row, agenda: list[tuple[int, int]]) -> None:
        """A non-terminal was derived from some places on: those who waited for it there go on here."""
        known = row.derived.get(symbol, 0)
        new &= ~known
        if not new:
            row.derived.setdefault(symbol, known)
            return
        waiting = self.waiting.get(symbol, {})  # nobody may wait for the axiom
        moved = {item: w.gathered(new, row.origins.get(item + 1, 0)) for item, w in waiting.items() if w.chains}
        for origins in moved.values():
            new |= origins & ~known
        row.derived[symbol] = known | new
        for item, w in waiting.items():
            found = moved[item] if w.chains else w.gathered(new, row.origins.get(item + 1, 0))
            found |= new & w.itself
            if found:
                agenda.append((item + 1, found))

    def _scan(self, place: int, row: Row, reached: dict[int, dict[int, int]]) -> None:
        """Read one terminal on from here in all ways."""
        text, places = self.text, self.places(place)

        def reach(end: int, item: int, origins: int) -> None:
            items = reached.setdefault(end, {})
            items[item] = items.get(item, 0) | origins

        for item, origins in row.origins.items():
            symbol = self.tables.after[item]
            if isinstance(symbol, str):
                for begin in places:
                    if text.startswith(symbol, begin):
                        reach(begin + len(symbol), item + 1, origins)
        for nonterminal in row.predicted:
            heads = self.tables.heads[nonterminal]
            for begin in places:
                for number in self.tables.numbers[nonterminal]:
                    written = WRITTEN.match(text, begin)
                    if written and self._is_number(written[0], number):
                        reach(written.end(), number.item, 1 << place)
                for length in self.tables.lengths[nonterminal]:
                    for item in heads.get(text[begin : begin + length], ()):
                        reach(begin + length, item, 1 << place)

    def _is_number(self, text: str, number: Number) -> bool:
        """Whether a text may be the value of a constant; unless loose, as programs have it."""
        value = value_of(text)
        return (
            number.low <= value <= number.high and math.isfinite(value) and (self.loose or text == number_text(value))
        )
