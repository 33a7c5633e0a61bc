"""What is probably a mistake in the text of a grammar, though it can be read: with the line of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gramarye.grammar.bnf import split_productions, written_rules
from gramarye.grammar.source import NONTERMINAL, Source, Token

_NO_PROBABILITY = re.compile(r"\{\s*(?:[-+]?(?i:nan|inf|infinity)|[0-9.]+\s*%|[0-9]+\s*/\s*[0-9]+)\s*\}\Z")


class Remarks(NamedTuple):
    """The line of each rule, and sentences by the line that they are about."""

    lines: dict[str, int]
    found: list[tuple[int, str]]


def remarks_on(text: str) -> Remarks:
    """Everything there is to say about a text that can be read."""
    source = Source(text, "")
    rules = list(written_rules(source))
    names = {head.text for head, _ in rules}
    found = []
    for head, body in rules:
        places = [
            *_blank(head, body),
            *_probabilities(head.text, body),
            *_line_break(head.text, body),
            *_quoted(head.text, body, names),
        ]
        found += [(source.line(place), what) for place, what in places]
    return Remarks({head.text: source.line(head.offset) for head, _ in rules}, found)


def _blank(head: Token, body: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """Productions of nothing that nobody wrote as such; a bar that opens the first line is layout."""
    parts = split_productions(body)
    before = [head, *(token for token in body if token.kind == "bar")][-len(parts) :]
    blank = [token.offset for token, part in zip(before, parts, strict=True) if not part]
    if blank:
        yield blank[0], f'{head.text} has an empty production; write "" if it is meant, or remove the bar'


def _probabilities(name: str, body: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """Braces that look like a probability, and are text."""
    parts = split_productions(body)
    ends = [part[-1] for part in parts if part and part[-1].kind == "number"]
    if ends and len(ends) < len(parts):
        why = "because other productions of the rule don't end with a number"
        fix = "give every production of the rule a probability if it is meant as one"
        yield ends[0].offset, f"{name}: {ends[0].text} is text, {why}; {fix}"
    for part in parts:
        match = _NO_PROBABILITY.search("".join(token.text for token in part if token.kind != "quoted"))
        if match and part[-1].kind == "word":
            yield part[-1].offset, f"{name}: {match[0]} is text; write a number from 0 to 1 if a probability is meant"


def _line_break(name: str, body: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """The first line break inside a production."""
    for part in split_productions(body):
        for token in part:
            if token.kind == "newline":
                what = f"a production of {name} goes over several lines, and the line break is not part of the program"
                yield token.offset, f'{what} (in PonyGE2 it is); write "\\n" where it is meant'
                return


def _quoted(name: str, body: Sequence[Token], names: set[str]) -> Iterator[tuple[int, str]]:
    """Quoted text that is called like a rule; a rule may derive its own name."""
    for token in body:
        if token.kind == "quoted":
            text = token.text[1:-1]
            rule = text if NONTERMINAL.fullmatch(text) else f"<{text}>"
            if rule in names and (text == rule or rule != name):
                yield token.offset, f"{token.text} is text, not the rule {rule}; write {rule} if the rule is meant"
