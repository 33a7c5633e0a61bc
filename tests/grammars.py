"""Grammars that many tests use, and small random ones of every shape."""

from __future__ import annotations

from hypothesis import strategies as st

from gramarye.grammar import Grammar

G1 = """
<start> ::= <expr>
<expr>  ::= <expr> <op> <expr> | <var>
<op>    ::= + | * | -
<var>   ::= x | 1.0
"""
G2 = """
<start> ::= <expr>
<expr>  ::= <expr> <op> <expr> | <var>
<op>    ::= + | - | * | /
<var>   ::= x | y | 1.0
"""
# The regression grammar of the PGE paper
GR = """
<start>  ::= <expr>
<expr>   ::= <expr> <op> <expr> | ( <expr> <op> <expr> ) | <pre_op> ( <expr> ) | <var>
<op>     ::= + | - | * | /
<pre_op> ::= sin | cos | exp | log | inv
<var>    ::= x | y | 1.0
"""

Sides = list[list[list[int]]]  # non-terminal → production → symbols: >= 0 a non-terminal, < 0 ~index of a terminal


@st.composite
def grammars(draw: st.DrawFn, terminals: tuple[str, ...] = ("a", "b", "cc", " ")) -> Grammar:
    """Productive grammars: empty productions, chains of single productions, direct and indirect recursion."""
    count = draw(st.integers(1, 5))
    symbol = st.integers(0, count - 1) | st.integers(-len(terminals), -1)
    rules: Sides = draw(
        st.lists(
            st.lists(st.lists(symbol, max_size=4), min_size=1, max_size=4),
            min_size=count,
            max_size=count,
        )
    )
    for a in range(count):
        if a not in productive(rules):  # the least that makes a tree end; the chain that led here stays a chain
            rules[a].append([draw(st.integers(-len(terminals), -1))])
    lines = (f"<n{a}> ::= " + " | ".join(_side(side, terminals) for side in rule) for a, rule in enumerate(rules))
    return Grammar.from_text("\n".join(lines))


def productive(rules: Sides) -> set[int]:
    """The non-terminals that derive some text."""
    found: set[int] = set()
    while True:
        more = {a for a, rule in enumerate(rules) if any(all(s < 0 or s in found for s in side) for side in rule)}
        if more == found:
            return found
        found = more


def _side(side: list[int], terminals: tuple[str, ...]) -> str:
    return "".join(f"<n{s}>" if s >= 0 else f'"{terminals[~s]}"' for s in side) or '""'


@st.composite
def straight_grammars(draw: st.DrawFn, terminals: tuple[str, ...] = ("a", "b", "cc", " ")) -> Grammar:
    """Productive grammars whose non-terminals refer to themselves and to later ones only: no indirect recursion."""
    count = draw(st.integers(1, 4))
    rules: Sides = []
    for a in range(count):
        symbol = st.integers(a, count - 1) | st.integers(-len(terminals), -1)
        rules.append(draw(st.lists(st.lists(symbol, max_size=3), min_size=1, max_size=3)))
    for a in reversed(range(count)):
        if a not in productive(rules):
            rules[a].append([draw(st.integers(-len(terminals), -1))])
    lines = (f"<n{a}> ::= " + " | ".join(_side(side, terminals) for side in rule) for a, rule in enumerate(rules))
    return Grammar.from_text("\n".join(lines))
