"""The words of formulas: the functions that they may call, and how the names of columns are written in them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gramarye.errors import nearest

# How many arguments each function takes.
FUNCTIONS = {
    **dict.fromkeys(("add", "sub", "mul", "div", "pow", "min", "max"), 2),
    **dict.fromkeys(("neg", "sin", "cos", "tan", "exp", "pexp", "log", "sqrt", "psqrt", "abs", "inv"), 1),
    **dict.fromkeys(("square", "cube", "tanh"), 1),
}
# Other spellings that grammars of the field use. Division, log and inv are always protected. `_exp` of PGE is 1 where
# it overflows; `_exp_` of SGE and PSGE is not protected from that.
ALIASES = {
    "pdiv": "div",
    "protected_div": "div",
    "_div": "div",
    "_div_": "div",
    "_sin": "sin",
    "_sin_": "sin",
    "_cos": "cos",
    "_cos_": "cos",
    "power": "pow",
    "minimum": "min",
    "maximum": "max",
    "plog": "log",
    "ln": "log",
    "protected_log": "log",
    "_log": "log",
    "_log_": "log",
    "protected_exp": "pexp",
    "_exp": "pexp",
    "_exp_": "exp",
    "protected_sqrt": "psqrt",
    "_sqrt": "psqrt",
    "_sqrt_": "psqrt",
    "pinv": "inv",
    "protected_inv": "inv",
    "_inv": "inv",
    "_inv_": "inv",
    "absolute": "abs",
    "fabs": "abs",
}
NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
PLAIN = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")  # a name that needs no quotes
QUOTED = re.compile(r"`(?:[^`]|``)+`")  # any other: in backquotes, and one that it contains is written twice
_SHORT = 3
_MODULES = re.compile(r"^(?:np|numpy|math)\.")


def misspelt(name: str, columns: Iterable[str]) -> str | None:
    """The column that the name of a constant was probably meant for, if any; short names are not examined."""
    return nearest(name, columns, cutoff=0.75) if len(name) > _SHORT else None


def function(name: str) -> str | None:
    """The function that a name means, by its own name; None where it means none."""
    bare = _MODULES.sub("", name)
    bare = ALIASES.get(bare, bare)
    return bare if bare in FUNCTIONS else None


def written(name: str) -> str:
    """The name of a column as formulas have it: in backquotes unless it is a plain word and no function."""
    plain = PLAIN.fullmatch(name) and function(name) is None
    return name if plain else quoted(name)


def quoted(name: str) -> str:
    """A name in backquotes."""
    return f"`{name.replace('`', '``')}`"


def unquoted(text: str) -> str:
    """The name that stands in backquotes."""
    return text[1:-1].replace("``", "`")
