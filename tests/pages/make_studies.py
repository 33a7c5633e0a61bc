"""The pages on studies in docs/, with tables that the program makes of runs that were kept.

    python tests/pages/make_studies.py                             # writes the pages anew
    python tests/pages/make_studies.py twelve twelve/results.db    # keeps the runs of an experiment first

The prose is in the files of these names beside this one; {means} and the like become tables. The runs are in
docs/experiments/*.csv: enough to compute every number of the pages, and to tell whether a run still ends as it did.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from gramarye import statistics
from gramarye.comparison.comparison import Comparison
from gramarye.comparison.result_tables import plus_minus
from gramarye.comparison.samples import Data
from gramarye.show.tables.table import Table
from gramarye.store import Cell, Results

ROOT = Path(__file__).parents[2]
STUDIES = ("twelve", "learning-rules", "selection")  # pages; learning-rules-again is on the second
# By study: one method against each of some others, by default all.
AGAINST: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {
    "twelve": {"against-pge": ("PGE", ())},
    "learning-rules": {"against-pge": ("PGE", ())},
    "selection": {
        "against-cfggp": ("CFGGP tournament", ("CFGGP lexicase", "CFGGP epsilon", "CFGGP sampled")),
        "against-pge": ("PGE tournament", ("PGE epsilon",)),
    },
}
COLUMNS = ("problem", "method", "seed", "fitness", "test", "evaluations", "invalid", "distinct", "nodes", "seconds")
NODE = re.compile(r"[A-Za-z_]\w*|\d+\.\d+|[-+*/]")  # of an expression: what is neither a bracket nor a comma


def kept(study: str) -> Path:
    """Where the runs of a study are."""
    return ROOT / "docs" / "experiments" / f"{study}.csv"


def keep(study: str, database: str) -> None:
    """Write down the runs of an experiment."""
    with Results.open(database) as results, kept(study).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for cell in results.cells:
            writer.writerows(_lines(results, cell))


def _lines(results: Results, cell: Cell) -> list[list[Any]]:
    programs = {winner.seed: winner.found.phenotype for winner in results.winners(cell)}
    fitness, test, evaluations, distinct = (
        results.final(cell, column).tolist() for column in ("best_so_far", "test", "evaluations", "distinct")
    )
    invalid = results.history(cell, "invalid").sum(axis=1).tolist()
    return [
        [
            *(cell.problem, cell.method, seed, fitness[i], test[i] if cell.tests else "", int(evaluations[i])),
            *(int(invalid[i]), int(distinct[i]), len(NODE.findall(programs[seed])), f"{seconds:.3f}"),
        ]
        for i, (seed, seconds) in enumerate(
            zip(results.seeds(cell).tolist(), results.seconds(cell).tolist(), strict=True)
        )
    ]


def runs(study: str) -> list[dict[str, str]]:
    """The runs of a study as they were kept."""
    with kept(study).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def comparison(study: str) -> Comparison:
    """The program's own comparison of these runs."""
    rows = runs(study)
    methods = tuple(dict.fromkeys(row["method"] for row in rows))
    made = Comparison(SimpleNamespace(methods=methods, cells=()))  # type: ignore[arg-type]
    made.__dict__["data"] = [
        _data([row for row in rows if row["problem"] == problem], methods, column)
        for problem in dict.fromkeys(row["problem"] for row in rows)
        for column in ("fitness", "test")
        if any(row["problem"] == problem and row[column] for row in rows)
    ]
    return made


def _data(rows: list[dict[str, str]], methods: tuple[str, ...], column: str) -> Data:
    by_method = {method: [row for row in rows if row["method"] == method] for method in methods}
    return Data(
        problem=rows[0]["problem"],
        column="test" if column == "test" else "best_so_far",
        cells={},
        finals={method: np.array([float(row[column]) for row in some]) for method, some in by_method.items()},
        seeds={method: np.array([int(row["seed"]) for row in some]) for method, some in by_method.items()},
        measure="RRSE",
        direction="minimise",
        tests=bool(rows[0]["test"]),
    )


def means(made: Comparison) -> Table:
    """Mean ± standard deviation, and median, of all methods; the best of a column is bold."""
    columns: dict[str, Any] = {"method": made.results.methods}
    bold = set()
    for data in made.data:
        described: list[Any] = [statistics.describe(values) for values in data.finals.values()]
        columns[data.label] = [plus_minus(each, 3) for each in described]
        columns[f"{data.label}, median"] = [f"{each.median:.3f}" for each in described]
        bold.add((data.label, int(np.argmin([each.mean for each in described]))))
        bold.add((f"{data.label}, median", int(np.argmin([each.median for each in described]))))
    return Table("means", "Final error", columns, emphasised=frozenset(bold))


