"""The regressor in the hands of its users."""

from __future__ import annotations

import doctest
import math
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from rich.console import Console
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import gramarye as gm
from gramarye.errors import DataError, SettingsError
from gramarye.languages.expression import Guard
from gramarye.models.simplified import with_simpler_numbers
from gramarye.sklearn import GrammarClassifier, GrammarRegressor
from gramarye.sklearn.search import Search

SMALL = gm.TunedTrees(population=40, initial_depth=4, max_size=20)
X = np.random.default_rng(1).uniform(1, 4, (60, 3))
y = X[:, 0] * X[:, 1]
NAMES = ["height", "body mass", "age"]


def small(**parameters: Any) -> GrammarRegressor:
    return GrammarRegressor(**{"method": SMALL, "max_evaluations": 1500, "random_state": 0, **parameters})


@pytest.fixture(scope="module")
def noisy() -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.sin(X[:, 0]) * X[:, 1] + 0.3 * np.random.default_rng(2).normal(size=60)


def test_a_formula_is_found_shown_and_exported() -> None:
    model = small().fit(pd.DataFrame(X, columns=NAMES), pd.Series(y, name="area"))
    assert model.score(pd.DataFrame(X, columns=NAMES), y) == pytest.approx(1)
    assert str(model).startswith("area ≈ ")
    assert "height" in str(model)
    assert "`body mass`" in str(model)
    assert repr(model).startswith("GrammarRegressor(")
    assert model.sympy().columns == {"height": "height", "body_mass": "body mass"}
    assert "height" in str(model.latex(digits=3))
    assert "def predict" in str(model.python())
    assert "height" in str(model.infix())
    assert model.picked_ is model._members[-1]
    assert model.grammar_ == model.run_.grammar
    assert model.n_iter_ == model.run_.generations
    assert list(model.feature_names_in_) == NAMES


def test_what_a_flag_and_a_text_add_is_one_number() -> None:
    homes = pd.DataFrame({"area": X[:, 0], "new": X[:, 1] > 2.5, "town": np.where(X[:, 2] > 2, "Bonn", "Ulm")})
    price = 2 * homes["area"] + 5 * homes["new"] - 3 * (homes["town"] == "Ulm")
    model = GrammarRegressor(max_evaluations=4000, random_state=1).fit(homes, price)
    assert "5.0 * new" in str(model)
    assert "3.0 * `town=" in str(model)


def test_without_a_name_of_the_target_the_text_is_the_formula() -> None:
    model = small().fit(X, y)
    assert str(model) == model.picked_.formula
    assert str(small()) == repr(small())


def test_an_integer_is_the_seed_and_the_run_is_that_of_the_rows_in_order() -> None:
    order = np.lexsort([y, *X.T[::-1]])
    problem = gm.Regression(X[order], y[order], gm.Grammar.from_columns(X), clip=True)
    run = gm.evolve(problem, gm.TunedTrees(population=40, initial_depth=4, max_size=20, max_evaluations=1500), seed=7)
    model = small(random_state=7).fit(X, y)
    assert model.run_.seed == 7
    assert model.run_.picked.formula == run.picked.formula
    assert str(model) == with_simpler_numbers(run).picked.formula


def test_a_random_state_draws_the_seed() -> None:
    seeds = [small(random_state=np.random.RandomState(3)).fit(X, y).run_.seed for _ in range(2)]
    assert seeds[0] == seeds[1]
    state = np.random.RandomState(3)
    assert small(random_state=state).fit(X, y).run_.seed != small(random_state=state).fit(X, y).run_.seed


def test_pandas_and_polars_give_the_same_model() -> None:
    by_pandas = small().fit(pd.DataFrame(X, columns=NAMES), y)
    by_polars = small().fit(pl.DataFrame(X, schema=NAMES), y)
    assert str(by_pandas) == str(by_polars)
    assert np.array_equal(by_polars.predict(pl.DataFrame(X, schema=NAMES)), by_pandas.predict(by_frame()))


