"""Estimators saved as JSON: what is read back predicts the same, without scikit-learn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import gramarye as gm
from gramarye.errors import OutputError, SettingsError
from gramarye.sklearn import GrammarClassifier, GrammarRegressor
from gramarye.sklearn.logistic import calibrated

SMALL = gm.TunedTrees(population=40, initial_depth=4, max_size=20)
RNG = np.random.default_rng(1)
ROWS = RNG.uniform(1, 4, (80, 2))
FRAME = pd.DataFrame(
    {"height": ROWS[:, 0], "body mass": ROWS[:, 1], "colour": RNG.choice(["red", "blue"], 80), "old": ROWS[:, 0] > 2}
)
TARGET = (FRAME["height"] * FRAME["body mass"] + 2 * (FRAME["colour"] == "red")).rename("value")
WITHOUT_SKLEARN = """
import sys
sys.modules["sklearn"] = None
import gramarye as gm
model = gm.Model.load(sys.argv[1])
print(*model.predict([[1.0, 2.0], [3.0, 4.0]]).tolist())
"""


def small(kind: Any, **parameters: Any) -> Any:
    return kind(**{"method": SMALL, "max_evaluations": 1500, "random_state": 0, **parameters})


def again(model: Any, path: Path) -> gm.Model:
    model.save(path)
    return gm.Model.load(path)


@pytest.mark.parametrize("runs", [1, 2])
def test_a_regressor_and_what_was_saved_of_it_are_the_same(tmp_path: Path, runs: int) -> None:
    model = small(GrammarRegressor, runs=runs).fit(FRAME, TARGET)
    loaded = again(model, tmp_path / "model.json")
    assert np.array_equal(loaded.predict(FRAME), model.predict(FRAME))
    assert np.array_equal(loaded.predict(pl.DataFrame(FRAME.to_dict("list"))), model.predict(FRAME))
    assert str(loaded) == str(model)
    assert str(loaded).startswith("value ≈ ")
    assert {name: column.tolist() for name, column in loaded.front_.items()} == {
        name: column.tolist() for name, column in model.front_.items()
    }
    assert loaded.python() == model.python()
    assert loaded.sympy() == model.sympy()
    assert [(column.name, column.kind, column.levels) for column in loaded.facts.columns] == [
        ("height", "number", ()),
        ("body mass", "number", ()),
        ("colour", "text", ("blue", "red")),
        ("old", "flag", ()),
    ]
    assert (loaded.facts.rows, loaded.search["runs"], loaded.search["seed"]) == (80, runs, 0)


def test_the_formula_that_was_chosen_is_the_one_that_predicts_after_loading(tmp_path: Path) -> None:
    model = small(GrammarRegressor).fit(ROWS, ROWS[:, 0] * ROWS[:, 1])
    model.use(1)
    loaded = again(model, tmp_path / "model.json")
    assert str(loaded) == str(model)
    assert np.array_equal(loaded.use(3).predict(ROWS), model.use(3).predict(ROWS))


@pytest.mark.parametrize(
    "target",
    [
        np.where(ROWS[:, 0] > 2, "big", "small"),
        ROWS[:, 0] > ROWS[:, 1],
        np.digitize(ROWS[:, 0], [2.0, 3.0]),
        pd.Series(np.array(["a", "b", "c"], object)[np.digitize(ROWS[:, 1], [2.0, 3.0])], name="grade"),
    ],
    ids=["texts", "booleans", "integers", "series"],
)
def test_a_classifier_and_what_was_saved_of_it_are_the_same(tmp_path: Path, target: Any) -> None:
    model = small(GrammarClassifier).fit(FRAME, target)
    loaded = again(model, tmp_path / "model.json")
    assert loaded.predict(FRAME).tolist() == model.predict(FRAME).tolist()
    assert np.array_equal(loaded.predict_proba(FRAME), model.predict_proba(FRAME))
    assert str(loaded) == str(model)
    assert loaded.formulas_ == model.formulas_
    assert loaded.classes_ is not None
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert loaded.facts.target == ("grade" if isinstance(target, pd.Series) else None)
    with pytest.raises(SettingsError, match="the model predicts classes"):
        loaded.use(1)


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_those_of_scikit_learn(classes: int) -> None:
    outputs = RNG.normal(size=(80, 1 if classes == 2 else classes))
    labels = np.arange(80) % classes
    weights = RNG.uniform(0.5, 2, 80)
    found = calibrated(outputs, labels, weights)
    scaler = StandardScaler().fit(outputs, sample_weight=weights)
    logistic = LogisticRegression(max_iter=1000).fit(scaler.transform(outputs), labels, sample_weight=weights)
    scaled = scaler.transform(outputs)
    np.testing.assert_allclose(found.probabilities(outputs), logistic.predict_proba(scaled), rtol=1e-12)
    np.testing.assert_allclose(found.decisions(outputs), logistic.decision_function(scaled), rtol=1e-12)
    assert found.labels(outputs).tolist() == logistic.predict(scaled).tolist()
    assert np.isfinite(found.probabilities(outputs * 1e6)).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_a_row_without_a_value_has_the_shares_of_the_classes(classes: int) -> None:
    outputs = RNG.normal(size=(80, 1 if classes == 2 else classes))
    labels = np.repeat(np.arange(classes), [50, 30] if classes == 2 else [20, 50, 10])
    shares = np.bincount(labels) / 80
    found = calibrated(outputs, labels, None)
    unknown = outputs.copy()
    unknown[3, -1] = np.nan
    np.testing.assert_allclose(found.probabilities(unknown)[3], shares, rtol=1e-12)
    assert found.labels(unknown)[3] == shares.argmax()
    others = np.arange(80) != 3
    assert np.array_equal(found.probabilities(unknown)[others], found.probabilities(outputs)[others])
    weights = np.where(labels == 1, 2.0, 1.0)
    weighted = calibrated(outputs, labels, weights).probabilities(unknown)[3]
    np.testing.assert_allclose(weighted, np.bincount(labels, weights) / weights.sum(), rtol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_infinite_values_are_those_of_large_ones(classes: int) -> None:
    outputs = RNG.normal(size=(80, 1 if classes == 2 else classes))
    found = calibrated(outputs, np.arange(80) % classes, None)
    infinite, large = (np.where(outputs > 0, value, -value) for value in (np.inf, 1e200))
    assert np.array_equal(found.probabilities(infinite), found.probabilities(large))
    assert np.isfinite(found.decisions(infinite)).all()


def test_where_a_formula_has_no_value_all_ways_to_predict_agree(tmp_path: Path) -> None:
    x = RNG.uniform(0, 4, (60, 1))
    target = x[:, 0] > 2.5
    model = small(GrammarClassifier, grammar="<e> ::= sqrt(x)", clip=False).fit(x, target)
    loaded = again(model, tmp_path / "model.json")
    rows = [[-1.0], [3.9]]
    assert model.predict(rows).tolist() == loaded.predict(rows).tolist() == [False, True]
    assert np.array_equal(loaded.predict_proba(rows), model.predict_proba(rows))
    assert model.predict_proba(rows)[0, 1] == pytest.approx(target.mean())
    assert model.decision_function(rows)[0] < 0


def test_a_saved_model_needs_no_scikit_learn(tmp_path: Path) -> None:
    small(GrammarRegressor).fit(ROWS, ROWS[:, 0]).save(tmp_path / "model.json")
    command = [sys.executable, "-c", WITHOUT_SKLEARN, str(tmp_path / "model.json")]
    printed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert printed.returncode == 0, printed.stderr
    assert [float(text) for text in printed.stdout.split()] == pytest.approx([1.0, 3.0])


@pytest.mark.parametrize("kind", [GrammarRegressor, GrammarClassifier])
def test_only_a_fitted_model_is_saved(tmp_path: Path, kind: Any) -> None:
    with pytest.raises(NotFittedError):
        kind().save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_classes_that_json_does_not_have_are_an_error(tmp_path: Path) -> None:
    days = np.array(["2026-01-01", "2026-01-02"], "datetime64[D]")[(ROWS[:, 0] > 2).astype(int)]
    model = small(GrammarClassifier).fit(ROWS, days)
    with pytest.raises(OutputError, match="is of type date, which JSON does not have; turn the classes into texts"):
        model.save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())
