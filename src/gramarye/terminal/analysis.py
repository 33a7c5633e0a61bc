"""An analysis of locality and redundancy as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from gramarye.analysis.analysis import Watch
from gramarye.analysis.findings import Analysis
from gramarye.analysis.locality_tables import along, beside, overview
from gramarye.show.tables.table import Table
from gramarye.terminal.parts import heading, pairs
from gramarye.terminal.screen import REFRESH, Screen, every
from gramarye.text import counted

FEW = 4  # methods of which all measures have room side by side


def watching(screen: Screen) -> Watch:
    """A function that shows how far an analysis has come: a bar on a terminal, a line for each method elsewhere."""
    if screen.is_live:
        return _bar(screen)
    told: set[str] = set()

    def line(done: int, total: int, what: str) -> None:
        method = what.partition(":")[0]
        if method not in told and done < total:
            told.add(method)
            screen.console.print(f"{done * 100 // total} %: {method}", soft_wrap=True)

    return line


def _bar(screen: Screen) -> Watch:
    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[what]}"),
    )
    progress = Progress(*columns, console=screen.console)
    task = progress.add_task("analysis", what="")
    draw = every(REFRESH, screen.draw, at_once=True)

    def watch(done: int, total: int, what: str) -> None:
        progress.update(task, completed=done, total=total, what=what)
        draw(progress)

    return watch


def page(analysis: Analysis, files: Sequence[Path], folder: Path | None) -> RenderableType:
    """The main table; all measures where methods are few; where the rest is."""
    parts: list[RenderableType] = [_Fitting(analysis.table, overview(analysis.found, analysis.title, narrow=True))]
    if len(analysis.found) <= FEW:
        parts += _table(beside(analysis.found, analysis.title))
    if analysis.runs:
        parts += _table(along(analysis.runs))
    return Group(*parts, Text(""), pairs(_facts(analysis, files, folder)))


def _facts(analysis: Analysis, files: Sequence[Path], folder: Path | None) -> list[tuple[str, str]]:
    """What was done, and where everything else is."""
    least = min(each.bases for each in analysis.found)
    known = counted(analysis.plan.bases, "valid genotype") if least == analysis.plan.bases else f"{least:,} or more"
    facts = [("bases", f"{known} of each method, {counted(analysis.plan.neighbours, 'neighbour')} of each")]
    if analysis.found[0].source == "trees":
        facts = [("bases", f"{least:,} programs that all of these methods can encode, of {analysis.plan.bases:,}")]
    facts += [("left out", f"{label}: {why}") for label, why in analysis.left_out.items()]
    facts.append(("time", f"{analysis.seconds:.1f} s"))
    if folder is not None:
        facts.append(("written", f"{counted(len(files), 'file')}; open {folder / 'report.html'}"))
    else:
        facts.append(("more", "curves, places, redundancy, figures: --out FOLDER; all numbers: --json"))
    return facts


class _Fitting:
    """A table, or a narrow one where the terminal is too narrow for it."""

    def __init__(self, table: Table, narrow: Table) -> None:
        self.table, self.narrow = table, narrow

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = max(cell_len(line) for line in _lines(self.table).splitlines())
        yield from _table(self.table if wide <= options.max_width else self.narrow)


def _lines(table: Table) -> str:
    return str(replace(table, title="", note="")).strip("\n")


def _table(table: Table) -> list[RenderableType]:
    """A table under its title, never wrapped; its note below."""
    parts: list[RenderableType] = [heading(table.title), Text(_lines(table), no_wrap=True, overflow="ignore")]
    return [*parts, Text(table.note, style="dim")] if table.note else parts
