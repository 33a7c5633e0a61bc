"""What all reports share: sections of those tables and figures that there are, and the files of a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gramarye.files import made_folder, write_text
from gramarye.show.figures.saving import save, svg_text
from gramarye.show.html.page import Figure, Part
from gramarye.show.tables.table import Table, write_tables

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

PAGE = "report.html"


class Drawing(NamedTuple):
    """A figure, and what is written below it."""

    figure: Drawn
    caption: str


class Material(NamedTuple):
    """Tables and figures, from which sections are made."""

    tables: Iterable[Table]
    drawings: Mapping[str, Drawing]

    def named(self, *names: str) -> list[Part]:
        """Tables, without those that there are none of."""
        tables = {table.name: table for table in self.tables}
        return [tables[name] for name in names if name in tables]

    def drawn(self, *beginnings: str) -> list[Part]:
        """The figures whose names begin with one of these."""
        chosen = {name: drawing for name, drawing in self.drawings.items() if name.startswith(beginnings)}
        return [Figure(name, drawing.caption, svg_text(drawing.figure)) for name, drawing in chosen.items()]

    def write(self, folder: Path, page: str) -> list[Path]:
        """Write the page, tables/ and figures/ into a folder, made if it is missing; the page's path is first."""
        place = made_folder(folder / "figures")
        figures = [path for name, drawing in self.drawings.items() for path in save(drawing.figure, place, name)]
        tables = write_tables(folder / "tables", self.tables)
        write_text(folder / PAGE, page)
        return [folder / PAGE, *tables, *figures]