def by_frame() -> pd.DataFrame:
    return pd.DataFrame(X, columns=NAMES)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_of_texts_are_columns_like_others(frame: Any) -> None:
    colour = np.where(X[:, 2] > 2, "red", "blue")
    table = frame({"a": X[:, 0], "colour": colour, "b": X[:, 1]})
    target = X[:, 0] + 3 * (colour == "red")
    model = small().fit(table, target)
    assert model.score(table, target) > 0.99
    assert model.n_features_in_ == 3
    assert list(model.feature_names_in_) == ["a", "colour", "b"]
    assert model.feature_importances_.shape == (3,)
    assert model.feature_importances_[1] > model.feature_importances_[2]
    assert model.predict(frame({"a": [1.0], "colour": ["red"], "b": [1.0]})) == pytest.approx([4.0], abs=0.1)
    with pytest.raises(ValueError, match="fitted to columns of texts; give a data frame"):
        model.predict(X)
    with pytest.raises(ValueError, match="X has no rows: give at least one"):
        model.predict(table[:0])
    with pytest.raises(ValueError, match="names should match"):
        model.predict(frame({"a": [1.0], "color": ["red"], "b": [1.0]}))
    with pytest.raises(ValueError, match="but y has 3"):
        model.fit(table, [1.0, 2.0, 3.0])


def test_weights_and_repeated_rows_in_any_order_give_the_same_model(noisy: Any) -> None:
    rng = np.random.default_rng(3)
    weights = rng.integers(0, 4, 60)
    again = rng.permutation(np.repeat(np.arange(60), weights))
    weighted = small().fit(X, noisy, sample_weight=weights)
    repeated = small().fit(X[again], noisy[again])
    assert str(weighted) == str(repeated)
    assert np.array_equal(weighted.predict(X), repeated.predict(X))
    assert str(small().fit(X, noisy, sample_weight=np.ones(60))) == str(small().fit(X, noisy))


def test_it_works_in_pipelines_validation_and_grids(noisy: Any) -> None:
    model = small(max_evaluations=300)
    assert cross_val_score(model, X, y, cv=2).shape == (2,)
    assert make_pipeline(StandardScaler(), model).fit(X, y).score(X, y) > 0.9
    grid = GridSearchCV(model, {"preset": ["polynomial", "trigonometric"]}, cv=2).fit(X, noisy)
    assert grid.best_params_["preset"] in ("polynomial", "trigonometric")
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        copy.predict(X)
    assert not hasattr(copy, "feature_importances_")


def test_columns_that_formulas_use_are_important_and_selected() -> None:
    selector = SelectFromModel(small()).fit(X, y)
    found = selector.estimator_.feature_importances_
    assert found.sum() == pytest.approx(1)
    assert found[2] < found.max()
    assert selector.get_support().tolist() == (found >= found.mean()).tolist()
    assert not selector.get_support()[2]


def test_the_front_is_a_table_and_another_formula_can_be_used(noisy: Any) -> None:
    model = small().fit(X, noisy)
    front = pd.DataFrame(model.front_)
    assert list(front.columns) == ["nodes", "error", "formula", "picked"]
    assert front["error"].is_monotonic_decreasing
    assert front["picked"].sum() == 1
    smallest = int(front["nodes"][0])
    before = model.predict(X)
    assert model.use(smallest) is model
    assert model.front_["picked"].tolist() == [True] + [False] * (len(front) - 1)
    assert str(model) == front["formula"][0]
    assert not np.array_equal(model.predict(X), before)
    with pytest.raises(ValueError, match=f"nodes is 999: the formulas of the front have {smallest}, "):
        model.use(999)


def test_a_warm_start_begins_with_the_formulas_of_the_last_fit(noisy: Any) -> None:
    model = small(warm_start=True).fit(X, noisy)
    front, error = model.run_.front, model.run_.best.fitness
    model.set_params(max_evaluations=1, random_state=1).fit(X, noisy)
    assert model.run_.best.fitness <= error
    started = [str(program.phenotype) for program in model.run_.setup.programs.values()]
    assert started == [str(member.phenotype) for member in front]
    model.fit(X[:, :2], noisy)  # other columns: those that still have a meaning
    assert all("x2" not in str(program.phenotype) for program in model.run_.setup.programs.values())


