"""Grammar: immutable, checked, compiled to flat arrays once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from gramarye.errors import GrammarError, GrammarWarning, SettingsError, warn
from gramarye.grammar import drawing, ranges
from gramarye.grammar.checked_probabilities import ProbabilityValues, checked
from gramarye.grammar.checks import place_of, read_file, read_rules
from gramarye.grammar.completion import completion_probability
from gramarye.grammar.constants import constant_rules
from gramarye.grammar.contents import Contents, Floats
from gramarye.grammar.dialects import DIALECTS, GRAMARYE, declares, named, recognised
from gramarye.grammar.from_columns import rules_from_columns
from gramarye.grammar.pruning import pruned
from gramarye.grammar.remarks import Remarks, line_breaks, remarks_on
from gramarye.grammar.rules import ProductionText, Rule, Symbol
from gramarye.grammar.shape import Analysis, analyse
from gramarye.grammar.writing import format_grammar

MOST_WARNED = 100_000  # characters of a text that is looked through for line breaks


class Grammar(Contents):
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
    _read_text: str  # what it was read from, if anything: warnings name its lines
    _read_from: str  # the name of the file, or else its own

    def __init__(
        self,
        rules: Sequence[Rule],
        name: str,
        probabilities: Floats | None = None,
        read_text: str = "",
        dialect: str = GRAMARYE.name,
        read_from: str = "",
    ) -> None:
        """From rules that are checked already; anyone else takes `from_text` or `from_file`."""
        bare = tuple(Rule(rule.name, tuple(ProductionText(p.symbols) for p in rule.productions)) for rule in rules)
        own = {"_rules": bare, "name": name, "probabilities": probabilities}
        self.__dict__.update(own, _read_text=read_text, _read_from=read_from or name, dialect=dialect)

    @classmethod
    def from_text(cls, text: str, name: str = "grammar", dialect: str | None = None) -> Grammar:
        """A grammar from BNF text; `name` is what errors and reports call it.

        `dialect` is the name of the system that the text was written for, such as "ponyge2" (default: recognised by
        marks that only one system has, or else "gramarye", with a warning where a line break inside a production would
        mean something in PonyGE2).
        """
        if not isinstance(text, str):
            raise GrammarError(
                f"{name}: {type(text).__name__} is not a text; give BNF as a str, or a path to from_file"
            )
        return _read(text, name, "", dialect)

    @classmethod
    def from_file(cls, path: str | PathLike[str], dialect: str | None = None) -> Grammar:
        """A grammar from a BNF file (UTF-8), named after it.

        `dialect` is as in `from_text`; by default it is recognised by the suffix of the file, too.
        """
        return _read(read_file(path), Path(path).stem, str(path), dialect)

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
            a dtype, or for a column of texts the list of these. Flags are 0 or 1, and each text of a column is a flag
            of its own: `` `colour=red` `` is 1 where the column `colour` has the text `red`.
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
    def analysis(self) -> Analysis:
        """What the grammar's shape tells: heights, recursion, warnings."""
        dialect = DIALECTS[self.dialect]
        remarks = remarks_on(self._read_text, dialect) if self._read_text else Remarks({}, [])
        return analyse(self._rules, self.arrays, remarks)

    @cached_property
    def text(self) -> str:
        """BNF text that reads back as an equal grammar, to the last bit of its probabilities."""
        return format_grammar(self._written_rules())

    def where(self, terminal: str) -> str:
        """What errors call the place of a terminal: the file that it was read from, and the line."""
        return place_of(terminal, self._read_text, self._read_from, DIALECTS[self.dialect])

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
                raise SettingsError(f"there is no count {name!r}; give {', '.join(ranges.COUNTS)}")
            if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= ranges.MOST:
                raise SettingsError(f"{name} is {count!r}: it must be an integer from 1 to {ranges.MOST}")
        if not set(counts) & set(self.unknown):
            return self
        rules = (*ranges.resolved(self._written_rules(), counts), *constant_rules(self.constant_names))
        return _carrying(rules, self.name, None, self._read_text, self.dialect, self._read_from)

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
        written = pruned(self, self.probabilities.tolist(), minimum)
        return Grammar.from_text(format_grammar(written), self.name)

    def check_probabilities(self, values: ProbabilityValues) -> Floats:
        """Values for all productions as a read-only array [R]; a GrammarError where they are no probabilities."""
        return checked(values, self, self.name, self.start_probabilities())

    def start_probabilities(self) -> Floats:
        """What a probabilistic method starts from: the grammar's own probabilities, or uniform ones; read-only [R]."""
        return self.uniform_probabilities() if self.probabilities is None else self.probabilities

    def uniform_probabilities(self) -> Floats:
        """1/j for each of the j productions of a non-terminal; read-only [R]."""
        counts = np.diff(self.arrays.rule_start)
        array = np.repeat(1.0 / counts, counts)
        array.setflags(write=False)
        return array

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
        return _carrying, (self._rules, self.name, values, self._read_text, self.dialect, self._read_from)


def _read(text: str, name: str, path: str, dialect: str | None) -> Grammar:
    """The grammar of a text, with a warning where another system would read it as another one."""
    chosen = recognised(text, path) if dialect is None else named(dialect)
    grammar = _carrying(read_rules(text, path or name, chosen), name, None, text, chosen.name, path)
    if dialect is None and chosen is GRAMARYE and len(text) <= MOST_WARNED and not declares(text):
        for line, what in line_breaks(text)[:1]:
            warn(f"{path or name}, line {line}: {what}", GrammarWarning)
    return grammar


def _carrying(
    rules: Sequence[Rule],
    name: str,
    values: Sequence[float] | None = None,
    read_text: str = "",
    dialect: str = GRAMARYE.name,
    read_from: str = "",
) -> Grammar:
    """The grammar of some checked rules with given probabilities, or else with those that the rules carry."""
    grammar = Grammar(rules, name, read_text=read_text, dialect=dialect, read_from=read_from)
    rows = {rule.name: [p.probability for p in rule.productions if p.probability is not None] for rule in rules}
    carried = {key: row for key, row in rows.items() if row}
    return grammar.with_probabilities(values if values is not None else carried or None)
