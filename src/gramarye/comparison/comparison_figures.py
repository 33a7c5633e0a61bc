"""The figures of a comparison, drawn from its samples."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramarye.comparison.best_fronts import best_fronts
from gramarye.comparison.result_tables import ALPHA
from gramarye.comparison.samples import Data, worst_last
from gramarye.show.figures.fitness import Panel, progress
from gramarye.show.figures.forest import Effect, effects
from gramarye.show.figures.fronts import fronts
from gramarye.show.figures.ranking import ranks
from gramarye.show.figures.rules import probabilities
from gramarye.show.figures.runs import distributions
from gramarye.show.figures.theme import Line
from gramarye.show.report import Drawing
from gramarye.statistics import Friedman, mean_band, nemenyi
from gramarye.store import Cell, Results
from gramarye.text import counted, slug

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_RULES = 12  # figures of what was learned
MOST_PAIRS = 40  # rows of one figure
PLACES = 200  # on an axis of evaluations, where runs have spent them differently


def progress_figure(results: Results, data: Sequence[Data]) -> Figure:
    """Mean best fitness over the generations, a panel for each column of data."""
    over, panels = _xlabel(results), []
    for each in data:
        lines = [_line(results, method, cell, each.column, over) for method, cell in each.cells.items()]
        panels.append(Panel(each.label, lines, f"mean best {each.measure}", each.direction))
    return progress(panels, xlabel=over)  # side by side they would be too small for a phone


def of_data(results: Results, data: Sequence[Data]) -> dict[str, Drawing]:
    """For each problem how fitness progressed, for each column of data how the runs ended."""
    found: dict[str, Drawing] = {}
    for problem in dict.fromkeys(each.problem for each in data if each.finals):
        panels = [each for each in data if each.problem == problem]
        found[free_name(f"progress-{slug(problem)}", found)] = Drawing(
            progress_figure(results, panels),
            f"Best fitness over the {_xlabel(results)}s on {problem}: mean of all runs with its 95 % confidence band; "
            f"thin: median; {panels[0].better}.{_of_ends(results, panels[0])}{_of_infinities(results, panels)}",
        )
        for each in panels:
            label = f"{each.measure} at the end"
            drawn = distributions(each.finals, each.label, xlabel=label, direction=each.direction)
            caption = f"Where the runs ended on {each.label}: each point is a run; {each.better}."
            found[free_name(f"runs-{slug(each.label)}", found)] = Drawing(drawn, caption)
    return found


def _of_ends(results: Results, data: Data) -> str:
    """What the caption says of evaluations that are passes over the data, and of runs that ended early."""
    passes = any(results.tunes(cell) for cell in data.cells.values()) and _xlabel(results) == "evaluation"
    early = any(len(set(results.lengths(cell).tolist())) > 1 for cell in data.cells.values())
    told = " Evaluations are passes over the data where constants are tuned." if passes else ""
    return told + (" A run that ended early counts with its last value from there on." if early else "")


def _of_infinities(results: Results, data: Sequence[Data]) -> str:
    """What the caption says of runs that were not finite all the time."""
    lost = []
    for each in data:
        for method, cell in each.cells.items():
            bad = int((~np.isfinite(results.history(cell, each.column))).any(axis=1).sum())
            lost += [f"{method}, {each.label}: {bad}"] if bad else []
    return f" Left out of the mean where they are not finite, runs of {'; '.join(lost)}." if lost else ""


def of_ranks(test: Friedman, methods: Sequence[str], problems: Sequence[str]) -> dict[str, Drawing]:
    """Mean ranks over the problems."""
    difference = nemenyi(len(methods), len(problems)) if len(problems) > 2 and len(methods) > 2 else None
    told = "" if difference is None else "; bars join those that Nemenyi's test does not tell apart"
    told += "; by Friedman's test they don't differ" if test.p is not None and test.p >= ALPHA else ""
    caption = f"Mean ranks by median fitness over {len(problems)} problems, the best at the right{told}."
    return {"ranks": Drawing(ranks(test.mean_ranks, methods, difference), caption)}


def of_pairs(rows: Sequence[Mapping[str, Any]]) -> dict[str, Drawing]:
    """Effect sizes of all pairs that have an interval; of too many, those of the best method on each data."""
    known = [row for row in rows if row["low"] is not None]
    if not known:
        return {}
    caption = "Effect sizes with their 95 % bootstrap intervals."
    if len(known) > MOST_PAIRS:
        known = [row for data in dict.fromkeys(row["data"] for row in known) for row in _of_the_best(known, data)]
        caption = f"The best method on each data against all others. {caption}"
    pairs = [
        Effect(f"{row['first']} – {row['second']}, {row['data']}", row["A12"], row["low"], row["high"]) for row in known
    ]
    return {"effects": Drawing(effects(pairs), caption)}


def _of_the_best(rows: Sequence[Mapping[str, Any]], data: str) -> list[Mapping[str, Any]]:
    """The pairs of the method with the largest effects on this data; it is the first of each."""
    here = [row for row in rows if row["data"] == data]
    both = here + [
        {**row, "first": row["second"], "second": row["first"]}
        | {"A12": 1 - row["A12"], "low": 1 - row["high"], "high": 1 - row["low"]}
        for row in here
    ]
    sums: dict[str, float] = {}
    for row in both:
        sums[row["first"]] = sums.get(row["first"], 0.0) + row["A12"]
    best = max(sums, key=lambda method: sums[method])
    return [row for row in both if row["first"] == best]


def of_fronts(results: Results) -> dict[str, Drawing]:
    """For each problem the front of the best run of each method."""
    found: dict[str, Drawing] = {}
    for problem in results.problems:
        best = {each.cell.method: each for each in best_fronts(results) if each.cell.problem == problem}
        if not best:
            continue
        cell = next(iter(best.values())).cell
        drawn = fronts(
            {method: each.drawn for method, each in best.items()},
            f"Error against size on {problem}",
            direction=cell.direction,
        )
        caption = (
            f"The front of each method's best run on {problem}: the best program of every size that is better than all "
            "smaller ones; a ring marks the one that is worth its size."
        )
        found[free_name(f"front-{slug(problem)}", found)] = Drawing(drawn, caption)
    return found


def of_learning(results: Results, rules: Mapping[str, str]) -> dict[str, Drawing]:
    """What runs recorded of a rule: of the one that is asked for, or else of the one that changed most."""
    found: dict[str, Drawing] = {}
    recorded = [(cell, cell.wording) for cell in results.cells if cell.wording and len(results.seeds(cell))]
    rest = len(recorded) - MOST_RULES
    for place, (cell, wording) in enumerate(recorded[:MOST_RULES], 1):
        grammar, means = results.grammar(cell), results.mean_probabilities(cell)
        changes = {
            name: float(np.abs(np.diff(means[[0, -1]][:, span], axis=0)).sum()) for name, span in grammar.spans.items()
        }
        asked = rules.get(cell.problem, "")
        rule = asked if asked in changes else max(changes, key=lambda name: changes[name])
        labels = [production.text for production in grammar.rules[rule]]
        title = f"{wording.rule.format(rule)}: {cell.method} on {cell.problem}"
        drawn = probabilities(np.arange(len(means)), means[:, grammar.spans[rule]], labels, title, wording.one)
        name = f"{wording.many}-{slug(cell.problem)}-{slug(cell.method)}"
        caption = f"{title}, mean of {counted(len(results.seeds(cell)), 'run')}."
        if not wording.guided:
            caption += " They did not guide the search."
        if rest > 0 and place == MOST_RULES:
            caption += f" What was recorded in {rest} more is not drawn; it is in results.db."
        found[free_name(name, found)] = Drawing(drawn, caption)
    return found


def free_name(name: str, taken: Container[str]) -> str:
    """The name, or with a number behind it where it is taken: two labels may look the same as names of files."""
    names = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(free for free in names if free not in taken)


def _xlabel(results: Results) -> str:
    """Generations, unless the methods have different numbers of them, or a budget: then what they cost."""
    same = len({cell.generations for cell in results.cells}) == 1
    budget = any(cell.limits["max_evaluations"] is not None for cell in results.cells)
    return "generation" if same and not budget else "evaluation"


def _line(results: Results, method: str, cell: Cell, column: str, over: str) -> Line:
    history = worst_last(results.history(cell, column), cell)
    x = np.arange(history.shape[1], dtype=np.float64)
    if over == "evaluation":
        x, history = _over_evaluations(results.history(cell, "evaluations"), history)
    mean, low, high = mean_band(history)
    return Line(method, x, mean, low, high, np.median(history, axis=0))


def _over_evaluations(
    evaluations: NDArray[np.float64], history: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Places [P] on an axis of evaluations, and what each run had reached there [runs, P]."""
    if (evaluations == evaluations[0]).all():
        return evaluations[0], history
    # Where constants are tuned, or runs end by a limit, each run has spent its evaluations in its own way.
    x = np.linspace(evaluations[:, 0].max(), max(evaluations[:, -1].max(), evaluations[:, 0].max()), PLACES)
    reached = [np.searchsorted(spent, x, side="right") - 1 for spent in evaluations]
    return x, np.stack([row[np.maximum(places, 0)] for row, places in zip(history, reached, strict=True)])
