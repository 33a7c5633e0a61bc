from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import gramarye as gm
from gramarye.data import Dataset
from gramarye.errors import DataError

TABLE = {"size": [1.0, 2.0, 3.0, 4.0], "colour": ["red", "blue", "red", "green"], "on": [True, False, True, True]}
TARGET = [4.0, 2.0, 6.0, 4.0]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_each_text_becomes_a_column(frame: Any) -> None:
    data = Dataset.read(frame(TABLE), TARGET)
    assert data.names == ("size", "colour=blue", "colour=green", "colour=red", "on")
    assert data.columns.tolist() == [[1, 2, 3, 4], [0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 1, 0], [1, 0, 1, 1]]


def test_levels_that_pandas_knows_as_such_may_be_numbers() -> None:
    data = Dataset.read(pd.DataFrame({"doors": pd.Series([2, 4, 4], dtype="category")}), [1.0, 2.0, 3.0])
    assert data.names == ("doors=2", "doors=4")
    assert data.columns.tolist() == [[1, 0, 0], [0, 1, 1]]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_texts_that_are_all_numbers_are_warned_about(frame: Any) -> None:
    table = frame({"doors": ["4", "2", "4"]})
    with pytest.warns(UserWarning, match="X, column doors: all texts are numbers, such as '2'; turn them into numbers"):
        assert Dataset.read(table, [1.0, 2.0, 3.0]).names == ("doors=2", "doors=4")


@pytest.mark.parametrize(
    "column", [pd.Series(["4", "2", "4"], dtype="category"), pl.Series(["4", "2", "4"], dtype=pl.Categorical)]
)
def test_categories_may_look_like_numbers(column: Any) -> None:
    frame = pd.DataFrame if isinstance(column, pd.Series) else pl.DataFrame
    assert Dataset.read(frame({"doors": column}), [1.0, 2.0, 3.0]).names == ("doors=2", "doors=4")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_new_table_is_encoded_alike_and_new_texts_are_none_of_the_old(frame: Any) -> None:
    X = frame(TABLE)
    grammar = gm.Grammar.from_text("<e> ::= size + 3 * `colour=red`")
    problem = gm.Regression(X, TARGET, grammar)
    derivation = gm.parse(grammar, "size + 3 * `colour=red`")
    assert problem.predict(derivation, None, X).tolist() == [4, 2, 6, 4]
    new = frame({"colour": ["violet", "red", "pink", "pink"], "size": [1.0, 1.0, 2.0, 1.0]})
    what = (
        "X, column colour: the formula was not fitted to 'violet', 'pink'; all indicators of the column are 0 in 3 rows"
    )
    with pytest.warns(UserWarning, match=what):
        assert problem.predict(derivation, None, new).tolist() == [1, 4, 2, 1]
    with pytest.raises(DataError, match="X has no column 'colour=red'"):
        problem.predict(derivation, None, frame({"size": [1.0, 1.0]}))


def test_columns_that_the_formula_does_not_use_may_hold_anything() -> None:
    X = pd.DataFrame(TABLE)
    grammar = gm.Grammar.from_text("<e> ::= size + 3 * `colour=red`")
    problem = gm.Regression(X, TARGET, grammar)
    new = pd.DataFrame({"note": [f"n{i}" for i in range(200)], "colour": ["red"] * 200, "size": np.ones(200)})
    assert set(problem.predict(gm.parse(grammar, "size + 3 * `colour=red`"), None, new)) == {4.0}
    with pytest.warns(UserWarning, match="the formula was not fitted to '7'"):
        assert set(problem.predict(gm.parse(grammar, "size + 3 * `colour=red`"), None, new.assign(colour=7))) == {1.0}


def test_a_missing_text_is_an_error_with_its_place() -> None:
    X = pd.DataFrame({"colour": ["red", None, "blue"], "size": [1.0, 2.0, 3.0]})
    with pytest.raises(DataError, match="X, row 1, column colour: the value is missing"):
        Dataset.read(X, [1.0, 2.0, 3.0])


def test_texts_that_collide_with_another_column_are_refused() -> None:
    X = pd.DataFrame({"colour": ["red", "red"], "colour=red": [1.0, 2.0]})
    with pytest.raises(DataError, match="several columns called 'colour=red'"):
        Dataset.read(X, [1.0, 2.0])


def test_an_array_of_texts_is_still_refused() -> None:
    with pytest.raises(DataError, match="X is not a table of numbers"):
        Dataset.read(np.array([["a"], ["b"]]), [1.0, 2.0])
