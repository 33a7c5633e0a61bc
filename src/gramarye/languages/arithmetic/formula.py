"""The text of a scaled expression."""

from __future__ import annotations

import re

_ATOM = re.compile(r"[\w.]+(\[[^\[\]]*\])?")


def scaled(text: str, intercept: float, slope: float) -> str:
    """Intercept + slope * expression, as a person would write it."""
    if slope == 0:
        return repr(intercept)
    if (intercept, slope) == (0, 1):
        return text
    inner = text.strip() if _is_one(text.strip()) else f"({text.strip()})"
    if intercept > 0:
        sign = "+" if slope > 0 else "-"
        return f"{intercept!r} {sign} {_times(abs(slope), inner)}"
    product = _times(slope, inner)
    return product if intercept == 0 else f"{product} - {-intercept!r}"


def _times(slope: float, inner: str) -> str:
    if abs(slope) == 1:
        return inner if slope > 0 else f"-{inner}"
    return f"{slope!r} * {inner}"


def _is_one(text: str) -> bool:
    """Whether it is a variable, a number, a call, or stands in brackets."""
    name, bracket, rest = text.partition("(")
    if not bracket:
        return bool(_ATOM.fullmatch(text))
    if (name and not _ATOM.fullmatch(name.rstrip())) or not rest.endswith(")"):
        return False
    depth = 1
    for character in rest[:-1]:
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return False
    return True
