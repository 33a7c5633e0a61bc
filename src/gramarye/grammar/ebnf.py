"""EBNF → plain rules: groups, options and repetitions become rules that are named after the one they stand in.

    expr = term, { ("+" | "-"), term } ;          <expr>        ::= <term><expr:repeat>
                                                  <expr:repeat> ::= "" | <expr:group><term><expr:repeat>
                                                  <expr:group>  ::= + | -

Names stand in angle brackets, and words without them are text; or no name of a rule has any, and then all text is
quoted. `=`, `:=` or `::=` defines; `,` and white space are layout; `;` may end a rule. `x?`, `x*` and `x+` are an
option and repetitions, as are `[x]` and `{x}`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from gramarye.grammar.dialects import EBNF, Dialect
from gramarye.grammar.rules import ProductionText, Rule, Symbol
from gramarye.grammar.source import NONTERMINAL, Source, Token, tokenise

_TOKENS = rf"""(?P<comment>\(\*(?:[^*]|\*(?!\)))*\*\)|(?<!\S)\#[^\r\n]*)
    |(?P<space>\s+)
    |(?P<name>{NONTERMINAL.pattern})
    |(?P<quoted>"(?:\\[^\r\n]|[^"\\\r\n])*"|'(?:\\[^\r\n]|[^'\\\r\n])*')
    |(?P<unclosed>["'])
    |(?P<define>::=|:=|=)
    |(?P<sign>[|,;()\[\]{{}}*+?])
    |(?P<word>[^\s|,;()\[\]{{}}*+?"'<=:]+|\S)"""
_WORD = re.compile(r"[^\W\d][\w.-]*")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_KIND = {"(": "group", "[": "option", "{": "repeat", "?": "option", "*": "repeat", "+": "repeat"}


@dataclass
class _Frame:
    """A bracket that is open, or the rule itself: its productions so far."""

    opened: Token
    productions: list[list[Symbol]] = field(default_factory=lambda: [[]])
    places: list[list[int]] = field(default_factory=lambda: [[]])

    def add(self, symbol: Symbol, place: int) -> None:
        self.productions[-1].append(symbol)
        self.places[-1].append(place)

    def divide(self) -> None:
        self.productions.append([])
        self.places.append([])

    def written(self) -> tuple[ProductionText, ...]:
        pairs = zip(self.productions, self.places, strict=True)
        return tuple(ProductionText(tuple(symbols), None, tuple(places)) for symbols, places in pairs)


def parse(text: str, name: str = "grammar", dialect: Dialect = EBNF) -> tuple[Rule, ...]:
    """The rules of a text, the axiom first, each followed by those that its brackets became."""
    source = Source(text, name)
    tokens = [token for token in tokenise(source, _TOKENS) if token.kind not in ("space", "comment")]
    heads = [i for i, token in enumerate(tokens[1:]) if token.kind == "define" and _is_name(tokens[i])]
    if not heads:
        place = tokens[0].offset if tokens else 0
        raise source.error(place, "there is no rule here; a grammar needs at least one, such as expr = term ;")
    if heads[0] > 0:
        raise source.error(tokens[0].offset, "text before the first rule; begin with name = …, or make this a comment")
    bare = not any(tokens[head].kind == "name" for head in heads)
    found: dict[str, Rule] = {}
    taken = {_bracketed(tokens[head]) for head in heads}
    for head, end in zip(heads, [*heads[1:], len(tokens)], strict=True):
        if _bracketed(tokens[head]) in found:
            what = f"{tokens[head].text} is defined twice; join the definitions with |, or rename one"
            raise source.error(tokens[head].offset, what)
        for rule in _Reader(source, dialect, tokens[head], bare, taken).read(tokens[head + 2 : end]):
            found[rule.name] = rule
    return tuple(found.values())


def _is_name(token: Token) -> bool:
    return token.kind == "name" or (token.kind == "word" and bool(_WORD.fullmatch(token.text)))


def _bracketed(token: Token) -> str:
    return token.text if token.kind == "name" else f"<{token.text}>"


class _Reader:
    """Reads the definition of one rule; without recursion, since brackets may be nested deeply."""

    def __init__(self, source: Source, dialect: Dialect, head: Token, bare: bool, taken: set[str]) -> None:
        self.source, self.dialect, self.head, self.bare, self.taken = source, dialect, head, bare, taken
        self.added: list[Rule] = []
        self.frames = [_Frame(head)]
        self.counts: Counter[str] = Counter()

    def read(self, body: Sequence[Token]) -> list[Rule]:
        """The rule, and those that its brackets became."""
        if body and body[-1].text in (";", ".") and body[-1].kind != "quoted":
            body = body[:-1]
        for token in body:
            if token.kind == "sign":
                self._sign(token)
            else:
                symbol = self._symbol(token)
                if symbol.text:
                    self.frames[-1].add(symbol, token.offset)
        if len(self.frames) > 1:
            opened = self.frames[-1].opened
            fix = f"close it with {_CLOSING[opened.text]}, or quote it if it is text"
            raise self.source.error(opened.offset, f"the bracket {opened.text} is never closed; {fix}")
        own = Rule(_bracketed(self.head), self.frames[0].written(), self.head.offset)
        return [own, *sorted(self.added, key=lambda rule: rule.place)]

    def _symbol(self, token: Token) -> Symbol:
        if token.kind == "quoted":
            return Symbol(self.dialect.escapes.read(token.text[1:-1]), "terminal")
        if token.kind == "name" or (self.bare and _WORD.fullmatch(token.text)):
            return Symbol(_bracketed(token), "nonterminal")
        if self.bare or token.kind == "define":
            fix = "put it in quotes if it is text" if token.text != "-" else "exceptions are not supported"
            raise self.source.error(token.offset, f"{token.text} is neither a name nor a sign of EBNF; {fix}")
        return Symbol(token.text, "terminal")

    def _sign(self, token: Token) -> None:
        frame = self.frames[-1]
        if token.text in _CLOSING:
            self.frames.append(_Frame(token))
        elif token.text in _CLOSING.values():
            self._close(token)
        elif token.text == "|":
            frame.divide()
        elif token.text == ";":
            raise self.source.error(token.offset, "; ends a rule, and no name with = follows; quote it if it is text")
        elif token.text != ",":
            if not frame.productions[-1]:
                fix = f"write it after what it is about, or quote it if it is text: '{token.text}'"
                raise self.source.error(token.offset, f"there is nothing before {token.text}; {fix}")
            symbol, place = frame.productions[-1].pop(), frame.places[-1].pop()
            frame.add(self._rule(token, [ProductionText((symbol,), None, (place,))]), token.offset)

    def _close(self, token: Token) -> None:
        frame = self.frames[-1]
        if len(self.frames) == 1 or _CLOSING[frame.opened.text] != token.text:
            raise self.source.error(token.offset, f"{token.text} closes no bracket; quote it if it is text")
        self.frames.pop()
        self.frames[-1].add(self._rule(frame.opened, frame.written()), frame.opened.offset)

    def _rule(self, sign: Token, written: Sequence[ProductionText]) -> Symbol:
        """The non-terminal for a group, an option or a repetition of some productions."""
        name = Symbol(self._name(_KIND[sign.text]), "nonterminal")
        productions = list(written)
        if _KIND[sign.text] == "repeat":
            again = [ProductionText((*p.symbols, name), None, (*p.places, sign.offset)) for p in written if p.symbols]
            productions = [*productions, *again] if sign.text == "+" else [ProductionText(()), *again]
        elif _KIND[sign.text] == "option":
            productions = [ProductionText(()), *(p for p in written if p.symbols)]
        self.added.append(Rule(name.text, tuple(productions), sign.offset))
        return name

    def _name(self, kind: str) -> str:
        """`<expr:option>`, then `<expr:option2>`."""
        while True:
            self.counts[kind] += 1
            number = self.counts[kind] if self.counts[kind] > 1 else ""
            name = f"{_bracketed(self.head)[:-1]}:{kind}{number}>"
            if name not in self.taken:
                self.taken.add(name)
                return name
