from __future__ import annotations

from pathlib import Path

import pytest

import gramarye as gm
from gramarye.errors import GrammarError
from gramarye.priors import with_prior
from tests.grammars import G1

GRAMMAR = gm.Grammar.from_text(G1, "G1")
PRIOR = gm.learn_prior(["x * x"], GRAMMAR)


def test_a_prior_is_a_grammar_its_file_or_what_one_is_learned_from(tmp_path: Path) -> None:
    (tmp_path / "prior.bnf").write_text(str(PRIOR), encoding="utf-8")
    path = tmp_path / "prior.bnf"
    assert with_prior(GRAMMAR, PRIOR) == with_prior(GRAMMAR, path) == with_prior(GRAMMAR, str(path)) == PRIOR
    assert with_prior(GRAMMAR, ["x * x"]) == PRIOR


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (G1.replace("*", "/"), "does not have the rules of G1: <op> ::= / instead of <op> ::= *"),
        (G1 + "\n<more> ::= y {1.0}\n", "does not have the rules of G1: <more> ::= y instead of the end"),
    ],
)
def test_other_rules_are_an_error_that_names_the_first_difference(text: str, message: str) -> None:
    with pytest.raises(GrammarError) as raised:
        with_prior(GRAMMAR, gm.Grammar.from_text(text, "other"))
    assert f"the prior other {message}; learn a prior with this grammar" in str(raised.value)


def test_a_grammar_without_probabilities_is_no_prior() -> None:
    with pytest.raises(GrammarError, match=r"the prior G1 carries no probabilities; learn them with gm\.learn_prior"):
        with_prior(GRAMMAR, GRAMMAR)
