"""What a model knows of the table that it was fitted to."""

from __future__ import annotations

from typing import NamedTuple

from gramarye.grammar.columns import Column


class Facts(NamedTuple):
    """The columns of a table, and what is predicted from them."""

    columns: tuple[Column, ...]  # to predict from
    named: bool  # whether columns are found by their names, otherwise by position
    target: str | None  # the name of the column that is predicted, where it has one
    rows: int

    @property
    def variables(self) -> list[str]:
        """The names that formulas have for columns: a column of texts has one for each text."""
        return [name for column in self.columns for name in _variables(column)]

    @property
    def sources(self) -> list[int]:
        """The column that each variable is made of."""
        return [place for place, column in enumerate(self.columns) for _ in _variables(column)]


def _variables(column: Column) -> list[str]:
    return column.flags if column.kind == "text" else [column.name]
