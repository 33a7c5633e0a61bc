"""Why individuals had no fitness in an experiment, where functions of the user's were called."""

from __future__ import annotations

import numpy as np

from gramarye.comparison.result_tables import table_of
from gramarye.populations.history import FAILURES
from gramarye.show.tables.table import Table
from gramarye.show.tables.values import Cell as Value
from gramarye.store import Cell, Results

SHOWN = FAILURES[1:]  # that the engine itself does not cause
COLUMNS = ("problem", "method", "evaluations", *(name.replace("_", " ") for name in FAILURES))


def failures_table(results: Results) -> Table | None:
    """How many individuals failed, and how; None where no evaluation did, or where a file does not say."""
    if not set(FAILURES) <= set(results.facts["columns"]):
        return None
    counts = [(cell, {name: _total(results, cell, name) for name in FAILURES}) for cell in results.cells]
    failed = [(cell, count) for cell, count in counts if any(count[name] for name in SHOWN)]
    if not failed:
        return None
    rows: list[dict[str, Value]] = [
        {
            "problem": cell.problem,
            "method": cell.method,
            "evaluations": int(results.final(cell, "evaluations").sum()),
            **{name.replace("_", " "): count[name] for name in FAILURES},
        }
        for cell, count in failed
    ]
    late = any(count["timeout"] for _, count in failed)
    note = "Runs in which a time limit struck may differ on another machine." if late else ""
    title = "Individuals whose evaluation failed, by what happened"
    return table_of("failed-evaluations", title, rows, COLUMNS, dict.fromkeys(COLUMNS[2:], ","), note)


def _total(results: Results, cell: Cell, name: str) -> int:
    """A count of all generations of all runs; those that ended earlier repeat their last record."""
    history = results.history(cell, name)
    made = np.arange(history.shape[1]) < results.lengths(cell)[:, None]
    return int(history[made].sum())
