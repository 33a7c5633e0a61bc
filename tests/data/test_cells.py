"""Cells of CSV files: what kind of columns they make, and what a model expects of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gramarye.data import CSV
from gramarye.data.cells import expected, typed
from gramarye.errors import DataError
from gramarye.grammar.columns import Column, frame_columns


@pytest.fixture
def table(tmp_path: Path) -> CSV:
    (tmp_path / "t.csv").write_text("n,f,t,m\n1,true,red,1\n2.5,False, blue ,two\n-3,TRUE,red,x\n", encoding="utf-8")
    return CSV(tmp_path / "t.csv")


def test_columns_are_numbers_flags_or_texts_by_what_their_cells_look_like(table: CSV) -> None:
    cells = typed(table, table.columns)
    assert frame_columns(cells) == [
        Column("n"),
        Column("f", "flag"),
        Column("t", "text", ("blue", "red")),
        Column("m", "text", ("1", "two", "x")),
    ]
    assert cells.values("n").tolist() == [1, 2.5, -3]
    assert cells.values("f").tolist() == [True, False, True]
    assert cells[["n", "f"]].to_numpy().tolist() == [[1, 1], [2.5, 0], [-3, 1]]
    assert cells.take(np.array([2, 0])).values("t").tolist() == ["red", "red"]
    assert len(cells) == 3


def test_a_word_among_numbers_is_a_mistake_unless_numbers_are_rare(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,1\n2,x\n?,y\n", encoding="utf-8")
    table = CSV(tmp_path / "t.csv")
    assert typed(table, ["b"]).values("b").tolist() == ["1", "x", "y"]
    with pytest.raises(DataError, match=r"t\.csv, line 4, column a: '\?' is not a number, but most values"):
        typed(table, ["a"])


def test_what_a_model_expects_is_read_with_its_levels(table: CSV) -> None:
    found = expected(table, [Column("t", "text", ("blue", "green", "red")), Column("f", "flag"), Column("n")])
    assert found.columns == ["t=blue", "t=green", "t=red", "f", "n"]
    assert found.to_numpy().tolist() == [[0, 0, 1, 1, 1], [1, 0, 0, 0, 2.5], [0, 0, 1, 1, -3]]


@pytest.mark.parametrize("cells", [["1,5", "2,5"], ["1,5", "2"], ["1,234.5", "2,000,000"]])
def test_numbers_with_commas_are_no_texts(tmp_path: Path, cells: list[str]) -> None:
    (tmp_path / "t.csv").write_text("a;b\n" + "".join(f"{cell};1\n" for cell in cells), encoding="utf-8")
    with pytest.raises(DataError, match=r"t.csv, line 2, column a: '1,.*' is not a number; write a decimal point"):
        typed(CSV(tmp_path / "t.csv"), ["a"])


def test_many_texts_that_were_not_there_before_are_counted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("t\n" + "".join(f"new {i:02}\n" for i in range(20)) + "old\n", encoding="utf-8")
    with pytest.warns(UserWarning, match=r"column t: .* fitted to 'new 00', .* 'new 09' … \(10 more\); .* in 20 rows"):
        found = expected(CSV(tmp_path / "t.csv"), [Column("t", "text", ("old",))])
    assert found.to_numpy().ravel().tolist() == [0.0] * 20 + [1.0]


def test_a_word_for_a_missing_value_is_a_text_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,yes\n2,NA\n3,no\n4,n/a\n", encoding="utf-8")
    with pytest.warns(UserWarning, match=r"t\.csv, column b: 'NA' is read as a text like any other; .* \(2 in all\)"):
        assert set(typed(CSV(path), ["b"]).values("b")) == {"yes", "no", "NA", "n/a"}
