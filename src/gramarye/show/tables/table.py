"""A table as all reports use it: one value that is written as text, CSV, Markdown, LaTeX or HTML."""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path

import numpy as np
from rich.cells import cell_len

from gramarye.errors import SettingsError, did_you_mean
from gramarye.files import made_folder, write_text
from gramarye.latex import latex_number, latex_text
from gramarye.show.tables.values import Cell, ShownCell, ShownColumn, format_cell, number_of, one_line
from gramarye.text import brief

LONG = 30  # characters; a longer text may be broken inside a word, as phenotypes have no blanks
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MARKUP = re.compile(r"([\\`*_\[\]|~$])")  # what Markdown and its dialects read as more than a text, < and & aside


@dataclass(frozen=True)
class Table:
    """Named columns of equal lengths, and how they are shown.

    `formats` has a format for the numbers of a column, such as `".2f"`, or `"p"` for p-values; `emphasised` has the
    (column, row) of the cells that are printed bold.
    """

    name: str  # of its files
    title: str
    columns: Mapping[str, Sequence[Cell]]
    formats: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    emphasised: frozenset[tuple[str, int]] = frozenset()

    def __post_init__(self) -> None:
        check_name(self.name, "a table")
        object.__setattr__(self, "columns", {name: _plain(values) for name, values in self.columns.items()})
        _check(self)

    def only(self, *names: str) -> Table:
        """Some of its columns."""
        for name in names:
            if name not in self.columns:
                near = did_you_mean(name, self.columns) or f"; it has {', '.join(self.columns)}"
                raise SettingsError(f"table {self.name}: there is no column {name!r}{near}")
        formats = {name: form for name, form in self.formats.items() if name in names}
        bold = frozenset((name, row) for name, row in self.emphasised if name in names)
        return replace(self, columns={name: self.columns[name] for name in names}, formats=formats, emphasised=bold)

    def __str__(self) -> str:
        """Aligned columns; an asterisk stands for bold."""
        blocks = []
        for column in shown_columns(self):
            mark = " " if any(cell.strong for cell in column.cells) else ""
            texts = [column.name + mark, *(cell.text + ("*" if cell.strong else mark) for cell in column.cells)]
            width = max(map(cell_len, texts))
            gaps = [" " * (width - cell_len(text)) for text in texts]
            texts = [gap + text if column.numeric else text + gap for gap, text in zip(gaps, texts, strict=True)]
            blocks.append([texts[0], "─" * width, *texts[1:]])
        lines = ["  ".join(row).rstrip() for row in zip(*blocks, strict=True)]
        return "\n".join([one_line(self.title), "", *lines, *(["", one_line(self.note)] if self.note else [])])

    def _repr_html_(self) -> str:
        return table_html(self)

    def to_csv(self) -> str:
        """All values at full precision, as a program reads them; nothing where a value is missing."""
        return "".join(map(_csv_line, [tuple(self.columns), *zip(*self.columns.values(), strict=True)]))

    def to_markdown(self) -> str:
        """The table as it is shown, for a README or an issue."""
        columns = shown_columns(self)
        head = [_markdown(column.name) for column in columns]
        rule = ["--:" if column.numeric else ":--" for column in columns]
        rows = [[_markdown(cell.text, "**" if cell.strong else "") for cell in row] for row in _rows(columns)]
        lines = ["| " + " | ".join(row) + " |" for row in [head, rule, *rows]]
        note = ["", _markdown(self.note, "*")] if self.note else []
        return "\n".join([_markdown(self.title, "**"), "", *lines, *note, ""])

    def to_latex(self) -> str:
        """The table as it is shown, as a `table` environment that needs no package."""
        columns = shown_columns(self)
        rows = [" & ".join(_latex(cell) for cell in row) + r" \\" for row in _rows(columns)]
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{latex_text(one_line(self.title))}}}",
            rf"\label{{tab:{self.name}}}",
            rf"\begin{{tabular}}{{{''.join('r' if column.numeric else 'l' for column in columns)}}}",
            r"\hline",
            " & ".join(latex_text(column.name) for column in columns) + r" \\",
            r"\hline",
            *rows,
            r"\hline",
            r"\end{tabular}",
            *([rf"\par\smallskip{{\footnotesize {latex_text(one_line(self.note))}}}"] if self.note else []),
            r"\end{table}",
        ]
        return "\n".join([*lines, ""])


def write_tables(folder: str | os.PathLike[str], tables: Iterable[Table]) -> list[Path]:
    """Write each table as NAME.csv, NAME.tex and NAME.md into a folder, which is made where it is missing."""
    tables = list(tables)
    for name, count in Counter(table.name for table in tables).items():
        if count > 1:
            raise SettingsError(f"{count} tables are named {name}: their files would replace each other; rename one")
    written = []
    path = made_folder(Path(folder))
    for table in tables:
        texts = {"csv": table.to_csv(), "tex": table.to_latex(), "md": table.to_markdown()}
        for ending, text in texts.items():
            written.append(path / f"{table.name}.{ending}")
            write_text(written[-1], text)
    return written


