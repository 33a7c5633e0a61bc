from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.errors import DataError, GrammarError, SettingsError
from gramarye.grammar import Grammar
from gramarye.grammar.columns import MOST_LEVELS
from gramarye.grammar.presets import PRESETS
from gramarye.grammar.vocabulary import quoted, unquoted, written

SEARCH = Path(__file__).parents[2] / "docs" / "experiments" / "search.py"
MIXED = {"size": [1.0, 2.0, 3.0], "smoker": [True, False, True], "colour": ["red", "blue", "red"]}


def text(*arguments: Any, **options: Any) -> str:
    return str(Grammar.from_columns(*arguments, **options))


def test_the_full_preset_is_the_grammar_that_was_measured() -> None:
    measured = runpy.run_path(str(SEARCH), run_name="search")["grammar"]
    assert Grammar.from_columns(np.zeros((4, 3))) == measured(3)
    assert Grammar.from_columns(["x0", "x1", "x2"]) == measured(3)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("constants", [True, False])
def test_a_grammar_reads_back_and_runs(preset: str, constants: bool) -> None:
    X = pd.DataFrame(MIXED)
    grammar = Grammar.from_columns(X, preset=preset, constants=constants)
    assert Grammar.from_text(str(grammar)) == grammar
    assert grammar.has_constants == constants
    assert not grammar.analysis.warnings
    problem = gm.Regression(X, [1.0, 2.0, 4.0], grammar)
    assert problem.dataset.names == ("size", "smoker", "colour=blue", "colour=red")
    gm.evolve(problem, gm.CFGGP(population=20, generations=2), seed=1)


def test_numbers_flags_and_texts_become_rules_of_their_own() -> None:
    wanted = text({"size": "number", "smoker": bool, "colour": ["red", "blue"]}, preset="polynomial")
    assert text(pd.DataFrame(MIXED), preset="polynomial") == wanted
    assert text(pl.DataFrame(MIXED), preset="polynomial") == wanted
    assert "| (<flag> * <e>) {" in wanted
    assert "| <flag>         {" in wanted
    assert "<flag> ::= smoker" in wanted
    assert "`colour=red`" in wanted
    assert "<x>    ::= size {1.0}" in wanted


def test_flags_stand_alone_where_there_are_no_numbers() -> None:
    grammar = Grammar.from_columns({"smoker": "boolean"}, constants=False, preset="polynomial")
    assert [production.text for production in grammar.rules["<e>"]][-1] == "<flag>"
    assert "<x>" not in grammar.nonterminals


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (pd.Series([1, 2]), "<x>"),
        (pd.Series([1, None], dtype="Int64"), "<x>"),
        (pd.Series([1.5, 2], dtype=object), "<x>"),
        (pd.Series([True, None], dtype="boolean"), "<flag>"),
        (pd.Series([1, 2], dtype="category"), "<flag>"),
        (pd.Series(["a", None]), "<flag>"),
        (pd.Series(["a", "b"], dtype="category"), "<flag>"),
    ],
)
def test_the_type_of_a_column_decides_its_rule(values: Any, kind: str) -> None:
    assert kind in Grammar.from_columns(pd.DataFrame({"a": values})).nonterminals


def test_a_frame_that_numbers_its_columns_has_x0_and_so_on() -> None:
    X = pd.DataFrame(np.arange(6.0).reshape(3, 2))
    grammar = Grammar.from_columns(X)
    assert [production.text for production in grammar.rules["<x>"]] == ["x0", "x1"]
    gm.Regression(X, [1.0, 2.0, 4.0], grammar)


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=4, unique=True))
def test_any_name_is_written_so_that_it_means_the_column(names: list[str]) -> None:
    grammar = Grammar.from_columns(names, preset="polynomial", constants=False)
    assert Grammar.from_text(str(grammar)) == grammar
    frame = pd.DataFrame(np.arange(2.0 * len(names)).reshape(2, -1), columns=names)
    if all(name.replace(".", "").isdecimal() for name in names):
        return  # a frame that only numbers its columns
    language = gm.Regression(frame, [1.0, 2.0], grammar).language if not _numbers(names) else None
    for column, production in enumerate(grammar.rules["<x>"]):
        if language is not None:
            assert language.column(production.symbols[0].text) == column


