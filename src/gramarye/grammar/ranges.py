"""`GE_RANGE:10` stands for the productions 0 to 9; `GE_RANGE:dataset_n_vars` for as many as a dataset has columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from gramarye.grammar.rules import ProductionText, Rule, Symbol
from gramarye.grammar.source import Source, Token

MOST = 100_000  # far above any use, far below what exhausts the memory
COUNTS = {
    "n_vars": "columns",
    "n_is": "distinct values of the columns",
    "n_os": "distinct values of the target",
}
_RANGE = "GE_RANGE:"
_DATASET = "dataset_"
_GENERATED = "GE_GENERATE:"


def is_range(tokens: Sequence[Token]) -> bool:
    """Whether a production is the range of some numbers."""
    text = "".join(token.text for token in tokens)
    plain = all(token.kind in ("word", "space") for token in tokens)
    return (text.startswith(_RANGE) and plain) or text.startswith(_GENERATED)


def expanded(source: Source, tokens: Sequence[Token], probability: float | None) -> Iterator[ProductionText]:
    """The productions that a range stands for: they share its probability equally."""
    place = tokens[0].offset
    text = "".join(token.text for token in tokens)
    if text.startswith(_GENERATED):
        fix = "write its productions out, or quote it if it is text"
        raise source.error(
            place, f"{text.split(':')[0]} makes productions by running Python, which is not supported; {fix}"
        )
    count = text.removeprefix(_RANGE).strip()
    if count.startswith(_DATASET) and count.removeprefix(_DATASET) in COUNTS:
        yield ProductionText((Symbol(_RANGE + count, "range"),), probability, (place,))
        return
    if not re.fullmatch("0*[1-9][0-9]{0,5}", count) or int(count) > MOST:
        known = ", ".join(_DATASET + name for name in COUNTS)
        fix = f"write a whole number from 1 to {MOST}, as in {_RANGE}10, or {known}, or quote it if it is text"
        raise source.error(place, f"{_RANGE}{count} is not a range; {fix}")
    yield from _counted(int(count), probability, (place,))


def _counted(count: int, probability: float | None, places: tuple[int, ...] = ()) -> Iterator[ProductionText]:
    share = None if probability is None else probability / count
    for value in range(count):
        yield ProductionText((Symbol(str(value), "terminal"),), share, places)


def unknown(rules: Sequence[Rule]) -> tuple[str, ...]:
    """What ranges of some rules count that is not known yet: `n_vars` and the like, in order."""
    symbols = (symbol for rule in rules for production in rule.productions for symbol in production.symbols)
    found = {symbol.text.removeprefix(_RANGE + _DATASET) for symbol in symbols if symbol.kind == "range"}
    return tuple(name for name in COUNTS if name in found)


def resolved(rules: Sequence[Rule], counts: Mapping[str, int]) -> tuple[Rule, ...]:
    """The same rules, with productions instead of the ranges whose counts are given."""
    written = {f"{_RANGE}{_DATASET}{name}": count for name, count in counts.items()}
    new = []
    for rule in rules:
        productions: list[ProductionText] = []
        for production in rule.productions:
            count = next((written[s.text] for s in production.symbols if s.kind == "range" and s.text in written), None)
            productions += [production] if count is None else _counted(count, production.probability)
        new.append(Rule(rule.name, tuple(productions), rule.place))
    return tuple(new)
