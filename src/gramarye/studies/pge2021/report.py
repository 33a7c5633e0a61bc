"""The report of a reproduction: what the paper says beside our numbers, then the comparison itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gramarye.comparison.comparison import Comparison
from gramarye.comparison.report_files import check_extras, tables_in, write_report
from gramarye.show.html.page import Section, Verdict
from gramarye.show.tables.table import Table
from gramarye.studies.pge2021.paper import DRAWN_RULES
from gramarye.studies.pge2021.sections import reproduction_sections

REPLACED = ("final-fitness", "kruskal-wallis")  # tables of which the paper's sections have their own


def write_reproduction(comparison: Comparison, folder: Path) -> tuple[Path, list[Table], list[str]]:
    """Write the report; its page, and what to look at first: tables, and what they say in words."""
    check_extras()
    sections = reproduction_sections(comparison.results)
    page = write_report(replace(comparison.contents(DRAWN_RULES), first=sections, leave_out=REPLACED), folder)
    return page, *headlines(sections)


def headlines(sections: list[Section]) -> tuple[list[Table], list[str]]:
    """The tables to look at first, and the verdicts in words."""
    means = next((table for table in tables_in(sections) if table.name == "paper-mean-best-fitness"), None)
    words = [part.text for section in sections for part in section.parts if isinstance(part, Verdict)]
    return [] if means is None else [means.only("Data", "Method", "Mean", "SD", "Paper", "Verdict")], words
