"""Columns of texts as numbers: one column for each text, 1 in the rows that have it and 0 in the others.

Its name says what it holds: `colour=red` is 1 where the column `colour` has the text `red`. So a new table needs no
memory of the old one, and a text that was not there before is none of those that were: all of its columns are 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.errors import DataError
from gramarye.grammar.columns import Column, cells, column_of, indicator, is_missing


def text_columns(frame: Any) -> dict[Any, Column]:
    """The columns of a data frame that hold texts, by their labels."""
    labels = list(getattr(frame, "columns", ()))
    if len({str(label) for label in labels}) < len(labels):
        return {}  # duplicates are reported elsewhere
    found = {label: column_of(frame, label, str(label)) for label in labels if not _is_plain(frame, label)}
    return {label: column for label, column in found.items() if column.kind == "text"}


def _is_plain(frame: Any, label: Any) -> bool:
    """Whether a column is known to hold numbers or flags, without a look at its values."""
    return type(frame).__module__.startswith("pandas") and getattr(frame.dtypes[label], "kind", "") in tuple("iufb")


def indicators(frame: Any, label: Any, column: Column, what: str) -> NDArray[np.float64]:
    """The columns [levels, rows] of a column of texts."""
    return np.array([_equal(frame, label, level, what) for level in column.levels])


def _equal(frame: Any, label: Any, level: str, what: str) -> NDArray[np.float64]:
    values = cells(frame, label).tolist()
    for row, value in enumerate(values):
        if is_missing(value):
            raise DataError(f"{what}, row {row}, column {label}: the value is missing; drop such rows or fill them in")
    return np.array([float(str(value) == level) for value in values])


def indicator_like(frame: Any, name: str, what: str) -> NDArray[np.float64] | None:
    """The column of this name, such as colour=red, of another table; None where the name is not of that kind."""
    for label, column in text_columns(frame).items():
        prefix = indicator(column.name, "")
        if name.startswith(prefix):
            return _equal(frame, label, name.removeprefix(prefix), what)
    return None
