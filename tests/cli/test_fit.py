"""`gramarye fit`: a formula for a column of a table, as a command."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import gramarye as gm
from gramarye.cli.commands import fit as command
from gramarye.cli.signals import Interrupts
from gramarye.sklearn import GrammarClassifier, GrammarRegressor
from gramarye.sklearn.base import EVALUATIONS

Command = Callable[..., Any]
QUICK = ["--seed", "1", "--max-evaluations", "3000"]


@pytest.fixture
def houses(tmp_path: Path) -> Path:
    """Numbers, texts and booleans, from which prices follow."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "area": rng.uniform(40, 200, 60).round(1),
            "town": rng.choice(["north", "south"], 60),
            "garden": rng.random(60) < 0.5,
        }
    )
    table["price"] = 2 * table["area"] + 50 * (table["town"] == "south") + 30 * table["garden"]
    table.to_csv(tmp_path / "houses.csv", index=False)
    return tmp_path / "houses.csv"


@pytest.fixture
def points(tmp_path: Path) -> Path:
    """Three classes of points."""
    a = np.linspace(-1, 1, 60)
    table = pd.DataFrame(
        {"a": a, "b": a[::-1] ** 2, "kind": np.array(["low", "middle", "high"])[np.digitize(a, [-0.3, 0.3])]}
    )
    table.to_csv(tmp_path / "points.csv", index=False)
    return tmp_path / "points.csv"


def test_the_page_shows_the_formula_its_error_and_the_front_with_the_picked_formula_marked(
    gramarye: Command, houses: Path
) -> None:
    page = gramarye("fit", houses, "--target", "price", *QUICK).stdout
    assert page.startswith("price from 3 columns and 60 rows of houses.csv, seed 1\n")
    assert "\nFormula\nprice ≈ " in page
    assert "R² in training  1\n" in page
    assert len(re.findall(r"^\* +\d+ ", page, re.MULTILINE)) == 1
    assert "town=south" in page


def test_it_finds_what_the_estimator_finds(gramarye: Command, houses: Path, tmp_path: Path) -> None:
    gramarye("fit", houses, *QUICK, "--out", "model.json")
    table = pd.read_csv(houses)
    X, y = table.drop(columns="price"), table["price"]
    estimator = GrammarRegressor(random_state=1, max_evaluations=3000).fit(X, y)
    model = gm.Model.load(tmp_path / "model.json")
    assert str(model) == str(estimator)
    assert np.array_equal(model.predict(X), estimator.predict(X))
    assert command.EVALUATIONS == EVALUATIONS


