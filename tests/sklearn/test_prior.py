"""Estimators that start from a prior."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import gramarye as gm
from gramarye.errors import GrammarError
from gramarye.sklearn import GrammarClassifier, GrammarRegressor

RNG = np.random.default_rng(1)
X = RNG.uniform(-2, 2, (40, 2))
Y = X[:, 0] * X[:, 1] + X[:, 0]
GRAMMAR = gm.Grammar.from_columns(["x0", "x1"], preset="polynomial")
SETTINGS: dict[str, Any] = {
    "preset": "polynomial",
    "method": gm.TunedTrees(population=40, initial_depth=4, max_size=20),
    "max_evaluations": 1500,
    "random_state": 1,
}


@pytest.fixture(scope="module")
def model() -> GrammarRegressor:
    return GrammarRegressor(**SETTINGS).fit(X, Y)


def started_from(model: GrammarRegressor | GrammarClassifier) -> list[float]:
    probabilities: list[float] = model.runs_[0].setup.probabilities.tolist()
    return probabilities


def test_the_search_starts_from_a_grammar_a_file_or_runs(model: GrammarRegressor, tmp_path: Path) -> None:
    grammar = model.run_.problem.grammar
    prior = gm.learn_prior(model.runs_, grammar)
    (tmp_path / "prior.bnf").write_text(str(prior), encoding="utf-8")
    for given in (prior, tmp_path / "prior.bnf", str(tmp_path / "prior.bnf"), model.runs_):
        fitted = GrammarRegressor(**SETTINGS, prior=given).fit(X, Y)
        assert started_from(fitted) == prior.start_probabilities().tolist() != started_from(model)


def test_the_probabilities_of_the_grammar_itself_are_no_other_prior(model: GrammarRegressor) -> None:
    same = GrammarRegressor(**SETTINGS, prior=model.run_.problem.grammar).fit(X, Y)
    assert same.predict(X).tobytes() == model.predict(X).tobytes()
    assert str(same) == str(model)


def test_formulas_for_classes_share_a_prior(model: GrammarRegressor) -> None:
    prior = gm.learn_prior(model.runs_)
    fitted = GrammarClassifier(**SETTINGS, prior=prior).fit(X, np.digitize(Y, [-1, 1]))
    assert len(fitted.runs_) == 3
    assert {tuple(run.setup.probabilities.tolist()) for run in fitted.runs_} == {tuple(started_from(fitted))}
    assert started_from(fitted) == prior.start_probabilities().tolist()


def test_a_prior_is_a_parameter_as_any_other(model: GrammarRegressor) -> None:
    prior = gm.learn_prior(model.runs_)
    copied = clone(GrammarRegressor(**SETTINGS, prior=prior))
    assert copied.get_params()["prior"] == prior
    assert clone(GrammarRegressor(prior=model.runs_)).fit is not None
    search = GridSearchCV(GrammarRegressor(**SETTINGS), {"prior": [None, prior]}, cv=2).fit(X, Y)
    assert len(search.cv_results_["params"]) == 2


def test_a_saved_model_holds_the_prior_that_it_was_found_with(model: GrammarRegressor, tmp_path: Path) -> None:
    prior = gm.learn_prior(model.runs_)
    GrammarRegressor(**SETTINGS, prior=prior).fit(X, Y).save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))["grammar"] == prior.text
    assert gm.Model.load(tmp_path / "model.json").grammar == prior


def test_a_prior_of_other_rules_is_refused() -> None:
    with pytest.raises(GrammarError, match="the prior columns does not have the rules of columns: <e> ::= "):
        GrammarRegressor(**SETTINGS, prior=gm.Grammar.from_columns(["x0", "x1"], preset="rational")).fit(X, Y)


def test_a_prior_of_other_columns_gives_the_rules_that_are_the_same(model: GrammarRegressor) -> None:
    with pytest.warns(UserWarning, match="other productions for <x>: their probabilities are not taken over"):
        fitted = GrammarRegressor(**SETTINGS, prior=gm.learn_prior(model.runs_)).fit(X[:, :1], Y)
    found, prior = (
        gm.Probabilities.of(grammar) for grammar in (fitted.run_.problem.grammar, gm.learn_prior(model.runs_))
    )
    assert found["<e>"].tolist() == prior["<e>"].tolist()
