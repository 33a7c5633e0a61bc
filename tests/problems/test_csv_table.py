"""Tables of one's own in CSV files."""

from __future__ import annotations

from pathlib import Path

import pytest

import gramarye as gm
from gramarye.errors import DataError
from gramarye.problems import from_csv

GRAMMAR = gm.Grammar.from_text("<e> ::= <e> + <e> | a | b\n")


def written(folder: Path, text: str) -> Path:
    path = folder / "table.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_last_column_is_the_target_unless_another_one_is_named(tmp_path: Path, delimiter: str) -> None:
    path = written(tmp_path, "a,b,y\n1,2,3\n\n4,5,6.5\n7,8,1e1\n".replace(",", delimiter))
    problem = from_csv(path, GRAMMAR)
    assert problem.dataset.target.tolist() == [3, 6.5, 10]
    assert list(problem.language.reader.names) == ["a", "b"]
    assert (problem.name, problem.description) == ("table", "table.csv")
    other = from_csv(path, gm.Grammar.from_text("<e> ::= y"), target="a", name="other", error="mae")
    assert other.dataset.target.tolist() == [1, 4, 7]
    assert (other.name, other.error) == ("other", "mae")


def test_a_column_of_weights_is_no_feature(tmp_path: Path) -> None:
    path = written(tmp_path, "a,count,b,y\n1,2,3,4\n5,6,7,8\n")
    problem = from_csv(path, GRAMMAR, sample_weight="count")
    assert problem.dataset.names == ("a", "b")
    assert problem.dataset.weights.tolist() == [2, 6]
    assert gm.problems.from_csv is from_csv
    with pytest.raises(DataError, match=r"no column is called 'cuont'; did you mean count\?"):
        from_csv(path, GRAMMAR, sample_weight="cuont")
    with pytest.raises(DataError, match="the column 'y' can't be target and sample_weight at once"):
        from_csv(path, GRAMMAR, sample_weight="y")


def test_a_byte_order_mark_and_quotes_are_read(tmp_path: Path) -> None:
    path = tmp_path / "excel.csv"
    path.write_bytes('\ufeff"a","b", y \r\n1,"2",3\r\n4,5,6\r\n'.encode())
    assert from_csv(path, GRAMMAR).dataset.columns.tolist() == [[1, 4], [2, 5]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it needs a header line and at least one row of data; it has 0 lines"),
        ("a,b,y\n", "it has 1 line"),
        ("1,2,3\n4,5,6\n", "line 1: these are numbers; the first line must name the columns"),
        ("a,y,y\n4,5,6\n", "line 1: several columns are called 'y'; rename them"),
        ("a,b,y\n1,2\n", "line 2: 2 values, but 3 columns"),
        ("a,b,y\n1,2,3\n1,two,3\n", "line 3, column b: 'two' is not a number"),
        ("y\n1\n2\n", "besides the target 'y' there is no column to learn from"),
        ("a,b,y\n1,2,nan\n3,4,5\n", "line 2, column y: the value is nan; drop such rows or fill them in"),
        ("a,b,y\n" + "x" * 200_000 + ",1,2\n", "not a valid CSV file"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        from_csv(written(tmp_path, text), GRAMMAR)


def test_a_target_that_is_not_there_names_the_nearest(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b,price\n1,2,3\n4,5,6\n")
    with pytest.raises(DataError, match=r"no column is called 'prise'; did you mean price\?"):
        from_csv(path, GRAMMAR, target="prise")
    with pytest.raises(DataError, match="no column is called 'zzz'; it has a, b, price"):
        from_csv(path, GRAMMAR, target="zzz")


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"can't be read \(No such file or directory\)"):
        from_csv(tmp_path / "none.csv", GRAMMAR)
    with pytest.raises(DataError, match="can't be read"):
        from_csv("a\0b.csv", GRAMMAR)
    path = tmp_path / "latin.csv"
    path.write_bytes("a,b,größe\n1,2,3\n".encode("latin-1"))
    with pytest.raises(DataError, match="is not valid UTF-8; save the table as CSV in UTF-8"):
        from_csv(path, GRAMMAR)
