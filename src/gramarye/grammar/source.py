"""The text of a grammar file: where things stand in it, and the tokens it is made of."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from gramarye.errors import GrammarError

_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_SHOWN = 100  # columns of a source line that an error shows

NONTERMINAL = re.compile(r"<\w(?:[\w .:'-]*[\w.:'-])?>")
NUMBER = re.compile(r"\{[^\S\r\n]*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?[^\S\r\n]*\}")

# `<` and `{` begin a non-terminal and a number only if the whole of it follows, so `a < b` and `{ x }` are words.
_TOKEN = re.compile(
    rf"""
      (?P<newline>\r\n|\n|\r)
    | (?P<space>[^\S\r\n]+)
    | (?P<comment>(?<!\S)\#[^\r\n]*)
    | (?P<bar>\|)
    | (?P<arrow>::=)
    | (?P<nonterminal>{NONTERMINAL.pattern})
    | (?P<quoted>"(?:\\[^\r\n]|[^"\\\r\n])*"|'(?:\\[^\r\n]|[^'\\\r\n])*')
    | (?P<unclosed>["'])
    | (?P<number>{NUMBER.pattern})
    | (?P<word>(?:\\\S|[^\s|"'<{{:\\])+|\S)
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text: `kind` is a group of the pattern above."""

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

    def point(self, offset: int, message: str) -> str:
        """`name, line L, column C: message`, the line itself, and a caret below the place."""
        line = self.line(offset)
        start = self._starts[line - 1]
        column = offset - start
        text = _LINE_BREAK.split(self.text[start:], maxsplit=1)[0]
        cut = max(0, column - _SHOWN // 2) if len(text) > _SHOWN else 0
        shown = "".join(
            c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in text[cut : cut + _SHOWN]
        )
        caret = "".join("\t" if c == "\t" else " " for c in shown[: column - cut]) + "^"
        return f"{self.name}, line {line}, column {column + 1}: {message}\n    {shown}\n    {caret}"

    def error(self, offset: int, message: str) -> GrammarError:
        """The error to raise for what is wrong at an offset."""
        return GrammarError(self.point(offset, message))


def tokenise(source: Source) -> list[Token]:
    """All tokens but the comments."""
    tokens = []
    for match in _TOKEN.finditer(source.text):
        kind = match.lastgroup or ""
        if kind == "unclosed":
            quote = match.group()
            fix = f"close it on the same line, or write \\{quote} if the quote itself is meant"
            raise source.error(match.start(), f"the quote {quote} is never closed; {fix}")
        if kind != "comment":
            tokens.append(Token(kind, match.group(), match.start()))
    return tokens
