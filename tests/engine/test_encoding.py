"""Programs → genotypes, for every method that has a way back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.derivations import Derivation, Derivations, Status
from gramarye.errors import GenotypeError, GrammarError, SettingsError
from gramarye.methods import METHODS, MethodBase
from gramarye.representations import Encodes
from tests.grammars import G1, GR, grammars

GRAMMAR_1, GRAMMAR_R = gm.Grammar.from_text(G1, "G1"), gm.Grammar.from_text(GR, "GR")
ENCODABLE = [name for name, method in METHODS.items() if isinstance(method().representation, Encodes)]
OTHERS = [name for name in METHODS if name not in ENCODABLE]
PROGRAMS = ["x", "x * x", "x * x + 1.0", "sin ( x ) * ( x + y )", "exp ( y ) / 1.0 - x"]


def sampled(method: MethodBase, grammar: gm.Grammar, weights: Any, n: int, seed: int) -> Derivations:
    """Derivations of random genotypes: what the method itself reaches."""
    key, representation = np.uint64(seed), method.representation
    genotypes = representation.initial(grammar, n, key, 0, weights)
    return representation.map(grammar, genotypes, weights, key, 0, 0)[1]


def check_the_way_back(method: MethodBase, grammar: gm.Grammar, weights: Any, n: int, seed: int) -> None:
    representation: Any = method.representation
    derivations = sampled(method, grammar, weights, n, seed)
    genotypes, fits = representation.encode(grammar, derivations, weights, np.uint64(seed))
    assert len(genotypes) == n
    assert fits.dtype == np.bool_
    _, again = representation.map(grammar, genotypes, weights, np.uint64(seed + 1), 3, 0)
    for i in range(n):
        assert fits[i] == (derivations.status[i] == Status.OK)
        if fits[i]:
            assert again[i].tolist() == derivations[i].tolist()


@pytest.mark.parametrize("name", ENCODABLE)
@pytest.mark.parametrize("grammar", [GRAMMAR_1, GRAMMAR_R], ids=lambda grammar: grammar.name)
def test_what_was_encoded_is_mapped_back(name: str, grammar: gm.Grammar) -> None:
    method = METHODS[name]()
    own = method.rewritten(grammar).grammar
    check_the_way_back(method, own, np.array(own.start_probabilities()), 50, 7)


@pytest.mark.parametrize("name", ENCODABLE)
@given(grammar=grammars(), seed=st.integers(0, 2**63), data=st.data())
def test_the_way_back_leads_through_any_grammar_and_any_probabilities(
    name: str, grammar: gm.Grammar, seed: int, data: st.DataObject
) -> None:
    method = METHODS[name]()
    try:
        own = method.rewritten(grammar).grammar
        method.representation.check(own)
    except gm.GramaryeError:  # a method that can't work with it
        assume(False)
    weights: list[float] = []
    for rule in own.rules.values():
        parts = data.draw(st.lists(st.integers(0, 3), min_size=len(rule), max_size=len(rule)).filter(any))
        weights += [part / sum(parts) for part in parts]
    check_the_way_back(method, own, np.array(weights), 4, seed)


@pytest.mark.parametrize("name", ENCODABLE)
@pytest.mark.parametrize("text", PROGRAMS)
def test_a_text_becomes_a_genotype_that_is_mapped_to_it(name: str, text: str) -> None:
    method = METHODS[name]()
    genotype = gm.encode(GRAMMAR_R, text, method, seed=3)
    assert gm.map_genotype(GRAMMAR_R, genotype, method).phenotype == text
    assert gm.encode(GRAMMAR_R, text.replace(" ", ""), method, seed=3) == genotype


def test_without_a_method_it_is_pge() -> None:
    genotype = gm.encode(GRAMMAR_1, "x * x")
    assert len(genotype) == 128
    assert gm.map_genotype(GRAMMAR_1, genotype).phenotype == "x * x"
    assert genotype == gm.encode(GRAMMAR_1, "x * x", gm.PGE(), seed=0) != gm.encode(GRAMMAR_1, "x * x", seed=1)


def test_a_derivation_keeps_its_own_way_to_the_text() -> None:
    for productions in ([0, 1, 1, 2, 6, 3, 2, 6, 3, 2, 6], [0, 1, 2, 6, 3, 1, 2, 6, 3, 2, 6]):
        derivation = Derivation(GRAMMAR_1, np.array(productions, np.int32))
        assert derivation.phenotype == "x + x + x"
        found = gm.map_genotype(GRAMMAR_1, gm.encode(GRAMMAR_1, derivation, gm.GE()), gm.GE())
        assert found.derivation.productions.tolist() == productions


def test_the_derivation_of_another_grammar_is_read_as_text() -> None:
    derivation = gm.parse(GRAMMAR_1, "x * 1.0")
    genotype = gm.encode(GRAMMAR_R, derivation, gm.GE())
    assert gm.map_genotype(GRAMMAR_R, genotype, gm.GE()).phenotype == "x * 1.0"


def test_probabilities_may_be_given() -> None:
    weights = {"<op>": [0.0, 0.001, 0.999]}
    genotype = gm.encode(GRAMMAR_1, "x * x", gm.PGE(), weights)
    assert gm.map_genotype(GRAMMAR_1, genotype, gm.PGE(), weights).phenotype == "x * x"
    assert gm.map_genotype(GRAMMAR_1, genotype, gm.PGE()).phenotype != "x * x"
    learned = GRAMMAR_1.with_probabilities(weights)
    assert gm.encode(learned, "x * x", gm.PGE()) == genotype


LONG = " + ".join(["x"] * 40)
ERRORS: list[tuple[Any, MethodBase | None, type[Exception], str]] = [
    ("x ** x", None, GrammarError, r"line 1, column 4: this is not a program of G1; expected one of: x 1\.0"),
    (7, None, GrammarError, "the program is of type int; give its text"),
    (LONG, None, GenotypeError, r"^the program, 'x \+ x .*, does not fit: it needs 159 codons, .* holds 128; set "),
    (LONG, gm.GE(codons=10, length="variable"), GenotypeError, "needs 158 codons, .* holds 80; set codons to 20 or"),
    ("x - x", gm.GE(codon_max=1), SettingsError, "codon_max is 1: <op> of G1 has 3 productions, .* codon_max to 2 or"),
    (LONG, gm.StaticSGE(recursion=2), GenotypeError, "not fit: it recurs deeper than recursion=2 levels; set rec"),
    (Derivation(GRAMMAR_1, np.array([0, 1], np.int32)), None, GrammarError, "the program is not finished: '<expr> <op"),
]  # fmt: skip


@pytest.mark.parametrize(("program", "method", "kind", "message"), ERRORS)
def test_what_has_no_genotype_is_refused(program: Any, method: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        gm.encode(GRAMMAR_1, program, method)


def test_a_production_that_is_impossible_is_refused() -> None:
    with pytest.raises(GenotypeError, match=r"no codon chooses \+ for <op>: its probability is 0; give it a larger"):
        gm.encode(GRAMMAR_1, "x + x", gm.PGE(), {"<op>": [0, 0.5, 0.5]})
    with pytest.raises(SettingsError, match="method is the class GE"):
        gm.encode(GRAMMAR_1, "x", gm.GE)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", OTHERS)
def test_a_method_that_cannot_encode_says_so(name: str) -> None:
    with pytest.raises(GenotypeError, match=f"{name} cannot encode programs as genotypes; use another method"):
        gm.encode(GRAMMAR_1, "x", METHODS[name]())
