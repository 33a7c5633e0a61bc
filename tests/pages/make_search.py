"""The page on the search of `TunedTrees`, docs/search.md, with tables of runs that were kept.

    python tests/pages/make_search.py                       # writes the page again
    python tests/pages/make_search.py search/results.db     # keeps the runs of docs/experiments/search.py first

The prose is in search.md next to this file; {parts} and the like become tables. The runs are in
docs/experiments/search.csv, the fits of `python -m bench.search` in docs/experiments/search-rivals.csv.
"""

from __future__ import annotations

import csv
import math
import re
import statistics
import sys
from pathlib import Path

from gramarye.store import Results

ROOT = Path(__file__).parents[2]
EXPERIMENTS = ROOT / "docs" / "experiments"
OURS = "TunedTrees"
FLOOR = 1e-12  # errors below come from rounding, and are alike
CLEAR = 0.02  # decades by which two errors differ, or they count as equal
EXACT = 1e-6  # an error on test rows below counts as a recovery of the formula

Row = dict[str, str]


def rows(name: str) -> list[Row]:
    """A file of results."""
    with (EXPERIMENTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def keep(database: str) -> None:
    """Write down the final errors of an experiment."""
    with (
        Results.open(database) as results,
        (EXPERIMENTS / "search.csv").open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("task", "method", "seed", "train", "evaluations"))
        for cell in results.cells:
            finals = zip(
                results.seeds(cell).tolist(),
                results.final(cell, "best_so_far").tolist(),
                results.final(cell, "evaluations").tolist(),
                strict=True,
            )
            writer.writerows((cell.problem, cell.method, seed, error, int(passes)) for seed, error, passes in finals)


def decades(error: float) -> float:
    """The logarithm of an error, between the floor and 1000."""
    return math.log10(min(max(error, FLOOR), 1e3))


def number(value: float) -> str:
    """An error in a table."""
    return f"{value:.2g}" if value < math.inf else "–"


def table(head: list[str], body: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, [":--", *["--:"] * (len(head) - 1)], *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def parts() -> str:
    """Each variant against the default, run by run with the same seed."""
    found = {(row["method"], row["task"], row["seed"]): float(row["train"]) for row in rows("search")}
    methods = list(dict.fromkeys(row["method"] for row in rows("search")))
    body = []
    for method in methods[1:]:
        pairs = [
            (decades(found[method, task, seed]), decades(error))
            for (name, task, seed), error in found.items()
            if name == methods[0]
        ]
        better, worse = (sum(sign * (one - other) > CLEAR for one, other in pairs) for sign in (-1, 1))
        apart = statistics.median(one - other for one, other in pairs)
        mean = statistics.fmean(one - other for one, other in pairs)
        error = statistics.stdev(one - other for one, other in pairs) / math.sqrt(len(pairs))
        body.append([method, str(len(pairs)), f"{mean:+.2f} ± {error:.2f}", f"{apart:+.2f}", f"{better} : {worse}"])
    return table(["", "runs", "difference in decades", "median", "better : worse"], body)


def medians() -> str:
    """The median error of each variant on each task."""
    found = rows("search")
    methods = list(dict.fromkeys(row["method"] for row in found))
    tasks = list(dict.fromkeys(row["task"] for row in found))

    def median(task: str, method: str) -> float:
        return statistics.median(float(r["train"]) for r in found if (r["task"], r["method"]) == (task, method))

    return table(["", *methods], [[task, *(number(median(task, method)) for method in methods)] for task in tasks])


def rivals() -> str:
    """Medians of training and test error of the best fit, and of what is recommended, with its size."""
    found = rows("search-rivals")
    methods, tasks = (list(dict.fromkeys(row[name] for row in found)) for name in ("method", "task"))
    body = []
    for task in tasks:
        line = [task]
        for method in sorted(methods, key=lambda name: name != OURS):
            some = [row for row in found if (row["task"], row["method"]) == (task, method)]
            errors = (statistics.median(float(row[column]) for row in some) for column in ("train", "test", "picked"))
            size = statistics.median(int(row["size"]) for row in some)
            line.append(" / ".join([*map(number, errors), f"{size:.0f}"]))
        body.append(line)
    return table(["", *sorted(methods, key=lambda name: name != OURS)], body)


def counts() -> dict[str, str]:
    """On how many tasks ours has the smaller median error than the better of the two rivals."""
    found = rows("search-rivals")
    tasks = list(dict.fromkeys(row["task"] for row in found))
    said = {"tasks": str(len(tasks))}
    for column in ("train", "test", "picked"):
        ahead = 0
        for task in tasks:
            by_method: dict[str, list[float]] = {}
            for row in found:
                if row["task"] == task:
                    by_method.setdefault(row["method"], []).append(decades(float(row[column])))
            middle = {method: statistics.median(errors) for method, errors in by_method.items()}
            ours = middle.pop(OURS)
            ahead += ours < min(middle.values())
        said[f"ahead-{column}"] = str(ahead)
    exact: dict[str, list[bool]] = {}
    for row in found:
        exact.setdefault(row["method"], []).append(float(row["test"]) < EXACT)
    said["exact"] = ", ".join(f"{method} {sum(hits)} of {len(hits)}" for method, hits in sorted(exact.items()))
    return said


def page() -> str:
    """The page."""
    made = {"parts": parts, "medians": medians, "rivals": rivals}
    text = (Path(__file__).parent / "search.md").read_text(encoding="utf-8")
    values = counts()
    return re.sub(r"\{([a-z-]+)\}", lambda match: made[match[1]]() if match[1] in made else values[match[1]], text)


if __name__ == "__main__":
    if sys.argv[1:]:
        keep(sys.argv[1])
    (ROOT / "docs" / "search.md").write_text(page(), encoding="utf-8")
