"""What can be read, but is probably a mistake."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from gramarye.grammar.bnf import BLANK, split_productions, written_rules
from gramarye.grammar.dialects import ANGLED, EBNF, GRAMARYE, GRAPE, SGE, Dialect
from gramarye.grammar.source import NONTERMINAL, Source, Token
from gramarye.text import brief

_NO_PROBABILITY = re.compile(r"\{\s*(?:[-+]?(?i:nan|inf|infinity)|[0-9.]+\s*%|[0-9]+\s*/\s*[0-9]+)\s*\}\Z")
# What looks like a name, and is none: it holds a comma, a bracket or the like.
_NO_NAME = re.compile(r"""<[A-Za-z_][^<>|\s"']{0,40}>|<[^\S\r\n]+\w[^<>|\r\n"']{0,40}>""")

Remark = tuple[int, str]  # an offset, and a sentence


class Remarks(NamedTuple):
    """The line of each rule, and sentences by the line that they are about."""

    lines: dict[str, int]
    found: list[tuple[int, str]]


def remarks_on(text: str, dialect: Dialect = GRAMARYE) -> Remarks:
    """Everything there is to say about a text that can be read."""
    if dialect is EBNF:
        return Remarks({}, [])
    source = Source(text, "")
    rules = list(written_rules(source, dialect))
    names = {head.text for head, _ in rules}
    found = []
    for head, body in rules:
        places = [*_quoted(head.text, body, names), *_comments(source, head.text, body)]
        places += _no_names(source, dialect, head.text, body, names)
        if dialect is GRAMARYE:
            places += _of_our_own(source, head, body)
        if dialect is SGE:
            places += _divisions(head.text, body)
        found += [(source.line(place), what) for place, what in places]
    return Remarks({head.text: source.line(head.offset) for head, _ in rules}, found)


def line_breaks(text: str) -> list[tuple[int, str]]:
    """Of each rule of a text in our own dialect, the line of the first break inside a production, and a sentence."""
    source = Source(text, "")
    rules = ((head.text, split_productions(body, GRAMARYE)) for head, body in written_rules(source, GRAMARYE))
    return [(source.line(place), what) for name, parts in rules for place, what in _line_break(name, parts)]


def _of_our_own(source: Source, head: Token, body: Sequence[Token]) -> Iterator[Remark]:
    """What only our own dialect reads so; another one may have been meant."""
    parts = split_productions(body, GRAMARYE)
    yield from _blank(head, body, parts)
    yield from _probabilities(head.text, parts)
    yield from _line_break(head.text, parts)
    yield from _apostrophes(source, head.text, body)
    yield from _angled(head.text, body)


def _blank(head: Token, body: Sequence[Token], parts: list[list[Token]]) -> Iterator[Remark]:
    """Productions of nothing that nobody wrote as such; a bar that opens the first line is layout."""
    before = [head, *(token for token in body if token.kind == "bar")][-len(parts) :]
    blank = [token.offset for token, part in zip(before, parts, strict=True) if not part]
    if blank and not any(token.kind == "comment" for token in body):
        fix = "remove the bar" if len(parts) > 1 else "write a production"
        yield blank[0], f'{head.text} has an empty production; write "" if it is meant, or {fix}'


def _divisions(name: str, body: Sequence[Token]) -> Iterator[Remark]:
    r"""The first `\eb_div\eb` of the SGE family, whose own programs compute it with the precedence of `|`."""
    first = next((token for token in body if re.search(r"\\eb_?div", token.text)), None)
    if first:
        what = f"{name}: |_div| binds like / here, but more weakly than + in the programs of its authors"
        yield first.offset, f'{what}; precedence="authors" of gm.Regression (--precedence authors) is like theirs'


def _comments(source: Source, name: str, body: Sequence[Token]) -> Iterator[Remark]:
    """Comments that leave nothing of a production, or follow a word without a blank."""
    comment, is_blank = None, True
    for token in (*body, Token("bar", "|", -1)):
        if token.kind == "bar":
            if comment and is_blank:
                what = f"a production of {name} is empty, because the rest of its line is a comment"
                yield comment.offset, f'{what}; write "#" in quotes if it is text'
            comment, is_blank = None, True
        elif token.kind == "comment":
            comment = comment or token
            if token.text[0] == "#" and not source.text[token.offset - 1].isspace():
                what = f"{name}: {brief(token.text)} is a comment"
                yield token.offset, f'{what}; write "#" in quotes if it is text, or a blank before it'
        elif token.kind not in BLANK:
            is_blank = False


def _probabilities(name: str, parts: list[list[Token]]) -> Iterator[Remark]:
    """Braces that look like a probability, and are text."""
    ends = [part[-1] for part in parts if part and part[-1].kind == "number"]
    if ends and len(ends) < len(parts):
        why = "because other productions of the rule don't end with a number"
        fix = "give every production of the rule a probability if it is meant as one"
        yield ends[0].offset, f"{name}: {ends[0].text} is text, {why}; {fix}"
    for part in parts:
        match = _NO_PROBABILITY.search("".join(token.text for token in part if token.kind != "quoted"))
        if match and part[-1].kind == "word":
            yield part[-1].offset, f"{name}: {match[0]} is text; write a number from 0 to 1 if a probability is meant"


def _line_break(name: str, parts: list[list[Token]]) -> Iterator[Remark]:
    """The first line break inside a production."""
    breaks = [token.offset for part in parts for token in part if token.kind == "newline"]
    if breaks:
        what = f"a production of {name} goes over several lines, and the line break is not part of the program"
        fix = 'write "\\n" where it is meant, or begin the text with "# dialect: ponyge2" (or gramarye)'
        yield breaks[0], f"{what} (in PonyGE2 it is); {fix}"


def _quoted(name: str, body: Sequence[Token], names: Collection[str]) -> Iterator[Remark]:
    """Quoted text that is called like a rule; a rule may derive its own name."""
    for token in body:
        if token.kind == "quoted":
            text = token.text[1:-1]
            rule = text if NONTERMINAL.fullmatch(text) else f"<{text}>"
            if rule in names and (text == rule or rule != name):
                yield token.offset, f"{token.text} is text, not the rule {rule}; write {rule} if the rule is meant"


def _no_names(
    source: Source, dialect: Dialect, name: str, body: Sequence[Token], names: Collection[str]
) -> Iterator[Remark]:
    """Text such as `<a,b>` or `< expr >` that may be meant as a rule."""
    for token in body:
        found = _NO_NAME.match(source.text, token.offset) if token.text == "<" else None
        bare = f"<{found[0][1:-1].strip()}>" if found else ""
        if found and (" " not in found[0] or bare in names):
            fix = f"write {bare}" if bare in names else "define the rule"
            quotes = "" if dialect in (SGE, GRAPE) else ", or put it in quotes"
            yield token.offset, f"{name}: no rule is called {found[0]}, so it is text; {fix}{quotes}"


def _apostrophes(source: Source, name: str, body: Sequence[Token]) -> Iterator[Remark]:
    """Two apostrophes, as in `don't | can't`, that make all between them one text."""
    for token in body:
        inside = token.kind == "quoted" and token.text[0] == "'" and "|" in token.text
        if inside and source.text[token.offset - 1].isalpha():
            fix = "write \\' for an apostrophe"
            yield token.offset, f"{name}: {token.text} is one text, since the ' after a letter opens it; {fix}"


def _angled(name: str, body: Sequence[Token]) -> Iterator[Remark]:
    """Escapes that only the SGE family has."""
    for token in body:
        found = ANGLED.search(token.text) if token.kind in ("word", "quoted") else None
        if found:
            fix = (
                'in files that begin with "# dialect: sge" it is <= or >=; write "\\\\" for the backslash if it is text'
            )
            yield token.offset, f"{name}: {found[0]} is text; {fix}"
            return
