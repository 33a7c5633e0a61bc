"""Tables of the runs themselves: best programs, every run with its seed, the settings that ran."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gramarye.comparison.pair_tables import PROGRAMS, RUNS, number_format, table_of
from gramarye.direction import signed
from gramarye.show.tables.table import Table
from gramarye.show.tables.values import Cell as Value
from gramarye.store import Results


def best_programs(results: Results) -> Table:
    """The best program of each method on each problem."""
    rows: list[dict[str, Value]] = []
    for cell in results.cells:
        winners = results.winners(cell)
        if winners:
            best = min(winners, key=lambda winner: signed(winner.found.fitness, cell.direction))
            test = best.found.test if cell.tests else None
            run: dict[str, Value] = {"problem": cell.problem, "method": cell.method, "seed": best.seed}
            rows.append({**run, "fitness": best.found.fitness, "test": test, "program": best.found.formula})
    formats = {name: number_format([row[name] for row in rows]) for name in ("fitness", "test")}
    return table_of("best-programs", "The best program of all runs", rows, PROGRAMS, formats)


def every_run(results: Results) -> Table:
    """Every run with its seed."""
    rows: list[dict[str, Value]] = []
    for cell in results.cells:
        best = {winner.seed: winner.found.formula for winner in results.winners(cell)}
        finals = [results.final(cell, column).tolist() for column in ("best_so_far", "test", "evaluations")]
        for seed, fitness, test, evaluations in zip(results.seeds(cell).tolist(), *finals, strict=True):
            run: dict[str, Value] = {"problem": cell.problem, "method": cell.method, "seed": seed, "fitness": fitness}
            tested = None if np.isnan(test) else test
            rows.append({**run, "test": tested, "evaluations": int(evaluations), "program": best.get(seed)})
    formats = {name: number_format([row[name] for row in rows]) for name in ("fitness", "test")}
    return table_of("runs", "Every run", rows, RUNS, formats | {"evaluations": ","})


def settings_that_ran(results: Results) -> Table:
    """The settings that the methods ran with."""
    by_method = {cell.method: cell.settings for cell in results.cells}
    names = list(dict.fromkeys(name for settings in by_method.values() for name in settings))
    columns: dict[str, Sequence[Value]] = {"setting": names}
    for method, settings in by_method.items():
        columns[method] = [str(settings[name]) if name in settings else None for name in names]
    return Table("settings", "Settings that ran", columns)
