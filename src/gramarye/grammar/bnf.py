r"""Text ⇄ plain rules: the BNF dialect of the field, read tolerantly and written one way.

    # a comment begins a line or follows white space
    <expr> ::= <expr> <op> <expr>      # the first rule is the axiom; white space inside a production is kept
             | "sin" '(' <expr> ")"    # quotes of both kinds delimit one terminal
             | <digit>
             | ""                      # an empty production; nothing between two bars is one too
    <op>    ::= + {0.75} | - {0.25}    # probabilities, if every production of the rule ends so
    <digit> ::= GE_RANGE:10            # ten productions, 0 to 9

`<const>` and `<const:-1..1>`, where no rule defines them, are numbers that the search tunes (constants.py).
Escapes, in quotes and out of them: `\n \t \r \\ \" \' \| \< \> \# \{ \}`. Any other backslash is an ordinary
character, so `\d` stays `\d`. A `|` that opens the line after a bare `::=` is layout: it makes no empty production.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from gramarye.grammar.source import NUMBER, Source, Token, tokenise

SUM_TOLERANCE = 1e-9  # how far from 1 the probabilities of a rule may add up
_RANGE = "GE_RANGE:"
_RANGE_LIMIT = 100_000  # far above any use, far below what exhausts the memory
_BLANK = ("space", "newline")
_WIDTH = 100  # columns that a rule on one line may take
_NAME_WIDTH = 24  # longer names don't push the `::=` of the others to the right

_ESCAPE = re.compile(r"\\([ntr\\\"'|<>#{}])")
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}
_TO_ESCAPE = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_NEEDS_QUOTES = re.compile(r"""[\s|"'\\]|^\#|<\w|::=|^GE_RANGE:""")


@dataclass(frozen=True, slots=True)
class Symbol:
    """A piece of a production.

    A "space" belongs to the phenotype but is no node of a derivation tree. A "constant" is a number that the search
    tunes (constants.py); its text is the name of its rule.
    """

    text: str
    kind: Literal["nonterminal", "terminal", "space", "constant"]


@dataclass(frozen=True, slots=True)
class ProductionText:
    """One production as it was written; no symbols make the empty production."""

    symbols: tuple[Symbol, ...]
    probability: float | None = None
    places: tuple[int, ...] = field(default=(), compare=False, repr=False)  # offset of each symbol


@dataclass(frozen=True, slots=True)
class Rule:
    """A non-terminal with its brackets, and its productions: all of them carry a probability, or none."""

    name: str
    productions: tuple[ProductionText, ...]
    place: int = field(default=0, compare=False, repr=False)  # offset of the name


# Reading


def parse(text: str, name: str = "grammar") -> tuple[Rule, ...]:
    """The rules of a text, the axiom first; `name` is what errors call it."""
    source = Source(text, name)
    rules: dict[str, Rule] = {}
    for head, body in written_rules(source):
        rule = _rule(source, head, body)
        if rule.name in rules:
            first = source.line(rules[rule.name].place)
            here = source.line(rule.place)
            fix = "join them with |, or rename one"
            raise source.error(rule.place, f"{rule.name} is defined twice, in lines {first} and {here}; {fix}")
        rules[rule.name] = rule
    return tuple(rules.values())


def written_rules(source: Source) -> Iterator[tuple[Token, Sequence[Token]]]:
    """The name of each rule, and the tokens after its `::=`."""
    tokens = tokenise(source)
    heads = _heads(source, tokens)
    ends = [head for head, _ in heads[1:]] + [len(tokens)]
    for (head, arrow), end in zip(heads, ends, strict=True):
        yield tokens[head], tokens[arrow + 1 : end]


