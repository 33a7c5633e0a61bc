"""`<GECodonValue[0,9]>` of GEVA and libGE: a value that a codon chooses, here a rule with one production for each."""

from __future__ import annotations

import re

from gramarye.grammar.ranges import MOST
from gramarye.grammar.rules import ProductionText, Rule, Symbol

_BEGINS = "<GECodonValue"
_RANGE = re.compile(rf"{_BEGINS}([\[(])\s*([^,]*?)\s*,\s*([^,]*?)\s*([\])])>")
_SET = re.compile(rf"{_BEGINS}\{{(.*)\}}>")
_LEGACY = re.compile(rf"{_BEGINS}(?:-([0-9]+))?\+([0-9]+)>")
_WHOLE = re.compile(r"-?[0-9]{1,9}")


def is_codon_value(name: str) -> bool:
    """Whether a non-terminal is a value that a codon chooses."""
    return name.startswith(_BEGINS)


def rule(name: str) -> Rule:
    """The rule with the values of a name such as `<GECodonValue{1,2,5}>`; a ValueError where it can't be read."""
    productions = tuple(ProductionText((Symbol(value, "terminal"),) if value else ()) for value in _values(name))
    return Rule(name, productions)


def _values(name: str) -> list[str]:
    chosen = _SET.fullmatch(name)
    if chosen:
        return [value.strip() for value in chosen[1].split(",")]
    low, high = _bounds(name)
    if low > high:
        raise ValueError(f"{name} has no value; write the smaller bound first, as in <GECodonValue[0,9]>")
    if high - low >= MOST:
        raise ValueError(
            f"{name} has more than {MOST:,} values; write <const:{low}..{high}> for a number that is tuned"
        )
    return [str(value) for value in range(low, high + 1)]


def _bounds(name: str) -> tuple[int, int]:
    """The least and the largest value."""
    legacy, interval = _LEGACY.fullmatch(name), _RANGE.fullmatch(name)
    if legacy:  # `-3+17` is from 3 to 17
        return int(legacy[1] or 0), int(legacy[2])
    if interval is None:
        fix = "write <GECodonValue[0,9]> or <GECodonValue{1,2,5}>"
        raise ValueError(f"{name} names no range of values, and a codon's own range depends on the method; {fix}")
    opened, low, high, closed = interval.groups()
    if not (_WHOLE.fullmatch(low) and _WHOLE.fullmatch(high)):
        fix = f"write whole ones, or <const:{low}..{high}> for a number that is tuned"
        raise ValueError(f"the bounds of {name} are not whole numbers; {fix}")
    return int(low) + (opened == "("), int(high) - (closed == ")")
