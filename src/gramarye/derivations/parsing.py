"""Text → derivation: how a grammar derives a program that was written by the user."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator

import numpy as np

from gramarye.derivations.chart import Chart, Number, tables
from gramarye.derivations.derivation import NO_VALUES, Derivation
from gramarye.errors import GrammarError
from gramarye.grammar import Grammar
from gramarye.grammar.adjacency import NEVER
from gramarye.grammar.constants import value_of
from gramarye.grammar.source import Source
from gramarye.text import shown

_MOST_EXPECTED = 20  # terminals that an error lists

Span = tuple[int, int, int]  # a non-terminal, and from where to where it derives the text
Step = tuple[int, list[Span]]  # a production, and what its non-terminals derive


def parse(grammar: Grammar, text: str, name: str = "the program", line: int = 1) -> Derivation:
    """How a grammar derives a text.

    Parameters
    ----------
    grammar
        The grammar.
    text
        A program. Blanks may be added between terminals, and the white space of a production may be left out: `x*x`
        is `x * x` where the grammar writes it so.
    name, line
        What an error calls the text, and the number of its first line.

    Returns
    -------
    Derivation
        Of several: one that has the text's own blanks; in it, for each non-terminal, the shortest chain of productions
        that only pass it on to another one; then the earliest production; then the most even division of the text
        among its symbols, from the last one on. A GrammarError shows where the text does not follow the grammar, and
        what was expected there.

    Examples
    --------
    >>> import gramarye as gm
    >>> gm.parse(gm.problems.load("quartic").grammar, "x*x + x")
    Derivation('x * x + x', 10 steps)
    """
    if not isinstance(text, str):
        raise GrammarError(f"{name} is of type {type(text).__name__}; give its text")
    for loose in (False, True):
        chart = Chart(tables(grammar, loose), text, loose)
        chart.fill()
        for end in chart.ends():
            found = _derivation(grammar, chart, end)
            return parse(grammar, found.form) if loose else found  # blanks must not change how a text is divided
    raise _error(grammar, chart, name, line)


def _derivation(grammar: Grammar, chart: Chart, end: int) -> Derivation:
    """A derivation of the text up to its end, leftmost; without recursion: trees may be thousands of levels deep."""
    found: list[int] = []
    values: list[float] = []
    stack: list[Span] = [(0, 0, end)]
    while stack:
        symbol, begin, stop = stack.pop()
        production, spans = _step(chart, symbol, begin, stop)
        found.append(production)
        values.append(value_of(chart.text[begin:stop]) if grammar.constants[production] else 0.0)
        stack.extend(reversed(spans))
    return Derivation(grammar, np.array(found, np.int32), np.array(values) if grammar.has_constants else NO_VALUES)


def _step(chart: Chart, symbol: int, begin: int, end: int) -> Step:
    """The production with which a non-terminal derives the text from one place to another."""
    if begin == end:
        production = chart.tables.empty[symbol]
        return production, _nothing(chart, production, 0, begin)
    for step in _divisions(chart, symbol, begin, end):
        return step
    # No production divides the text: it is passed on whole. The shortest way to one that does can't go in a circle.
    ways = deque(_chains(chart, symbol, begin, end))
    seen = {symbol}
    while True:  # breadth first; some production divides it, since the chart holds the text
        kid, step = ways.popleft()
        if any(_divisions(chart, kid, begin, end)):
            return step
        if kid not in seen:
            seen.add(kid)
            ways.extend((other, step) for other, _ in _chains(chart, kid, begin, end))


def _divisions(chart: Chart, symbol: int, begin: int, end: int) -> Iterator[Step]:
    """Productions that derive the text without handing all of it to one non-terminal, the earliest first."""
    yield from ((chart.tables.production[number.item], []) for number in chart.tables.numbers[symbol])
    for production in _ended(chart, symbol, begin, end):
        side = chart.tables.sides[production]
        for dot in range(len(side) - 1, -1, -1):  # the last symbol that derives anything
            last = side[dot]
            least = begin if isinstance(last, str) else begin + 1
            cuts = _cuts(chart, production, dot, begin, end, least, end - 1)
            if cuts:
                own = [] if isinstance(last, str) else [(last, cuts[0], end)]
                rest = _nothing(chart, production, dot + 1, end)
                yield production, [*_prefix(chart, production, dot, begin, cuts[0]), *own, *rest]
                break
            if isinstance(last, str) or chart.tables.empty[last] == NEVER:
                break


def _chains(chart: Chart, symbol: int, begin: int, end: int) -> Iterator[tuple[int, Step]]:
    """Productions that hand all of the text to one non-terminal, while the others derive nothing."""
    for production in _ended(chart, symbol, begin, end):
        side = chart.tables.sides[production]
        for dot, kid in enumerate(side):
            others = (*side[:dot], *side[dot + 1 :])
            empty = all(isinstance(other, int) and chart.tables.empty[other] != NEVER for other in others)
            if isinstance(kid, int) and empty and chart.rows[end].derived.get(kid, 0) >> begin & 1:
                before = [(other, begin, begin) for other in side[:dot] if isinstance(other, int)]
                yield kid, (production, [*before, (kid, begin, end), *_nothing(chart, production, dot + 1, end)])


def _ended(chart: Chart, symbol: int, begin: int, end: int) -> Iterator[int]:
    """The productions of a non-terminal that derive the text, in order."""
    row = chart.rows[end]
    for production in sorted(row.ended.get(symbol, ())):
        if _reaches(chart, production, len(chart.tables.sides[production]), begin, end):
            yield production


def _prefix(chart: Chart, production: int, dot: int, begin: int, end: int) -> list[Span]:
    """What the non-terminals before the dot derive, if they share a shorter text among them."""
    spans: list[Span] = []
    for before in range(dot - 1, -1, -1):
        symbol = chart.tables.sides[production][before]
        cut = _cuts(chart, production, before, begin, end, begin, end)[0]  # the chart holds only what can be divided
        if isinstance(symbol, int):
            spans.append((symbol, cut, end))
        end = cut
    return spans[::-1]


def _nothing(chart: Chart, production: int, dot: int, place: int) -> list[Span]:
    """The non-terminals from the dot on derive nothing."""
    return [(symbol, place, place) for symbol in chart.tables.sides[production][dot:] if isinstance(symbol, int)]


def _cuts(chart: Chart, production: int, dot: int, begin: int, end: int, least: int, most: int) -> list[int]:
    """Where the symbol after the dot may begin if it ends at `end`, those nearest to the middle first."""
    symbol = chart.tables.sides[production][dot]
    if isinstance(symbol, str):
        cuts = _before(chart, symbol, end, least)
    else:
        derived = chart.rows[end].derived.get(symbol, 0) >> least << least
        cuts = [] if chart.tables.empty[symbol] == NEVER else [end]
        waiting = chart.waiting.get(symbol, {}).get(chart.tables.first_item[production] + dot)
        cuts += waiting.begun(begin, derived) if waiting else []
    possible = [cut for cut in cuts if cut <= most and _reaches(chart, production, dot, begin, cut)]
    return sorted(possible, key=lambda cut: (abs(2 * cut - begin - end), cut))


def _before(chart: Chart, terminal: str, end: int, least: int) -> list[int]:
    """Where a terminal that ends at `end` may stand: where it begins, or before blanks in front of it."""
    place = end - len(terminal)
    cuts = []
    while place >= least:
        cuts.append(place)
        if not (chart.loose and chart.text[place - 1 : place].isspace()):
            break
        place -= 1
    return cuts


def _reaches(chart: Chart, production: int, dot: int, begin: int, place: int) -> bool:
    """Whether the symbols before the dot derive the text from `begin` to a place."""
    if dot == 0:
        return begin == place
    row = chart.rows.get(place)
    return row is not None and bool(row.origins.get(chart.tables.first_item[production] + dot, 0) >> begin & 1)


def _error(grammar: Grammar, chart: Chart, name: str, line: int) -> GrammarError:
    """Where the text went beyond the grammar, and what could have stood there."""
    place = max(chart.rows)
    offset = chart.places(place)[-1]
    what = f"this is not a program of {grammar.name}" if offset < len(chart.text) else "the text ends too early"
    lines = "\n" * (line - 1)
    source = Source(lines + chart.text, name)
    return source.error(len(lines) + offset, f"{what}; expected {_expected(grammar, chart, place)}")


def _expected(grammar: Grammar, chart: Chart, place: int) -> str:
    """`+ - * / or the end`."""
    row = chart.rows[place]
    found = {chart.tables.after[item] for item in row.origins}
    for symbol in row.predicted:
        found |= chart.tables.heads[symbol].keys()
    texts = [shown(text) for text in grammar.terminals if text in found]
    more = len(texts) - _MOST_EXPECTED
    listed = " ".join(texts[:_MOST_EXPECTED]) + (f" … ({more} more)" if more > 0 else "")
    numbers = [_described(number) for symbol in row.predicted for number in chart.tables.numbers[symbol]]
    whole = row.derived.get(0, 0) & 1 or (place == 0 and chart.tables.empty[0] != NEVER)
    wanted = " or ".join(part for part in (listed, *numbers, "the end" if whole else "") if part)
    return f"one of: {wanted}" if len(texts) > 1 else wanted


def _described(number: Number) -> str:
    return "a number" if math.isinf(number.high) else f"a number from {number.low!r} to {number.high!r}"
