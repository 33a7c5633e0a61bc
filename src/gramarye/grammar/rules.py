"""What a grammar is made of: rules, productions, symbols."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Symbol:
    """A piece of a production.

    A "space" belongs to the phenotype but is no node of a derivation tree. A "constant" is a number that the search
    tunes (constants.py); its text is the name of its rule. A "range" counts something of a dataset that is not known
    yet (ranges.py).
    """

    text: str
    kind: Literal["nonterminal", "terminal", "space", "constant", "range"]


@dataclass(frozen=True, slots=True)
class ProductionText:
    """One production as it was written; no symbols make the empty production."""

    symbols: tuple[Symbol, ...]
    probability: float | None = None
    places: tuple[int, ...] = field(default=(), compare=False, repr=False)  # offset of each symbol


@dataclass(frozen=True, slots=True)
class Rule:
    """A non-terminal with its brackets, and its productions: all of them carry a probability, or none."""

    name: str
    productions: tuple[ProductionText, ...]
    place: int = field(default=0, compare=False, repr=False)  # offset of the name