def test_runs_weights_and_their_fronts_are_those_of_the_estimator(
    gramarye: Command, houses: Path, tmp_path: Path
) -> None:
    table = pd.read_csv(houses)
    table["count"] = np.arange(60) % 4
    table.to_csv(houses, index=False)
    words = ["--target", "price", "--weights", "count", "--runs", "3", "--out", "model.json", "--report", "report.html"]
    gramarye("fit", houses, *words, *QUICK)
    X, y = table[["area", "town", "garden"]], table["price"]
    estimator = GrammarRegressor(random_state=1, max_evaluations=3000, runs=3).fit(X, y, sample_weight=table["count"])
    model = gm.Model.load(tmp_path / "model.json")
    assert str(model) == str(estimator)
    assert model.front_["formula"].tolist() == estimator.front_["formula"].tolist()
    assert model.search["runs"] == 3
    assert "price, run 3" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_scores_count_rows_by_their_weights(gramarye: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,w,y\n1,1,1\n2,1,2\n3,1,3\n4,0,90\n")
    document = json.loads(gramarye("fit", "t.csv", "--weights", "w", "--json", *QUICK).stdout)
    assert document["scores"] == {"training": 1.0}


def test_units_give_formulas_that_are_dimensionally_right(gramarye: Command, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    falls = pd.DataFrame({"h": rng.uniform(1, 9, 40), "g": rng.uniform(1, 20, 40)})
    falls["t"] = np.sqrt(2 * falls["h"] / falls["g"])
    falls.to_csv(tmp_path / "falls.csv", index=False)
    words = ["--units", "h=m, g=m/s**2", "--target-unit", "s", "--json"]
    model = json.loads(gramarye("fit", "falls.csv", *words, *QUICK).stdout)["model"]
    assert model["grammar"].startswith("<s>")
    assert "psqrt" in model["fronts"][0]["formulas"][-1]["formula"]


def test_it_starts_from_a_prior_as_the_estimator_does(gramarye: Command, houses: Path, tmp_path: Path) -> None:
    table = pd.read_csv(houses)
    X, y = table.drop(columns="price"), table["price"]
    earlier = GrammarRegressor(random_state=2, max_evaluations=1000).fit(X, y)
    prior = gm.learn_prior(earlier.runs_)
    (tmp_path / "prior.bnf").write_text(str(prior), encoding="utf-8")
    gramarye("fit", houses, *QUICK, "--prior", "prior.bnf", "--out", "model.json")
    estimator = GrammarRegressor(random_state=1, max_evaluations=3000, prior=prior).fit(X, y)
    model = gm.Model.load(tmp_path / "model.json")
    assert model.grammar == prior
    assert str(model) == str(estimator)


def test_it_finds_the_classes_that_the_estimator_finds(gramarye: Command, points: Path, tmp_path: Path) -> None:
    result = gramarye("fit", points, *QUICK, "--out", "model.json")
    assert "'kind', the last column: it does not hold numbers, so its 3 values are classes" in result.stderr
    assert "Formula for kind = high, larger where it is more likely" in result.stdout
    assert "accuracy in training" in result.stdout
    assert "* picked by log loss and a price for each node" in result.stdout
    table = pd.read_csv(points)
    X, y = table.drop(columns="kind"), table["kind"]
    estimator = GrammarClassifier(random_state=1, max_evaluations=3000).fit(X, y)
    model = gm.Model.load(tmp_path / "model.json")
    assert str(model) == str(estimator)
    np.testing.assert_allclose(model.predict_proba(X), estimator.predict_proba(X), rtol=1e-12)


def test_weights_that_are_not_whole_numbers_may_be_of_any_scale(
    gramarye: Command, points: Path, tmp_path: Path
) -> None:
    table = pd.read_csv(points)
    found = []
    for weight in (1.0, 1 / 60, 1e200):
        table.assign(share=weight).to_csv(points, index=False)
        gramarye("fit", points, *QUICK, "--target", "kind", "--weights", "share", "--out", "model.json")
        found.append(str(gm.Model.load(tmp_path / "model.json")))
    assert found == [found[0]] * 3


def test_numbers_are_classes_on_request(gramarye: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1,0\n2,0\n3,1\n4,1\n", encoding="utf-8")
    document = json.loads(gramarye("fit", "t.csv", "--classify", *QUICK, "--json").stdout)
    assert document["model"]["classes"] == [0, 1]
    assert document["score"] == "accuracy"


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["true", "false"], ["false", "true"]),
        (["02", "01"], ["01", "02"]),
        (["2", "1"], [1, 2]),
        (["1.0", "1", "2", "2"], [1, 2]),
    ],
)
def test_classes_are_called_as_in_the_file(
    gramarye: Command, tmp_path: Path, labels: list[str], classes: list[Any]
) -> None:
    rows = "".join(f"{i},{label}\n" for i, label in enumerate(labels * 2))
    (tmp_path / "t.csv").write_text(f"a,y\n{rows}", encoding="utf-8")
    gramarye("fit", "t.csv", "--classify", *QUICK, "--out", "m.json")
    assert json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))["classes"] == classes
    predicted = gramarye("predict", "m.json", "t.csv").stdout.splitlines()
    assert predicted[0] == ",".join(["y", *(f"P({label})" for label in classes)])
    assert {line.partition(",")[0] for line in predicted[1:]} <= set(map(str, classes))


