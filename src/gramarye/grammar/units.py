"""Units of measurement: from texts such as `kg m / s**2` or `J/(mol K)` to exponents of the SI base units, and back.

Products are written `*`, `·`, `.` or as a blank, powers `**2`, `^2`, `2` or `²`. From left to right: `J/kg K` is
`(J/kg) K`.
"""

from __future__ import annotations

import re
from fractions import Fraction

from gramarye.errors import GrammarError, did_you_mean
from gramarye.grammar.source import Source

Dimension = tuple[Fraction, ...]  # the exponent of each base unit

BASE = ("kg", "m", "s", "A", "K", "mol", "cd")
NONE: Dimension = (Fraction(0),) * len(BASE)

_DERIVED = {
    "1": "",
    "rad": "",
    "sr": "",
    "N": "kg m s-2",
    "J": "kg m2 s-2",
    "W": "kg m2 s-3",
    "Pa": "kg m-1 s-2",
    "Hz": "s-1",
    "Bq": "s-1",
    "C": "A s",
    "V": "kg m2 s-3 A-1",
    "ohm": "kg m2 s-3 A-2",
    "Ohm": "kg m2 s-3 A-2",
    "Ω": "kg m2 s-3 A-2",
    "S": "kg-1 m-2 s3 A2",
    "F": "kg-1 m-2 s4 A2",
    "T": "kg s-2 A-1",
    "Wb": "kg m2 s-2 A-1",
    "H": "kg m2 s-2 A-2",
    "lm": "cd",
    "lx": "cd m-2",
    "Gy": "m2 s-2",
    "Sv": "m2 s-2",
    "kat": "mol s-1",
}
# Units of the same dimension but another size: their sums would be wrong. With prefixes there are more.
_OTHERS = {
    **dict.fromkeys(("g", "t", "lb", "oz", "u"), "kg"),
    **dict.fromkeys(("in", "ft", "mi", "au", "ly", "pc", "Å"), "m"),
    **dict.fromkeys(("min", "h", "d", "yr"), "s"),
    **dict.fromkeys(("deg", "°"), "rad"),
    **dict.fromkeys(("L", "l"), "m**3"),
    **dict.fromkeys(("eV", "cal", "Wh"), "J"),
    **dict.fromkeys(("bar", "atm", "mmHg"), "Pa"),
    **dict.fromkeys(("°C", "°F"), "K"),
    "%": "1",
}
_PREFIX = re.compile("(?:da|[YZEPTGMkhdcmµunpfazy])(?=.)")
_EXPONENT = r"-?[0-9]+(?:\.[0-9]+)?|\(\s*-?[0-9]+(?:\.[0-9]+)?\s*(?:/\s*[1-9][0-9]*\s*)?\)"
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED = str.maketrans("0123456789", _SUPERSCRIPTS)
_LOWERED = str.maketrans(f"⁻{_SUPERSCRIPTS}", "-0123456789")
_POWER = rf"\s*(?:\*\*|\^)\s*(?P<power>{_EXPONENT})|(?P<raised>⁻?[{_SUPERSCRIPTS}]+)"
_FACTOR = re.compile(rf"(?P<unit>1(?![0-9])|[^\W\d_{_SUPERSCRIPTS}]+|°[CF]?|%)(?:{_POWER}|(?P<bare>-?[0-9]+))?")
_BEHIND_BRACKETS = re.compile(_POWER)
_WRITTEN = re.compile(rf"(?:{'|'.join(BASE)})(-?[0-9]+(?::2)?)?")
_OPERATOR = re.compile(r"\s*(?:\*(?!\*)|·|\.|(?P<per>/))\s*|\s+")


def read_unit(text: str, what: str) -> Dimension:
    """The dimension of a unit; `what` is what errors call the text."""
    if not isinstance(text, str):
        raise GrammarError(f"{what} is {text!r}: give a text such as 'm/s', or '1' for a pure number")
    return _Reader(text, what).read()


