from __future__ import annotations

import pytest

import gramarye as gm
from gramarye.derivations import Derivation
from gramarye.languages import Arithmetic
from gramarye.languages.arithmetic.sums import Sums, derivation_of, find_sums

NAMES = ["x", "y"]


def sums_of(text: str) -> tuple[gm.Grammar, dict[int, Sums]]:
    grammar = gm.Grammar.from_text(text)
    return grammar, find_sums(grammar, Arithmetic(grammar, 2, NAMES).programs)


LEAVES = "\n<v> ::= x | y"
GRAMMARS = {
    "an operator in each production": f"<e> ::= (<e> + <e>) | (<e> - <e>) | (<e> * <e>) | <v> | <const>{LEAVES}",
    "a rule of operators": f"<e> ::= (<e> <op> <e>) | <v> | <const>\n<op> ::= / | + | - | *{LEAVES}",
    "a chain to the constant": "<e> ::= (<e> <op> <e>) | <v> | <c>\n<op> ::= - | * | +\n<c> ::= <k>\n<k> ::= <const>"
    + LEAVES,
    "a factor of its own": f"<e> ::= (<k> * <e>) | (<e> + <e>) | (<e> - <e>) | <v> | <k>\n<k> ::= <const>{LEAVES}",
    "a factor that comes last": f"<e> ::= (<e> * <k>) | (<e> + <e>) | (<e> - <e>) | <v> | <k>\n<k> ::= <const>{LEAVES}",
}


@pytest.mark.parametrize("text", GRAMMARS.values(), ids=GRAMMARS)
def test_a_grammar_writes_weighted_sums(text: str) -> None:
    grammar, found = sums_of(text)
    assert list(found) == [0]
    members = [gm.parse(grammar, name).productions.tolist() for name in NAMES]
    written = derivation_of(found[0].written(members, [1.0, -2.5], 0.25))
    phenotype = str(Derivation(grammar, written.productions, written.values).phenotype)
    assert eval(phenotype, {"x": 3.0, "y": 10.0}) == 3.0 - 2.5 * 10.0 + 0.25
    assert "1.0" not in phenotype  # a coefficient of 1 needs no number


def test_without_subtraction_the_coefficient_is_negative() -> None:
    grammar, found = sums_of("<e> ::= (<e> + <e>) | (<e> * <e>) | x | y | <const>")
    members = [gm.parse(grammar, name).productions.tolist() for name in NAMES]
    written = derivation_of(found[0].written(members, [2.0, -3.0], 0.0))
    assert str(Derivation(grammar, written.productions, written.values).phenotype) == "((2.0 * x) + ((-3.0) * y))"


@pytest.mark.parametrize(
    "text",
    [
        "<e> ::= (<e> + <e>) | (<e> * <e>) | x | y",  # no constants
        "<e> ::= (<e> * <e>) | x | y | <const>",  # no sums
        "<e> ::= (<e> + <e>) | x | y | <const>",  # no products
        "<e> ::= (<e> * <e> + 1) | (<e> + sin(<e>)) | x | <const>",  # neither is a single operation
    ],
)
def test_grammars_without_weighted_sums_are_recognised(text: str) -> None:
    assert sums_of(text)[1] == {}


def test_productions_of_probability_zero_are_not_used() -> None:
    text = "<e> ::= (<e> + <e>) {0.2} | (<e> - <e>) {0.0} | (<e> * <e>) {0.2} | x {0.3} | <const> {0.3}"
    assert sums_of(text)[1][0].minus is None
    assert sums_of(text.replace("+ <e>) {0.2}", "+ <e>) {0.0}").replace("x {0.3}", "x {0.5}"))[1] == {}
