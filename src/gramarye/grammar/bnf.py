r"""Text → plain rules. How other systems write their files is in dialects.py; this is our own way.

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

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from gramarye.errors import GrammarError
from gramarye.grammar import ranges
from gramarye.grammar.dialects import GEVA, GRAMARYE, GRAPE, Dialect
from gramarye.grammar.rules import ProductionText, Rule, Symbol
from gramarye.grammar.source import Source, Token, tokenise

SUM_TOLERANCE = 1e-9  # how far from 1 the probabilities of a rule may add up
BLANK = ("space", "newline")
_OTHER_ARROW = re.compile(r"(<[^<>|\r\n]+>)\s*(:=|=|->|→)")
_EBNF_HEAD = re.compile(r"[\w-]+\s*:?=[^=]")
_HASH_QUOTES = re.compile(r"#[^#\s][^#\r\n]*#(?:\s*\|\s*#[^#\r\n]+#)*\s*")


def parse(text: str, name: str = "grammar", dialect: Dialect = GRAMARYE) -> tuple[Rule, ...]:
    """The rules of a text, the axiom first; `name` is what errors call it."""
    source = Source(text, name)
    rules: dict[str, Rule] = {}
    for head, body in written_rules(source, dialect):
        rule = _rule(source, dialect, head, body)
        if rule.name in rules:
            first = source.line(rules[rule.name].place)
            here = source.line(rule.place)
            fix = "join them with |, or rename one"
            raise source.error(rule.place, f"{rule.name} is defined twice, in lines {first} and {here}; {fix}")
        rules[rule.name] = rule
    return tuple(rules.values())


def written_rules(source: Source, dialect: Dialect) -> Iterator[tuple[Token, Sequence[Token]]]:
    """The name of each rule, and the tokens after its `::=`."""
    tokens = tokenise(source, dialect.tokens)
    heads = _heads(source, dialect, tokens)
    ends = [head for head, _ in heads[1:]] + [len(tokens)]
    for (head, arrow), end in zip(heads, ends, strict=True):
        yield tokens[head], tokens[arrow + 1 : end]


def _heads(source: Source, dialect: Dialect, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Where rules begin: the index of each `<name>` that opens a line, and of the `::=` after it."""
    heads: list[tuple[int, int]] = []
    name = -1  # the index of a name that only white space follows so far
    opens_line = True
    for index, token in enumerate(tokens):
        if token.kind == "nonterminal":
            name = index if opens_line or not dialect.one_line else -1
        elif token.kind == "arrow":
            if name < 0:
                raise _headless(source, tokens[:index], token)
            heads.append((name, index))
            name = -1
        elif token.kind not in BLANK:
            name = -1
        if token.kind != "space":
            opens_line = token.kind in ("newline", "comment")
    _check_beginning(source, dialect, tokens, heads)
    return heads


def _headless(source: Source, before: Sequence[Token], arrow: Token) -> GrammarError:
    """The error for a `::=` that follows no name of a rule."""
    start = source.line_start(arrow.offset)
    line = [token for token in before if token.offset >= start and token.kind not in BLANK]
    if len(line) == 1 and line[0].kind == "word" and re.fullmatch(r"[\w.-]+", line[0].text):
        what = f"the name {line[0].text} has no angle brackets, as in some EBNF files and in gramEvol"
        return source.error(line[0].offset, f"{what}; write <{line[0].text}>, also where it is used")
    fix = 'begin each rule on a line of its own, as in <name> ::= x; quote "::=" if it is text'
    return source.error(arrow.offset, f"::= must follow a rule's name that opens a line; {fix}")


def _check_beginning(
    source: Source, dialect: Dialect, tokens: Sequence[Token], heads: Sequence[tuple[int, int]]
) -> None:
    fix = "a grammar needs at least one rule, such as <name> ::= x | y"
    first = next((i for i, token in enumerate(tokens) if token.kind not in (*BLANK, "comment")), None)
    if first is None:
        raise source.error(0, f"the grammar is empty; {fix}")
    if not heads:
        if found := _OTHER_ARROW.match(source.text, tokens[first].offset):
            fix = f"write {found[1]} ::= …, not {found[2]}"
        elif _EBNF_HEAD.match(source.text, tokens[first].offset):
            fix = 'if this is EBNF, begin the file with "# dialect: ebnf"'
        raise source.error(tokens[first].offset, f"there is no rule here; {fix}")
    if first != heads[0][0]:
        fix = "remove it" if dialect is GRAPE else "begin with <name> ::= …, or turn this into a comment with #"
        raise source.error(tokens[first].offset, f"text before the first rule; {fix}")


def _rule(source: Source, dialect: Dialect, head: Token, body: Sequence[Token]) -> Rule:
    _check_body(source, dialect, body)
    parts = split_productions(body, dialect)
    if not parts:
        comment = next((token for token in body if token.kind == "comment"), None)
        why = ", because the rest of its line is a comment" if comment else ""
        raise source.error((comment or head).offset, f"{head.text} has no production{why}; write one after ::=")
    numbers: list[Token] = []
    if all(part and part[-1].kind == "number" for part in parts):
        numbers = [part.pop() for part in parts]
    probabilities = _probabilities(source, head.text, numbers) if numbers else [None] * len(parts)
    productions: list[ProductionText] = []
    for part, probability in zip(parts, probabilities, strict=True):
        written = trimmed(part)
        _check_lone(source, dialect, written)
        if dialect.ranges and ranges.is_range(written):
            productions += ranges.expanded(source, written, probability)
        else:
            productions.append(_production(dialect, written, probability))
    return Rule(head.text, tuple(productions), head.offset)


