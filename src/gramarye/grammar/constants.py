"""Numbers that the search tunes: `<const>`, or `<const:-1..1>` with bounds; a grammar uses them without a rule."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from gramarye.grammar.rules import ProductionText, Rule, Symbol

EXAMPLE = "<const:-1..1>"
_NAME = re.compile(r"<const(?::(?P<bounds>.*))?>")
_BOUND = r"[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"  # no point at its ends: 0...5 can be read in two ways
_BOUNDS = re.compile(rf"({_BOUND})\.\.({_BOUND})")
SLIP = re.compile(r"<\s*const\b[^<>|\r\n:.0-9]*[:.0-9][^<>|\r\n]*>", re.IGNORECASE)  # what may be meant as one

# How a number is written in a program: a negative one in brackets, though a user may leave them out.
WRITTEN = re.compile(r"\(\s*-\s*{0}\s*\)|-?{0}".format(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"))


def is_constant(name: str) -> bool:
    """Whether a non-terminal is called like a number that the search tunes."""
    return _NAME.fullmatch(name) is not None


def bounds_of(name: str) -> tuple[float, float]:
    """The least and the largest value of a constant; a ValueError where its name can't be read."""
    match = _NAME.fullmatch(name)
    if match is None or match["bounds"] is None:
        return -math.inf, math.inf
    ends = _BOUNDS.fullmatch(match["bounds"])
    low, high = (float(ends[1]), float(ends[2])) if ends else (math.nan, math.nan)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"the bounds of {name} must be two finite numbers; write them as in {EXAMPLE}")
    if low >= high:
        what = f"the bounds of {name} leave no room: {low!r} is not below {high!r}"
        raise ValueError(f"{what}; write the smaller one first, as in {EXAMPLE}")
    return low, high


def value_of(text: str) -> float:
    """The number that a text means, in brackets or not."""
    return float(re.sub(r"[\s()]", "", text))


def constant_rules(names: Iterable[str]) -> tuple[Rule, ...]:
    """The rules that nobody writes, in the order in which every grammar has them: one production each, a number."""
    return tuple(Rule(name, (ProductionText((Symbol(name, "constant"),)),)) for name in sorted(names))


def number_text(value: float) -> str:
    """A number as programs have it: the shortest text that reads back to the same bits, negative ones in brackets."""
    return repr(value) if math.copysign(1.0, value) > 0 else f"({value!r})"
