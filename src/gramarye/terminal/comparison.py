"""What an experiment shows, on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from gramarye.show.tables.table import Table, shown_columns
from gramarye.show.tables.values import ShownCell
from gramarye.terminal.parts import heading, listing, pairs
from gramarye.text import shown


def page(tables: Sequence[Table], words: Sequence[str], written: Path) -> RenderableType:
    """Some tables, what they say in words, and where the rest is."""
    parts: list[RenderableType] = []
    for table in tables:
        parts += [heading(shown(table.title)), _drawn(table)]
    parts += [Text(f"\n{text}") for text in words]
    files = [("report", written), ("figures", written.parent / "figures"), ("tables", written.parent / "tables")]
    return Group(*parts, Text(), pairs(files))


def _drawn(table: Table) -> RenderableType:
    """A table; the best are bold, and marked where that is lost."""
    columns = shown_columns(table)
    drawn = listing([column.name for column in columns], right=[column.name for column in columns if column.numeric])
    marked = [any(cell.strong for cell in column.cells) for column in columns]
    rows = [[*map(_cell, row, marked)] for row in zip(*(column.cells for column in columns), strict=True)]
    for row in rows:
        drawn.add_row(*row)
    for k, column in enumerate(drawn.columns):  # rather too wide than split words
        words = [word for text in (column.header, *(row[k] for row in rows)) for word in str(text).split(" ")]
        column.min_width = max(map(cell_len, words))
    return drawn


def _cell(cell: ShownCell, marked: bool) -> Text:
    mark = "*" if cell.strong else "\N{NO-BREAK SPACE}" if marked else ""  # a blank would be cut off
    return Text(cell.text + mark, style="bold" if cell.strong else "")