def _numbers(names: list[str]) -> bool:
    try:
        return all(float(name) is not None for name in names)
    except ValueError:
        return False


@given(st.text(min_size=1))
def test_backquotes_are_taken_off_again(name: str) -> None:
    assert unquoted(quoted(name)) == name
    assert written(name) in (name, quoted(name))


def test_names_of_functions_are_written_in_backquotes() -> None:
    assert [written(name) for name in ("sin", "ln", "np.log", "x", "1a", "größe")] == [
        *("`sin`", "`ln`", "`np.log`", "x", "`1a`", "größe"),
    ]
    X = pd.DataFrame({"sin": [0.0, 1.0, 2.0], "y": [1.0, 1.0, 2.0]})
    problem = gm.Regression(X, np.sin(X["sin"]), Grammar.from_columns(X))
    derivation = gm.parse(problem.grammar, "sin(`sin`)")
    assert problem.predict(derivation, None, X) == pytest.approx(np.sin(X["sin"]))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([], "columns is empty"),
        ("abc", "give a data frame, a list of names"),
        (3, "columns is '3'"),
        ([1, 2], "columns holds '1' of type int"),
        (["a", "b", "a"], "several columns are called 'a': rename them"),
        (["a", ""], "a column is called ''"),
        ({"c=x": float, "c": ["x"]}, r"several columns are called 'c=x' \(by texts of the column 'c'\): rename them"),
        ({"c": ["x"], "c=x": float}, r"several columns are called 'c=x' \(by texts of the column 'c'\): rename them"),
        (
            {"c": ["x=y"], "c=x": ["y"]},
            r"several columns are called 'c=x=y' \(by texts of the column 'c' and of the column 'c=x'\): rename them",
        ),
        ({"c": "category"}, "column 'c': the kind is 'category'; give \"number\""),
        ({"c": [1, 2]}, "column 'c': the level '1' is of type int"),
        ({"c": []}, "column 'c' has 0 different texts"),
        (pd.DataFrame({"t": pd.to_datetime(["2020-01-01"])}), "column 't' holds values such as '2020-01-01T00:00"),
        (
            pd.DataFrame({"t": np.array([5, 7], "m8[ns]")}),
            "column 't' holds values such as '5 nanoseconds', timedelta64",
        ),
        (pd.DataFrame({"t": [1, "a"]}, dtype=object), "column 't' holds values such as 'a', str"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "several columns are called 'a'"),
        (pd.DataFrame({"key": [f"k{i}" for i in range(MOST_LEVELS + 1)]}), "column 'key' has 101 different texts"),
        (pl.DataFrame({"a": [1]}).lazy(), "columns is lazy"),
    ],
)
def test_columns_that_no_grammar_can_be_made_of(columns: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Grammar.from_columns(columns)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "polynomal"}, "unknown preset 'polynomal'; did you mean polynomial?"),
        ({"preset": "?"}, "unknown preset '?'; choose from polynomial, rational, trigonometric, exponential, full"),
        ({"constants": 1}, "constants is 1: it must be True or False"),
        ({"units": {"a": "m"}}, "units is given, but target_unit is not"),
        ({"target_unit": "m"}, "target_unit is given, but units is not"),
        ({"units": {"a": "m"}, "target_unit": "m", "template": "f(a)"}, "template and units can't be combined"),
    ],
)
def test_wrong_settings(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message.replace("?", r"\?")):
        Grammar.from_columns(["a"], **options)


def test_an_edited_grammar_is_an_ordinary_one() -> None:
    edited = text(["a", "b"]).replace("exp", "tanh")
    assert "tanh(<e>)" in str(Grammar.from_text(edited))
    with pytest.raises(GrammarError):
        Grammar.from_text(edited.replace("<x> ::=", "<y> ::="))
