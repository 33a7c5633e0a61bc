"""Small grammars, each with something that a method may stumble over."""

from __future__ import annotations

from gramarye.grammar import Grammar

_TEXTS = {
    "the paper's grammar": """
        <start>  ::= <expr>
        <expr>   ::= <expr> <op> <expr> | ( <expr> <op> <expr> ) | <pre_op> ( <expr> ) | <var>
        <op>     ::= + | - | * | /
        <pre_op> ::= sin | cos | exp | log | inv
        <var>    ::= x | y | 1.0
    """,
    "direct recursion": "<list> ::= <item> | <item>,<list>\n<item> ::= a | b | c",
    "indirect recursion": "<a> ::= x | y<b>\n<b> ::= z<c> | <c>\n<c> ::= (<a>) | <d>\n<d> ::= 0 | 1",
    "single productions": "<s> ::= <t>\n<t> ::= [<u><u>]\n<u> ::= <v>\n<v> ::= 0 | 1 | -<u>",
    "an empty production": '<s> ::= <sign><digit><s> | ""\n<sign> ::= - | ""\n<digit> ::= 0 | 1 | 2',
    "constants": "<e> ::= (<e> <op> <e>) | x | <const> | <const:-1..1>\n<op> ::= + | *",
    "given probabilities": "<s> ::= <s><s> {0.2} | <v> {0.8}\n<v> ::= a {0.5} | b {0} | c {0.25} | d {0.25}",
}

GRAMMARS: dict[str, Grammar] = {name: Grammar.from_text(text, name) for name, text in _TEXTS.items()}


def grammars(given: Grammar | None) -> list[Grammar]:
    """The grammar that was given, or all of ours."""
    return list(GRAMMARS.values()) if given is None else [given]
