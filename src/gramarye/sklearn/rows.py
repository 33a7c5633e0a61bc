"""The columns of X, as a search sees them and as a saved model remembers them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye.data import NamedColumns
from gramarye.data.frames import check_is_table, read_table
from gramarye.data.indicators import text_columns
from gramarye.errors import DataError
from gramarye.grammar.columns import Column, column_of
from gramarye.models import Facts


class Table(NamedTuple):
    """The columns of X as numbers."""

    values: NDArray[np.float64]  # [rows, V]
    names: list[str] | None  # [V]; None where the columns are only numbered
    sources: list[int]  # [V] the column of X that each is made of: a column of texts becomes several

    def named(self, values: NDArray[np.float64]) -> Any:
        """Some rows, as a problem takes them."""
        return values if self.names is None else NamedColumns(values, self.names)


def has_texts(X: Any) -> bool:
    """Whether X is a data frame with columns of texts."""
    check_is_table(X, "X")
    names = [str(label) for label in getattr(X, "columns", ())]
    if len(set(names)) < len(names):
        raise DataError(f"X has several columns called {max(names, key=names.count)!r}: rename them")
    return bool(text_columns(X))


def table_with_texts(X: Any) -> Table:
    """A data frame, with one column for each text of its columns of texts."""
    columns, names = read_table(X, "X")
    texts = text_columns(X)
    widths = [len(texts[label].levels) if label in texts else 1 for label in X.columns]
    return Table(columns.T, names, np.repeat(np.arange(len(widths)), widths).tolist())


def facts_of(X: Any, y: Any, table: Table) -> Facts:
    """What a saved model has to know of the columns that it was fitted to."""
    if table.names is None:
        columns = tuple(Column(f"x{i}") for i in range(table.values.shape[1]))
    else:
        columns = tuple(column_of(X, label, str(label)) for label in X.columns)
    name = getattr(y, "name", None)
    return Facts(columns, table.names is not None, name if isinstance(name, str) else None, len(table.values))
