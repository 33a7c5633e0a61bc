from __future__ import annotations

import ast
import textwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.languages.python import python_text


@pytest.mark.parametrize(
    ("phenotype", "text"),
    [
        ("x = 1", "x = 1\n"),
        ("", ""),
        ("x = 1\ny = 2\n", "x = 1\ny = 2\n"),
        ("if a:{:x = 1:}else:{:x = 2:}", "if a:\n    x = 1\nelse:\n    x = 2\n"),
        ("if a:{: x = 1 :}", "if a:\n    x = 1\n"),
        ("def f(n):{:m = 0{::}return m:}f(3)", "def f(n):\n    m = 0\n    return m\nf(3)\n"),
        ("while a:{:\nx = 1\n\n  \ny = 2\n:}z = 3", "while a:\n    x = 1\n    y = 2\nz = 3\n"),
        ("for i in a:{:if i:{:x = 1\r\ny = 2:}:}", "for i in a:\n    if i:\n        x = 1\n        y = 2\n"),
        ("def f():{:if x:\n  y = 1:}", "def f():\n    if x:\n      y = 1\n"),
        ("if x:\n    y = 1", "if x:\n    y = 1\n"),
        (":}x = 1", "x = 1\n"),
    ],
)
def test_blocks_become_indentation(phenotype: str, text: str) -> None:
    assert python_text(phenotype) == text


SIMPLE = st.sampled_from(["x = 1", "x += y", "pass", "print(x)"])


def blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(inner, min_size=1, max_size=3)
    space = st.sampled_from(["", " ", "\n"])
    return st.tuples(st.sampled_from(["if x:", "while x:", "for i in y:"]), body, space).map(
        lambda parts: f"{parts[0]}{{:{parts[2]}" + "\n".join(parts[1]) + f"{parts[2]}:}}"
    )


@given(st.lists(st.recursive(SIMPLE, blocks, max_leaves=8), min_size=1, max_size=3))
def test_nested_blocks_compile(statements: list[str]) -> None:
    compile(python_text("\n".join(statements)), "<program>", "exec")


def test_programs_of_a_pybnf_grammar_compile_because_line_breaks_are_kept() -> None:
    grammar = gm.Grammar.from_text(
        textwrap.dedent(
            """
            <code> ::= <line> | <code>
            <line>
            <line> ::= <name> = <value> | if <value> < <value>:{:<code>:}else:{:
            <code>
            :} | for i in range(<value>):{:<code>:}
            <name> ::= a | b
            <value> ::= <name> | 1 | (<value> + <value>)
            """
        )
    )
    assert grammar.dialect == "ponyge2"
    texts = [gm.map_genotype(grammar, codons(seed), gm.GE()).phenotype for seed in range(400)]
    programs = [text for text in texts if text]
    assert len(programs) > 100
    assert sum("{:" in text for text in programs) > 10
    for text in programs:
        ast.parse(python_text(text))


def codons(seed: int) -> list[int]:
    return np.random.default_rng(seed).integers(0, 256, 200).tolist()
