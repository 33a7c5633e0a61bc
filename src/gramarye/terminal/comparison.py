"""What an experiment shows, on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

from gramarye.show.tables.table import Table, shown_columns
from gramarye.terminal.parts import heading, listing, pairs
from gramarye.terminal.parts import page as page_of
from gramarye.text import shown


def page(tables: Sequence[Table], words: Sequence[str], written: Path) -> RenderableType:
    """Some tables, what they say in words, and where the rest is."""
    parts: list[RenderableType] = []
    for table in tables:
        parts += [heading(shown(table.title)), _drawn(table)]
    parts += [Text(f"\n{text}") for text in words]
    files = [("report", written), ("figures", written.parent / "figures"), ("tables", written.parent / "tables")]
    return page_of(*parts, Text(), pairs([(name, str(path)) for name, path in files]))


def _drawn(table: Table) -> RenderableType:
    columns = shown_columns(table)
    drawn = listing([column.name for column in columns], right=[column.name for column in columns if column.numeric])
    for row in zip(*(column.cells for column in columns), strict=True):
        drawn.add_row(*(Text(cell.text, style="bold" if cell.strong else "") for cell in row))
    return drawn
