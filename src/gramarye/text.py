"""Texts, numbers and counts for people."""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata

MOST_CHARACTERS = 60  # of a program where an object is shown on one line
LONGEST_NAME = 40  # characters of a label in the name of a file
DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?:e[+-]?\d+)?")  # in a formula
MEASURES = {"rrse": "RRSE", "rmse": "RMSE", "mae": "MAE", "1-r2": "1 − R²"}


def shown(text: str) -> str:
    r"""A text made visible on one line: nothing as ε, blanks alone as ␣, what can't be printed as `\n` and the like."""
    if not text.strip(" "):
        return "␣" * len(text) or "ε"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def printable(text: str) -> str:
    """A program with its line breaks; what else can't be printed (a terminal might obey it) as an escape."""
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode("ascii") for c in text)


def brief(text: str) -> str:
    """A text as a `repr` shows it: in quotes, on one line, cut where it is long."""
    return repr(cut(text))


def cut(text: str, longest: int = MOST_CHARACTERS) -> str:
    """A text, or its beginning where it is long."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def number(value: float, digits: int = 4) -> str:
    """A number with that many significant digits."""
    return f"{value:.{digits}g}" if math.isfinite(value) else "–"


def rounded(formula: str, digits: int = 4) -> str:
    """A formula whose numbers have that many significant digits, to be looked at."""
    return DECIMAL.sub(lambda found: f"{float(found[0]):.{digits}g}", formula)


def large(value: float) -> str:
    """A large count in few characters: 812, 45,300, 12.3 million."""
    for unit, name in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if value >= unit:
            return f"{value / unit:.1f} {name}"
    return f"{value:,.0f}"


def counted(count: int, noun: str) -> str:
    """A count and what is counted: 1 rule, 1,200 rules."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def measure_name(error: str) -> str:
    """An error measure as people write it."""
    return MEASURES.get(error, error)


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def slug(text: str) -> str:
    """A text as a part of a file's name: small letters, digits and dashes; a long one ends in a hash of it."""
    bare = [c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c)]
    plain = "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in bare).split())
    if len(plain) <= LONGEST_NAME:
        return plain or "x"
    return f"{plain[:LONGEST_NAME].rstrip('-')}-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:6]}"
