"""Ready-made rules for formulas: one that derives itself, with brackets around every operator, and its weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gramarye.errors import SettingsError, did_you_mean
from gramarye.grammar.rules import Symbol
from gramarye.grammar.vocabulary import written
from gramarye.grammar.writing import format_production

# How often a production is chosen, compared with the others of its rule; measured in docs/search.md.
# FLAG is that of a flag alone, where there are columns of numbers.
OPERATOR, FUNCTION, COLUMN, FLAG, CONSTANT = 1.0, 0.25, 2.5, 1.0, 1.0


class Preset(NamedTuple):
    """The operators and functions of one kind of formula."""

    operators: str
    functions: tuple[str, ...] = ()


PRESETS = {
    "polynomial": Preset("+-*"),
    "rational": Preset("+-*/"),
    "trigonometric": Preset("+-*", ("sin", "cos")),
    "exponential": Preset("+-*/", ("exp", "log")),
    "full": Preset("+-*/", ("sin", "cos", "exp", "log", "psqrt", "square")),
}


class Variables(NamedTuple):
    """What formulas are about: names of numbers, names of what is 0 or 1, and whether there are tuned numbers."""

    numbers: Sequence[str]
    flags: Sequence[str]
    constants: bool
    texts: Sequence[str] = ()  # names of columns that some of the flags are made of


def preset_of(name: str) -> Preset:
    """A preset by its name."""
    if name not in PRESETS:
        near = did_you_mean(str(name), PRESETS) or f"; choose from {', '.join(PRESETS)}"
        raise SettingsError(f"unknown preset {name!r}{near}")
    return PRESETS[name]


def preset_rules(preset: Preset, variables: Variables, head: str = "<e>", prefix: str = "") -> str:
    """BNF text of the rule of formulas and of those of its variables, whose names begin with the prefix."""
    leaf, flag = f"<{prefix}x>", f"<{prefix}flag>"
    weights = {f"({head} {sign} {head})": OPERATOR for sign in preset.operators}
    weights |= {f"{name}({head})": FUNCTION for name in preset.functions}
    if variables.flags:
        weights[f"({flag} * {head})"] = OPERATOR
    if variables.numbers:
        weights[leaf] = COLUMN
    if variables.flags:
        weights[flag] = FLAG if variables.numbers else COLUMN
    if variables.constants:
        weights["<const>"] = CONSTANT
    rules = [rule(head, weights)]
    rules += [rule(leaf, equally(variables.numbers))] if variables.numbers else []
    rules += [rule(flag, equally(variables.flags))] if variables.flags else []
    return "".join(rules)


def rule(head: str, weights: Mapping[str, float]) -> str:
    """A rule whose productions are chosen by their weights."""
    total = sum(weights.values())
    productions = [f"{production} {{{weight / total!r}}}" for production, weight in weights.items()]
    return f"{head} ::= {' | '.join(productions)}\n"


def equally(names: Sequence[str]) -> dict[str, float]:
    """Columns as productions of the same weight."""
    return {variable(name): 1.0 for name in names}


def variable(name: str) -> str:
    """A column as BNF."""
    return format_production((Symbol(written(name), "terminal"),))
