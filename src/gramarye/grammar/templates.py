"""A formula with holes, such as `a * f(x1) + g(x2, x3)`, as a grammar: names that are called are filled by the search.

A name that is a column or a function of the language keeps its meaning. Any other name is a hole if it is called with
columns, and a constant that is tuned if it is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gramarye.errors import GrammarError, did_you_mean, nearest
from gramarye.grammar import vocabulary
from gramarye.grammar.columns import Column
from gramarye.grammar.presets import Preset, Variables, preset_rules, rule
from gramarye.grammar.rules import Symbol
from gramarye.grammar.source import Source
from gramarye.grammar.vocabulary import NUMBER, PLAIN, QUOTED, misspelt, unquoted, written
from gramarye.grammar.writing import format_production
from gramarye.text import counted

AXIOM = "formula"
_TAKEN = (AXIOM, "const")
_TOKEN = re.compile(
    rf"(?P<space>\s+)|(?P<number>{NUMBER.pattern})|(?P<quoted>{QUOTED.pattern})|(?P<name>{PLAIN.pattern})"
    r"|(?P<sign>\*\*|[-+*/(),])"
)


class _Token(NamedTuple):
    kind: str
    text: str
    offset: int


def template_rules(text: str, columns: Sequence[Column], preset: Preset, constants: bool) -> str:
    """BNF text of a template: a rule for the formula, and one for each hole, which may use the hole's columns only."""
    reader = _Reader(text, columns)
    symbols, holes = reader.read()
    rules = [rule(f"<{AXIOM}>", {format_production(symbols): 1.0})]
    for name, inside in holes.items():
        numbers = [column.name for column in inside if column.kind == "number"]
        flags = [flag for column in inside for flag in column.flags]
        rules.append(preset_rules(preset, Variables(numbers, flags, constants), f"<{name}>", f"{name}."))
    return "".join(rules)


