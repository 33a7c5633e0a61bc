"""`gramarye predict`: a saved model applied to a table."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import gramarye as gm
from gramarye.data import NamedColumns
from gramarye.sklearn import GrammarClassifier, GrammarRegressor

Command = Callable[..., Any]
RNG = np.random.default_rng(1)
FRAME = pd.DataFrame(
    {"area": RNG.uniform(1, 9, 50), "town": RNG.choice(["north", "south"], 50), "old": RNG.random(50) < 0.5}
)
FRAME["id"] = RNG.permutation(50)  # which the formula does not use
PRICE = (2 * FRAME["area"] + 3 * (FRAME["town"] == "south") + 5 * FRAME["old"]).rename("price")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model for a number, and one for classes."""
    folder = tmp_path_factory.mktemp("models")
    limits: dict[str, Any] = {"max_evaluations": 5000, "random_state": 1, "preset": "polynomial"}
    regressor = GrammarRegressor(**limits).fit(FRAME, PRICE)
    regressor.save(folder / "price.json")
    classes = pd.Series(np.where(FRAME["area"] > 5, "big", "small"), name="size")
    GrammarClassifier(**limits).fit(FRAME[["area"]], classes).save(folder / "size.json")
    np.savetxt(folder / "expected.txt", regressor.predict(FRAME))
    return folder


def test_predictions_are_those_of_the_model_with_columns_in_any_order(
    gramarye: Command, models: Path, tmp_path: Path
) -> None:
    table = FRAME[["town", "old", "area"]].assign(comment="whatever")
    table.to_csv(tmp_path / "new.csv", index=False)
    printed = gramarye("predict", models / "price.json", "new.csv").stdout
    assert printed.startswith("price\n")
    found = pd.read_csv(io.StringIO(printed))["price"]
    np.testing.assert_allclose(found, np.loadtxt(models / "expected.txt"), rtol=1e-15)
    result = gramarye("predict", models / "price.json", "new.csv", "--out", "predictions.csv")
    assert result.stdout == ""
    assert "50 predictions written to predictions.csv" in result.stderr
    assert Path("predictions.csv").read_text(encoding="utf-8") == printed


