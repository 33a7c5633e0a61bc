"""A grammar in which every formula is dimensionally right: a rule for each unit that a part of a formula may have.

How far a unit is away is counted in factors: 1 for a column, one more for each column that is multiplied or divided by,
for a square and for a root. One part of each product and quotient has the unit of a column, its square, or none (in a
product the second one). These productions are there, and squares and roots, if some formula has them that needs few
factors more than the shortest one, or some pure number of few factors has them. Sums and differences, and functions of
pure numbers, are always there: they lead to no other unit.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import NamedTuple

from gramarye.errors import DataError, GrammarError, SettingsError
from gramarye.grammar.presets import (
    COLUMN,
    CONSTANT,
    FLAG,
    FUNCTION,
    OPERATOR,
    Preset,
    Variables,
    equally,
    rule,
    variable,
)
from gramarye.grammar.units import BASE, read_unit, readable, unit_text
from gramarye.grammar.vocabulary import misspelt

Halves = tuple[int, ...]  # twice the exponent of each base unit: those of roots are whole too

MOST_EXTRA = 3  # factors beyond those of the shortest formula, one less than those of a pure number; at least 1
MOST_PRODUCTIONS = 200  # of products, quotients, squares and roots; fewer factors are tried if there are more
_CONSTANT = "add a column, or a constant of that unit: a name in units that is not a column"
_NONE: Halves = (0,) * len(BASE)
_MOST_UNITS = 200_000  # that are looked at
_MOST_FACTORS = 16  # of the shortest formula


class Step(NamedTuple):
    """A production that leads from a unit to others."""

    text: str  # with a place for each part
    parts: tuple[Halves, ...]
    factors: int  # those of its parts at least


def dimensional_rules(preset: Preset, variables: Variables, units: Mapping[str, str], target_unit: str) -> str:
    """BNF text of rules whose names are units; the first one is the target's."""
    leaves = _leaves(variables, units)
    target = _halves(target_unit, "target_unit")
    _check_span(target, leaves, target_unit)
    away = _distances(preset, list(leaves), target)
    if target not in away:
        known = {"/", "psqrt"} <= {*preset.operators, *preset.functions}
        what = "no short formula of these columns" + ("" if known else " and the operators of the preset")
        fix = "" if known else "use a preset with division and roots, or "
        raise GrammarError(f"{_named(target, target_unit)}: {what} has this unit; {fix}{_CONSTANT}")
    for extra in range(MOST_EXTRA, 0, -1):
        steps = _steps(preset, away, target, extra)
        if sum(map(len, steps.values())) <= MOST_PRODUCTIONS:
            break
    flags = [rule("<flag>", equally(variables.flags))] if variables.flags else []
    return "".join([*(_rule(preset, d, leaves.get(d, {}), steps[d], bool(flags)) for d in steps), *flags])


def _halves(text: str, what: str) -> Halves:
    """The dimension of a unit."""
    found = read_unit(text, what)
    if any(x.denominator > 2 for x in found):
        raise GrammarError(f"{what} is {text!r}: exponents must be multiples of 1/2")
    return tuple(int(2 * x) for x in found)


def _text(d: Halves) -> str:
    return unit_text(tuple(Fraction(x, 2) for x in d))


def _readable(d: Halves) -> str:
    return readable(tuple(Fraction(x, 2) for x in d))


def _named(target: Halves, text: str) -> str:
    """The target's unit as the user wrote it, and in base units."""
    base = _readable(target)
    return f"target_unit {text!r}" + ("" if base == text.strip() else f" ({base})")


def _leaves(variables: Variables, units: Mapping[str, str]) -> dict[Halves, dict[str, float]]:
    """The columns and constants of each unit, as productions with their weights."""
    if not isinstance(units, Mapping):
        raise SettingsError(f"units is of type {type(units).__name__}: give a mapping from columns to units")
    missing = [name for name in variables.numbers if name not in units]
    if missing:
        raise DataError(f"units has no unit for the column {missing[0]!r}: give one, or '1' for a pure number")
    found: dict[Halves, dict[str, float]] = {}
    constant = [_NONE] if variables.constants else []
    for name, text in units.items():
        dimension = _halves(text, f"the unit of {name!r}")
        if name in variables.numbers:
            found.setdefault(dimension, {})[variable(name)] = COLUMN
        elif name in variables.flags or name in variables.texts:
            if dimension != _NONE:
                held = "is 0 or 1" if name in variables.flags else "holds texts or categories"
                raise DataError(f"units gives {text!r} for {name!r}, which {held}: leave it out")
        else:
            near = misspelt(str(name), variables.numbers)
            if near:
                fix = f"; did you mean {near}? A constant needs another name"
                raise DataError(f"units names {name!r}, which is not a column{fix}")
            constant.append(dimension)
    for row in found.values():
        row.update(dict.fromkeys(row, COLUMN / len(row)))
    if variables.flags:
        found.setdefault(_NONE, {})["<flag>"] = FLAG
    for dimension in constant:
        found.setdefault(dimension, {})["<const>"] = CONSTANT
    return found


def _check_span(target: Halves, leaves: Collection[Halves], text: str) -> None:
    """An error that names what is missing if no product of powers has the target's unit."""
    unit = _named(target, text)
    absent = [base for i, base in enumerate(BASE) if target[i] and not any(leaf[i] for leaf in leaves)]
    if absent:
        what = f"no column or constant has a unit with {' or '.join(absent)}"
        raise GrammarError(f"{unit}: {what}; {_CONSTANT}")
    rows = list(leaves)
    if _rank([*rows, target]) > _rank(rows):
        known = ", ".join(sorted(_readable(leaf) for leaf in leaves if leaf != _NONE))
        raise GrammarError(f"{unit}: no product of powers of {known} has this unit; {_CONSTANT}")


