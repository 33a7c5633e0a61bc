"""The front of the best run of each method on each problem."""

from __future__ import annotations

from typing import NamedTuple

from gramarye.direction import signed
from gramarye.objectives.worth import PICKS_BY
from gramarye.populations.history import Sized
from gramarye.show.figures.fronts import Front
from gramarye.show.tables.table import Table
from gramarye.show.tables.values import Cell as Value
from gramarye.store import Cell, Results
from gramarye.text import measure_name


class BestFront(NamedTuple):
    """The front of a method's best run on a problem."""

    cell: Cell
    seed: int
    members: list[Sized]

    @property
    def picked(self) -> int | None:
        """Which of them is worth its size."""
        return next((i for i, member in enumerate(self.members) if member.picked), None)

    @property
    def drawn(self) -> Front:
        """As figures take it."""
        return Front(
            [member.nodes for member in self.members],
            [member.fitness for member in self.members],
            [member.test for member in self.members],
            self.picked,
            measure_name(self.cell.facts.get("error", "fitness")),
        )


def best_fronts(results: Results) -> list[BestFront]:
    """The fronts of the best runs, cell by cell; none of files that older versions have written."""
    found = []
    for cell in results.cells:
        winners = results.winners(cell)
        if winners:
            seed = min(winners, key=lambda winner: signed(winner.found.fitness, cell.direction)).seed
            members = results.front(cell, seed)
            found += [BestFront(cell, seed, members)] if members else []
    return found


def fronts_table(results: Results) -> Table | None:
    """The fronts of the best runs, the picked programs bold; None where there are none."""
    rows: list[tuple[Value, ...]] = []
    bold: list[int] = []
    for each in best_fronts(results):
        for i, member in enumerate(each.members):
            bold += [len(rows)] if i == each.picked else []
            test = member.test if each.cell.tests else None
            where = each.cell.problem, each.cell.method, each.seed
            rows.append((*where, member.nodes, member.fitness, test, "yes" if member.picked else "no", member.formula))
    if not rows:
        return None
    names = ("problem", "method", "seed", "nodes", "fitness", "test", "picked", "program")
    columns: dict[str, list[Value]] = {
        name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)
    }
    if all(value is None for value in columns["test"]):
        del columns["test"]
    return Table(
        "fronts",
        "The fronts of the best runs: the best program of each size",
        columns,
        {name: ".4g" for name in ("fitness", "test") if name in columns},
        "A program is listed if it is better than all smaller ones. Picked: the one that is worth its size; where the "
        f"problem is a table of data, by {PICKS_BY}.",
        frozenset(("nodes", row) for row in bold),
    )