class _Reader:
    """Reads a unit from left to right."""

    def __init__(self, text: str, what: str) -> None:
        self.source = Source(text, what)
        self.text = text
        self.place = 0

    def read(self) -> Dimension:
        """The whole of it."""
        self._skip()
        if self.place == len(self.text):
            raise self.source.error(self.place, "the unit is empty; write 1 for a pure number")
        found = self._product()
        if self.place < len(self.text):
            raise self._wrong()
        return found

    def _skip(self) -> None:
        while self.text[self.place : self.place + 1].isspace():
            self.place += 1

    def _wrong(self) -> GrammarError:
        found = self.text[self.place : self.place + 1]
        what = f"{found!r} can't be read" if found else "the unit ends too early"
        return self.source.error(self.place, f"{what}; write units such as kg*m/s**2, kg m s^-2 or J/(mol K)")

    def _product(self) -> Dimension:
        found = self._factor()
        while self.place < len(self.text) and self.text[self.place :].strip()[:1] not in ("", ")"):
            operator = _OPERATOR.match(self.text, self.place)
            if operator is None:
                raise self._wrong()
            self.place = operator.end()
            found = times(found, self._factor(), -1 if operator["per"] else 1)
        self._skip()
        return found

    def _factor(self) -> Dimension:
        if self.text[self.place : self.place + 1] == "(":
            self.place += 1
            self._skip()
            found = self._product()
            if self.text[self.place : self.place + 1] != ")":
                raise self._wrong()
            self.place += 1
            power = _BEHIND_BRACKETS.match(self.text, self.place)
            self.place = power.end() if power else self.place
            return scaled(found, _number(power["power"] or power["raised"]) if power else 1)
        match = _FACTOR.match(self.text, self.place)
        if match is None:
            raise self._wrong()
        dimension = self._unit(match["unit"])
        self.place = match.end()
        return scaled(dimension, _number(match["power"] or match["raised"] or match["bare"] or "1"))

    def _unit(self, name: str) -> Dimension:
        if name in BASE:
            return tuple(Fraction(int(base == name)) for base in BASE)
        if name in _DERIVED:
            return read_unit(_DERIVED[name], name) if _DERIVED[name] else NONE
        known = [*BASE, *_DERIVED]
        bare = _PREFIX.sub("", name, count=1)
        other = _OTHERS.get(name) or (bare if bare in known else _OTHERS.get(bare))
        if other:
            what = f"{name} is not an SI unit without a prefix, so sums with such units would be wrong"
            raise self.source.error(self.place, f"{what}; convert the values to {other}")
        same = next((f"; did you mean {unit}?" for unit in known if unit.lower() == name.lower()), "")  # not K for Kg
        near = same or did_you_mean(name, known) or f"; known units are {', '.join(known)}"
        raise self.source.error(self.place, f"the unit {name!r} is not known{near}")


def _number(text: str) -> Fraction:
    return Fraction(re.sub(r"[\s()]", "", text.translate(_LOWERED)))


def times(a: Dimension, b: Dimension, power: int | Fraction = 1) -> Dimension:
    """The dimension of a product; of a quotient with the power -1."""
    return tuple(x + power * y for x, y in zip(a, b, strict=True))


def scaled(a: Dimension, power: int | Fraction) -> Dimension:
    """The dimension of a power."""
    return tuple(power * x for x in a)


def unit_text(dimension: Dimension) -> str:
    """A dimension in base units: kg.m.s-2; 1 for pure numbers, and m1:2 for the root of m."""
    return ".".join(f"{base}{_power(x)}" for base, x in zip(BASE, dimension, strict=True) if x) or "1"


def readable(dimension: Dimension) -> str:
    """A dimension as people write it: kg·m/s²."""
    above, below = (
        [base + _superscript(abs(x)) for base, x in zip(BASE, dimension, strict=True) if x * sign > 0]
        for sign in (1, -1)
    )
    under = "·".join(below) if len(below) < 2 else f"({'·'.join(below)})"
    return ("·".join(above) or "1") + (f"/{under}" if under else "")


def _superscript(x: Fraction) -> str:
    if x.denominator > 1:
        return f"^({x})"
    return "" if x == 1 else str(x).translate(_RAISED)


def is_unit_text(text: str) -> bool:
    """Whether it is a dimension as `unit_text` writes it."""
    found = [_WRITTEN.fullmatch(factor) for factor in text.split(".")]
    return text == "1" or all(match is not None and match[1] != "1" for match in found)


def _power(x: Fraction) -> str:
    return "" if x == 1 else str(x).replace("/", ":")
