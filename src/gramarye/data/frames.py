"""Tables of numbers from arrays, data frames and CSV files, checked."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.data.indicators import first_text, indicators, text_columns
from gramarye.errors import DataError
from gramarye.files import LARGEST_TABLE, read_limited
from gramarye.text import brief, counted, is_number

DELIMITERS = ",;\t"


class NamedColumns:
    """As much of a data frame as a problem looks at: values, and names for the columns."""

    def __init__(self, values: NDArray[np.float64], columns: list[str]) -> None:
        self._values = values
        self.columns = columns

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, names: list[str]) -> NamedColumns:
        """Some of the columns."""
        return NamedColumns(self._values[:, [self.columns.index(name) for name in names]], names)

    def to_numpy(self) -> NDArray[np.float64]:
        """The rows."""
        return self._values


def read_table(data: Any, what: str) -> tuple[NDArray[np.float64], list[str] | None]:
    """The columns [V, rows] of an array or data frame, and their names if it has any; of texts as indicators."""
    return _checked(_encoded(data, what), what)


def read_numbers(data: Any, what: str) -> NDArray[np.float64]:
    """The columns [V, rows] of an array or data frame that a formula of numbers is given: texts are refused."""
    for label in getattr(data, "columns", ()):
        text = first_text(data, label)
        if text is not None:
            held = f"{what}, column {label} holds texts such as {brief(text)}"
            raise DataError(f"{held}, but the formula was fitted to numbers; turn them into numbers")
    return _checked(data, what)[0]


def _checked(data: Any, what: str) -> tuple[NDArray[np.float64], list[str] | None]:
    rows = _numbers(data, what)
    names = column_names(data)
    if rows.ndim == 1:
        rows = rows[:, None]
    if rows.ndim != 2:
        raise DataError(f"{what} has the shape {rows.shape}: it must be a table of rows and columns")
    check_rows(rows, what)
    if rows.shape[1] == 0:
        raise DataError(f"{what} has no columns: give at least one")
    twice = sorted({name for name in names or () if (names or []).count(name) > 1})
    if twice:
        raise DataError(f"{what} has several columns called {twice[0]!r}: rename them")
    _check_finite(rows, names, what)
    return np.ascontiguousarray(rows.T), names


def _encoded(data: Any, what: str) -> Any:
    """A data frame whose columns of texts are replaced by one for each text."""
    if hasattr(data, "collect") or not (texts := text_columns(data)):
        return data
    found: list[NDArray[np.float64]] = []
    names: list[str] = []
    for label in data.columns:
        if label in texts:
            found += list(indicators(data, label, texts[label], what))
            names += texts[label].flags
        else:
            found.append(_numbers(data[[label]], what)[:, 0])
            names.append(str(label))
    return NamedColumns(np.array(found).T, names)


def column_names(data: Any) -> list[str] | None:
    """The names of a frame's columns; None for an array, and for a frame that only numbers its columns."""
    if not hasattr(data, "columns"):
        return None
    names = [str(name) for name in data.columns]
    return None if names and all(is_number(name) for name in names) else names


def read_column(data: Any, rows: int, what: str) -> NDArray[np.float64]:
    """One number for each row."""
    column = _numbers(data, what)
    if column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.ndim != 1:
        raise DataError(f"{what} has the shape {column.shape}: it must be one column")
    if len(column) != rows:
        raise DataError(f"{what} has {len(column)} rows, but X has {rows}: give one value for each row")
    _check_finite(column[:, None], None, what)
    return np.ascontiguousarray(column)


def check_rows(data: Any, what: str) -> None:
    """Raise where a table is empty."""
    if len(data) == 0:
        raise DataError(f"{what} has no rows: give at least one")


def check_is_table(data: Any, what: str) -> None:
    """Raise where something is a plan of a data frame, or a dictionary of its columns."""
    if hasattr(data, "collect"):
        raise DataError(f"{what} is lazy: give {what}.collect()")
    if isinstance(data, Mapping) and not hasattr(data, "shape"):  # some sparse matrices are dictionaries of cells
        raise DataError(f"{what} is a dictionary: give a data frame, such as pandas.DataFrame({what})")