def test_a_callback_sees_generations_and_stops(noisy: Any) -> None:
    seen: list[int] = []

    def stop(generation: gm.Generation) -> bool:
        seen.append(generation.index)
        return generation.index == 2

    assert small(callback=stop, max_evaluations=100_000).fit(X, noisy).n_iter_ == 3
    assert seen == [0, 1, 2]


def interrupt(generation: gm.Generation) -> None:
    if generation.index == 1:
        raise KeyboardInterrupt


def test_an_interrupted_fit_keeps_the_best_so_far(noisy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Search, "interrupted", -math.inf)
    with pytest.warns(ConvergenceWarning, match="the model is the best that was found so far"):
        model = small(callback=interrupt).fit(X, noisy)
    assert model.n_iter_ == 2
    assert np.isfinite(model.predict(X)).all()


def test_a_second_interrupt_soon_after_the_first_ends_a_cross_validation(
    noisy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Search, "interrupted", -math.inf)
    again = pytest.warns(ConvergenceWarning, match="Ctrl-C again within 2 seconds also ends")
    with again, pytest.raises(KeyboardInterrupt):
        cross_val_score(small(callback=interrupt), X, noisy)


def test_a_later_interrupt_keeps_the_best_again(noisy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Search, "interrupted", time.monotonic() - 2.1)
    with pytest.warns(ConvergenceWarning):
        small(callback=interrupt).fit(X, noisy)


def test_an_interrupt_before_anything_was_evaluated_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(gm.Evolution, "advance", interrupt)
    with pytest.raises(KeyboardInterrupt):
        small().fit(X, y)


def test_time_is_the_only_limit_where_it_is_given(noisy: Any) -> None:
    model = GrammarRegressor(max_time=0.01, random_state=0).fit(X, noisy)
    assert model.run_.ended_by == "max_time"
    assert model.run_.method.max_evaluations is None


def test_the_default_is_tuned_trees_with_a_budget() -> None:
    method = GrammarRegressor(callback=lambda _: True).fit(X, y).run_.method
    assert isinstance(method, gm.TunedTrees)
    assert method.max_evaluations == 100_000


def test_another_method_is_taken_as_it_is() -> None:
    method = gm.PGE(population=50, generations=3)
    assert GrammarRegressor(preset="polynomial", method=method, random_state=0).fit(X, y).run_.method == method
    limited = GrammarRegressor(method=method, max_evaluations=60, random_state=0).fit(X, y).run_
    assert limited.ended_by == "max_evaluations"


def test_threads_change_nothing_but_time(noisy: Any) -> None:
    assert str(small(n_jobs=2).fit(X, noisy)) == str(small().fit(X, noisy))


def test_a_grammar_is_an_object_a_path_or_a_text(tmp_path: Path) -> None:
    text = "<e> ::= <e> * <e> | x0 | x1"
    path = tmp_path / "product.bnf"
    path.write_text(text, encoding="utf-8")
    found = {str(small(grammar=given).fit(X, y)) for given in (text, path, str(path), gm.Grammar.from_text(text))}
    assert len(found) == 1
    with pytest.raises(ValueError, match="grammar is of type int"):
        small(grammar=3).fit(X, y)
    with pytest.raises(ValueError, match="missing"):
        small(grammar="<e> ::= missing").fit(X, y)