def test_held_out_rows_are_not_learned_from(gramarye: Command, houses: Path) -> None:
    document = json.loads(gramarye("fit", houses, *QUICK, "--test", "0.25", "--json").stdout)
    assert document["rows"] == {"training": 45, "test": 15}
    assert document["model"]["rows"] == 45
    assert document["scores"]["test"] == pytest.approx(1, abs=0.01)
    again = json.loads(gramarye("fit", houses, *QUICK, "--test", "0.25", "--json").stdout)
    assert again["model"]["fronts"] == document["model"]["fronts"]


def test_a_grammar_a_template_or_a_preset_gives_the_form_of_the_formula(gramarye: Command, houses: Path) -> None:
    (houses.parent / "line.bnf").write_text("<e> ::= area | <e> + <e>\n", encoding="utf-8")
    texts = {}
    for words in (["--grammar", "line.bnf"], ["--template", "a * area + b"], ["--preset", "polynomial"]):
        document = json.loads(gramarye("fit", houses, *QUICK, *words, "--json").stdout)
        texts[words[0]] = document["model"]["grammar"]
    assert texts["--grammar"].startswith("<e> ::= area")
    assert "area" in texts["--template"]
    kept = json.loads(gramarye("fit", houses, *QUICK, "--template", "k * f(area)", "--json").stdout)["model"]
    assert {formula["weights"] for formula in kept["fronts"][0]["formulas"]} == {None}
    assert "town" not in texts["--template"]
    assert "/" not in texts["--preset"]


def test_columns_are_left_out(gramarye: Command, houses: Path) -> None:
    words = ["--ignore", "town", "--ignore", "garden", "--json"]
    model = json.loads(gramarye("fit", houses, *QUICK, *words).stdout)["model"]
    assert [column["name"] for column in model["columns"]] == ["area"]


