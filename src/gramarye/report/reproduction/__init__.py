"""An experiment as a reproduction of the PGE paper: our numbers beside the paper's, and whether they agree."""

from __future__ import annotations

from gramarye.report.reproduction.sections import reproduction_sections, tables_in

__all__ = ["reproduction_sections", "tables_in"]
