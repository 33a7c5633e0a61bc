"""What checked rules consist of: non-terminals, productions, terminals and constants, each with its number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from gramarye.grammar import adjacency, arrays
from gramarye.grammar.arrays import GrammarArrays, compile_arrays
from gramarye.grammar.constants import bounds_of
from gramarye.grammar.rules import Rule, Symbol
from gramarye.grammar.units import is_unit_text
from gramarye.grammar.vocabulary import QUOTED
from gramarye.grammar.writing import format_production

Floats = NDArray[np.float64]
_DIGIT = re.compile("[0-9]")
_NODE = re.compile(rf"{QUOTED.pattern}|<const[^>]*>|[\w.]+(?:\[[^\]]*\])?|[^\w\s()\[\]{{}},;]+")


@dataclass(frozen=True, slots=True)
class Production:
    """One production of a grammar; `id` numbers all of them, those of the axiom first."""

    id: int
    nonterminal: str
    symbols: tuple[Symbol, ...]  # () is the empty production

    @property
    def text(self) -> str:
        """The right-hand side, as BNF."""
        return format_production(self.symbols)


class Contents:
    """What follows from the rules of a grammar alone."""

    _rules: tuple[Rule, ...]  # without probabilities

    @cached_property
    def nonterminals(self) -> tuple[str, ...]:
        """The non-terminals with their brackets, in order of definition; the first is the axiom."""
        return tuple(rule.name for rule in self._rules)

    @cached_property
    def productions(self) -> tuple[Production, ...]:
        """All productions, by id."""
        pairs = [(rule.name, production.symbols) for rule in self._rules for production in rule.productions]
        return tuple(Production(number, *pair) for number, pair in enumerate(pairs))

    @cached_property
    def rules(self) -> Mapping[str, tuple[Production, ...]]:
        """The productions of each non-terminal."""
        return MappingProxyType({name: self.productions[span] for name, span in self.spans.items()})

    @cached_property
    def spans(self) -> Mapping[str, slice]:
        """Where the productions of each non-terminal lie in an array over all of them."""
        slices = (slice(begin, end) for begin, end in pairwise(self.arrays.rule_start.tolist()))
        return MappingProxyType(dict(zip(self.nonterminals, slices, strict=True)))

    @cached_property
    def terminals(self) -> tuple[str, ...]:
        """The distinct texts between non-terminals, white space included; an empty production has the text ""."""
        empty = (Symbol("", "terminal"),)
        sides = (production.symbols or empty for rule in self._rules for production in rule.productions)
        return tuple(dict.fromkeys(s.text for side in sides for s in side if s.kind != "nonterminal"))

    @cached_property
    def constants(self) -> NDArray[np.bool_]:
        """[R] which productions are numbers that the search tunes."""
        return np.array([any(s.kind == "constant" for s in production.symbols) for production in self.productions])

    @cached_property
    def has_constants(self) -> bool:
        """Whether it leaves numbers to the search."""
        return bool(self.constants.any())

    @cached_property
    def constant_names(self) -> frozenset[str]:
        """The non-terminals that are numbers which the search tunes."""
        return frozenset(production.nonterminal for production in self.productions if self.constants[production.id])

    @cached_property
    def is_dimensional(self) -> bool:
        """Whether its rules are called by units, as those of `from_columns` are: then no operation may drop one."""
        own = [name[1:-1] for name in self.nonterminals if name not in {*self.constant_names, "<flag>"}]
        return all(map(is_unit_text, own)) and any(_DIGIT.search(name) for name in own)  # a rule <s> alone is any rule

    @cached_property
    def constant_terminals(self) -> NDArray[np.int32]:
        """The numbers of the terminals that are constants."""
        return ~self.arrays.symbols[self.arrays.symbol_start[:-1][self.constants]]

    @cached_property
    def bounds(self) -> Floats:
        """[R, 2] the least and the largest value of each constant; infinite where there are none."""
        free = (-np.inf, np.inf)
        pairs = zip(self.productions, self.constants.tolist(), strict=True)
        return np.array([bounds_of(production.nonterminal) if tuned else free for production, tuned in pairs])

    @cached_property
    def node_counts(self) -> NDArray[np.int32]:
        """[R] the words and operators that each production adds to a program; brackets and commas don't count."""
        texts = (" ".join(s.text for s in p.symbols if s.kind != "nonterminal") for p in self.productions)
        return np.array([len(_NODE.findall(text)) for text in texts], np.int32)

    def sides(self, loose: bool = False) -> tuple[list[adjacency.Side], list[int]]:
        """The right-hand side of each production and the non-terminal on its left; `loose`: without white space."""
        return adjacency.sides_of(self._rules, loose)

    def neighbours(self) -> set[tuple[str, str]]:
        """Every pair of terminals (white space included, empty texts not) that can stand side by side in a program."""
        return adjacency.neighbours(self._rules)

    @cached_property
    def arrays(self) -> GrammarArrays:
        """The grammar for kernels."""
        return compile_arrays(self._rules, self.terminals)

    def least_codons(self, consume_single: bool) -> NDArray[np.int32]:
        """Least number of codons that finish each non-terminal [K]; at most the largest int32."""
        return self._least_codons[consume_single]

    @cached_property
    def _least_codons(self) -> dict[bool, NDArray[np.int32]]:
        return {single: arrays.least_codons(self.arrays, single) for single in (False, True)}

    def max_steps(self, reads: int, consume_single: bool) -> int:
        """The most productions that a derivation can take while it reads so many codons, wraps included."""
        return arrays.max_steps(self.arrays, reads, consume_single)
