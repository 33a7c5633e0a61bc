"""From grammar text to checked rules: files, dialects, and the errors that name a place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

from gramarye.errors import GrammarError, did_you_mean
from gramarye.files import read_limited
from gramarye.grammar import bnf, codon_values, ebnf
from gramarye.grammar.adjacency import joined_to
from gramarye.grammar.arrays import heights, kids_of
from gramarye.grammar.constants import EXAMPLE, SLIP, bounds_of, constant_rules, is_constant
from gramarye.grammar.dialects import EBNF, GEVA, GRAMARYE, GRAPE, SGE, Dialect
from gramarye.grammar.rules import Rule, Symbol
from gramarye.grammar.source import Source, tokenise

_MOST_ERRORS = 20  # that one message reports
_MANY_RULES = 1_000  # among more, nobody is told which name is near


def read_file(path: str | PathLike[str]) -> str:
    """The text of a grammar file."""
    if Path(path).is_dir():
        raise GrammarError(f"{Path(path)} is a folder; give the path of a grammar file inside it")
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


def place_of(terminal: str, text: str, name: str, dialect: Dialect) -> str:
    """What errors call the place of a terminal: the name of the text and, as far as it can be found, its line."""
    rules = () if dialect is EBNF or not text else bnf.parse(text, name, dialect)
    productions = (production for rule in rules for production in rule.productions)
    symbols = (pair for production in productions for pair in zip(production.symbols, production.places, strict=True))
    place = next((place for symbol, place in symbols if symbol.text == terminal), None)
    return name if place is None else f"{name}, line {Source(text, name).line(place)}"


def read_rules(text: str, name: str, dialect: Dialect = GRAMARYE) -> tuple[Rule, ...]:
    """Rules in which every non-terminal is defined and productive; one error tells all that are not."""
    source = Source(text, name)
    rules = (ebnf if dialect is EBNF else bnf).parse(text, name, dialect)
    undefined = _undefined(rules)
    if dialect is GEVA:
        rules, undefined = _with_codon_values(source, rules, undefined)
    constants = [missing for missing in undefined if is_constant(missing)]
    wrong = {missing: place for missing, place in undefined.items() if _is_wrong(missing, rules)}
    first = sorted(wrong, key=wrong.__getitem__)[:_MOST_ERRORS]
    problems = [
        *((wrong[missing], _problem(missing, rules, dialect) or "") for missing in first),
        *_unproductive(rules),
        *(_slips(source) if dialect is GRAMARYE else ()),
    ]
    if problems:
        raise _errors(source, problems, len(problems) + len(wrong) - len(first))
    complete = (*rules, *constant_rules(constants))
    joined = joined_to(complete, constants) if constants else {}
    fix = "and both would be read as one; put a blank, an operator or a bracket between them"
    if joined:
        touching = [(undefined[name], f"{name} can be next to {other!r}, {fix}") for name, other in joined.items()]
        raise _errors(source, touching, len(touching))
    return complete


def _errors(source: Source, problems: Sequence[tuple[int, str]], count: int) -> GrammarError:
    """One error for everything that is wrong, in order of place."""
    shown = [source.point(place, what) for place, what in sorted(problems)[:_MOST_ERRORS]]
    more = [f"… and {count - len(shown):,} more errors"] if count > len(shown) else []
    return GrammarError("\n".join(shown + more))


def _with_codon_values(
    source: Source, rules: tuple[Rule, ...], undefined: dict[str, int]
) -> tuple[tuple[Rule, ...], dict[str, int]]:
    """The rules, with one for each `<GECodonValue[0,9]>`; and what is still undefined."""
    added = []
    for name in filter(codon_values.is_codon_value, undefined):
        try:
            added.append(codon_values.rule(name))
        except ValueError as error:
            raise source.error(undefined[name], str(error)) from None
    left = {name: place for name, place in undefined.items() if not codon_values.is_codon_value(name)}
    return (*rules, *added), left


def _undefined(rules: Sequence[Rule]) -> dict[str, int]:
    """The non-terminals without a rule, and where each first occurs."""
    defined = {rule.name for rule in rules}
    places: dict[str, int] = {}
    for production in (production for rule in rules for production in rule.productions):
        for symbol, place in zip(production.symbols, production.places, strict=True):
            if symbol.kind == "nonterminal" and symbol.text not in defined:
                places.setdefault(symbol.text, place)
    return places


def _is_wrong(name: str, rules: Sequence[Rule]) -> bool:
    """Whether something is wrong with a non-terminal that no rule defines."""
    return not is_constant(name) or _problem(name, rules) is not None


def _problem(name: str, rules: Sequence[Rule], dialect: Dialect = GRAMARYE) -> str | None:
    """What is wrong with a non-terminal that no rule defines; None where it is a number that the search tunes."""
    if not is_constant(name):
        return f"no rule defines {name}{_fix(name, [rule.name for rule in rules[:_MANY_RULES]], dialect)}"
    try:
        bounds_of(name)
    except ValueError as error:
        return str(error)
    text = Symbol(name, "terminal")
    quoted = any(text in production.symbols for rule in rules for production in rule.productions)
    return f'{name} is a number here, and "{name}" in quotes is text; use only one of them' if quoted else None


def _slips(source: Source) -> Iterator[tuple[int, str]]:
    """Text that is not quoted and looks like a number to tune, such as `<const:-1,1>`."""
    if SLIP.search(source.text):
        for token in tokenise(source, GRAMARYE.tokens):
            found = SLIP.match(source.text, token.offset) if token.text == "<" else None
            if found:
                yield token.offset, f"{found[0]} is not a constant; write {EXAMPLE}, or put it in quotes if it is text"


def _fix(name: str, defined: Sequence[str], dialect: Dialect) -> str:
    if SLIP.fullmatch(name):
        return f"; a constant with bounds is written {EXAMPLE}"
    # The brackets make any two short names look alike, so the names have to be near without them too.
    near = [other for other in defined if did_you_mean(name[1:-1], [other[1:-1]])]
    if codon_values.is_codon_value(name):
        return '; files with such values begin with "# dialect: geva"'
    return (
        did_you_mean(name, near)
        or f"; add one{'' if dialect in (SGE, GRAPE) else ', or put it in quotes if it is text'}"
    )


def _unproductive(rules: Sequence[Rule]) -> list[tuple[int, str]]:
    """Rules that no derivation gets out of; an undefined non-terminal is reported anyway and counts as finished."""
    left = [number for number, rule in enumerate(rules) for _ in rule.productions]
    _, least = heights(left, kids_of(rules), len(rules))
    what = "never ends in text, whichever production is taken; give it a production that does"
    return [(rule.place, f"{rule.name} {what}") for rule, height in zip(rules, least, strict=True) if height < 0]