def _check_body(source: Source, dialect: Dialect, body: Sequence[Token]) -> None:
    """An error for what no dialect, or not this one, has in a production."""
    before = "bar"  # what stands before a token, white space apart
    for token in body:
        if token.kind == "newline":
            before = "bar" if before == "bar" else "newline"
        elif token.kind == "comment":
            if before == "bar" and _HASH_QUOTES.fullmatch(token.text):
                fix = f'write "{token.text.split("#")[1]}"'
                raise source.error(token.offset, f"quotes written as #…# are not supported; {fix}")
        elif token.kind != "space":
            if before == "newline" and token.kind != "bar" and dialect.line_breaks == "end":
                fix = "begin the line with |, or end the line before it with a backslash"
                raise source.error(token.offset, f"this line begins with neither a rule nor |; {fix}")
            before = token.kind


def _check_lone(source: Source, dialect: Dialect, tokens: Sequence[Token]) -> None:
    """An error for `<` and `>` that a system loses: GEVA always, the SGE family where names stand beside them."""
    lone = next((token for token in tokens if token.kind == "lone"), None)
    if lone and (dialect is GEVA or any(token.kind == "nonterminal" for token in tokens)):
        fix = 'write "<" in double quotes, or \\<' if dialect is GEVA else f"write \\{'l' if lone.text == '<' else 'g'}"
        raise source.error(lone.offset, f"a lone {lone.text} is not text here; {fix}")


def split_productions(body: Sequence[Token], dialect: Dialect) -> list[list[Token]]:
    """The tokens of each production, without white space around it."""
    parts: list[list[Token]] = [[]]
    for token in body:
        if token.kind == "bar" or (token.kind == "comment" and dialect.comments_divide):
            parts.append([])
        elif token.kind != "comment":
            parts[-1].append(token)
    layout = len(parts) > 1 and not trimmed(parts[0]) and any(token.kind == "newline" for token in parts[0])
    if layout:
        del parts[0]  # the bar is layout: `::=`, a line break, and then every production after its own bar
    written = [trimmed(part) for part in parts]
    return written if dialect.keeps_blank else [part for part in written if part]


def trimmed(tokens: Sequence[Token]) -> list[Token]:
    """Without the white space at both ends."""
    begin, end = 0, len(tokens)
    while begin < end and tokens[begin].kind in BLANK:
        begin += 1
    while end > begin and tokens[end - 1].kind in BLANK:
        end -= 1
    return list(tokens[begin:end])


def _probabilities(source: Source, name: str, numbers: Sequence[Token]) -> list[float]:
    quote = "quote the braces if they are text"
    values = [float(number.text[1:-1].strip()) for number in numbers]
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


def _production(dialect: Dialect, tokens: Sequence[Token], probability: float | None) -> ProductionText:
    if dialect.nothing and [token.text for token in tokens] == [dialect.nothing]:
        tokens = []
    meaningful = trimmed([token for token in _plain(tokens) if token.text not in ('""', "''") or token.kind == "word"])
    symbols: list[Symbol] = []
    places: list[int] = []
    before = ""
    for kind, group in itertools.groupby(meaningful, key=lambda token: "blank" if token.kind in BLANK else token.kind):
        run = list(group)
        found = _symbols(dialect, kind, run, before)
        for symbol, token in zip(found, run, strict=False):
            if dialect.line_breaks == "kept" and symbols and symbols[-1].kind == symbol.kind == "terminal":
                symbols[-1] = Symbol(symbols[-1].text + symbol.text, "terminal")
            else:
                symbols.append(symbol)
                places.append(token.offset)
        before = kind
    return ProductionText(tuple(symbols), probability, tuple(places))


def _plain(tokens: Iterable[Token]) -> Iterator[Token]:
    """Numbers in braces that turned out to be no probabilities, and lone signs, become words again."""
    for token in tokens:
        if token.kind == "number":
            for piece in re.finditer(r"(?P<space>\s+)|(?P<word>\S+)", token.text):
                yield Token(piece.lastgroup or "", piece.group(), token.offset + piece.start())
        else:
            yield token._replace(kind="word") if token.kind == "lone" else token


def _symbols(dialect: Dialect, kind: str, run: Sequence[Token], before: str) -> list[Symbol]:
    """What a run of tokens of one kind stands for, after one of another kind."""
    if kind == "nonterminal":
        return [Symbol(token.text, "nonterminal") for token in run]
    if kind == "quoted":
        return [Symbol(dialect.escapes.read(token.text[1:-1]), "terminal") for token in run]
    text = "".join(token.text for token in run)
    if kind == "word":
        return [Symbol(dialect.escapes.read(text), "terminal")]
    if dialect.one_blank:
        return [Symbol(" ", "space")]
    breaks = any(token.kind == "newline" for token in run)
    if breaks and dialect.line_breaks == "kept":
        return _kept(run, after_word=before == "word")
    return [] if breaks else [Symbol(text, "space")]


def _kept(run: Sequence[Token], after_word: bool) -> list[Symbol]:
    """Line breaks that belong to the program; the blanks that indent the next line don't, as in PonyGE2."""
    symbols = []
    for index, token in enumerate(run):
        if token.kind == "newline":
            symbols.append(Symbol("\n", "terminal"))
            continue
        text = token.text if index == 0 and after_word else token.text.strip(" ")
        symbols += [Symbol(text, "space")] if text else []
    return symbols
