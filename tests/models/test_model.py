"""Models: saved as JSON, read back, and used without the data they were fitted to."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gramarye as gm
from gramarye.errors import OutputError, SettingsError
from gramarye.models.simplified import with_simpler_numbers
from gramarye.records.document import json_text
from gramarye.sklearn import GrammarRegressor

ROWS = np.random.default_rng(1).uniform(-2, 3, (60, 3))
FRAME = pd.DataFrame(ROWS, columns=["a", "body mass", "c"])
TARGET = np.sin(ROWS[:, 0]) * ROWS[:, 1] + 1 / ROWS[:, 2] + np.log(abs(ROWS[:, 0]))
SMALL = gm.TunedTrees(population=60, max_size=30, max_evaluations=3000)


@pytest.fixture(scope="module")
def run() -> gm.Run:
    problem = gm.Regression(FRAME, TARGET, gm.Grammar.from_columns(FRAME), clip=True)
    return gm.evolve(problem, SMALL, seed=1)


@pytest.fixture(scope="module")
def simpler(run: gm.Run) -> gm.Run:
    return with_simpler_numbers(run)


@pytest.fixture
def saved(run: gm.Run, tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    gm.Model.of_run(run, "y").save(path)
    return path


def test_a_loaded_model_is_the_one_that_was_saved(run: gm.Run, simpler: gm.Run, saved: Path) -> None:
    model = gm.Model.load(saved)
    assert np.array_equal(model.predict(FRAME), simpler.picked.predict(FRAME))
    assert str(model) == f"y ≈ {simpler.picked.formula}"
    assert repr(model) == "Model(for y, from 3 columns)"
    assert model.grammar == run.problem.grammar
    assert model.search["evaluations"] == run.evaluations
    assert json_text(model.document()) == saved.read_text(encoding="utf-8").rstrip()


def test_every_formula_of_the_front_predicts_and_is_written_as_before(simpler: gm.Run, saved: Path) -> None:
    model = gm.Model.load(saved)
    far = FRAME * 1e3
    assert len(simpler.front) > 4
    for place, member in enumerate(simpler.front):
        model.use(member.nodes)
        used = [column.name for column in model.used_columns]
        assert np.array_equal(model.predict(far[used]), member.predict(far))
        assert model.front_["formula"][place] == member.formula
        assert model.front_["picked"].tolist() == [i == place for i in range(len(simpler.front))]
    assert model.front_["error"].tolist() == [member.fitness for member in simpler.front]


def test_exports_are_those_of_the_run_with_what_the_data_said_of_special_cases(simpler: gm.Run, saved: Path) -> None:
    model = gm.Model.load(saved)
    guarded = 0
    for member in simpler.front:
        model.use(member.nodes)
        guarded += len(model.fronts[0].formula.guards)
        assert model.sympy() == member.sympy()
        assert model.latex(3) == member.latex(3)
        assert model.python() == member.python()
        assert model.infix() == member.infix()
    assert guarded > 0


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1000), method=st.sampled_from([SMALL, gm.PGE(population=60, generations=4)]))
def test_a_saved_model_predicts_the_same_bits_whatever_was_found(
    seed: int, method: gm.methods.MethodBase, tmp_path: Path
) -> None:
    grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | <e> * <e> | log(<e>) | a | `body mass` | <const:-1..1> | -2.5")
    run = gm.evolve(gm.Regression(FRAME, TARGET, grammar, linear_scaling=seed % 2 == 0), method, seed=seed)
    if run.picked.phenotype is None:
        return
    simpler = with_simpler_numbers(run)
    gm.Model.of_run(run).save(tmp_path / "model.json")
    model = gm.Model.load(tmp_path / "model.json")
    assert np.array_equal(model.predict(FRAME), simpler.picked.predict(FRAME), equal_nan=True)
    assert str(model) == simpler.picked.formula


def test_a_model_cannot_hold_formulas_whose_division_binds_weakly() -> None:
    grammar = gm.Grammar.from_text("<e> ::= <e>'|_div|'<e> | x")
    run = gm.evolve(gm.Regression([1.0, 2.0, 4.0], [1.0, 2.0, 3.0], grammar, precedence="authors"), SMALL, seed=1)
    with pytest.raises(SettingsError, match="a model can't hold formulas of precedence='authors'"):
        gm.Model.of_run(run)


def test_columns_that_are_only_numbered_are_found_by_position(tmp_path: Path) -> None:
    run = gm.evolve(gm.Regression(ROWS, TARGET, gm.Grammar.from_columns(ROWS)), SMALL, seed=1)
    simpler = with_simpler_numbers(run)
    gm.Model.of_run(run).save(tmp_path / "model.json")
    model = gm.Model.load(tmp_path / "model.json")
    assert np.array_equal(model.predict(ROWS), simpler.picked.predict(ROWS))
    assert str(model) == simpler.picked.formula


def test_a_size_that_the_front_does_not_have_is_an_error(saved: Path) -> None:
    with pytest.raises(SettingsError, match="nodes is 999: the formulas of the front have 1, "):
        gm.Model.load(saved).use(999)


def test_a_model_for_a_number_has_no_classes(saved: Path) -> None:
    model = gm.Model.load(saved)
    with pytest.raises(SettingsError, match="the model predicts a number"):
        model.predict_proba(FRAME)
    with pytest.raises(SettingsError, match="the model predicts a number"):
        _ = model.formulas_


def test_a_run_that_is_not_about_a_table_has_no_model() -> None:
    grammar = gm.Grammar.from_text("<e> ::= x | <e><e>")
    run = gm.evolve(gm.Objective(len, grammar), gm.GE(population=10, generations=1), seed=1)
    with pytest.raises(SettingsError, match="has no formula for a table of data"):
        gm.Model.of_run(run)


@pytest.mark.parametrize("method", [SMALL, gm.GE(population=20, generations=2)], ids=["terms", "scaling"])
def test_a_formula_needs_only_the_columns_whose_terms_have_a_weight(method: gm.methods.MethodBase) -> None:
    grammar = gm.Grammar.from_text("<e> ::= <e> * <e> | a")
    problem = gm.Regression(pd.DataFrame({"a": np.ones(40)}), np.arange(40.0), grammar, linear_scaling=True)
    run = gm.evolve(problem, method, seed=1)
    model = gm.Model.of_run(run)
    other = pd.DataFrame({"b": ["up", "down"]})
    assert "a" in str(model.fronts[0].formula.derivation.phenotype)
    assert str(model) == str(float(str(model)))
    assert model.used_columns == []
    for found in (model, run.best):
        assert found.predict(other) == pytest.approx([19.5, 19.5], abs=0.5)
    assert model.predict(other[[]]).tolist() == [float(str(model))] * 2


@pytest.mark.parametrize("thing", [GrammarRegressor(), None, "model.json"])
def test_only_a_run_has_a_model(thing: Any) -> None:
    message = f"run is of type {type(thing).__name__}: give a run, such as `gm.evolve` returns; fitted estimators and"
    with pytest.raises(SettingsError, match=message):
        gm.Model.of_run(thing)


@pytest.mark.parametrize("path", [3, None, b"model.json"])
def test_a_model_is_read_from_a_path(path: Any) -> None:
    message = (
        f"path is of type {type(path).__name__}: give the path of a file that `gramarye fit --out` or `model.save`"
    )
    with pytest.raises(SettingsError, match=message):
        gm.Model.load(path)


def test_a_formula_that_was_edited_is_ignored_with_a_warning(simpler: gm.Run, saved: Path) -> None:
    edit(saved, lambda model: model["fronts"][0]["formulas"][0].update(formula="a + 1"))
    with pytest.warns(
        UserWarning, match=r"fronts\[0\]\.formulas\[0\]\.formula is not what phenotype and weights give"
    ) as caught:
        model = gm.Model.load(saved)
    assert caught[0].filename == __file__
    assert np.array_equal(model.predict(FRAME), simpler.picked.predict(FRAME))


def test_names_are_written_as_they_are(run: gm.Run, tmp_path: Path) -> None:
    gm.Model.of_run(run, "größe").save(tmp_path / "model.json")
    assert '"target": "größe"' in (tmp_path / "model.json").read_text(encoding="utf-8")


def edit(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")


FIRST = "fronts[0].formulas[0]"
MISTAKES: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda m: m.pop("grammar"), "the model has no 'grammar'; correct it, or save the model again"),
    (lambda m: m.update(colums=m.pop("columns")), "the model has no 'columns'; did you mean colums?"),
    (lambda m: m.pop("fronts"), "the model has no 'fronts'; correct it, or save the model again"),
    (lambda m: m.update(version=3), "has format version 3, but this gramarye reads version 2; upgrade gramarye"),
    (lambda m: m.update(version=1), "has format version 1, but this gramarye reads version 2; fit the model again"),
    (lambda m: m.update(version="1"), "version is '1', but must be an integer ≥ 1"),
    (lambda m: m.update(format="gramarye-run"), "this is not a saved model, but 'gramarye-run'; give a file that"),
    (lambda m: m.update(format="gramarye-fit"), "this is the output of `fit --json`, not a model; use `fit --out`"),
    (lambda m: m.update(columns=[]), "columns is empty, but a model has at least one column"),
    (lambda m: m["columns"].append(m["columns"][0]), "columns has several columns called 'a'"),
    (lambda m: m["columns"][0].update(kind="date"), "columns[0].kind is 'date', but must be 'number' or 'boolean' or"),
    (lambda m: m["columns"][0].update(name="b"), "grammar and columns do not fit together: the grammar, line "),
    (lambda m: m.update(grammar="<e> := x"), "the grammar, line 1"),
    (
        lambda m: m.update(grammar=None),
        "json: grammar is null, but must be a text; correct it, or save the model again",
    ),
    (lambda m: m.update(fronts=[]), "fronts has 0 fronts, but a model for a number has 1"),
    (lambda m: m["fronts"][0].update(picked=99), "fronts[0].picked is 99, but must be an integer from 0 to "),
    (lambda m: m["fronts"][0].update(most_terms=10**30), "fronts[0].most_terms is 1000000"),
    (lambda m: m["fronts"][0].update(most_terms=101), "most_terms is 101, but must be an integer from 0 to 100"),
    (lambda m: m["fronts"][0].update(limits=[2, 1]), "fronts[0].limits are 2.0 and 1.0, but the first must not be"),
    (lambda m: m["fronts"][0].update(limits=[1]), "fronts[0].limits has 1 value, but must have 2"),
    (lambda m: m["fronts"][0].update(formulas={}), "fronts[0].formulas is an object, but must be a list"),
    (
        lambda m: first(m).update(phenotype="(a + d)"),
        f"{FIRST}.phenotype, line 1, column 6: this is not a program of the grammar; expected one of",
    ),
    (lambda m: first(m).update(phenotype=3), f"{FIRST}.phenotype is 3, but must be a text"),
    (lambda m: first(m)["weights"].append(1.0), f"{FIRST}.weights has 3 numbers, but the phenotype has 1 term; give 2"),
    (lambda m: first(m).update(weights=[float("nan"), 1]), f"{FIRST}.weights[0] is NaN, but must be a finite number"),
    (lambda m: first(m).update(weights=[True, 1]), f"{FIRST}.weights[0] is true, but must be a finite number"),
    (
        lambda m: first(m).update(special_cases=["touched"]),
        f"{FIRST}.special_cases has 1 value, but the formula has no operation with special cases; leave the list empty",
    ),
    (
        lambda m: guarded(m)["special_cases"].append("touched"),
        "with special cases; give 1, each of them 'untouched' or 'touched' or 'always'",
    ),
    (lambda m: first(m).update(weights=[10**400, 1]), f"{FIRST}.weights[0] is 1000000"),
    (
        lambda m: first(m).update(error=10**400),
        "…, which is too large for a float; give a number between -1.8e308 and 1.8e308",
    ),
    (lambda m: m["fronts"][0].update(limits=[-(10**400), 1]), "fronts[0].limits[0] is -1000000"),
    (lambda m: first(m).update(error=-0.5), f"{FIRST}.error is -0.5, but an error can't be negative; correct it"),
    (
        lambda m: m["fronts"][0]["formulas"].insert(1, first(m)),
        "fronts[0].formulas[1].nodes is 1, but must be larger than fronts[0].formulas[0].nodes, which is 1; correct it",
    ),
    (
        lambda m: m["fronts"][0]["formulas"].reverse(),
        "fronts[0].formulas[1].nodes is ",
    ),
    (lambda m: m.update(classes=["yes", "no", "?"]), "fronts has 1 front, but a model for 3 classes has 3"),
    (lambda m: m.update(classes=["yes", "yes"]), "classes must be at least two different texts, numbers or booleans"),
    (lambda m: m.update(classes=[1.5, float("nan")]), "classes[1] is NaN, but must be a finite number"),
    (lambda m: m.update(classes=["yes", "no"]), "calibration is null, but must be an object with the key 'scales'"),
    (
        lambda m: m.update(classes=["yes", "no"], calibration={"scales": [1], "shares": [1, 0]}),
        "calibration.shares has a number ≤ 0, but all must be positive",
    ),
    (
        lambda m: m.update(
            classes=["yes", "no"],
            calibration={"means": [0], "scales": [1], "shares": [0.5, 0.5], "weights": [[10**400]], "intercepts": [0]},
        ),
        "calibration.weights[0][0] is 1000000",
    ),
]


def first(model: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = model["fronts"][0]["formulas"][0]
    return found


def guarded(model: dict[str, Any]) -> dict[str, Any]:
    """The first formula with a special case."""
    return next(formula for formula in model["fronts"][0]["formulas"] if formula["special_cases"])


@pytest.mark.parametrize(("change", "message"), MISTAKES, ids=[message for _, message in MISTAKES])
def test_an_edited_model_is_refused_with_the_place_of_the_mistake(
    saved: Path, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    edit(saved, change)
    with pytest.raises(OutputError) as caught:
        gm.Model.load(saved)
    assert str(caught.value).startswith(f"{saved}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"not json", "model.json, line 1, column 1: not valid JSON (Expecting value); give a file that `gramarye fit"),
        (b'{"format": "gramarye-model",\n}', "model.json, line 2, column 1: not valid JSON"),
        (b"[1, 2]", "model.json: this is not a saved model; give a file that"),
        (b"\xff\xfe", "model.json: byte 0 is not valid UTF-8"),
        (b"[" * 100_000, "model.json: lists in lists are too deep"),
    ],
)
def test_a_file_that_is_not_a_model_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "model.json").write_bytes(content)
    with pytest.raises(OutputError) as caught:
        gm.Model.load(tmp_path / "model.json")
    assert message in str(caught.value)


def test_a_file_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="can't be read"):
        gm.Model.load(tmp_path / "model.json")