def _heads(source: Source, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Where rules begin: the index of each `<name>` that opens a line, and of the `::=` after it."""
    heads: list[tuple[int, int]] = []
    opens_line = True
    for index, token in enumerate(tokens):
        if token.kind == "nonterminal" and opens_line:
            after = index + 1
            while after < len(tokens) and tokens[after].kind in _BLANK:
                after += 1
            if after < len(tokens) and tokens[after].kind == "arrow":
                heads.append((index, after))
        elif token.kind == "arrow" and (not heads or heads[-1][1] != index):
            fix = 'begin each rule on a line of its own, as in <name> ::= x; quote "::=" if it is text'
            raise source.error(token.offset, f"::= must follow a rule's name that opens a line; {fix}")
        if token.kind != "space":
            opens_line = token.kind == "newline"
    _check_beginning(source, tokens, heads)
    return heads


def _check_beginning(source: Source, tokens: Sequence[Token], heads: Sequence[tuple[int, int]]) -> None:
    written = next((index for index, token in enumerate(tokens) if token.kind not in _BLANK), None)
    fix = "a grammar needs at least one rule, such as <name> ::= x | y"
    if written is None:
        raise source.error(0, f"there is nothing here; {fix}")
    if not heads:
        raise source.error(tokens[written].offset, f"there is no rule here; {fix}")
    if written != heads[0][0]:
        fix = "begin with <name> ::= …, or turn this into a comment with #"
        raise source.error(tokens[written].offset, f"text before the first rule; {fix}")


def _rule(source: Source, head: Token, body: Sequence[Token]) -> Rule:
    parts = split_productions(body)
    numbers: list[Token] = []
    if all(part and part[-1].kind == "number" for part in parts):
        numbers = [part.pop() for part in parts]
    probabilities = _probabilities(source, head.text, numbers) if numbers else [None] * len(parts)
    productions: list[ProductionText] = []
    for part, probability in zip(parts, probabilities, strict=True):
        productions += _expand(source, _trim(part), probability)
    return Rule(head.text, tuple(productions), head.offset)


def split_productions(body: Sequence[Token]) -> list[list[Token]]:
    """The tokens of each production, without white space around it."""
    parts: list[list[Token]] = [[]]
    for token in body:
        if token.kind == "bar":
            parts.append([])
        else:
            parts[-1].append(token)
    if len(parts) > 1 and not _trim(parts[0]) and any(token.kind == "newline" for token in parts[0]):
        del parts[0]  # the bar is layout: `::=`, a line break, and then every production after its own bar
    return [_trim(part) for part in parts]


def _trim(tokens: Sequence[Token]) -> list[Token]:
    """Without the white space at both ends."""
    written = [index for index, token in enumerate(tokens) if token.kind not in _BLANK]
    return list(tokens[written[0] : written[-1] + 1]) if written else []


def _probabilities(source: Source, name: str, numbers: Sequence[Token]) -> list[float]:
    quote = "quote the braces if they are text"
    values = [float(number.text[1:-1]) for number in numbers]
    total = 0.0
    for number, value in zip(numbers, values, strict=True):
        if value < 0:
            fix = f"write a number from 0 to 1, or {quote}"
            raise source.error(number.offset, f"a probability of {name} is negative, {value!r}; {fix}")
        total += value
    if not abs(total - 1) <= SUM_TOLERANCE:
        what = f"the probabilities of {name} add up to {total!r}, not to 1"
        raise source.error(numbers[0].offset, f"{what}; correct them, or {quote}")
    return values


def _expand(source: Source, tokens: Sequence[Token], probability: float | None) -> Iterator[ProductionText]:
    """The production itself, or all those that a GE_RANGE stands for: they share its probability equally."""
    text = "".join(token.text for token in tokens)
    if not text.startswith(_RANGE) or any(token.kind not in ("word", "space") for token in tokens):
        yield _production(tokens, probability)
        return
    count = text.removeprefix(_RANGE).strip()
    if not re.fullmatch("0*[1-9][0-9]{0,5}", count) or int(count) > _RANGE_LIMIT:
        fix = f"write a whole number from 1 to {_RANGE_LIMIT}, as in {_RANGE}10, or quote it if it is text"
        raise source.error(tokens[0].offset, f"{_RANGE} can't count to {count!r}; {fix}")
    share = None if probability is None else probability / int(count)
    for value in range(int(count)):
        yield ProductionText((Symbol(str(value), "terminal"),), share, (tokens[0].offset,))


def _production(tokens: Sequence[Token], probability: float | None) -> ProductionText:
    meaningful = _trim([token for token in _plain(tokens) if token.text not in ('""', "''")])
    symbols: list[Symbol] = []
    places: list[int] = []
    for kind, group in groupby(meaningful, key=lambda token: "blank" if token.kind in _BLANK else token.kind):
        run = list(group)
        found = _symbols(kind, run)
        symbols += found
        places += [token.offset for token in run[: len(found)]]
    return ProductionText(tuple(symbols), probability, tuple(places))


def _plain(tokens: Iterable[Token]) -> Iterator[Token]:
    """Numbers in braces that turned out to be no probabilities become words again."""
    for token in tokens:
        if token.kind == "number":
            for piece in re.finditer(r"(?P<space>\s+)|(?P<word>\S+)", token.text):
                yield Token(piece.lastgroup or "", piece.group(), token.offset + piece.start())
        else:
            yield token


def _symbols(kind: str, run: Sequence[Token]) -> list[Symbol]:
    """What a run of tokens of one kind stands for; white space around a line break stands for nothing."""
    if kind == "nonterminal":
        return [Symbol(token.text, "nonterminal") for token in run]
    if kind == "quoted":
        return [Symbol(_unescape(token.text[1:-1]), "terminal") for token in run]
    text = "".join(token.text for token in run)
    if kind == "word":
        return [Symbol(_unescape(text), "terminal")]
    return [] if any(token.kind == "newline" for token in run) else [Symbol(text, "space")]


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: _CONTROL.get(match[1], match[1]), text)


# Writing


def format_rules(rules: Sequence[Rule]) -> str:
    """The text of some rules; `parse` reads the same rules back."""
    width = max((len(rule.name) for rule in rules if len(rule.name) <= _NAME_WIDTH), default=0)
    return "".join(_format_rule(rule, width) for rule in rules)


def _format_rule(rule: Rule, width: int) -> str:
    head = f"{rule.name:<{width}} ::= "
    texts = [format_production(production.symbols) for production in rule.productions]
    numbers = [production.probability for production in rule.productions]
    if None not in numbers:
        column = max(len(text) for text in texts)
        texts = [f"{text:<{column}} {{{number!r}}}" for text, number in zip(texts, numbers, strict=True)]
    elif len(head + " | ".join(texts)) < _WIDTH:
        return head + " | ".join(texts) + "\n"
    return head + f"\n{'| ':>{len(head)}}".join(texts) + "\n"


def format_production(symbols: Sequence[Symbol]) -> str:
    """The text of one production."""
    if not symbols:
        return '""'
    # Two terminals side by side are told apart by their quotes.
    terminal = [False, *(symbol.kind == "terminal" for symbol in symbols), False]
    beside = [before or after for before, after in zip(terminal, terminal[2:], strict=False)]
    texts = [_format_symbol(symbol, quote) for symbol, quote in zip(symbols, beside, strict=True)]
    if re.search(NUMBER.pattern + r"\Z", "".join(texts)):
        texts[-1] = _quote(symbols[-1].text)  # it would be read as a probability
    return "".join(texts)


def _format_symbol(symbol: Symbol, quote: bool) -> str:
    if symbol.kind != "terminal":
        return symbol.text
    bare = symbol.text.isprintable() and not _NEEDS_QUOTES.search(symbol.text)
    return symbol.text if bare and not quote else _quote(symbol.text)


def _quote(text: str) -> str:
    quote = "'" if '"' in text and "'" not in text else '"'
    return quote + "".join(_TO_ESCAPE.get(c, "\\" + c if c == quote else c) for c in text) + quote
