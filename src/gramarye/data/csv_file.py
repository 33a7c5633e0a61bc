"""Tables in CSV files."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np

from gramarye.data.frames import NamedColumns, is_number
from gramarye.errors import DataError
from gramarye.files import LARGEST_TABLE, read_limited
from gramarye.text import counted

DELIMITERS = ",;\t"


class CSV:
    """A table in a file whose first line names the columns: as texts, which become numbers when they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.columns, self.rows = _read(path)
        self._lines = [number for number, row in enumerate(self.rows, 2) if row]  # a blank line is none
        self.rows = [row for row in self.rows if row]
        for line, row in zip(self._lines, self.rows, strict=True):
            if len(row) != len(self.columns):
                raise DataError(f"{path}, line {line}: {len(row)} values, but {len(self.columns)} columns")

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, names: list[str]) -> NamedColumns:
        """Some of the columns, as numbers."""
        values = np.empty((len(self.rows), len(names)))
        for k, name in enumerate(names):
            place = self.columns.index(name)
            for i, (line, row) in enumerate(zip(self._lines, self.rows, strict=True)):
                values[i, k] = self._number(line, name, row[place])
        return NamedColumns(values, names)

    def _number(self, line: int, name: str, text: str) -> float:
        place = f"{self.path}, line {line}, column {name}"
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
        raise DataError(f"{path}: a line of names and rows of numbers are needed; it has {found}")
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