def test_a_template_is_kept_unless_the_method_has_weights() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "x1"])
    curve = 3 * frame.a / (1.5 + frame.b)
    form: dict[str, Any] = {"template": "k * a / (c + b)", "max_evaluations": 3000, "random_state": 1}
    assert str(GrammarRegressor(**form).fit(frame, curve)) == "3.0 * a / (1.5 + b)"
    with_intercept = curve + 20
    kept = GrammarRegressor(**form).fit(frame, with_intercept)
    assert kept.picked_.weights is None
    assert re.fullmatch(r"\S+ \* a / \(\S+ \+ b\)", str(kept))
    assert str(GrammarRegressor(**form, method=SMALL).fit(frame, with_intercept)) == "20.0 + 3.0 * a / (1.5 + b)"
    grown = GrammarRegressor(template="exp(f(x1))", max_evaluations=3000, random_state=1)
    assert re.fullmatch(r"exp\(.*\)", str(grown.fit(frame, 3 + 2 * np.exp(X[:, 2]))))


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("method", [gm.TunedTrees(max_evaluations=20_000), gm.PGE(population=200, generations=20)])
def test_no_formula_with_units_drops_one_where_it_divides_by_zero(method: gm.Method, noise: float) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"v": rng.uniform(1, 9, 60), "t": rng.uniform(1, 5, 60)})
    target = table.v.to_numpy() + noise * rng.normal(size=60)  # which is not in metres
    units = {"v": "m/s", "t": "s"}
    model = GrammarRegressor(units=units, target_unit="m", method=method, random_state=1).fit(table, target)
    for member in [*model._members, model.run_.best]:
        assert member.problem is not None
        expression = member.problem.expression(member.derivation, member.weights, member.seed)
        assert not {step.guard for step in expression.steps} & {Guard.TOUCHED, Guard.ALWAYS}
    assert model.score(table, target) < 0.9
    free = gm.Grammar.from_columns(table)
    assert (
        GrammarRegressor(free, method=gm.TunedTrees(), max_evaluations=3000).fit(table, target).score(table, target)
        > 0.9
    )


def test_templates_and_units_make_the_grammar() -> None:
    frame = pd.DataFrame(X, columns=["m", "a", "t"])
    by_template = small(template="k * m * f(a)").fit(frame, y)
    assert set(by_template.infix().columns) == {"m", "a"}
    by_units = small(units={"m": "kg", "a": "m/s**2", "t": "s"}, target_unit="N").fit(frame, y)
    assert by_units.score(frame, y) == pytest.approx(1)
    with pytest.raises(ValueError, match="target_unit is not"):
        small(units={"m": "kg"}).fit(frame, y)


@pytest.mark.parametrize(
    ("table", "target", "message"),
    [
        (X, np.ones(60), "y is the same in every row"),
        (X[:1], y[:1], "1 sample"),
        (np.ones((5, 2)), np.ones(5), "all rows that count are the same"),
        (pd.DataFrame({"a": ["red"]}), [1.0], "only one row counts"),
        (np.where(X > 3.9, np.nan, X), y, "NaN"),
        (np.where(X > 3.9, np.inf, X), y, "infinity"),
        (pl.DataFrame(X, schema=NAMES).lazy(), y, r"give X\.collect"),
        ({"a": X[:, 0]}, y, "X is a dictionary: give a data frame"),
        (pd.DataFrame(X, columns=["a", "a", "b"]), y, "X has several columns called 'a': rename them"),
    ],
)
def test_bad_data_are_value_errors(table: Any, target: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        small().fit(table, target)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pl.DataFrame(X, schema=NAMES).lazy(), r"X is lazy: give X\.collect"),
        (dict(zip(NAMES, X.T, strict=True)), "X is a dictionary: give a data frame"),
    ],
    ids=["plan", "dictionary"],
)
def test_neither_a_plan_of_a_frame_nor_a_dictionary_can_be_predicted_from(table: Any, message: str) -> None:
    model = small().fit(pl.DataFrame(X, schema=NAMES), y)
    with pytest.raises(ValueError, match=message):
        model.predict(table)


def test_columns_whose_labels_are_no_texts_are_numbered() -> None:
    levels = pd.MultiIndex.from_tuples([("a", "b"), ("a", "c"), ("d", "e")])
    model, plain = small().fit(pd.DataFrame(X, columns=levels), y), small().fit(X, y)
    assert str(model) == str(plain)


