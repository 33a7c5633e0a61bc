from __future__ import annotations

from itertools import product

import numpy as np

import gramarye as gm
from gramarye.derivations import Derivation
from gramarye.derivations.enumeration import Enumeration


def texts(grammar: gm.Grammar, largest: int, most: int = 1000, symbol: int = 0) -> list[str]:
    found = Enumeration(grammar, most).smallest(symbol, largest, most)
    return [str(Derivation(grammar, np.array(steps, np.int32)).phenotype) for steps in found]


SMALL = gm.Grammar.from_text("<e> ::= (<e> <op> <e>) | sin(<e>) | <v> | <const>\n<op> ::= + | *\n<v> ::= x | y")


def test_every_program_without_constants_is_enumerated_once_smallest_first() -> None:
    leaves = ["x", "y"]
    sines = [f"sin({leaf})" for leaf in leaves]
    twice = [f"sin(sin({leaf}))" for leaf in leaves]
    pairs = [f"({a} {op} {b})" for a, op, b in product(leaves, "+*", leaves)]
    found = texts(SMALL, 3)
    assert found[:4] == leaves + sines
    assert sorted(found[4:]) == sorted(pairs + twice)


def test_of_many_programs_only_so_many_are_enumerated() -> None:
    assert texts(SMALL, 9, most=5)[:4] == ["x", "y", "sin(x)", "sin(y)"]
    assert len(texts(SMALL, 9, most=5)) == 5


def test_grammars_that_lead_back_to_themselves_are_enumerated() -> None:
    grammar = gm.Grammar.from_text("<a> ::= <b> | x\n<b> ::= <a> | y")
    assert set(texts(grammar, 2)) == {"x", "y"}


def test_a_non_terminal_that_only_derives_constants_has_no_programs() -> None:
    grammar = gm.Grammar.from_text("<e> ::= (<e> + <c>) | x\n<c> ::= <const>")
    assert texts(grammar, 5) == ["x"]
    assert texts(grammar, 5, symbol=1) == []


def test_productions_of_probability_zero_are_not_used() -> None:
    grammar = gm.Grammar.from_text("<e> ::= sin(<e>) {0.0} | cos(<e>) {0.5} | x {0.5}")
    assert texts(grammar, 3) == ["x", "cos(x)", "cos(cos(x))"]