def test_classes_come_with_their_probabilities(gramarye: Command, models: Path, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("area\n1\n9\n", encoding="utf-8")
    found = pd.read_csv(io.StringIO(gramarye("predict", models / "size.json", "new.csv").stdout))
    assert list(found.columns) == ["size", "P(big)", "P(small)"]
    assert found["size"].tolist() == ["small", "big"]
    np.testing.assert_allclose(found["P(big)"] + found["P(small)"], 1)


def test_a_row_without_a_value_has_the_most_frequent_class_and_the_shares_of_all(
    gramarye: Command, tmp_path: Path
) -> None:
    X = pd.DataFrame({"area": np.arange(40.0)})
    model = GrammarClassifier(grammar="<e> ::= sqrt(area)", clip=False, max_evaluations=100, random_state=1)
    model.fit(X, pd.Series(np.where(X["area"] < 30, "small", "big"), name="size")).save(tmp_path / "model.json")
    (tmp_path / "new.csv").write_text("area\n-1\n39\n", encoding="utf-8")
    found = pd.read_csv(io.StringIO(gramarye("predict", "model.json", "new.csv").stdout))
    assert found["size"].tolist() == ["small", "big"]
    assert found["P(small)"][0] == pytest.approx(0.75)


def test_another_formula_of_the_front_predicts_on_request(gramarye: Command, models: Path, tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "new.csv", index=False)
    words = ["predict", models / "price.json", "new.csv"]
    assert gramarye(*words, "--nodes", "1").stdout != gramarye(*words).stdout
    assert "nodes is 99: the formulas of the front have 1, " in gramarye(*words, "--nodes", "99", code=2).stderr
    words[1] = models / "size.json"
    assert "size.json predicts classes" in gramarye(*words, "--nodes", "1", code=2).stderr


@pytest.mark.parametrize("header", ["x0,x1", "b,a"])
def test_a_model_without_names_takes_columns_by_their_order(gramarye: Command, tmp_path: Path, header: str) -> None:
    X = RNG.uniform(1, 2, (30, 2))
    model = GrammarRegressor(max_evaluations=2000, random_state=1).fit(X, X[:, 0] - X[:, 1])
    model.save(tmp_path / "model.json")
    (tmp_path / "new.csv").write_text(f"{header}\n5,3\n", encoding="utf-8")
    name, value = gramarye("predict", "model.json", "new.csv").stdout.split()
    assert (name, float(value)) == ("prediction", pytest.approx(model.predict([[5.0, 3.0]])[0]))
    (tmp_path / "new.csv").write_text("a,b,c\n1,2,3\n", encoding="utf-8")
    assert "it has 3 columns, but the model has 2" in gramarye("predict", "model.json", "new.csv", code=2).stderr


def test_a_constant_predicts_the_same_for_every_row(gramarye: Command, tmp_path: Path) -> None:
    grammar = gm.Grammar.from_text("<e> ::= 2.5")
    problem = gm.Regression(NamedColumns(RNG.uniform(1, 2, (30, 1)), ["a"]), RNG.uniform(1, 2, 30), grammar)
    gm.Model.of_run(gm.evolve(problem, gm.GE(population=5, generations=1), seed=1)).save(tmp_path / "model.json")
    (tmp_path / "new.csv").write_text("b\nup\ndown\n", encoding="utf-8")
    assert gramarye("predict", "model.json", "new.csv").stdout == "prediction\n2.5\n2.5\n"


def test_predictions_need_no_scikit_learn(
    gramarye: Command, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("gramarye.sklearn")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    (tmp_path / "new.csv").write_text("area\n1\n9\n", encoding="utf-8")
    assert gramarye("predict", models / "size.json", "new.csv").stdout.count("\n") == 3


def test_a_text_that_the_model_does_not_know_is_none_of_those_it_knows_as_in_python(
    gramarye: Command, models: Path, tmp_path: Path
) -> None:
    (tmp_path / "new.csv").write_text("town,old,area,id\nsouth,true,1,1\neast,true,1,1\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="new.csv, column town: the formula was not fitted to 'east'; all indicators"):
        printed = gramarye("predict", models / "price.json", "new.csv").stdout
    with pytest.warns(UserWarning, match="X, column town: the formula was not fitted to 'east'; all indicators"):
        found = gm.Model.load(models / "price.json").predict(pd.read_csv("new.csv"))
    np.testing.assert_allclose(pd.read_csv(io.StringIO(printed))["price"], found)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "town,old,aera\nsouth,true,1\n",
            "new.csv: there is no column 'area', which the model needs; is it called 'aera'?",
        ),
        ("q,old,area\nsouth,true,1\n", "there is no column 'town', which the model needs; the file has q, old, area"),
        ("town,old,area\nsouth,maybe,1\n", "new.csv, line 2, column old: 'maybe' is neither true nor false"),
        ("town,old,area\nsouth,true,big\n", "new.csv, line 2, column area: 'big' is not a number"),
        ("town,old,area\n,true,1\n", "new.csv, line 2, column town: the value is missing"),
        ("town,old,area\nsouth,true,\n", "new.csv, line 2, column area: the value is missing"),
        ("town,old,area\n", "new.csv: it needs a header line and at least one row of data; it has 1 line"),
        ("town,old,area\n\n\n", "new.csv: there are names of columns, but no rows"),
        ("", "new.csv: it needs a header line and at least one row of data; it has 0 lines"),
    ],
)
def test_mistakes_in_a_table_end_in_a_line_with_their_place(
    gramarye: Command, models: Path, tmp_path: Path, content: str, message: str
) -> None:
    (tmp_path / "new.csv").write_text(content, encoding="utf-8")
    result = gramarye("predict", models / "price.json", "new.csv", code=2)
    assert message in result.stderr
    assert result.stdout == ""


def test_an_edited_model_and_a_missing_one_end_in_a_line(gramarye: Command, models: Path, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("area\n1\n", encoding="utf-8")
    document = json.loads((models / "size.json").read_text(encoding="utf-8"))
    document["fronts"][0]["formulas"][0]["phenotype"] = "width"
    (tmp_path / "edited.json").write_text(json.dumps(document), encoding="utf-8")
    shown = gramarye("predict", "edited.json", "new.csv", code=2).stderr
    assert (
        "edited.json: fronts[0].formulas[0].phenotype, line 1, column 1: this is not a program of the grammar" in shown
    )
    assert "missing.json: can't be read" in gramarye("predict", "missing.json", "new.csv", code=2).stderr


def test_what_is_predicted_from_is_not_overwritten(gramarye: Command, models: Path, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("area\n1\n", encoding="utf-8")
    words = ["predict", models / "size.json", "new.csv", "--out"]
    assert "new.csv would be overwritten by its own predictions" in gramarye(*words, "new.csv", code=2).stderr
    assert "there is no folder" in gramarye(*words, "no/new.csv", code=2).stderr
