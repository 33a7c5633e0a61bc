from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.data import Dataset
from gramarye.errors import DataError

X = np.arange(12.0).reshape(6, 2)
Y = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])


@given(st.lists(st.tuples(st.floats(-100, 100), st.integers(0, 4)), min_size=2, max_size=12))
def test_an_integer_weight_counts_like_that_many_rows(rows: list[tuple[float, int]]) -> None:
    target, weights = np.array([y for y, _ in rows]), np.array([w for _, w in rows])
    if (weights > 0).sum() < 2:
        return
    weighted = Dataset.read(target[:, None], target, weights)
    repeated = Dataset.read(np.repeat(target, weights)[:, None], np.repeat(target, weights))
    assert weighted.weight == repeated.weight == weights.sum()
    assert weighted.mean == pytest.approx(repeated.mean, rel=1e-12, abs=1e-12)
    assert weighted.spread == pytest.approx(repeated.spread, rel=1e-9, abs=1e-9)
    assert weighted.constant == repeated.constant


def test_without_weights_the_facts_are_those_of_the_rows() -> None:
    data = Dataset.read(X, Y)
    assert (data.rows, data.weight, data.mean) == (6, 6, 10.5)
    assert data.spread == pytest.approx(((Y - 10.5) ** 2).sum())
    assert data.names is None
    assert len(data.weights) == 0


def test_sums_that_overflow_are_infinite() -> None:
    data = Dataset.read(X, np.linspace(1e308, 1.1e308, 6))
    assert data.mean == math.inf
    assert Dataset.read(X, Y * 1e300).spread == math.inf


def test_weights_stay_with_their_rows() -> None:
    data = Dataset.read(X, Y, Y * 2)
    train, test = data.split(2, np.uint64(3))
    assert test is not None
    assert (train.rows, test.rows) == (4, 2)
    for part in (train, test):
        assert part.weights.tolist() == (part.target * 2).tolist()
        assert [X[Y.tolist().index(y)].tolist() for y in part.target] == part.columns.T.tolist()
    assert sorted([*train.target, *test.target]) == Y.tolist()
    assert data.split(0, np.uint64(3)) == (data, None)


def test_a_digest_is_that_of_all_numbers() -> None:
    same = Dataset.read(X, Y), Dataset.read(X.copy(), Y.copy())
    assert same[0].identity == same[1].identity
    others = Dataset.read(X + 1, Y), Dataset.read(X, Y + 1), Dataset.read(X, Y, np.ones(6))
    assert len({data.identity for data in (*others, same[0])}) == 4


@pytest.mark.parametrize(
    "weights", [[1, 2, 0, 1, 1, 1], pd.Series(np.ones(6)), pl.Series([1, 2, 3, 4, 5, 6]), (1,) * 6]
)
def test_weights_may_be_whatever_holds_numbers(weights: Any) -> None:
    assert Dataset.read(X, Y, weights).weights.tolist() == list(weights)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, 1], "sample_weight has 3 rows, but X has 6: give one value for each row"),
        ([1, 1, -0.5, 1, 1, 1], r"sample_weight, row 2: the value is -0\.5; weights must be ≥ 0"),
        ([1, math.nan, 1, 1, 1, 1], "sample_weight, row 1: the value is nan"),
        ([1, math.inf, 1, 1, 1, 1], "sample_weight, row 1: the value is inf"),
        ([0] * 6, "sample_weight is positive in 0 rows; at least two rows must count"),
        ([0, 3, 0, 0, 0, 0], "sample_weight is positive in 1 row; at least two rows must count"),
        ([1e308] * 6, "the sum of sample_weight overflows; rescale the weights"),
        (["a"] * 6, "sample_weight is not a table of numbers"),
        (np.ones((6, 2)), r"sample_weight has the shape \(6, 2\): it must be one column"),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.read(X, Y, weights)


INDEX = {"size": 0, "age": 1}.get
NAMED = Dataset.read(pd.DataFrame(X, columns=["size", "age"]), Y)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"age": X[:, 1], "size": X[:, 0]}),
        pl.DataFrame({"colour": X[:, 0] * 9, "age": X[:, 1], "size": X[:, 0]}),
        X,
        X.tolist(),
    ],
)
def test_another_table_is_read_by_names_or_by_position(frame: Any) -> None:
    assert NAMED.like(frame, (0, 1), INDEX).tolist() == X.T.tolist()