def _numbers(data: Any, what: str) -> NDArray[np.float64]:
    check_is_table(data, what)
    try:
        if type(data).__module__.startswith("pandas"):  # what is missing there has a type of its own
            return np.array(data.to_numpy(dtype=np.float64, na_value=np.nan))
        values = np.asarray(data.to_numpy() if hasattr(data, "to_numpy") else data)
        if np.iscomplexobj(values):
            raise DataError(f"{what} holds complex numbers: give their real parts")
        return np.array(values, np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{what} is not a table of numbers: {error}") from None


def _check_finite(rows: NDArray[np.float64], names: list[str] | None, what: str) -> None:
    bad = np.argwhere(~np.isfinite(rows))
    if len(bad):
        row, column = bad[0]
        where = f"row {row}" + (f", column {names[column] if names else column}" if names or rows.shape[1] > 1 else "")
        raise DataError(
            f"{what}, {where}: the value is {rows[row, column]}; drop such rows or fill them in ({len(bad)} in all)"
        )


class CSV:
    """A table in a file whose first line names the columns: as texts, which become numbers when they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.columns, self.rows = _read(path)
        self._lines = [number for number, row in enumerate(self.rows, 2) if row]  # a blank line is none
        self.rows = [row for row in self.rows if row]
        for line, row in zip(self._lines, self.rows, strict=True):
            if len(row) != len(self.columns):
                raise DataError(
                    f"{path}, line {line}: {counted(len(row), 'value')}, but {counted(len(self.columns), 'column')}"
                )

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, names: list[str]) -> NamedColumns:
        """Some of the columns, as numbers."""
        values = np.empty((len(self.rows), len(names)))
        for k, name in enumerate(names):
            for i, (line, text) in enumerate(self.cells(name)):
                values[i, k] = self._number(line, name, text)
        return NamedColumns(values, names)

    def cells(self, name: str) -> list[tuple[int, str]]:
        """The texts of a column, each with its line."""
        column = self.columns.index(name)
        return [(line, row[column]) for line, row in zip(self._lines, self.rows, strict=True)]

    def place(self, line: int, name: str) -> str:
        """What an error calls a cell."""
        return f"{self.path}, line {line}, column {name}"

    def _number(self, line: int, name: str, text: str) -> float:
        place = self.place(line, name)
        if not text.strip():
            raise DataError(f"{place}: the value is missing; drop such rows or fill them in")
        try:
            value = float(text)
        except ValueError:
            raise DataError(f"{place}: {text!r} is not a number") from None
        if not math.isfinite(value):
            raise DataError(f"{place}: the value is {value}; drop such rows or fill them in")
        return value


def _read(path: Path) -> tuple[list[str], list[list[str]]]:
    try:
        text = read_limited(path, LARGEST_TABLE).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: byte {error.start} is not valid UTF-8; save the table as CSV in UTF-8") from None
    except (OSError, ValueError) as error:  # a NUL in a path is a ValueError
        raise DataError(f"{path}: can't be read ({getattr(error, 'strerror', None) or error})") from None
    lines = text.splitlines()
    if len(lines) < 2:
        found = counted(len(lines), "line")
        raise DataError(f"{path}: it needs a header line and at least one row of data; it has {found}")
    delimiter = max(DELIMITERS, key=lines[0].count)
    try:
        names, *rows = csv.reader(lines, delimiter=delimiter)
    except csv.Error as error:
        raise DataError(f"{path}: not a valid CSV file ({error})") from None
    names = [name.strip() for name in names]
    _check_names(path, names)
    return names, rows


def _check_names(path: Path, names: list[str]) -> None:
    """The first line must be names, each once."""
    if all(is_number(name) for name in names):
        raise DataError(f"{path}, line 1: these are numbers; the first line must name the columns")
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"{path}, line 1: several columns are called {name!r}; rename them")
