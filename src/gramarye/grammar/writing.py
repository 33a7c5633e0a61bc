"""Rules → text, in one canonical form: `bnf.parse` reads the same rules back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gramarye.grammar.constants import SLIP
from gramarye.grammar.dialects import GRAMARYE, recognised
from gramarye.grammar.rules import Rule, Symbol
from gramarye.grammar.source import NONTERMINAL, NUMBER

_WIDTH = 100  # columns that a rule on one line may take
_NAME_WIDTH = 24  # longer names don't push the `::=` of the others to the right
_TO_ESCAPE = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_NEEDS_QUOTES = re.compile(r"""[\s|"'\\]|^\#|<\w|::=|^GE_(?:RANGE|GENERATE):""")


def format_grammar(rules: Sequence[Rule]) -> str:
    """The text of a grammar; one that looks as if another system had written it declares that it is ours."""
    text = format_rules(rules)
    return text if recognised(text) is GRAMARYE else f"# dialect: {GRAMARYE.name}\n{text}"


def format_rules(rules: Sequence[Rule]) -> str:
    """The text of some rules."""
    width = max((len(rule.name) for rule in rules if len(rule.name) <= _NAME_WIDTH), default=0)
    odd = any(not NONTERMINAL.fullmatch(rule.name) for rule in rules)
    return "".join(_format_rule(rule, width, odd) for rule in rules)


def _format_rule(rule: Rule, width: int, odd: bool) -> str:
    head = f"{rule.name:<{width}} ::= "
    texts = [format_production(production.symbols, odd) for production in rule.productions]
    numbers = [production.probability for production in rule.productions]
    if None not in numbers:
        column = max(len(text) for text in texts)
        texts = [f"{text:<{column}} {{{number!r}}}" for text, number in zip(texts, numbers, strict=True)]
    elif len(head + " | ".join(texts)) < _WIDTH:
        return head + " | ".join(texts) + "\n"
    return head + f"\n{'| ':>{len(head)}}".join(texts) + "\n"


def format_production(symbols: Sequence[Symbol], odd: bool = False) -> str:
    """The text of one production; where angle brackets could be misread, as beside odd names, they are quoted."""
    if not symbols:
        return '""'
    # Two terminals side by side are told apart by their quotes.
    terminal = [False, *(symbol.kind == "terminal" for symbol in symbols), False]
    beside = [before or after for before, after in zip(terminal, terminal[2:], strict=False)]
    angles = odd or SLIP.search("".join("|" if symbol.kind == "nonterminal" else symbol.text for symbol in symbols))
    quotes = [quote or (bool(angles) and "<" in symbol.text) for symbol, quote in zip(symbols, beside, strict=True)]
    texts = [_format_symbol(symbol, quote) for symbol, quote in zip(symbols, quotes, strict=True)]
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
