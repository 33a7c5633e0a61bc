"""An analysis of locality and redundancy as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from gramarye.report.analysis import Analysis, Watch
from gramarye.report.table import Table
from gramarye.report.terminal.parts import heading, pairs
from gramarye.report.terminal.parts import page as page_of


@contextmanager
def watching(console: Console) -> Iterator[Watch]:
    """A function that shows how far an analysis has come: a bar on a terminal, a line for each method elsewhere."""
    if not console.is_interactive:
        told: set[str] = set()

        def line(done: int, total: int, what: str) -> None:
            method = what.partition(":")[0]
            if method not in told and done < total:
                told.add(method)
                console.print(f"{done * 100 // total} %: {method}", soft_wrap=True)

        yield line
        return
    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[what]}"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("analysis", what="")

        def bar(done: int, total: int, what: str) -> None:
            progress.update(task, completed=done, total=total, what=what)

        yield bar


def page(analysis: Analysis, files: Sequence[Path], folder: Path | None) -> RenderableType:
    """The tables of an analysis, and what their columns mean."""
    shown = [table for table in analysis.tables if table.name != "intervals"]
    parts: list[RenderableType] = [part for table in shown for part in _table(table)]
    work = [("bases", f"{analysis.plan.bases:,} valid genotypes with {analysis.plan.neighbours} neighbours each")]
    work.append(("time", f"{analysis.seconds:.1f} s"))
    if folder is not None:
        work.append(("written", f"{len(files)} files in {folder}"))
    return page_of(*parts, Text(""), pairs(work))


def _table(table: Table) -> list[RenderableType]:
    """A table under its title, never wrapped; its note below."""
    title, _, body = str(replace(table, note="")).partition("\n\n")
    parts: list[RenderableType] = [heading(title), Text(body, no_wrap=True, overflow="ignore")]
    return [*parts, Text(table.note, style="dim")] if table.note else parts
