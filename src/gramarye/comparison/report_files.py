"""The report of an experiment: one page, figures and tables in a folder."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gramarye.comparison.samples import which_is_better
from gramarye.errors import MissingExtraError, OutputError
from gramarye.show.html.page import Code, Details, Facts, Part, Section, render
from gramarye.show.report import Material
from gramarye.show.tables.table import Table
from gramarye.store import Cell, Results
from gramarye.text import counted

NEEDED = {"matplotlib": "Matplotlib", "scipy": "SciPy"}


def check_extras() -> None:
    """Raise before a long experiment what its report would raise after it."""
    for package, name in NEEDED.items():
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(name, "report")
    try:
        import matplotlib  # noqa: F401, ICN001
    except ValueError as error:  # a backend that there is none of
        raise OutputError(f"Matplotlib does not start: {error}; correct or unset MPLBACKEND") from None


def write_report(
    results: Results,
    material: Material,
    overviews: Sequence[Table],  # those of its tables that show many pairs at a glance
    folder: Path,
    first: Sequence[Section] = (),  # what comes before the comparison
    leave_out: Sequence[str] = (),  # tables that are not on the page, because the first sections have their own
) -> Path:
    """Write report.html, figures/ and tables/ into a folder, which is made if it is missing; the page's path."""
    shown = Material([table for table in material.tables if table.name not in leave_out], material.drawings)
    sections = [*first, *_sections(shown, overviews), _particulars(results, shown), *_failures(results)]
    page = render(results.facts["name"], _lead(results), sections, _footer(results))
    return Material([*tables_in(first), *material.tables], material.drawings).write(folder, page)[0]


def tables_in(parts: Iterable[Part]) -> Iterator[Table]:
    """The tables of sections, also those inside details, for files of their own."""
    for part in parts:
        if isinstance(part, Table):
            yield part
        elif isinstance(part, Section | Details):
            yield from tables_in(part.parts)


def _lead(results: Results) -> list[str]:
    first, count = results.facts["seed"], results.facts["runs"]
    grid = f"{', '.join(results.methods)} on {', '.join(results.problems)}"
    seeds = f"{count} runs of each, with the seeds {first} to {first + count - 1}" if count > 1 else f"seed {first}"
    lead = [f"{grid}: {seeds}; {which_is_better(results.cells, ' fitness')}."]
    waiting = sum(results.count(cell, "waiting") for cell in results.cells)
    if waiting:
        lead.append(f"This report is of an unfinished experiment: {counted(waiting, 'run')} still to be done.")
    if results.failures:
        lead.append(f"{counted(len(results.failures), 'run')} failed, see the end of the page.")
    return lead


def _sections(material: Material, overviews: Sequence[Table]) -> list[Section]:
    of, pictures = material.named, material.drawn
    pairs: list[Part] = [Details("Every pair of methods", of("pairs"))] if overviews else of("pairs")
    found = [
        Section("Final fitness", "fitness", [*of("final-fitness"), *pictures("runs-"), *of("summary")]),
        Section("Progress", "progress", pictures("progress-")),
        Section("Tests", "tests", [*of("kruskal-wallis"), *overviews, *pairs, *pictures("effects")]),
        Section("Ranks over the problems", "ranks", [*of("ranks"), *pictures("ranks")]),
        Section("What was learned", "learned", pictures("probabilities-")),
        Section("What the fronts use", "used", pictures("frequencies-")),
        Section("Best programs", "programs", of("best-programs")),
        Section("Evaluations that failed", "failed-evaluations", of("failed-evaluations")),
        Section("Error against size", "fronts", _fronts(of("fronts"), pictures("front-"))),
    ]
    return [section for section in found if section.parts]


def _fronts(tables: list[Part], pictures: list[Part]) -> list[Part]:
    """The figures, and the table that is too long to be read at once."""
    return [*pictures, Details("Every program of these fronts", tables)] if tables else []


def _particulars(results: Results, material: Material) -> Section:
    """Settings, seeds, versions, machine, grammars."""
    grammars = {cell.problem: cell.grammar for cell in results.cells}
    described = {cell.problem: _described(cell) for cell in results.cells}
    sessions = [
        Facts({"began": session.began, **session.machine, **session.versions}, f"Session {number}")
        for number, session in enumerate(results.sessions, 1)
    ]
    return Section(
        "How it was made",
        "making",
        [
            Facts(described, "Problems"),
            *material.named("settings"),
            Details("Grammars", [Code(text, problem) for problem, text in grammars.items()]),
            Details("Every run, with its seed", material.named("runs")),
            Details("Machine and versions", sessions),
        ],
    )


def _described(cell: Cell) -> str:
    """A problem in words."""
    facts = cell.facts
    parts = [facts["description"]]
    if facts.get("clip"):
        parts.append("predictions are limited to the range of the training target, extended by its width at both ends")
    if facts.get("timeout"):
        parts.append(f"an evaluation may take {facts['timeout']:g} s")
    if facts.get("memory"):
        parts.append(f"an evaluation may use {facts['memory'] / 1e6:,.0f} MB")
    if facts.get("noisy"):
        parts.append("every occurrence of a program is evaluated")
    return "; ".join(parts)


def _failures(results: Results) -> Iterable[Section]:
    if not results.failures:
        return []
    parts = [Code(f.error, f"{f.cell.method} on {f.cell.problem}, seed {f.seed}") for f in results.failures[:20]]
    more = [f"… and {len(results.failures) - 20} more."] if len(results.failures) > 20 else []
    return [Section("Failed runs", "failed", [*parts, *more])]


def _footer(results: Results) -> Sequence[str]:
    version = results.sessions[-1].versions["gramarye"] if results.sessions else "none"
    made = "gramarye" if version == "none" else f"gramarye {version}"
    timed = any(cell.facts.get("timeout") or cell.facts.get("noisy") for cell in results.cells)
    repeated = "" if timed else " Every run can be repeated to the last bit from its method, problem and seed."
    return [f"Made by {made}.{repeated}"]
