from __future__ import annotations

from pathlib import Path
from typing import Any

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


def test_a_model_and_the_folder_of_an_experiment_are_priors(tmp_path: Path) -> None:
    problem = gm.Regression([[1.0], [2.0], [3.0]], [1.0, 4.0, 9.0], GRAMMAR)
    run = gm.evolve(problem, gm.PGE(population=40), seed=1)
    gm.Model.of_run(run).save(tmp_path / "model.json")
    assert with_prior(GRAMMAR, tmp_path / "model.json") == gm.learn_prior([str(run.picked.phenotype)], GRAMMAR)
    gm.compare([gm.PGE(population=40)], [problem], runs=2, workers=1, store=tmp_path / "results.db")
    assert with_prior(GRAMMAR, tmp_path) == with_prior(GRAMMAR, str(tmp_path / "results.db"))
    assert with_prior(GRAMMAR, tmp_path) == gm.learn_prior(tmp_path) != GRAMMAR


OTHER_COLUMNS = gm.Grammar.from_text(G1.replace("x | 1.0", "a | b | 1.0"), "other")
LEFT = "has other productions for <var>: their probabilities are not taken over"


def test_a_prior_of_other_columns_gives_the_rules_that_are_the_same() -> None:
    with pytest.warns(UserWarning, match=f"the prior {LEFT}"):
        found = gm.Probabilities.of(with_prior(OTHER_COLUMNS, PRIOR))
    prior = gm.Probabilities.of(PRIOR)
    assert found["<op>"].tolist() == prior["<op>"].tolist() != [1 / 3] * 3
    assert found["<expr>"].tolist() == prior["<expr>"].tolist()
    assert found["<var>"].tolist() == [1 / 3] * 3


def test_runs_on_other_columns_teach_the_rules_that_are_the_same() -> None:
    run = gm.evolve(gm.Regression([[1.0], [2.0], [3.0]], [1.0, 4.0, 9.0], GRAMMAR), gm.PGE(population=40), seed=1)
    with pytest.warns(UserWarning, match=LEFT):
        found = with_prior(OTHER_COLUMNS, [run])
    with pytest.warns(UserWarning, match=LEFT):
        assert found == with_prior(OTHER_COLUMNS, gm.learn_prior([run]))


def test_rules_that_only_the_prior_has_do_not_matter() -> None:
    more = gm.Grammar.from_text(f"{PRIOR.text}<more> ::= y {{0.5}} | z {{0.5}}\n", "more")
    assert with_prior(GRAMMAR, more) == PRIOR


@pytest.mark.parametrize("context", ["parent", "slot"])
def test_a_prior_by_context_is_a_grammar_of_its_own(context: Any) -> None:
    prior = gm.learn_prior(["x * x"], GRAMMAR, context=context)
    for grammar in (GRAMMAR, OTHER_COLUMNS):
        with pytest.raises(GrammarError) as raised:
            with_prior(grammar, prior)
        message = (
            f"{grammar.name}, but one for each context; use it as the grammar itself (grammar=…, --grammar), or learn"
        )
        assert message in str(raised.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (G1.replace("<start> ::=", "<start> ::= x |"), "G1: <start> ::= x instead of <start> ::= <expr>"),
        (G1.replace("<start> ::= <expr>", "<start> ::= <expr> | x"), "G1: <start> ::= x instead of the end"),
        (
            "<start> ::= <expr>\n<expr> ::= <expr> + <expr> | y",
            "G1: <expr> ::= <expr> + <expr> instead of <expr> ::= <expr> <op> <expr>",
        ),
        ("<other> ::= x | y", "G1: the end instead of <start> ::= <expr>"),
    ],
)
def test_other_rules_are_an_error_that_names_the_first_difference(text: str, message: str) -> None:
    with pytest.raises(GrammarError) as raised:
        with_prior(GRAMMAR, gm.Grammar.from_text(text, "other"))
    assert f"the prior other does not have the rules of {message}; learn a prior with this grammar" in str(raised.value)


def test_a_grammar_without_probabilities_is_no_prior() -> None:
    with pytest.raises(GrammarError, match=r"the prior G1 carries no probabilities; learn them with gm\.learn_prior"):
        with_prior(GRAMMAR, GRAMMAR)