def _rank(rows: Sequence[Halves]) -> int:
    """The rank of a matrix, exactly."""
    left, rank = [[Fraction(x) for x in row] for row in rows], 0
    for column in range(len(BASE)):
        pivot = next((row for row in left if row[column]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        left = [[x - row[column] / pivot[column] * p for x, p in zip(row, pivot, strict=True)] for row in left]
        rank += 1
    return rank


def _times(a: Halves, b: Halves) -> Halves:
    return tuple([x + y for x, y in zip(a, b, strict=True)])


def _over(a: Halves, b: Halves) -> Halves:
    return tuple([x - y for x, y in zip(a, b, strict=True)])


def _distances(preset: Preset, leaves: Sequence[Halves], target: Halves) -> dict[Halves, int]:
    """How many factors each unit needs at least, up to those that a formula of the target may need."""
    given = [*leaves, target]
    largest = [2 * max(abs(x) for x in exponents) for exponents in zip(*given, strict=True)]
    whole = all(x % 2 == 0 for d in given for x in d)  # then the root of m is of no use
    away = dict.fromkeys(leaves, 1)
    level = list(leaves)
    for factors in count(2):
        enough = factors > (away[target] + MOST_EXTRA if target in away else _MOST_FACTORS)
        if enough or not level or len(away) > _MOST_UNITS:
            break
        new = {
            d: factors
            for near in level
            for d in _further(preset, near, leaves)
            if d not in away
            and all(abs(x) <= most and not (whole and x % 2) for x, most in zip(d, largest, strict=True))
        }
        away |= new
        level = list(new)
    return away


def _further(preset: Preset, d: Halves, leaves: Collection[Halves]) -> Iterator[Halves]:
    """The units that are at most one factor further away."""
    for leaf in leaves:
        yield _times(d, leaf)
        if "/" in preset.operators:
            yield _over(d, leaf)
            yield _over(leaf, d)
    if "square" in preset.functions:
        yield _times(d, d)
    if "psqrt" in preset.functions and all(x % 2 == 0 for x in d):
        yield tuple([x // 2 for x in d])


def _steps(preset: Preset, away: Mapping[Halves, int], target: Halves, extra: int) -> dict[Halves, list[Step]]:
    """The units in reach of the target, those with the fewest factors around them first, each with its productions."""
    columns = [d for d in away if away[d] == 1]
    simple = sorted({*columns, *(_times(d, d) for d in columns), _NONE} & away.keys())
    most = away[target] + extra
    around = {target: 0}
    heap = [(0, _text(target), target)]
    found: dict[Halves, list[Step]] = {}
    while heap:  # Dijkstra's algorithm
        factors, _, d = heapq.heappop(heap)
        if d in found:
            continue
        found[d] = [step for step in _productions(preset, d, simple, away) if factors + step.factors <= most]
        for step in found[d]:
            for part in step.parts:
                reached = factors + step.factors - away[part]
                if part == _NONE:
                    reached = min(reached, most - extra - 1)
                if reached < around.get(part, most + 1):
                    around[part] = reached
                    heapq.heappush(heap, (reached, _text(part), part))
    return found


def _productions(preset: Preset, d: Halves, simple: Sequence[Halves], away: Mapping[Halves, int]) -> list[Step]:
    """The products, quotients, roots and squares that have a unit."""
    pairs = [("*", _over(d, a), a) for a in simple]
    if "/" in preset.operators:
        pairs += [("/", a, _over(a, d)) for a in simple] + [("/", _times(d, a), a) for a in simple]
    pairs = [pair for pair in dict.fromkeys(pairs) if pair[1] in away and pair[2] in away]
    steps = [Step(f"(<{{}}> {sign} <{{}}>)", (a, b), away[a] + away[b]) for sign, a, b in pairs]
    whole, root = _times(d, d), tuple([x // 2 for x in d])
    if "psqrt" in preset.functions and whole in away and d != _NONE:
        steps.append(Step("psqrt(<{}>)", (whole,), away[whole] + 1))
    if "square" in preset.functions and _times(root, root) == d and root in away and d != _NONE:
        steps.append(Step("square(<{}>)", (root,), away[root] + 1))
    return steps


def _rule(preset: Preset, d: Halves, leaves: Mapping[str, float], steps: Sequence[Step], flags: bool) -> str:
    """The rule of a unit; products of many factors are chosen less often than those of few."""
    head = f"<{_text(d)}>"
    weights = {f"({head} {sign} {head})": OPERATOR for sign in "+-"}
    for sign in "*/":
        same = [step for step in steps if f" {sign} " in step.text]
        shares = [0.5**step.factors for step in same]
        weights |= {_filled(step): OPERATOR * x / sum(shares) for step, x in zip(same, shares, strict=True)}
    weights |= {_filled(step): FUNCTION for step in steps if len(step.parts) == 1}
    if d == _NONE:
        weights |= {f"{name}({head})": FUNCTION for name in preset.functions}
    if flags:
        weights[f"(<flag> * {head})"] = OPERATOR
    return rule(head, {**weights, **leaves})


def _filled(step: Step) -> str:
    return step.text.format(*map(_text, step.parts))
