"""Columns of texts as numbers: one column for each text, 1 in the rows that have it and 0 in the others.

Its name says what it holds: `colour=red` is 1 where the column `colour` has the text `red`. So a new table needs no
memory of the old one, and a text that was not there before is none of those that were: all of its columns are 0.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.errors import DataError, warn
from gramarye.grammar.columns import Column, cells, column_of, indicator, is_category, is_missing
from gramarye.text import brief, counted, is_number

MOST_NAMED = 10  # texts in a warning


def text_columns(frame: Any) -> dict[Any, Column]:
    """The columns of a data frame that hold texts, by their labels."""
    labels = list(getattr(frame, "columns", ()))
    if len({str(label) for label in labels}) < len(labels):
        return {}  # duplicates are reported elsewhere
    found = {label: column_of(frame, label, str(label)) for label in labels if not _is_plain(frame, label)}
    return {label: column for label, column in found.items() if column.kind == "text"}


def first_text(frame: Any, label: Any) -> str | None:
    """The first text of a column of a data frame, if it holds any."""
    if _is_plain(frame, label):
        return None
    values = cells(frame, label)
    found = (value for value in values.tolist() if isinstance(value, str)) if values.dtype.kind in "OUS" else ()
    return next(iter(found), None)


def _is_plain(frame: Any, label: Any) -> bool:
    """Whether a column is known to hold numbers or flags, without a look at its values."""
    return type(frame).__module__.startswith("pandas") and getattr(frame.dtypes[label], "kind", "") in tuple("iufb")


def indicators(frame: Any, label: Any, column: Column, what: str) -> NDArray[np.float64]:
    """The columns [levels, rows] of a column of texts, with a warning if all texts are numbers."""
    if all(map(is_number, column.levels)) and not is_category(frame, label):
        fix = "turn them into numbers, or into the type category if they are names"
        warn(f"{what}, column {label}: all texts are numbers, such as {brief(column.levels[0])}; {fix}")
    texts = _texts(frame, label, what)
    return np.array([texts == level for level in column.levels], np.float64)


def _texts(frame: Any, label: Any, what: str) -> NDArray[Any]:
    values = cells(frame, label).tolist()
    for row, value in enumerate(values):
        if is_missing(value):
            raise DataError(f"{what}, row {row}, column {label}: the value is missing; drop such rows or fill them in")
    return np.array([str(value) for value in values], object)


def indicators_like(
    frame: Any, wanted: Collection[str], known: Sequence[str], what: str
) -> dict[str, NDArray[np.float64]]:
    """The columns of these names, such as colour=red, of another table, as far as it has what they are made of.

    A warning names texts that no column is known for.
    """
    found: dict[str, NDArray[np.float64]] = {}
    for label in sorted(frame.columns, key=lambda label: -len(str(label))):  # a=b=c is made of a=b rather than of a
        prefix = indicator(str(label), "")
        made = [name for name in wanted if name not in found and name.startswith(prefix)]
        if made:
            texts = _texts(frame, label, what)
            found |= {name: (texts == name.removeprefix(prefix)).astype(np.float64) for name in made}
            levels = {name.removeprefix(prefix) for name in known if name.startswith(prefix)}
            warn_of_new(f"{what}, column {label}", texts.tolist(), levels)
    return found


def warn_of_new(where: str, texts: Sequence[str], levels: Collection[str]) -> None:
    """A warning that names the texts of a column that the formulas were not fitted to, if there are any."""
    new = [text for text in texts if text not in levels]
    if new:
        named = list(dict.fromkeys(map(brief, new)))
        more = f" … ({len(named) - MOST_NAMED} more)" if len(named) > MOST_NAMED else ""
        what = f"the formula was not fitted to {', '.join(named[:MOST_NAMED])}{more}"
        warn(f"{where}: {what}; all indicators of the column are 0 in {counted(len(new), 'row')}")