@pytest.mark.parametrize("runs", [1, 3])
def test_a_wrong_time_is_refused_as_it_was_given(runs: int) -> None:
    for seconds in (-1.0, "5"):
        with pytest.raises(ValueError, match=f"max_time is {seconds!r}: it must be a number ≥ 0"):
            GrammarRegressor(max_time=seconds, runs=runs).fit(X, y)  # type: ignore[arg-type]


def test_weights_of_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="weight"):
        small().fit(X, y, sample_weight=np.zeros(60))
    with pytest.raises(ValueError, match="Negative"):
        small().fit(X, y, sample_weight=-np.ones(60))


def test_a_search_that_finds_nothing_says_so() -> None:
    with pytest.raises(ValueError, match="no valid formula in"):
        small(grammar="<e> ::= log(x0 | exp(", max_evaluations=50).fit(X, y)


def test_a_bar_shows_the_error_and_the_limit(capsys: pytest.CaptureFixture[str]) -> None:
    small(verbose=1).fit(X, y)
    shown = capsys.readouterr().out
    assert "searching" in shown
    assert re.search("% of max_evaluations, error [0-9]", shown)
    small().fit(X, y)
    assert not capsys.readouterr().out


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"grammar": "<e> ::= x0", "template": "f(x0)"},
            "grammar and template can't be combined; leave one of them out",
        ),
        ({"grammar": "<e> ::= x0", "units": {"x0": "m"}}, "grammar and units can't be combined"),
        ({"random_state": -1}, r"random_state is -1: it must be an integer from 0 to 2\*\*64 - 1"),
        ({"callback": 5}, "callback is 5: it must be a function of a generation, or None"),
        ({"verbose": "a"}, "verbose is 'a': it must be 0, or 1 for a progress bar"),
        ({"n_jobs": "2"}, "n_jobs is '2': it must be an integer, or None for 1"),
        ({"n_jobs": 1.5}, "n_jobs is 1.5: it must be an integer"),
        ({"warm_start": "a"}, "warm_start is 'a': it must be True or False"),
    ],
)
def test_wrong_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        GrammarRegressor(**parameters).fit(X, y)


def test_a_target_of_times_is_refused() -> None:
    with pytest.raises(DataError, match=r"y holds values of the type datetime64\[s\]; turn them into numbers"):
        small().fit(X, y.astype("datetime64[s]"))


def test_a_setting_that_the_default_method_lacks_is_told_with_its_place() -> None:
    deep = "<a> ::= <b>\n" + "\n".join(f"<{x}> ::= <{chr(ord(x) + 1)}>" for x in "bcdefghi") + "\n<j> ::= x0 | x1"
    with pytest.raises(SettingsError, match=r"give 10 or more, by method=gm\.TunedTrees\(initial_depth=…\)"):
        GrammarRegressor(deep).fit(X, y)


def test_a_notebook_shows_the_bar_in_one_output_and_without_widgets(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def update(bar: Any) -> None:
        shown.append(bar._repr_mimebundle_([], [])["text/plain"])

    def display(bar: Any, display_id: bool) -> Any:
        update(bar)
        return SimpleNamespace(update=update)

    monkeypatch.setattr("rich._console", Console(force_jupyter=True))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    small(verbose=1).fit(X, y)
    assert "searching" in shown[0]
    assert "of max_evaluations, error" in shown[-1]


@pytest.mark.parametrize("kind", [GrammarRegressor, GrammarClassifier])
def test_the_examples_of_the_docstrings_run(kind: type) -> None:
    found = doctest.DocTestFinder(recurse=False).find(kind, kind.__name__, globs={})
    results = [doctest.DocTestRunner().run(test) for test in found]
    assert sum(result.attempted for result in results) > 3
    assert not any(result.failed for result in results)


def test_without_scikit_learn_the_extra_is_named() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import gramarye.sklearn"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "scikit-learn is not installed: pip install 'gramarye[sklearn]'" in run.stderr