def check_name(name: str, whose: str) -> None:
    """Raise where a name is no part of an address or of a file's name."""
    if not NAME.fullmatch(name):
        what = "is written with small letters, digits and single hyphens, as in mean-best-fitness"
        raise SettingsError(f"{name!r} can't be the name of {whose}: it {what}")


def shown_columns(table: Table) -> list[ShownColumn]:
    """The columns of a table as they are printed."""
    columns = []
    for name, values in table.columns.items():
        form, bold = table.formats.get(name, ""), [(name, row) in table.emphasised for row in range(len(values))]
        cells = [ShownCell(v, format_cell(v, form), number_of(v), b) for v, b in zip(values, bold, strict=True)]
        present = [cell.number for cell in cells if cell.value is not None]
        columns.append(ShownColumn(one_line(name), cells, bool(present) and None not in present))
    return columns


def table_html(table: Table, label: str = "") -> str:
    """A table as HTML, its numbers at full precision beside what is shown; `label` stands before the title."""
    columns = shown_columns(table)
    head = "".join(f'<th scope="col"{_html_class(column)}>{escape(column.name)}</th>' for column in columns)
    body = "\n".join("<tr>" + "".join(map(_html_cell, columns, row)) + "</tr>" for row in _rows(columns))
    title = escape(one_line(table.title))
    number = f"<b>{escape(label)}</b> " if label else ""
    note = f'\n<p class="note">{escape(one_line(table.note))}</p>' if table.note else ""
    return f"""<figure class="table" id="table-{table.name}">
<figcaption><span>{number}{title}</span></figcaption>
<div class="scroll" tabindex="0" role="region" aria-label="{title}"><table>
<thead><tr>{head}</tr></thead>
<tbody>
{body}
</tbody></table></div>{note}
</figure>"""


def _html_cell(column: ShownColumn, cell: ShownCell) -> str:
    text, data = escape(cell.text), ""
    if len(cell.text) > LONG:
        text = f'<span class="long">{text}</span>'
    if cell.number is not None:  # as JavaScript reads it: a text is only sorted by it, a number is copied as well
        name = "sort" if isinstance(cell.value, str) else "value"
        data = f' data-{name}="{repr(cell.number).replace("inf", "Infinity")}"'
    if column.numeric:
        text = text.replace("-", "−")
    return f"<td{_html_class(column)}{data}>{f'<strong>{text}</strong>' if cell.strong else text}</td>"


def _html_class(column: ShownColumn) -> str:
    return ' class="number"' if column.numeric else ""


def _csv_line(cells: tuple[Cell, ...]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)  # ends in \r\n: with \n alone, Python 3.11 would not quote a text with \r in it
    return line.getvalue().removesuffix("\r\n") + "\n"


def _latex(cell: ShownCell) -> str:
    text = latex_text(cell.text) if cell.number is None or isinstance(cell.value, str) else latex_number(cell.text)
    return rf"\textbf{{{text}}}" if cell.strong else text


def _markdown(text: str, stars: str = "") -> str:
    return stars + escape(MARKUP.sub(r"\\\1", one_line(text).strip()), quote=False) + stars


def _rows(columns: list[ShownColumn]) -> list[tuple[ShownCell, ...]]:
    return list(zip(*(column.cells for column in columns), strict=True))


def _plain(values: Sequence[Cell]) -> tuple[Cell, ...]:
    """Python's own values, as a file or a data frame takes them; whole numbers among others become floats."""
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    if any(isinstance(value, float) for value in plain):
        return tuple(float(value) if type(value) is int else value for value in plain)
    return tuple(plain)


def _check(table: Table) -> None:
    where = f"table {table.name}"
    lengths = {name: len(values) for name, values in table.columns.items()}
    if not lengths:
        raise SettingsError(f"{where}: it has no column; give at least one")
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name!r} {length}" for name, length in lengths.items())
        raise SettingsError(f"{where}: its columns differ in length ({listed}); fill the shorter ones with None")
    for column in [*table.formats, *(column for column, _ in table.emphasised)]:
        if column not in lengths:
            known = ", ".join(lengths)
            raise SettingsError(f"{where}: there is no column {column!r}; its columns are {known}")
    for column, row in table.emphasised:
        if not 0 <= row < lengths[column]:
            raise SettingsError(f"{where}: there is no row {row} to emphasise; its {lengths[column]} rows count from 0")
    for name, values in table.columns.items():
        for value in values:
            _check_cell(value, table.formats.get(name, ""), f"{where}, column {name!r}")


def _check_cell(value: object, form: str, where: str) -> None:
    if not isinstance(value, str | int | float | None):
        raise SettingsError(f"{where}: {brief(repr(value))} is not a text, number, truth value or None; convert it")
    try:
        format_cell(value, form)
    except (ValueError, OverflowError) as error:
        raise SettingsError(f"{where}: {value!r} can't be shown with the format {form!r} ({error})") from error
