"""The text of a grammar file: where things stand in it, and the tokens it is made of."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

from gramarye.errors import GrammarError

_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_SHOWN = 100  # columns of a source line that an error shows
_LOOKED_BACK = 200  # tokens among which the quote is looked for that has no partner
MOST_TOKENS = 1_000_000  # far above any use, and read within seconds

NONTERMINAL = re.compile(r"<\w(?:[\w .:'-]*[\w.:'-])?>")
NUMBER = re.compile(r"\{[^\S\r\n]*[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?[^\S\r\n]*\}")
ODD_NAME = re.compile(r"<[^<>|\s](?:[^<>|\r\n]*[^<>|\s])?>")
_HEAD = re.compile(rf"^[^\S\r\n]*({ODD_NAME.pattern})\s*::=", re.MULTILINE)


class Token(NamedTuple):
    """A piece of the text: `kind` is a group of the pattern of its dialect."""

    kind: str
    text: str
    offset: int


class Source:
    """A text and its name, which turn an offset into line, column and caret."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text.removeprefix("\ufeff")  # the byte order mark some editors write
        self.name = name

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_BREAK.finditer(self.text))]

    def line(self, offset: int) -> int:
        """The number of the line an offset lies in, from 1."""
        return bisect_right(self._starts, offset)

    def line_start(self, offset: int) -> int:
        """Where the line of an offset begins."""
        return self._starts[self.line(offset) - 1]

    def point(self, offset: int, message: str) -> str:
        """`name, line L, column C: message`, the line itself, and a caret below the place."""
        start = self.line_start(offset)
        column = offset - start
        cut = max(0, column - _SHOWN // 2)
        end = _LINE_BREAK.search(self.text, start)
        text = self.text[start : end.start() if end else len(self.text)]
        cut = cut if len(text) > _SHOWN else 0
        shown = "".join(
            c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in text[cut : cut + _SHOWN]
        )
        caret = "".join("\t" if c == "\t" else " " for c in shown[: column - cut]) + "^"
        return f"{self.name}, line {self.line(offset)}, column {column + 1}: {message}\n    {shown}\n    {caret}"

    def error(self, offset: int, message: str) -> GrammarError:
        """The error to raise for what is wrong at an offset."""
        return GrammarError(self.point(offset, message))


def tokenise(source: Source, pattern: str) -> list[Token]:
    """All tokens but the comments that divide nothing."""
    tokens: list[Token] = []
    for token in _tokens(source.text, _compiled(pattern), _odd_names(source.text)):
        if token.kind == "unclosed":
            raise _unclosed(source, tokens, token.offset)
        tokens.append(token)
        if len(tokens) > MOST_TOKENS:
            what = f"the text has more than {MOST_TOKENS:,} words and signs"
            raise source.error(
                token.offset, f"{what}; give a smaller grammar, or make its words in the fitness function"
            )
    return tokens


def _tokens(text: str, pattern: re.Pattern[str], odd_names: frozenset[str]) -> Iterator[Token]:
    """The tokens, in order. What looks like an odd name and is none is a `<`, with whatever comes after it."""
    place = 0
    while place < len(text):
        for match in pattern.finditer(text, place):
            kind, found, offset = match.lastgroup or "", match.group(), match.start()
            place = match.end()
            if kind == "odd" and found not in odd_names:
                yield Token("word", "<", offset)
                place = offset + 1
                break
            yield Token("nonterminal" if kind == "odd" else kind, found, offset)


def _odd_names(text: str) -> frozenset[str]:
    """The names of rules, such as `<a,b>`, that are names only because a rule is called so."""
    return frozenset(name for name in _HEAD.findall(text) if not NONTERMINAL.fullmatch(name))


@lru_cache(maxsize=32)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.VERBOSE | re.MULTILINE)


def _unclosed(source: Source, tokens: list[Token], offset: int) -> GrammarError:
    """The error for a quote without a partner: the one that opens, and not a letter's apostrophe before it."""
    quote, start = source.text[offset], source.line_start(offset)
    line = [token for token in tokens[-_LOOKED_BACK:] if token.offset > start and token.kind == "quoted"]
    apostrophes = [t.offset for t in line if t.text[0] == quote and source.text[t.offset - 1].isalnum()]
    offset = apostrophes[0] if apostrophes else offset
    fix = f"close it on the same line, or write \\{quote} if the quote itself is meant"
    other = 'in files that begin with "# dialect: sge", quotes are text'
    return source.error(offset, f"the quote {quote} is never closed; {fix} ({other})")