def test_columns_that_are_not_needed_may_be_missing_or_hold_text() -> None:
    frame = pd.DataFrame({"age": X[:, 1], "size": ["large"] * 6})
    for other in (frame, frame[["age"]], pl.DataFrame({"age": X[:, 1], "size": ["large"] * 6})):
        columns = NAMED.like(other, [1], INDEX)
        assert np.isnan(columns[0]).all()
        assert columns[1].tolist() == X[:, 1].tolist()


@pytest.mark.parametrize("names", [["b", "a"], [0, 1], ["p", 7]])
def test_a_frame_for_numbered_columns_is_read_by_position_where_its_names_mean_nothing(names: list[Any]) -> None:
    assert (
        Dataset.read(X, Y).like(pd.DataFrame(X, columns=names), (0, 1), {"x": 0, "y": 1}.get).tolist() == X.T.tolist()
    )


def test_a_frame_for_numbered_columns_is_read_by_names_that_mean_columns() -> None:
    frame = pd.DataFrame({"y": X[:, 1], "x": X[:, 0]})
    assert Dataset.read(X, Y).like(frame, (0, 1), {"x": 0, "y": 1}.get).tolist() == X.T.tolist()
    with pytest.raises(DataError, match=r"X has no column 'x\[0\]'; its columns are y, z"):
        Dataset.read(X, Y).like(pd.DataFrame({"y": [1.0], "z": [2.0]}), (0, 1), {"x": 0, "y": 1}.get)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("rows", [1, 6, 300])
def test_texts_in_place_of_numbers_are_refused_and_never_read_as_indicators(frame: Any, rows: int) -> None:
    numbers = {"size": np.arange(rows) * 1.5, "age": np.arange(rows) * 0.25}
    texts = numbers | {"age": [str(value) for value in numbers["age"]]}
    message = "X, column age holds texts such as '0.0', but the formula was fitted to numbers; turn them into numbers"
    with pytest.raises(DataError, match=message):
        NAMED.like(frame(texts), (0, 1), INDEX)
    with pytest.raises(DataError, match=message):  # by position
        Dataset.read(X, Y).like(frame(texts), (0, 1), {"x": 0, "y": 1}.get)


def test_categories_that_are_numbers_are_read_as_numbers() -> None:
    frame = pd.DataFrame(X, columns=["size", "age"]).astype("category")
    assert NAMED.like(frame, (0, 1), INDEX).tolist() == X.T.tolist()


def test_one_column_may_be_one_dimensional() -> None:
    assert Dataset.read(X[:, :1], Y).like([1.0, 2.0], [0], INDEX).tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (pd.DataFrame({"sise": [1.0], "age": [2.0]}), r"X has no column 'size'; did you mean sise\?"),
        (pd.DataFrame({"q": [1.0], "age": [2.0]}), "X has no column 'size'; its columns are q, age"),
        (np.ones((4, 3)), "X has 3 columns, but the formula was fitted to 2 \\(size, age\\); give a data frame"),
        ([1.0, 2.0], "X has 1 column, but the formula was fitted to 2"),
        ([[1.0, math.nan]], "X, row 0, column 1: the value is nan"),
        (pl.LazyFrame({"size": [1.0], "age": [2.0]}), r"X is lazy: give X\.collect\(\)"),
        (pd.DataFrame({"size": ["a"], "age": [2.0]})[:0], "X has no rows: give at least one"),
        (pl.DataFrame({"size": [], "age": []}), "X has no rows: give at least one"),
        (np.ones((0, 2)), "X has no rows: give at least one"),
        ([], "X has no rows: give at least one"),
        (pd.DataFrame(index=[0, 1]), "X has no column 'size'; it has none"),
        (np.ones((2, 0)), "X has no columns: give at least one"),
        ({"size": [1.0], "age": [2.0]}, r"X is a dictionary: give a data frame, such as pandas\.DataFrame\(X\)"),
        (pd.DataFrame({"size": [1.0], "age": [math.nan]}), "X, row 0, column age: the value is nan"),
    ],
)
def test_a_table_with_other_columns_is_refused(other: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        NAMED.like(other, (0, 1), INDEX)


def test_a_constant_target_has_its_value_as_mean_and_no_spread_whatever_rounding_does() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        n, value = int(rng.integers(2, 60)), float(rng.normal())
        for weights in (None, rng.uniform(0.1, 2, n)):
            data = Dataset.read(np.arange(float(n)), np.full(n, value), weights)
            assert (data.mean, data.spread) == (value, 0.0)
    weighted = Dataset.read(np.arange(3.0), [5.0, 0.1, 0.1], [0.0, 0.3, 0.7])
    assert (weighted.mean, weighted.spread) == (0.1, 0.0)
