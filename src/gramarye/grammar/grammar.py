"""Grammar: immutable, checked, compiled to flat arrays once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.errors import GrammarError, SettingsError, did_you_mean
from gramarye.grammar import adjacency, arrays, drawing, ranges
from gramarye.grammar.arrays import GrammarArrays, compile_arrays
from gramarye.grammar.bnf import SUM_TOLERANCE
from gramarye.grammar.checks import read_file, read_rules
from gramarye.grammar.completion import completion_probability
from gramarye.grammar.constants import bounds_of, constant_rules
from gramarye.grammar.dialects import DIALECTS, GRAMARYE, named, recognised
from gramarye.grammar.from_columns import rules_from_columns
from gramarye.grammar.pruning import kept
from gramarye.grammar.remarks import Remarks, remarks_on
from gramarye.grammar.rules import ProductionText, Rule, Symbol
from gramarye.grammar.shape import Analysis, analyse
from gramarye.grammar.vocabulary import QUOTED
from gramarye.grammar.writing import format_grammar, format_production

Floats = NDArray[np.float64]
_NODE = re.compile(rf"{QUOTED.pattern}|<const[^>]*>|[\w.]+(?:\[[^\]]*\])?|[^\w\s()\[\]{{}},;]+")
ProbabilityValues: TypeAlias = ArrayLike | Mapping[str, ArrayLike]


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


class Grammar:
    r"""A context-free grammar in which every non-terminal is defined and productive. Immutable.

    Made by `Grammar.from_text(text)` or `Grammar.from_file(path)`.

    Attributes
    ----------
    text : str
        BNF text that reads back as an equal grammar, to the last bit of its probabilities.
    nonterminals : tuple of str
        With their brackets; the first is the axiom.
    rules : dict
        The productions of each non-terminal.
    probabilities : array [R] or None
        One for each production, if the grammar carries some.
    analysis
        Its shape: heights, recursion, warnings.
    dialect : str
        How its text was read: "gramarye", or the name of another system; `notice` says what that means.
    unknown : tuple of str
        What a `GE_RANGE:dataset_…` counts of a table; `resolved` writes it out.

    Examples
    --------
    >>> import gramarye as gm
    >>> grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | <v>\n<v> ::= x | 1.0")
    >>> grammar.nonterminals
    ('<e>', '<v>')
    >>> print(grammar.with_probabilities({"<v>": [0.9, 0.1]}), end="")
    <e> ::= <e> + <e> {0.5}
          | <v>       {0.5}
    <v> ::= x   {0.9}
          | 1.0 {0.1}
    """

    name: str
    dialect: str  # how its text was read: a name of the table in the guide
    probabilities: Floats | None  # [R], read-only; None where the text carries none
    _rules: tuple[Rule, ...]  # without probabilities
    _read_text: str  # what it was read from, if anything: warnings name its lines

    def __init__(
        self,
        rules: Sequence[Rule],
        name: str,
        probabilities: Floats | None = None,
        read_text: str = "",
        dialect: str = GRAMARYE.name,
    ) -> None:
        """From rules that are checked already; anyone else takes `from_text` or `from_file`."""
        bare = tuple(Rule(rule.name, tuple(ProductionText(p.symbols) for p in rule.productions)) for rule in rules)
        own = {"_rules": bare, "name": name, "probabilities": probabilities}
        self.__dict__.update(own, _read_text=read_text, dialect=dialect)

    @classmethod
    def from_text(cls, text: str, name: str = "grammar", dialect: str | None = None) -> Grammar:
        """A grammar from BNF text; `name` is what errors and reports call it.

        `dialect` is the name of the system that the text was written for, such as "ponyge2" (default: recognised by
        marks that only one system has, or else "gramarye").
        """
        if not isinstance(text, str):
            raise GrammarError(
                f"{name}: {type(text).__name__} is not a text; give BNF as a str, or a path to from_file"
            )
        chosen = recognised(text) if dialect is None else named(dialect)
        return _carrying(read_rules(text, name, chosen), name, read_text=text, dialect=chosen.name)

    @classmethod
    def from_file(cls, path: str | PathLike[str], dialect: str | None = None) -> Grammar:
        """A grammar from a BNF file (UTF-8), named after it.

        `dialect` is as in `from_text`; by default it is recognised by the suffix of the file, too.
        """
        text = read_file(path)
        chosen = recognised(text, str(path)) if dialect is None else named(dialect)
        return _carrying(read_rules(text, str(path), chosen), Path(path).stem, read_text=text, dialect=chosen.name)

    @classmethod
    def from_columns(
        cls,
        columns: Any,
        *,
        preset: str = "full",
        template: str | None = None,
        units: Mapping[str, str] | None = None,
        target_unit: str | None = None,
        constants: bool = True,
        name: str = "columns",
    ) -> Grammar:
        """A grammar of formulas over the columns of a table, with probabilities; to be printed and edited.

        Parameters
        ----------
        columns
            A data frame or an array; a list of names (numbers); or a mapping from names to kinds: "number", "boolean",
            a dtype, or for a column of texts the list of these. Flags are multiplied by formulas, and each text of a
            column is a flag of its own: `` `colour=red` `` is 1 where the column `colour` has the text `red`.
        preset
            The operators and functions: "polynomial", "rational", "trigonometric", "exponential" or "full".
        template
            A formula with holes, such as `a * f(x1) + g(x2, x3)`: names that are called, and no functions of the
            language, are formulas of the preset over these columns; other names that are not columns are tuned numbers.
        units, target_unit
            The unit of each column ("kg", "m/s**2", "1" for pure numbers), and that of the formula: all formulas are
            dimensionally right. A name in `units` that is not a column is a tuned number of that unit.
        constants
            Whether formulas have tuned numbers (with units: pure numbers).
        name
            What errors and reports call the grammar.

        Examples
        --------
        >>> import gramarye as gm
        >>> print(gm.Grammar.from_columns(["a", "body mass"], preset="polynomial"), end="")
        <e> ::= (<e> + <e>) {0.15384615384615385}
              | (<e> - <e>) {0.15384615384615385}
              | (<e> * <e>) {0.15384615384615385}
              | <x>         {0.38461538461538464}
              | <const>     {0.15384615384615385}
        <x> ::= a             {0.5}
              | "`body mass`" {0.5}
        """
        text = rules_from_columns(columns, preset, template, units, target_unit, constants)
        return cls.from_text(text, name, GRAMARYE.name)

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

    @cached_property
    def analysis(self) -> Analysis:
        """What the grammar's shape tells: heights, recursion, warnings."""
        dialect = DIALECTS[self.dialect]
        remarks = remarks_on(self._read_text, dialect) if self._read_text else Remarks({}, [])
        return analyse(self._rules, self.arrays, remarks)

    @cached_property
    def text(self) -> str:
        """BNF text that reads back as an equal grammar, to the last bit of its probabilities."""
        return format_grammar(self._written_rules())

    @property
    def notice(self) -> str:
        """What to tell its user of how it was read; nothing where that is our own way."""
        return "" if self.dialect == GRAMARYE.name else DIALECTS[self.dialect].notice

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """What it counts that a dataset decides: of `n_vars`, `n_is` and `n_os`, those in a `GE_RANGE:dataset_…`."""
        return ranges.unknown(self._rules)

    def resolved(self, **counts: int) -> Grammar:
        """The same grammar with `GE_RANGE:dataset_n_vars` and the like written out, as in `resolved(n_vars=13)`."""
        for name, count in counts.items():
            if name not in ranges.COUNTS:
                raise SettingsError(f"{name} is not counted by a grammar; give {', '.join(ranges.COUNTS)}")
            if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= ranges.MOST:
                raise SettingsError(f"{name} is {count!r}: it must be an integer from 1 to {ranges.MOST}")
        if not set(counts) & set(self.unknown):
            return self
        rules = (*ranges.resolved(self._written_rules(), counts), *constant_rules(self.constant_names))
        return _carrying(rules, self.name, read_text=self._read_text, dialect=self.dialect)

    def railroad(self) -> str:
        """The rules as railroad diagrams, one SVG picture; needs the extra `notebook`."""
        return drawing.railroad_svg(self._written_rules())

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"

    def _written_rules(self) -> Sequence[Rule]:
        """The rules, each production with its probability if there are any; those of constants are not written."""
        numbers = iter([None] * len(self.productions) if self.probabilities is None else self.probabilities.tolist())
        rules = [
            Rule(rule.name, tuple(ProductionText(p.symbols, next(numbers)) for p in rule.productions))
            for rule in self._rules
        ]
        return [rule for rule in rules if rule.productions[0].symbols[:1] != (Symbol(rule.name, "constant"),)]

    def with_probabilities(self, values: ProbabilityValues | None) -> Grammar:
        """The same grammar with other probabilities, or without any.

        A mapping such as `{"<op>": [0.5, 0.5]}` may leave non-terminals out: they keep what they have.
        """
        other = object.__new__(Grammar)
        kept = {key: value for key, value in self.__dict__.items() if key not in ("text", "_hash")}
        checked = None if values is None else self.check_probabilities(values)
        other.__dict__.update(kept, probabilities=checked)
        return other

    def pruned(self, minimum: float = 0.05) -> Grammar:
        """The smaller grammar without productions of a probability below `minimum`; the others share what these had.

        Every rule keeps its most probable productions, and one with which it ends if it would not end otherwise. Rules
        that are not reached any more are left out.
        """
        if self.probabilities is None:
            raise GrammarError(f"{self.name}: it carries no probabilities to prune by; use the grammar of a run")
        if isinstance(minimum, bool) or not isinstance(minimum, int | float) or not 0 <= minimum <= 1:
            raise SettingsError(f"minimum is {minimum!r}: it must be a number in [0, 1]")
        stay = kept(self.arrays, self.probabilities.tolist(), minimum)
        written = []
        for name, span in self.spans.items():
            row = [q for q in range(span.start, span.stop) if q in stay]
            total = sum(stay[q] for q in row)
            productions = [ProductionText(self.productions[q].symbols, stay[q] / total) for q in row]
            if row and name not in self.constant_names:
                written.append(Rule(name, tuple(productions)))
        return Grammar.from_text(format_grammar(written), self.name)

    def check_probabilities(self, values: ProbabilityValues) -> Floats:
        """Values for all productions as a read-only array [R]; a GrammarError where they are no probabilities."""
        if isinstance(values, Mapping):
            values = self._from_mapping(values)
        array = _numbers(values, len(self.productions), f"{self.name}: the probabilities")
        for name, span in self.spans.items():
            total = 0.0
            for value in array[span].tolist():
                if not value >= 0:
                    raise GrammarError(f"{self.name}: a probability of {name} is {value!r}; give numbers from 0 to 1")
                total += value
            if not abs(total - 1) <= SUM_TOLERANCE:
                what = f"the probabilities of {name} add up to {total!r}, not to 1"
                raise GrammarError(f"{self.name}: {what}; divide them by their sum")
        array[self.constants] = 1.0  # exactly: these are not written into its text
        array.setflags(write=False)
        return array

    def _from_mapping(self, values: Mapping[str, ArrayLike]) -> Floats:
        array = self.start_probabilities().copy()
        for name, row in values.items():
            if name not in self.spans:
                near = did_you_mean(str(name), self.nonterminals) or f"; it has {', '.join(self.nonterminals)}"
                raise GrammarError(f"{self.name}: probabilities for {name!r}, which it does not define{near}")
            span = self.spans[name]
            array[span] = _numbers(row, span.stop - span.start, f"{self.name}: the probabilities of {name}")
        return array

    def start_probabilities(self) -> Floats:
        """What a probabilistic method starts from: the grammar's own probabilities, or uniform ones; read-only [R]."""
        return self.uniform_probabilities() if self.probabilities is None else self.probabilities

    def uniform_probabilities(self) -> Floats:
        """1/j for each of the j productions of a non-terminal; read-only [R]."""
        counts = np.diff(self.arrays.rule_start)
        array = np.repeat(1.0 / counts, counts)
        array.setflags(write=False)
        return array

    def least_codons(self, consume_single: bool) -> NDArray[np.int32]:
        """Least number of codons that finish each non-terminal [K]; at most the largest int32."""
        return self._least_codons[consume_single]

    @cached_property
    def _least_codons(self) -> dict[bool, NDArray[np.int32]]:
        return {single: arrays.least_codons(self.arrays, single) for single in (False, True)}

    def max_steps(self, reads: int, consume_single: bool) -> int:
        """The most productions that a derivation can take while it reads so many codons, wraps included."""
        return arrays.max_steps(self.arrays, reads, consume_single)

    def completion_probability(
        self, codons: int, consume_single: bool = True, probabilities: ProbabilityValues | None = None
    ) -> float:
        """The chance that so many random codons derive a whole program.

        Under the probabilities given, else under those that the grammar carries, else under uniform ones.
        """
        if codons < 0:
            raise SettingsError(f"codons is {codons}; a genotype has 0 codons or more")
        weights = self.start_probabilities() if probabilities is None else self.check_probabilities(probabilities)
        return completion_probability(self.arrays, codons, consume_single, weights)

    def _content(self) -> tuple[Any, ...]:
        return self._rules, None if self.probabilities is None else self.probabilities.tobytes()

    def __eq__(self, other: object) -> bool:
        return self._content() == other._content() if isinstance(other, Grammar) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self._content())

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        rules = "1 rule" if len(self.nonterminals) == 1 else f"{len(self.nonterminals)} rules"
        return f"Grammar({self.name!r}, {rules}, {len(self.productions)} productions)"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Grammar can't be changed, so {name} can't be set; with_probabilities gives a new one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Grammar can't be changed, so {name} can't be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        values = None if self.probabilities is None else self.probabilities.tolist()  # pickled arrays turn writable
        return _carrying, (self._rules, self.name, values, self._read_text, self.dialect)


def _carrying(
    rules: Sequence[Rule],
    name: str,
    values: Sequence[float] | None = None,
    read_text: str = "",
    dialect: str = GRAMARYE.name,
) -> Grammar:
    """The grammar of some checked rules with given probabilities, or else with those that the rules carry."""
    grammar = Grammar(rules, name, read_text=read_text, dialect=dialect)
    rows = {rule.name: [p.probability for p in rule.productions if p.probability is not None] for rule in rules}
    carried = {key: row for key, row in rows.items() if row}
    return grammar.with_probabilities(values if values is not None else carried or None)


def _numbers(values: Any, count: int, what: str) -> Floats:
    """A fresh array of so many numbers."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise GrammarError(f"{what} are not numbers ({error}); give {count}, one for each production") from None
    if array.shape != (count,):
        raise GrammarError(f"{what} have the shape {array.shape}; give {count} numbers, one for each production")
    return array + 0.0  # no negative zeros: equal grammars have equal bits