def test_the_report_is_one_page_with_formula_front_predictions_and_progress(
    gramarye: Command, houses: Path, tmp_path: Path
) -> None:
    shown = gramarye("fit", houses, *QUICK, "--test", "0.2", "--report", "report.html").stdout
    assert "report.html" in shown
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<h1>A formula for price</h1>" in page
    assert "price ≈ " in page
    for name in ("predictions", "front", "progress"):
        assert f'id="figure-{name}"' in page
    assert "by TunedTrees, seed 1: " in page
    assert "no limit" in page
    assert "2147483647" not in page
    assert "Bold: the picked formula." in page
    assert "training, 48 rows" in page
    assert "test, 12 rows" in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_the_report_of_classes_counts_what_is_predicted_for_each(
    gramarye: Command, points: Path, tmp_path: Path
) -> None:
    gramarye("fit", points, *QUICK, "--report", "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<h1>Formulas for kind</h1>" in page
    assert "predicted middle" in page
    assert "The front for kind = low" in page


def test_a_time_limit_is_shared_by_the_formulas(gramarye: Command, points: Path) -> None:
    document = json.loads(gramarye("fit", points, "--seed", "1", "--time", "0.3", "--json").stdout)
    search = document["model"]["search"]
    assert search["runs"] == 3
    assert search["settings"]["max_evaluations"] is None
    assert search["seconds"] < 5


def test_ctrl_c_keeps_the_best_so_far(
    gramarye: Command, points: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Interrupts, "asked", True)  # after the first generation of each formula
    monkeypatch.setattr(Interrupts, "check", lambda _: None)
    result = gramarye("fit", points, *QUICK, "--out", "model.json", code=130)
    assert "stopped early: this is the best so far" in result.stdout
    model = gm.Model.load(tmp_path / "model.json")
    assert (model.search["generations"], model.search["finished"]) == (3, False)


def test_a_search_without_a_valid_formula_fails_and_says_why(gramarye: Command, houses: Path) -> None:
    (houses.parent / "huge.bnf").write_text("<e> ::= exp(exp(exp(area)))\n", encoding="utf-8")
    result = gramarye("fit", houses, *QUICK, "--grammar", "huge.bnf", "--out", "model.json", code=1)
    assert "no valid formula was found" in result.stderr
    assert not Path("model.json").exists()


def test_classes_need_scikit_learn_and_numbers_do_not(
    gramarye: Command, houses: Path, points: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("gramarye.sklearn")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    gramarye("fit", houses, *QUICK)
    result = gramarye("fit", points, *QUICK, code=2)
    assert "scikit-learn is not installed: pip install 'gramarye[sklearn]'" in result.stderr


@pytest.mark.parametrize(
    ("content", "words", "message"),
    [
        ("a,y\n1,2\n", [], "t.csv: it has 1 row, which is too few to learn from; give at least 2"),
        ("a,y\n1,5\n2,5\n", [], "t.csv: the target 'y' is 5 in every row: there is nothing to learn"),
        ("a,y\n1,b\n2,b\n", [], "t.csv: the target 'y' is b in every row: there is nothing to learn"),
        ("a,b,y\n1,2,3\n2,,4\n", [], "t.csv, line 3, column b: the value is missing; drop such rows or fill them in"),
        ("a,y\n1,2\n2,NA\n3,4\n", [], "t.csv, line 3, column y: 'NA' is not a number, but most values of the column"),
        ("a,y\n1,2\n2,inf\n", [], "t.csv, line 3, column y: the value is inf; drop such rows or fill them in"),
        ("a,y\n1,2\n2,red\n", ["--regress"], "t.csv, line 3, column y: 'red' is not a number"),
        ("a,a,y\n1,2,3\n2,3,4\n", [], "t.csv, line 1: several columns are called 'a'; rename them"),
        ("a,price\n1,2\n2,3\n", ["--target", "prize"], "t.csv: no column is called 'prize'; did you mean price?"),
        ("a,y\n1,2\n2,3\n", ["--ignore", "y"], "t.csv: the target 'y' can't be ignored"),
        ("a,y\n1,2\n2,3\n", ["--ignore", "a"], "t.csv: there is no column to learn from"),
        ("y\n1\n2\n", [], "t.csv: there is no column to learn from"),
        ("a,y\n", [], "t.csv: it needs a header line and at least one row of data; it has 1 line"),
        ("a,y\n1,2\n1,2\n1,3\n", ["--test", "0.9"], "--test 0.9 leaves 0 of 3 rows for training; use another"),
        ("a,y\n1,2\n2,3\n", ["--test", "0.1"], "--test 0.1 leaves 2 of 2 rows for training; use another fraction"),
        ("a,y\n1,2\n2,3\n", ["--test", "1"], "--test is 1: it must be a fraction of the rows"),
        ("a,y\n1,2\n2,3\n", ["--preset", "ful"], "unknown preset 'ful'; did you mean full?"),
        ("a,y\n1,2\n2,3\n", ["--template", "f(b)"], "template, line 1, column 3: no column is called 'b'"),
        ("a,y\n1,2\n2,3\n", ["--grammar", "g.bnf", "--preset", "full"], "--grammar and --preset can't be combined"),
        ("a,y\n1,2\n2,3\n", ["--grammar", "g.bnf", "--target-unit", "m"], "--grammar and --target-unit can't be"),
        ("a,y\n1,2\n2,3\n", ["--units", "a=m"], "units is given, but target_unit is not"),
        (
            "t,a,y\nup,1,2\ndown,2,3\n",
            ["--units", "a=m,t=m", "--target-unit", "m"],
            "units gives 'm' for 't', which holds texts or categories: leave it out",
        ),
        (
            "a,y\n1,2\n2,3\n",
            ["--units", "a", "--target-unit", "m"],
            "--units has 'a'; write name=unit, such as --units",
        ),
        ("a,y\n1,2\n2,3\n", ["--units", "a=m,a=s", "--target-unit", "m"], "--units gives 'a' two units, 'm' and 's'"),
        ("a,w,y\n1,-2,2\n2,1,3\n", ["--weights", "w"], "t.csv, line 2, column w: the weight is -2; weights must be"),
        ("a,w,y\n1,1,b\n2,0,c\n3,1,b\n", ["--weights", "w"], "t.csv: all rows of the class c have weight 0; drop"),
        ("a,y\n1,2\n2,3\n", ["--weights", "y"], "t.csv: the column 'y' can't be the target and the weights at once"),
        ("a,y\n1,2\n2,3\n", ["--weights", "v"], "t.csv: no column is called 'v'"),
        ("a,y\n1,2\n2,3\n", ["--prior", "g.bnf"], "the prior g does not have the rules of columns: "),
        ("a,y\n1,2\n2,3\n", ["--prior", "no.bnf"], "no.bnf: "),
        ("a,y\n1,2\n2,3\n", ["--prior", "no.db"], "no.db does not exist"),
        ("aa,y\n1,2\n2,3\n", ["--grammar", "g.bnf"], "g.bnf, line 1: 'ab' is neither a column"),
        ("a,y\n1,2\n2,3\n", ["--time", "-1"], "max_time is -1.0: it must be a number ≥ 0"),
        ("a,y\n1,2\n2,3\n", ["--out", "no/model.json"], "no/model.json: there is no folder no; create it"),
        ("a,y\n1,2\n2,3\n", ["--out", "model.txt"], "model.txt: only .json can be written"),
        ("a,y\n1,2\n2,3\n", ["--report", "report.pdf"], "report.pdf: only .html can be written"),
    ],
)
def test_mistakes_end_in_a_line_before_the_search_starts(
    gramarye: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: str,
    words: list[str],
    message: str,
) -> None:
    def never(*_: object) -> None:
        pytest.fail("the search has started")

    monkeypatch.setattr("gramarye.cli.fitting.Search._run", never)
    (tmp_path / "t.csv").write_text(content, encoding="utf-8")
    (tmp_path / "g.bnf").write_text("<e> ::= <e> + <e> | ab\n", encoding="utf-8")
    result = gramarye("fit", "t.csv", *words, code=2)
    assert message in result.stderr
    assert result.stderr.count("error:") == 1


def test_too_many_classes_are_refused(gramarye: Command, tmp_path: Path) -> None:
    rows = "".join(f"{i},{i + 0.5}\n" for i in range(150))
    (tmp_path / "t.csv").write_text("a,y\n" + rows, encoding="utf-8")
    result = gramarye("fit", "t.csv", "--classify", code=2)
    assert "the target 'y' has 150 different values, too many for classes; leave --classify out" in result.stderr


def test_a_column_of_too_many_texts_is_to_be_left_out(gramarye: Command, tmp_path: Path) -> None:
    rows = "".join(f"n{i},{i},{2 * i}\n" for i in range(150))
    (tmp_path / "t.csv").write_text("name,a,y\n" + rows, encoding="utf-8")
    shown = gramarye("fit", "t.csv", code=2).stderr
    assert "t.csv: the column 'name' has 150 different texts, and each would become a variable" in shown
    assert "leave it out with --ignore" in shown
    gramarye("fit", "t.csv", "--ignore", "name", *QUICK)


def test_an_indicator_that_is_called_like_another_column_is_an_error(gramarye: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("c,c=red,y\nred,1,2\nblue,2,3\n", encoding="utf-8")
    assert "t.csv: several columns are called 'c=red'" in gramarye("fit", "t.csv", code=2).stderr


def test_the_help_has_examples(gramarye: Command) -> None:
    shown = gramarye("fit", "--help").stdout
    assert "gramarye fit houses.csv --target price --time 60 --out model.json" in shown
    assert "--classify" in shown
