"""Tables in CSV files."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from gramarye.data.frames import NamedColumns
from gramarye.errors import DataError

DELIMITERS = ",;\t"


def read_csv(path: Path) -> NamedColumns:
    """The table of a file whose first line names the columns."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: byte {error.start} is not valid UTF-8; save the table as CSV in UTF-8") from None
    except (OSError, ValueError) as error:  # a NUL in a path is a ValueError
        raise DataError(f"{path}: can't be read ({getattr(error, 'strerror', None) or error})") from None
    lines = text.splitlines()
    if len(lines) < 2:
        raise DataError(f"{path}: a line of names and rows of numbers are needed; it has {len(lines)} lines")
    delimiter = max(DELIMITERS, key=lines[0].count)
    try:
        names, *rows = csv.reader(lines, delimiter=delimiter)
    except csv.Error as error:
        raise DataError(f"{path}: not a valid CSV file ({error})") from None
    names = [name.strip() for name in names]
    _check_names(path, names)
    values = np.empty((len(rows), len(names)))
    kept = 0
    for number, row in enumerate(rows, 2):
        if row:  # a blank line is none
            values[kept] = _numbers(path, number, names, row)
            kept += 1
    return NamedColumns(values[:kept], names)


def _check_names(path: Path, names: list[str]) -> None:
    """The first line must be names, each once."""
    if all(_is_number(name) for name in names):
        raise DataError(f"{path}, line 1: these are numbers; the first line must name the columns")
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"{path}, line 1: several columns are called {name!r}; rename them")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numbers(path: Path, line: int, names: list[str], row: list[str]) -> list[float]:
    if len(row) != len(names):
        raise DataError(f"{path}, line {line}: {len(row)} values, but {len(names)} columns")
    numbers = []
    for name, text in zip(names, row, strict=True):
        try:
            numbers.append(float(text))
        except ValueError:
            raise DataError(f"{path}, line {line}, column {name}: {text!r} is not a number") from None
    return numbers
