"""The cells of a CSV file as numbers, flags and texts: by what they look like, or as a model expects them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.data.frames import CSV, NamedColumns
from gramarye.data.indicators import warn_of_new
from gramarye.errors import DataError, nearest, warn
from gramarye.grammar.columns import Column
from gramarye.text import brief, is_number

FLAGS = {"true": True, "false": False}
MISSING = {"na", "n/a", "nan", "null"}  # usual words for a missing value


class Cells:
    """As much of a data frame as grammars and problems look at: arrays by the names of their columns."""

    def __init__(self, values: Mapping[str, NDArray[Any]]) -> None:
        self._values = dict(values)
        self.columns = list(values)

    def __len__(self) -> int:
        return len(self._values[self.columns[0]])

    def __getitem__(self, names: Sequence[str]) -> Cells:
        """Some of the columns."""
        return Cells({name: self._values[name] for name in names})

    def values(self, name: str) -> NDArray[Any]:
        """One column."""
        return self._values[name]

    def take(self, rows: NDArray[np.int64]) -> Cells:
        """Some of the rows."""
        return Cells({name: values[rows] for name, values in self._values.items()})

    def to_numpy(self) -> NDArray[Any]:
        """The rows: as numbers, where all columns are numbers or flags."""
        columns = list(self._values.values())
        kinds = {column.dtype.kind for column in columns}
        shared = columns[0].dtype if len(kinds) == 1 else np.dtype(np.float64 if kinds <= {"f", "b"} else object)
        return np.stack([column.astype(shared) for column in columns], axis=1)


def typed(table: CSV, names: Sequence[str]) -> Cells:
    """Columns of a file: of numbers if all cells are numbers, of flags if they are true or false, else of texts."""
    if len(table) == 0:
        raise DataError(f"{table.path}: there are names of columns, but no rows")
    return Cells({name: _values(table, name) for name in names})


def _values(table: CSV, name: str) -> NDArray[Any]:
    cells = table.cells(name)
    wrong = next(((line, text) for line, text in cells if not is_number(text)), None)
    if wrong is None:
        return table[[name]].to_numpy()[:, 0]
    texts = [_present(table, line, name, text) for line, text in cells]
    if all(is_number(text.replace(",", "")) for text in texts):
        what = f"{table.place(wrong[0], name)}: {brief(wrong[1])} is not a number"
        raise DataError(f"{what}; write a decimal point, and no commas between thousands")
    if 2 * sum(map(is_number, texts)) > len(texts):
        what = f"{table.place(wrong[0], name)}: {brief(wrong[1])} is not a number, but most values of the column are"
        raise DataError(f"{what}; drop such rows or fill them in")
    if all(text.lower() in FLAGS for text in texts):
        return np.array([FLAGS[text.lower()] for text in texts])
    if missing := [text for text in texts if text.lower() in MISSING]:
        what = f"{table.path}, column {name}: {brief(missing[0])} is read as a text like any other"
        warn(f"{what}; if it means that the value is missing, drop such rows or fill them in ({len(missing)} in all)")
    return np.array(texts, object)


def _present(table: CSV, line: int, name: str, text: str) -> str:
    """A cell without the blanks around it, if there is something in it."""
    if not text.strip():
        raise DataError(f"{table.place(line, name)}: the value is missing; drop such rows or fill them in")
    return text.strip()


def expected(table: CSV, columns: Sequence[Column]) -> NamedColumns:
    """Columns of a file as a model has learned them: texts as one column of 0 and 1 for each text."""
    if len(table) == 0:
        raise DataError(f"{table.path}: there are names of columns, but no rows")
    found: dict[str, NDArray[np.float64]] = {}
    for column in columns:
        if column.name not in table.columns:
            near = nearest(column.name, table.columns)
            hint = f"is it called {near!r}?" if near else f"the file has {', '.join(table.columns)}"
            raise DataError(f"{table.path}: there is no column {column.name!r}, which the model needs; {hint}")
        found |= {"number": _numbers, "flag": _flags, "text": _levels}[column.kind](table, column)
    values = np.array(list(found.values())).reshape(len(found), len(table)).T  # a formula may use no column
    return NamedColumns(values, list(found))


def _numbers(table: CSV, column: Column) -> dict[str, NDArray[np.float64]]:
    return {column.name: table[[column.name]].to_numpy()[:, 0]}


def _flags(table: CSV, column: Column) -> dict[str, NDArray[np.float64]]:
    known = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}
    found = []
    for line, text in table.cells(column.name):
        flag = _present(table, line, column.name, text)
        if flag.lower() not in known:
            raise DataError(f"{table.place(line, column.name)}: {brief(flag)} is neither true nor false")
        found.append(known[flag.lower()])
    return {column.name: np.array(found)}


def _levels(table: CSV, column: Column) -> dict[str, NDArray[np.float64]]:
    texts = [_present(table, line, column.name, text) for line, text in table.cells(column.name)]
    warn_of_new(f"{table.path}, column {column.name}", texts, column.levels)
    values = np.array(texts, object)
    return {name: (values == level).astype(np.float64) for name, level in zip(column.flags, column.levels, strict=True)}
