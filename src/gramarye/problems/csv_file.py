"""A table of one's own in a CSV file as a problem."""

from __future__ import annotations

import csv
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.errors import DataError, did_you_mean
from gramarye.grammar import Grammar
from gramarye.objectives.regression import Regression
from gramarye.objectives.table import NamedColumns

DELIMITERS = ",;\t"


def from_csv(path: str | PathLike[str], grammar: Grammar, *, target: str | None = None, **options: Any) -> Regression:
    """Regression on the columns of a file whose first line names them; the last one is the target, or another one."""
    path = Path(path)
    names, rows = _read(path)
    target = names[-1] if target is None else target
    if target not in names:
        raise DataError(f"{path}: no column is called {target!r}{did_you_mean(target, names) or _known(names)}")
    place = names.index(target)
    features = [name for name in names if name != target]
    if not features:
        raise DataError(f"{path}: beside the target {target!r} there is no column to learn from")
    table = NamedColumns(np.delete(rows, place, axis=1), features)
    return Regression(table, rows[:, place], grammar, **{"name": path.stem, "description": path.name, **options})


def _known(names: list[str]) -> str:
    return f"; it has {', '.join(names)}"


def _read(path: Path) -> tuple[list[str], NDArray[np.float64]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: byte {error.start} is no UTF-8; save the table as CSV in UTF-8") from None
    except (OSError, ValueError) as error:  # a NUL in a path is a ValueError
        raise DataError(f"{path}: can't be read ({getattr(error, 'strerror', None) or error})") from None
    lines = text.splitlines()
    if len(lines) < 2:
        raise DataError(f"{path}: a line of names and rows of numbers are needed; it has {len(lines)} lines")
    delimiter = max(DELIMITERS, key=lines[0].count)
    try:
        names, *rows = csv.reader(lines, delimiter=delimiter)
    except csv.Error as error:
        raise DataError(f"{path}: this is no CSV ({error})") from None
    names = [name.strip() for name in names]
    _check_names(path, names)
    values = np.empty((len(rows), len(names)))
    kept = 0
    for number, row in enumerate(rows, 2):
        if row:  # a blank line is none
            values[kept] = _numbers(path, number, names, row)
            kept += 1
    return names, values[:kept]


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
            raise DataError(f"{path}, line {line}, column {name}: {text!r} is no number") from None
    return numbers
