"""From grammar text to a Grammar: files, and the checks and remarks that need to know where things stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from gramarye.errors import GrammarError, did_you_mean
from gramarye.files import read_limited
from gramarye.grammar.adjacency import joined_to
from gramarye.grammar.arrays import heights, kids_of
from gramarye.grammar.bnf import Rule, Symbol, parse, split_productions, written_rules
from gramarye.grammar.constants import EXAMPLE, SLIP, bounds_of, constant_rules, is_constant
from gramarye.grammar.source import NONTERMINAL, Source, Token, tokenise

_NO_PROBABILITY = re.compile(r"\{\s*(?:[-+]?(?i:nan|inf|infinity)|[0-9.]+\s*%|[0-9]+\s*/\s*[0-9]+)\s*\}\Z")


def read_file(path: str | PathLike[str]) -> str:
    """The text of a grammar file."""
    if Path(path).is_dir():
        raise GrammarError(f"{path} is a folder; give the path of a grammar file inside it")
    try:
        return read_limited(Path(path)).decode("utf-8")
    except FileNotFoundError:
        fix = f"check the path (it is looked for from {Path.cwd()})"
        raise GrammarError(f"{path}: there is no such file; {fix}") from None
    except UnicodeDecodeError as error:
        where = f"byte {error.start + 1} is 0x{error.object[error.start]:02x}"
        raise GrammarError(f"{path} is not UTF-8 text ({where}); save it as UTF-8") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise GrammarError(f"{path} can't be read ({why}); check the path and its permissions") from None


def read_rules(text: str, name: str) -> tuple[Rule, ...]:
    """Rules in which every non-terminal is defined and productive; one error tells all that are not."""
    rules, source = parse(text, name), Source(text, name)
    undefined = _undefined(rules)
    constants = [missing for missing in undefined if is_constant(missing)]
    problems = [
        *((place, what) for missing, place in undefined.items() if (what := _problem(missing, rules))),
        *_unproductive(rules),
        *_slips(source),
    ]
    if problems:
        raise GrammarError("\n".join(source.point(place, what) for place, what in sorted(problems)))
    complete = (*rules, *constant_rules(constants))
    joined = joined_to(complete, constants) if constants else {}
    fix = "and both would be read as one; put a blank, an operator or a bracket between them"
    if joined:
        touching = sorted(
            (undefined[name], f"{name} can be next to {other!r}, {fix}") for name, other in joined.items()
        )
        raise GrammarError("\n".join(source.point(place, what) for place, what in touching))
    return complete


def _undefined(rules: Sequence[Rule]) -> dict[str, int]:
    """The non-terminals without a rule, and where each first occurs."""
    defined = {rule.name for rule in rules}
    places: dict[str, int] = {}
    for production in (production for rule in rules for production in rule.productions):
        for symbol, place in zip(production.symbols, production.places, strict=True):
            if symbol.kind == "nonterminal" and symbol.text not in defined:
                places.setdefault(symbol.text, place)
    return places


def _problem(name: str, rules: Sequence[Rule]) -> str | None:
    """What is wrong with a non-terminal that no rule defines; None where it is a number that the search tunes."""
    if not is_constant(name):
        return f"no rule defines {name}{_fix(name, [rule.name for rule in rules])}"
    try:
        bounds_of(name)
    except ValueError as error:
        return str(error)
    text = Symbol(name, "terminal")
    quoted = any(text in production.symbols for rule in rules for production in rule.productions)
    return f'{name} is a number here, and "{name}" in quotes is text; use only one of them' if quoted else None


def _slips(source: Source) -> Iterator[tuple[int, str]]:
    """Text that is not quoted and looks like a number to tune, such as `<const:-1,1>`."""
    for token in tokenise(source):
        found = SLIP.match(source.text, token.offset) if token.text == "<" else None
        if found:
            yield token.offset, f"{found[0]} is not a constant; write {EXAMPLE}, or put it in quotes if it is text"


def _fix(name: str, defined: Sequence[str]) -> str:
    if SLIP.fullmatch(name):
        return f"; a constant with bounds is written {EXAMPLE}"
    # The brackets make any two short names look alike, so the names have to be near without them too.
    near = [other for other in defined if did_you_mean(name[1:-1], [other[1:-1]])]
    return did_you_mean(name, near) or "; add one, or put it in quotes if it is text"


def _unproductive(rules: Sequence[Rule]) -> list[tuple[int, str]]:
    """Rules that no derivation gets out of; an undefined non-terminal is reported anyway and counts as finished."""
    left = [number for number, rule in enumerate(rules) for _ in rule.productions]
    _, least = heights(left, kids_of(rules), len(rules))
    what = "never ends in text, whichever production is taken; give it a production that does"
    return [(rule.place, f"{rule.name} {what}") for rule, height in zip(rules, least, strict=True) if height < 0]


# What can be read, but is probably a mistake


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
        parts = split_productions(body)
        places = [
            *_blank(head, body, parts),
            *_probabilities(head.text, parts),
            *_line_break(head.text, parts),
            *_quoted(head.text, body, names),
        ]
        found += [(source.line(place), what) for place, what in places]
    return Remarks({head.text: source.line(head.offset) for head, _ in rules}, found)


def _blank(head: Token, body: Sequence[Token], parts: list[list[Token]]) -> Iterator[tuple[int, str]]:
    """Productions of nothing that nobody wrote as such; a bar that opens the first line is layout."""
    before = [head, *(token for token in body if token.kind == "bar")][-len(parts) :]
    blank = [token.offset for token, part in zip(before, parts, strict=True) if not part]
    if blank:
        yield blank[0], f'{head.text} has an empty production; write "" if it is meant, or remove the bar'


def _probabilities(name: str, parts: list[list[Token]]) -> Iterator[tuple[int, str]]:
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


def _line_break(name: str, parts: list[list[Token]]) -> Iterator[tuple[int, str]]:
    """The first line break inside a production."""
    breaks = [token.offset for part in parts for token in part if token.kind == "newline"]
    if breaks:
        what = f"a production of {name} goes over several lines, and the line break is not part of the program"
        yield breaks[0], f'{what} (in PonyGE2 it is); write "\\n" where it is meant'


def _quoted(name: str, body: Sequence[Token], names: set[str]) -> Iterator[tuple[int, str]]:
    """Quoted text that is called like a rule; a rule may derive its own name."""
    for token in body:
        if token.kind == "quoted":
            text = token.text[1:-1]
            rule = text if NONTERMINAL.fullmatch(text) else f"<{text}>"
            if rule in names and (text == rule or rule != name):
                yield token.offset, f"{token.text} is text, not the rule {rule}; write {rule} if the rule is meant"