def costs(study: str) -> Table:
    """What the runs of each method took, on average."""
    rows = runs(study)
    columns: dict[str, Any] = {"method": list(dict.fromkeys(row["method"] for row in rows))}
    for problem in dict.fromkeys(row["problem"] for row in rows):
        here = [[r for r in rows if (r["problem"], r["method"]) == (problem, m)] for m in columns["method"]]
        columns[f"{problem}: invalid"] = [f"{_mean(some, 'invalid') / 500:.1f} %" for some in here]  # of 50,000
        columns[f"{problem}: programs"] = [f"{_mean(some, 'distinct'):,.0f}" for some in here]
        columns[f"{problem}: nodes"] = [f"{np.median([float(row['nodes']) for row in some]):g}" for some in here]
        columns[f"{problem}: seconds"] = [f"{np.median([float(row['seconds']) for row in some]):.2f}" for some in here]
    return Table("costs", "What they took", columns)


def _mean(rows: list[dict[str, str]], column: str) -> float:
    return float(np.mean([float(row[column]) for row in rows]))


def against(made: Comparison, first: str, others: tuple[str, ...] = ()) -> Table:
    """One method against each of the others: A12 with its interval, and the corrected p, for each column of data."""
    others = others or tuple(method for method in made.results.methods if method != first)
    columns: dict[str, Any] = {"against": list(others)}
    bold = set()
    rows = [dict(zip(made.tests.columns, row, strict=True)) for row in zip(*made.tests.columns.values(), strict=True)]
    for data in made.data:
        cells = []
        for k, other in enumerate(columns["against"]):
            pair = next(r for r in rows if r["data"] == data.label and {r["first"], r["second"]} == {first, other})
            sizes = [pair["A12"], pair["low"], pair["high"]]
            size, low, high = sizes if pair["first"] == first else [1 - sizes[i] for i in (0, 2, 1)]
            p = "<0.001" if pair["corrected"] < 0.001 else f"{pair['corrected']:.3f}"
            cells.append(f"{size:.2f} ({low:.2f}–{high:.2f}), p {p if p.startswith('<') else f'= {p}'}")
            bold |= {(data.label, k)} if pair["better"] else set()
        columns[data.label] = cells
    return Table("against", f"{first} against the others", columns, emphasised=frozenset(bold))


def markdown(table: Table) -> str:
    """The lines of a table, without its title and its note."""
    return "\n".join(line for line in table.to_markdown().splitlines() if line.startswith("|"))


def page(study: str) -> str:
    """The whole page."""
    text = Path(__file__).with_name(f"{study}.md").read_text(encoding="utf-8")
    made = comparison(study)
    tables = {table.name: table for table in (made.kruskal, *made.overviews, made.ranks) if table is not None}
    tables |= {"means": means(made), "costs": costs(study)}
    tables |= {name: against(made, *methods) for name, methods in AGAINST[study].items()}
    if study == "learning-rules":
        again = comparison("learning-rules-again")
        tables |= {"again means": means(again), "again pairs": against(again, "frequencies")}
    for name, table in tables.items():
        text = text.replace(f"{{{name}}}", markdown(table)).replace(f"{{{name} note}}", table.note)
    for name, words in ranks(made).items():
        text = text.replace(f"{{{name}}}", words)
    return text


def ranks(made: Comparison) -> dict[str, str]:
    """The methods by their mean ranks, the best first, and Friedman's p."""
    if made.ranks is None:
        raise SystemExit("there is one problem only: no ranks")
    columns: dict[str, Any] = dict(made.ranks.columns)
    by_rank = sorted(zip(columns["mean rank"], columns["method"], strict=True), key=lambda r: r[0])
    p = re.search(r"p [<=] [\d.]+\d", made.ranks.note)
    return {
        "ranks line": ", ".join(f"{method} {rank:.2f}" for rank, method in by_rank),
        "friedman p": p[0] if p else "no test",
    }


if __name__ == "__main__":
    if len(sys.argv) == 3:
        keep(*sys.argv[1:])
    for study in STUDIES:
        (ROOT / "docs" / f"{study}.md").write_text(page(study), encoding="utf-8", newline="\n")