class _Reader:
    """Reads a template from left to right."""

    def __init__(self, text: str, columns: Sequence[Column]) -> None:
        if not isinstance(text, str):
            raise GrammarError(f"template is of type {type(text).__name__}; give a text such as 'a * f(x1)'")
        self.source = Source(text, "template")
        self.columns = {column.name: column for column in columns}
        self.variables = {v for c in columns for v in ([c.name] if c.kind == "number" else c.flags)}
        self.tokens = self._tokens()
        self.place = 0
        self.symbols: list[Symbol] = []
        self.holes: dict[str, Sequence[Column]] = {}
        self.constants: set[str] = set()

    def read(self) -> tuple[list[Symbol], Mapping[str, Sequence[Column]]]:
        """The symbols of the formula, and the columns of each hole."""
        if self._next().kind == "end":
            raise self._error("the template is empty; write a formula such as a * f(x1)", self._next())
        self._expression()
        if self._next().kind != "end":
            found = self._next().text
            fix = "remove it" if found in ")," else "write an operator before it"
            raise self._error(f"{found!r} does not continue the formula; {fix}")
        if not self.holes and not self.constants:
            fix = "write a function such as f(…) for a part to find, or a letter for a number to tune"
            raise self.source.error(0, f"the template leaves nothing open; {fix}")
        return self.symbols, self.holes

    def _tokens(self) -> list[_Token]:
        tokens = []
        place, text = 0, self.source.text
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                fix = "a template has numbers, names, + - * / **, brackets and commas; other names are in backquotes"
                raise self.source.error(place, f"{text[place]!r} can't be read; {fix}")
            tokens.append(_Token(match.lastgroup or "", match[0], place))
            place = match.end()
        return [*tokens, _Token("end", "", len(text))]

    def _next(self) -> _Token:
        """The token that is read next."""
        return next(token for token in self.tokens[self.place :] if token.kind != "space")

    def _take(self) -> _Token:
        """Read a token, and write the white space before it."""
        if self.tokens[self.place].kind == "space":
            self.place += 1
            if self.symbols:
                self.symbols.append(Symbol(" ", "space"))
        self.place += 1
        return self.tokens[self.place - 1]

    def _write(self, text: str) -> None:
        """Texts side by side are one terminal."""
        if self.symbols and self.symbols[-1].kind == "terminal":
            text = self.symbols.pop().text + text
        self.symbols.append(Symbol(text, "terminal"))

    def _error(self, message: str, token: _Token | None = None) -> GrammarError:
        return self.source.error((token or self._next()).offset, message)

    def _expression(self) -> None:
        self._operand()
        while self._next().text in ("+", "-", "*", "/", "**"):
            self._write(self._take().text)
            self._operand()

    def _operand(self) -> None:
        while self._next().text in ("+", "-"):
            self._write(self._take().text)
        token = self._take()
        if token.text == "(":
            self._write("(")
            self._expression()
            self._close("(")
        elif token.kind == "number":
            self._write(token.text)
        elif token.kind in ("name", "quoted"):
            self._name(token)
        else:
            what = "the template ends" if token.kind == "end" else f"{token.text!r} stands"
            raise self._error(f"{what} where a number, a name or a bracket is expected", token)

    def _close(self, opened: str) -> None:
        if self._next().text != ")":
            found = self._next().text
            raise self._error(f"{found!r} is not expected here" if found else f"the bracket {opened} is never closed")
        self._write(self._take().text)

    def _name(self, token: _Token) -> None:
        name = unquoted(token.text) if token.kind == "quoted" else token.text
        called = self._next().text == "("
        if called and token.kind == "name" and vocabulary.function(name):
            self._function(name, token)
        elif called:
            self._hole(name, token)
        elif name in self.variables and (token.kind == "quoted" or not vocabulary.function(name)):
            self._write(written(name))
        else:
            self._constant(name, token)

    def _function(self, name: str, token: _Token) -> None:
        self._write(name)
        self._write(self._take().text)
        self._expression()
        arguments = 1
        while self._next().text == ",":
            self._write(self._take().text)
            self._expression()
            arguments += 1
        self._close(f"{name}(")
        wanted = vocabulary.FUNCTIONS[vocabulary.function(name) or ""]
        if arguments != wanted:
            raise self._error(f"{name} takes {counted(wanted, 'argument')}, not {arguments}", token)

    def _hole(self, name: str, token: _Token) -> None:
        if token.kind == "quoted" or name in self.columns:
            raise self._error(f"{name!r} is a column, and can't be called; give the hole another name", token)
        if name in _TAKEN or "." in name:
            raise self._error(f"a hole can't be called {name!r}; give it another name", token)
        if name in self.holes:
            fix = "each hole is filled on its own; give this one another name"
            raise self._error(f"the hole {name} occurs twice, but {fix}", token)
        before = list(self.symbols)
        self._take()
        found = [self._argument(name)]
        while self._next().text == ",":
            self._take()
            found.append(self._argument(name))
        self._close(f"{name}(")
        self.holes[name] = found
        self.symbols = [*before, Symbol(f"<{name}>", "nonterminal")]  # without the arguments

    def _argument(self, hole: str) -> Column:
        """One of the columns that a hole may use."""
        token = self._take()
        name = unquoted(token.text) if token.kind == "quoted" else token.text
        if token.kind not in ("name", "quoted"):
            raise self._error(f"the hole {hole} needs names of columns here, as in {hole}({self._some()})", token)
        if name in self.columns:
            return self.columns[name]
        if name in self.variables:
            return Column(name, "flag")
        near = did_you_mean(name, [*self.columns, *self.variables]) or f"; there are {', '.join(self.columns)}"
        if self._next().text == "(":
            fix = f"call it outside, as in {name}({hole}(…))"
            raise self._error(f"the hole {hole} takes names of columns, not the function {name}; {fix}", token)
        raise self._error(f"no column is called {name!r}{near}", token)

    def _some(self) -> str:
        return ", ".join(written(name) for name in list(self.columns)[:2])

    def _constant(self, name: str, token: _Token) -> None:
        """A number to tune, unless its name can't be one."""
        if name in self.columns and self.columns[name].kind == "text":
            flag = written(self.columns[name].flags[0])
            raise self._error(f"the column {name!r} holds texts; write {flag} for one of them, or use a hole", token)
        if vocabulary.function(name) and token.kind == "name":
            also = f", or `{name}` in backquotes for the column" if name in self.columns else ""
            raise self._error(f"{name!r} is a function; write {name}(…){also}", token)
        near = nearest(name, self.variables) if token.kind == "quoted" else misspelt(name, self.variables)
        if near or token.kind == "quoted":
            suggested = f"; did you mean {near}? A number to tune needs another name" if near else ""
            raise self._error(f"no column is called {name!r}{suggested}", token)
        if name in self.constants:
            fix = "each of them is tuned on its own; give this one another name"
            raise self._error(f"the constant {name} occurs twice, but {fix}", token)
        self.constants.add(name)
        self.symbols.append(Symbol("<const>", "nonterminal"))
