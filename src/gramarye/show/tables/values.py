"""The cells of a table as people read them."""

from __future__ import annotations

import math
import re
from typing import NamedTuple, TypeAlias

from gramarye.text import shown

Cell: TypeAlias = str | float | bool | None  # an int is a float to the type checker

MISSING = "–"
BLANKS = "\u00a0\u2009\u202f"  # no-break, thin, and both
P_VALUE = "p"  # the format of a column of p-values
LEAST_P = 0.001  # a smaller one is shown as "<0.001", never as "0.000"
NUMBER = r"[-−+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|∞)"
NUMBER_TEXT = re.compile(rf"\s*(<?)\s*({NUMBER})\s*(?:±\s*{NUMBER}|%)?\s*")


class ShownCell(NamedTuple):
    """A cell as it is printed, and the number it stands for, if any."""

    value: Cell
    text: str
    number: float | None
    strong: bool


class ShownColumn(NamedTuple):
    """A column as it is printed; a numeric one is aligned to the right."""

    name: str
    cells: list[ShownCell]
    numeric: bool


def format_cell(value: Cell, form: str = "") -> str:
    """A value as people read it, on one line."""
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "∞" if value > 0 else "-∞"
    if form == P_VALUE:
        return f"<{LEAST_P}" if value < LEAST_P else f"{value:.3f}"
    usual = "d" if isinstance(value, int) else ".0f" if 1e4 <= abs(value) < 1e9 else ".4g"
    text = format(value, form or usual)
    return text.removeprefix("-") if not re.search("[1-9]", text) else text  # no "-0.00"


def number_of(value: Cell) -> float | None:
    """The number that a cell stands for: itself, the mean of `0.61±0.16`, a little less than is said in `<0.001`."""
    if value is None or isinstance(value, bool):
        return None
    if not isinstance(value, str):
        return value
    match = NUMBER_TEXT.fullmatch(value)
    if match is None:
        return None
    number = float(match[2].replace("−", "-").replace("∞", "inf"))
    return math.nextafter(number, -math.inf) if match[1] else number


def one_line(text: str) -> str:
    r"""A text on one line: what can't be printed as `\n` and the like, but for blanks that hold words together."""
    return "".join(c if c.isprintable() or c in BLANKS else shown(c) for c in text)
