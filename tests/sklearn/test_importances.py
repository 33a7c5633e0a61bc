"""Importances: by the formulas that use a column, by permuting it, and where the two disagree."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import permutation_importance

import gramarye as gm
from gramarye.sklearn import GrammarClassifier, GrammarRegressor
from gramarye.sklearn.importances import disagreements, importance_table

SMALL = gm.TunedTrees(population=40, initial_depth=4, max_size=20)
RNG = np.random.default_rng(1)
X = RNG.uniform(1, 4, (80, 3))
y = X[:, 0] * X[:, 1] + 0.1 * RNG.normal(size=80)
NOISE, WEIGHTS = RNG.normal(size=80), RNG.uniform(0, 2, 80)
NAMES = ["height", "body mass", "age"]
COLOURS = np.where(X[:, 2] > 2, "red", np.where(X[:, 2] > 1.5, "blue", "green"))


def small(**parameters: Any) -> GrammarRegressor:
    return GrammarRegressor(**{"method": SMALL, "max_evaluations": 1500, "random_state": 0, **parameters})


@pytest.fixture(scope="module")
def fitted() -> GrammarRegressor:
    return small(runs=3, max_evaluations=4500).fit(pd.DataFrame(X, columns=NAMES), y)


def quietly(model: Any, *given: Any, **more: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.importances(*given, **more)


def test_shares_are_counted_in_the_formulas_of_all_runs(fitted: GrammarRegressor) -> None:
    table = quietly(fitted, pd.DataFrame(X, columns=NAMES), y)
    counted = {}
    for name, text in zip(NAMES, ["height", "`body mass`", "age"], strict=True):
        found = [np.mean([text in str(member.phenotype) for member in run.front]) for run in fitted.runs_]
        counted[name] = float(np.mean(found))
    shares = dict(zip(table.columns["feature"], table.columns["share"], strict=True))
    assert shares == pytest.approx(counted)
    assert fitted.feature_importances_ == pytest.approx([counted[name] / sum(counted.values()) for name in NAMES])


def test_intervals_are_there_with_several_runs_only(fitted: GrammarRegressor) -> None:
    table = quietly(fitted, pd.DataFrame(X, columns=NAMES), y)
    for share, low, high in zip(*(table.columns[name] for name in ("share", "low", "high")), strict=True):
        assert 0 <= low <= share <= high <= 1
    assert any(low < high for low, high in zip(table.columns["low"], table.columns["high"], strict=True))
    assert "mean of 3 runs, with 95 % intervals; with fewer than 10 runs" in table.note
    alone = quietly(small().fit(X, y), X, y)
    assert set(alone.columns["low"]) == set(alone.columns["high"]) == {None}
    assert "without an interval; fit with runs=10 to get one" in alone.note


def test_permutations_are_those_of_scikit_learn(fitted: GrammarRegressor) -> None:
    frame = pd.DataFrame(X, columns=NAMES)
    given = {"scoring": "neg_mean_absolute_error", "n_repeats": 4, "sample_weight": WEIGHTS, "random_state": 3}
    table = quietly(fitted, frame, y, **given)
    wanted = permutation_importance(fitted, frame, y, **given)
    places = [NAMES.index(name) for name in table.columns["feature"]]
    assert table.columns["permutation"] == pytest.approx(wanted.importances_mean[places])
    assert table.columns["std"] == pytest.approx(wanted.importances_std[places])


def test_the_table_is_sorted_printed_and_a_frame(fitted: GrammarRegressor) -> None:
    table = quietly(fitted, pd.DataFrame(X, columns=NAMES), y)
    frame = pd.DataFrame(table.columns)
    assert frame["share"].is_monotonic_decreasing
    assert frame["rank"].is_monotonic_increasing
    assert frame["permutation rank"].sum() >= 5
    assert set(frame["feature"]) == set(NAMES)
    assert "body mass" in str(table)
    assert str(table) == str(quietly(fitted, pd.DataFrame(X, columns=NAMES), y))  # the same seed by default


def test_columns_without_names_are_numbered() -> None:
    model = small().fit(X, y)
    assert set(quietly(model, X, y).columns["feature"]) == {"x0", "x1", "x2"}
    with pytest.raises(NotFittedError):
        small().importances(X, y)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_indicators_count_for_their_column(frame: Any) -> None:
    table = frame({"a": X[:, 0], "colour": COLOURS, "b": X[:, 1]})
    target = X[:, 0] + 3 * (COLOURS == "red") + 5 * (COLOURS == "blue")
    model = small(runs=2, max_evaluations=4000).fit(table, target)
    found = pd.DataFrame(quietly(model, table, target).columns).set_index("feature")
    assert sorted(found.index) == ["a", "b", "colour"]
    assert found["permutation"]["colour"] > 0.3
    assert found["permutation"]["b"] < 0.1 * found["permutation"]["colour"]
    assert found["share"]["colour"] <= 1


def test_polars_and_pandas_give_the_same_table() -> None:
    columns = {"a": X[:, 0], "colour": COLOURS, "b": X[:, 1]}
    frames = (pd.DataFrame(columns), pl.DataFrame(columns))
    tables = [quietly(small().fit(frame, y), frame, y, sample_weight=np.ones(80)) for frame in frames]
    assert tables[0].columns["share"] == tables[1].columns["share"]
    for name in ("permutation", "std"):
        assert tables[0].columns[name] == pytest.approx(tables[1].columns[name])


def test_classes_are_taken_together() -> None:
    labels = np.array(["low", "middle", "high"])[(X[:, 0] > 2).astype(int) + (X[:, 0] > 3)]
    model = GrammarClassifier(method=SMALL, max_evaluations=600, runs=2, random_state=0).fit(X, labels)
    table = model.importances(X, labels, scoring="neg_log_loss")
    assert table.columns["feature"][0] == "x0"
    assert table.columns["permutation rank"][0] == 1
    assert model.feature_importances_.argmax() == 0


@pytest.mark.parametrize("runs", [1, 3])
def test_select_from_model_keeps_what_formulas_use(runs: int) -> None:
    frame = pd.DataFrame({"a": X[:, 0], "noise": NOISE, "b": X[:, 1]})
    selector = SelectFromModel(small(runs=runs, max_evaluations=4000)).fit(frame, X[:, 0] * X[:, 1])
    assert selector.get_feature_names_out().tolist() == ["a", "b"]
    assert selector.transform(frame).shape == (80, 2)
    texts = pd.DataFrame({"a": X[:, 0], "colour": COLOURS, "noise": NOISE})
    chosen = SelectFromModel(small(runs=runs)).fit(texts, X[:, 0] + 5.0 * (COLOURS == "red"))
    assert chosen.get_support().tolist() == [True, True, False]


def test_clear_disagreements_are_warned_of_by_name() -> None:
    # In this grammar a text is only a factor, so that no formula of one node uses the column that matters most.
    frame = pd.DataFrame({"a": X[:, 0], "colour": COLOURS})
    target = X[:, 0] + 5 * (COLOURS == "red") + 0.1 * NOISE
    grammar = "<e> ::= (<e> + <e>) | (<e> * <e>) | (`colour=red` * <e>) | a | <const>"
    model = small(grammar=grammar, runs=3, max_evaluations=6000).fit(frame, target)
    with pytest.warns(
        UserWarning, match="more formulas use a than colour .* but permuting colour costs more"
    ) as caught:
        model.importances(frame, target)
    assert [warning.filename for warning in caught] == [__file__]


def test_orders_that_agree_raise_no_warning() -> None:
    model = small(runs=2).fit(X, X[:, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.importances(X, X[:, 0]).columns["rank"][0] == 1


def test_small_or_uncertain_differences_are_no_disagreement() -> None:
    losses = np.array([[0.0, 1.0], [0.0, 1.1]])
    assert disagreements(np.array([[0.9, 0.5]]), losses) == [(0, 1)]
    assert disagreements(np.array([[0.5, 0.9]]), losses) == []
    assert disagreements(np.array([[0.55, 0.5]]), losses) == []  # less than a tenth
    assert disagreements(np.array([[0.9, 0.5], [0.5, 0.6]]), losses) == []  # in one of two runs only
    assert disagreements(np.array([[0.9, 0.5], [0.9, 0.4]]), losses) == [(0, 1)]
    assert disagreements(np.array([[0.9, 0.5]]), np.array([[0.0, 1.0], [0.9, 0.1]])) == []  # by chance
    assert disagreements(np.array([[0.9, 0.5]]), np.array([[-0.2, -0.1]])) == []  # nothing matters
    three = disagreements(np.array([[0.9, 0.5, 0.1]]), np.array([[0.0, 0.5, 1.0]]))
    assert three == [(0, 2), (0, 1), (1, 2)]  # the farthest first


def test_equal_values_have_equal_ranks() -> None:
    table = importance_table(["a", "b", "c"], np.array([[0.5, 1.0, 0.5]]), np.array([[0.0, 0.2, 0.0]]))
    assert table.columns["feature"] == ("b", "a", "c")
    assert table.columns["rank"] == (1, 2, 2)
    assert table.columns["permutation rank"] == (1, 2, 2)
