"""The front of a run, on a terminal: error against size."""

from __future__ import annotations

import numpy as np
from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text

from gramarye.engine.individual import Individual
from gramarye.engine.run import Run
from gramarye.terminal.parts import heading, listing, program
from gramarye.text import measure_name, number, rounded, shown

MOST = 12  # programs on a page
PICKED = "bold green"


def front_part(run: Run) -> list[RenderableType]:
    """A table of the front, cut to the screen, and the picked program as a whole."""
    picked = run.picked
    parts = front_table(run, picked)
    same = picked.formula == run.best.formula
    return parts if same else [*parts, heading("Picked program"), program(str(picked.formula))]


def front_table(
    run: Run, picked: Individual | None, title: str = "The front: the best program of each size", picked_by: str = ""
) -> list[RenderableType]:
    """A table of the front, cut to the screen, with the picked program marked."""
    measure = measure_name(getattr(run.problem, "error", "fitness"))
    formulas = run.problem.dataset is not None
    tests = any(np.isfinite(member.test_fitness) for member in run.front)
    heads = [
        "",
        "nodes",
        measure,
        *([f"{measure} in test"] if tests else []),
        "formula, rounded" if formulas else "program",
    ]
    table = listing(heads, right=heads[1:-1])
    last, table.expand = table.columns[-1], True
    last.overflow, last.no_wrap, last.ratio = "ellipsis", True, 1  # it gets what the others leave
    place = next((i for i, member in enumerate(run.front) if member is picked), 0)
    chosen = shown_places(len(run.front), place)
    rows = [_row(run.front[i], run.front[i] is picked, tests, formulas) for i in chosen]
    for row in rows:
        table.add_row(*(Text(cell, style=PICKED if row[0] else "") for cell in row))
    for k, column in enumerate(table.columns[:-1]):
        column.min_width = max(cell_len(text) for text in (heads[k], *(row[k] for row in rows)))
    left_out = len(run.front) - len(chosen)
    more = f"; {left_out} more not shown, --json lists them all" if left_out else ""
    note = Text(f"* picked by {picked_by or run.problem.picks_by}{more}", style="dim")
    return [heading(title), table, note]


def _row(member: Individual, picked: bool, tests: bool, formulas: bool) -> list[str]:
    test = [number(member.test_fitness)] if tests else []
    text = shown(str(member.formula))
    return [
        "*" if picked else "",
        f"{member.nodes:,}",
        number(member.fitness),
        *test,
        rounded(text) if formulas else text,
    ]


def shown_places(count: int, picked: int) -> list[int]:
    """Which of so many are shown: the first, the last, the picked one, and others evenly between them."""
    if count <= MOST:
        return list(range(count))
    even = [round(i * (count - 1) / (MOST - 1)) for i in range(MOST)]
    if picked not in even:  # it takes the place of its nearest neighbour, unless that is at an end
        even[min(range(1, MOST - 1), key=lambda i: abs(even[i] - picked))] = picked
    return even
