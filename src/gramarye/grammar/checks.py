"""Grammar text on its way to a Grammar: files, and the checks that need to know where things stand."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from gramarye.errors import GrammarError, did_you_mean
from gramarye.files import read_limited
from gramarye.grammar.arrays import heights, kids_of
from gramarye.grammar.bnf import Rule, parse
from gramarye.grammar.source import Source


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
    rules = parse(text, name)
    problems = sorted([*_undefined(rules), *_unproductive(rules)])
    if problems:
        source = Source(text, name)
        raise GrammarError("\n".join(source.point(place, what) for place, what in problems))
    return rules


def _undefined(rules: Sequence[Rule]) -> list[tuple[int, str]]:
    """Where each non-terminal without a rule first occurs, and what to do."""
    defined = {rule.name: None for rule in rules}
    places: dict[str, int] = {}
    for production in (production for rule in rules for production in rule.productions):
        for symbol, place in zip(production.symbols, production.places, strict=True):
            if symbol.kind == "nonterminal" and symbol.text not in defined:
                places.setdefault(symbol.text, place)
    return [(place, f"no rule defines {name}{_fix(name, list(defined))}") for name, place in places.items()]


def _fix(name: str, defined: Sequence[str]) -> str:
    # The brackets make any two short names look alike, so the names have to be near without them too.
    near = [other for other in defined if did_you_mean(name[1:-1], [other[1:-1]])]
    return did_you_mean(name, near) or "; add one, or put it in quotes if it is text"


def _unproductive(rules: Sequence[Rule]) -> list[tuple[int, str]]:
    """Rules that no derivation gets out of; an undefined non-terminal is reported anyway and counts as finished."""
    left = [number for number, rule in enumerate(rules) for _ in rule.productions]
    _, least = heights(left, kids_of(rules), len(rules))
    what = "never ends in text, whichever production is taken; give it a production that does"
    return [(rule.place, f"{rule.name} {what}") for rule, height in zip(rules, least, strict=True) if height < 0]
