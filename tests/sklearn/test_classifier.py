"""The classifier: classes, probabilities, and how it compares with logistic regression."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_score

import gramarye as gm
from gramarye.sklearn import GrammarClassifier

SMALL = gm.TunedTrees(population=40, initial_depth=4, max_size=20)
RNG = np.random.default_rng(1)
X = RNG.uniform(-1, 1, (300, 3))
LINEAR = X[:, 0] - 2 * X[:, 1] + 0.5 * RNG.normal(size=300) > 0
DISC = X[:, 0] ** 2 + X[:, 1] ** 2 < 0.5


def small(**parameters: Any) -> GrammarClassifier:
    return GrammarClassifier(**{"method": SMALL, "max_evaluations": 1500, "random_state": 0, **parameters})


def test_it_is_as_good_as_logistic_regression_on_a_linear_problem_and_better_on_another() -> None:
    train, test = slice(0, 200), slice(200, 300)
    for target, least in ((LINEAR, -0.04), (DISC, 0.15)):
        ours = small().fit(X[train], target[train])
        theirs = LogisticRegression().fit(X[train], target[train])
        assert ours.score(X[test], target[test]) - theirs.score(X[test], target[test]) >= least
        losses = [log_loss(target[test], model.predict_proba(X[test])) for model in (ours, theirs)]
        assert losses[0] - losses[1] <= (0.05 if target is LINEAR else -0.1)


def test_on_flowers_small_formulas_give_probabilities_as_good_as_those_of_logistic_regression() -> None:
    data = load_iris()
    model = GrammarClassifier(max_evaluations=20_000, random_state=0)
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    ours, theirs = (
        -cross_val_score(each, data.data, data.target, cv=folds, scoring="neg_log_loss")
        for each in (model, LogisticRegression(max_iter=1000))
    )
    assert ours.mean() <= theirs.mean()
    assert ours.max() < 0.15
    assert max(formula.nodes for formula in model.fit(data.data, data.target).picked_) <= 6


def test_probabilities_are_calibrated_on_average() -> None:
    found = small().fit(X, LINEAR).predict_proba(X)[:, 1]
    assert found.mean() == pytest.approx(LINEAR.mean(), abs=0.01)


def test_two_classes_have_one_formula_for_the_second() -> None:
    labels = np.where(DISC, "in", "out")
    model = small().fit(pd.DataFrame(X, columns=["a", "b", "c"]), labels)
    assert model.classes_.tolist() == ["in", "out"]
    assert len(model.runs_) == 1
    assert list(model.formulas_) == ["out"]
    assert str(model) == f"out: {model.picked_[0].formula}"
    assert str(small()) == repr(small())
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    assert np.array_equal(model.decision_function(frame) > 0, model.predict(frame) == "out")
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_more_classes_have_a_formula_each() -> None:
    data = load_iris()
    model = small(max_evaluations=600).fit(data.data, data.target)
    assert model.score(data.data, data.target) > 0.93
    found = model.predict_proba(data.data)
    assert found.shape == (150, 3)
    assert np.allclose(found.sum(axis=1), 1)
    assert np.isfinite(log_loss(data.target, found))
    assert len(model.runs_) == len(str(model).splitlines()) == 3
    assert model.feature_importances_.shape == (4,)
    assert model.n_iter_ == max(run.generations for run in model.runs_)


def test_weights_and_repeated_rows_in_any_order_give_the_same_model() -> None:
    weights = RNG.integers(0, 3, 300)
    again = RNG.permutation(np.repeat(np.arange(300), weights))
    weighted, repeated = small().fit(X, LINEAR, sample_weight=weights), small().fit(X[again], LINEAR[again])
    assert str(weighted) == str(repeated)
    assert np.array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


@pytest.mark.parametrize("scale", [1e-300, 1 / 300, 1.5, 1e200])
def test_weights_that_are_not_whole_numbers_may_be_of_any_scale(scale: float) -> None:
    alone, weighted = small().fit(X, DISC), small().fit(X, DISC, sample_weight=np.full(300, scale))
    assert str(weighted) == str(alone)
    assert np.array_equal(weighted.predict_proba(X), alone.predict_proba(X))


def test_it_can_be_boosted() -> None:
    model = AdaBoostClassifier(small(), n_estimators=3, random_state=0).fit(X, DISC)
    assert model.score(X, DISC) > 0.9
    assert all(each.picked_[0].nodes > 1 for each in model.estimators_)


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="y has one class only, 1: a classifier needs rows of at least two classes"):
        small().fit(X, np.ones(300, int))
    with pytest.raises(ValueError, match="one class only"):
        small().fit(X, DISC, sample_weight=DISC.astype(float))


def test_a_warm_start_begins_with_the_formulas_of_each_class() -> None:
    data = load_iris()
    model = small(max_evaluations=200, warm_start=True).fit(data.data, data.target)
    fronts = [len(run.front) for run in model.runs_]
    model.fit(data.data, data.target)
    assert [len(run.setup.programs) for run in model.runs_] == fronts
    model.fit(data.data, data.target == 1)
    assert not model.runs_[0].setup.programs


def test_an_interrupted_fit_still_has_a_formula_for_each_class() -> None:
    def interrupt(generation: gm.Generation) -> None:
        if generation.index == 1:
            raise KeyboardInterrupt

    data = load_iris()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = small(callback=interrupt).fit(data.data, data.target)
    assert [warning.category for warning in caught] == [ConvergenceWarning]
    assert [run.generations for run in model.runs_] == [2, 1, 1]
    assert model.predict(data.data).shape == (150,)


def test_time_is_shared_by_the_classes() -> None:
    data = load_iris()
    model = GrammarClassifier(method=SMALL, max_time=0.3, random_state=0).fit(data.data, data.target)
    assert all((run.method.max_time or 1) <= 0.3 for run in model.runs_)
    assert model.runs_[0].method.max_time == pytest.approx(0.1, rel=0.2)


def test_columns_of_texts_are_columns_like_others() -> None:
    colour = np.where(DISC, "red", "blue")
    frame = pd.DataFrame({"a": X[:, 0], "colour": colour})
    model = small().fit(frame, DISC)
    assert model.score(frame, DISC) == 1
    assert model.n_features_in_ == 2


def test_what_only_a_formula_for_a_number_has_is_said_to_be_with_the_formulas() -> None:
    model = GrammarClassifier()
    for name in ("front_", "grammar_", "use", "latex"):
        assert not hasattr(model, name)
    with pytest.raises(AttributeError, match=r"no latex; each formula has its own: classifier.picked_\[0\].latex\(\)"):
        model.latex  # noqa: B018, it raises
    with pytest.raises(NotFittedError):
        model.runs_  # noqa: B018, it raises
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        model.colour  # noqa: B018, it raises
