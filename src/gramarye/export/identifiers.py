"""Names of columns as variables of Python and sympy."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Collection, Sequence

_INDEX = re.compile(r"\[[\s:,]*(\d+)\s*\]")  # x[0], x[:, 0]


def identifiers(labels: Sequence[str], reserved: Collection[str]) -> list[str]:
    """A valid name for each column, all different; its own name where that is valid and not reserved."""
    own = [unicodedata.normalize("NFKC", label) for label in labels]  # as Python reads identifiers
    taken = {*reserved, *(name for name in own if name.isidentifier())}
    found: dict[str, None] = {}
    for name in own:
        free = name.isidentifier() and name not in reserved and not keyword.iskeyword(name) and name not in found
        chosen = name if free else _fresh(_mangled(name), {*taken, *found})
        found[chosen] = None
    return list(found)


def _mangled(name: str) -> str:
    """A valid name that reminds of another one."""
    name = re.sub(r"\W+", "_", _INDEX.sub(r"\1", name)).strip("_") or "x"
    name = name if name.isidentifier() else f"x{name}"
    name = name if name.isidentifier() else "x"
    return f"{name}_" if keyword.iskeyword(name) else name


def _fresh(name: str, taken: Collection[str]) -> str:
    """The name, with a number behind it if it is taken."""
    count, fresh = 1, name
    while fresh in taken:
        count, fresh = count + 1, f"{name}_{count + 1}"
    return fresh
