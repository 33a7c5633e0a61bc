"""The report of a fit on one page: formula, front, predictions, error over time, data and grammar."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gramarye.errors import MissingExtraError
from gramarye.files import check_output
from gramarye.models.fit import Fit
from gramarye.models.formula import Front
from gramarye.settings import INT_MAX
from gramarye.show.figures import fitness, fronts, predictions
from gramarye.show.figures.saving import svg_text
from gramarye.show.figures.theme import Line
from gramarye.show.html.page import Code, Details, Facts, Figure, Part, Section, render
from gramarye.show.tables.table import Table
from gramarye.show.tables.values import Cell
from gramarye.text import counted, measure_name, rounded

LARGER = "A formula is larger where its class is more likely"


def check_report_path(path: Path) -> None:
    """Raise now what would be raised after a long search: no Matplotlib, no such folder, no permission."""
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("Matplotlib", "report")
    check_output(path, ".html")


def report_page(fit: Fit) -> str:
    """The text of an HTML file that needs nothing else."""
    facts = fit.model.facts
    scores = ", ".join(f"{fit.score_name} {score:.4g} in {name}" for name, score in fit.scores.items())
    rows, first = counted(facts.rows, "row"), fit.runs[0]
    lead = [f"Found in {rows} of {fit.source} by {type(first.method).__name__}, seed {first.seed}: {scores}."]
    if not fit.ended:
        lead.append("The search was stopped early: this is the best so far.")
    what = "A formula for" if len(fit.runs) == 1 else "Formulas for"
    versions = ", ".join(f"{name} {version}" for name, version in first.versions.items())
    return render(f"{what} {facts.target}", lead, _sections(fit), [f"Written by gramarye: {versions}."])


def _sections(fit: Fit) -> list[Section]:
    return [
        Section("Formula" if len(fit.runs) == 1 else "Formulas", "formula", _formulas(fit)),
        Section("Predictions", "predictions", [_predictions(fit)]),
        Section("Error against size", "front", _fronts(fit)),
        Section("Error over time", "progress", [_progress(fit)]),
        Section("Data and search", "data", _data(fit)),
    ]


def _formulas(fit: Fit) -> list[Part]:
    classes = fit.model.classes_ is not None
    parts: list[Part] = []
    for label, front in zip(fit.labels, fit.model.fronts, strict=True):
        parts.append(Code(str(front.formula) if classes else f"{label} ≈ {front.formula}", label if classes else ""))
    if classes:
        return [*parts, f"{LARGER}; a logistic regression turns what the formulas give into probabilities."]
    found = fit.model.python()
    parts += [f"It gives what the model predicts if {' and '.join(found.assumptions)}."] if found.assumptions else []
    forms = {"As Python source": str(found), "As LaTeX": str(fit.model.latex())}
    return [*parts, *(Details(title, [Code(text)]) for title, text in forms.items())]


def _predictions(fit: Fit) -> Part:
    """A picture of numbers, a table of classes."""
    classes, target = fit.model.classes_, fit.model.facts.target or "target"
    if classes is None:
        pairs = {sample.name: (sample.observed, sample.predicted) for sample in fit.samples}
        return Figure("predictions", "Predictions against the data.", svg_text(predictions.predictions(pairs, target)))
    columns: dict[str, list[Cell]] = {"sample": [], "class": [], **{f"predicted {label}": [] for label in classes}}
    for sample in fit.samples:
        for label in classes:
            columns["sample"].append(sample.name)
            columns["class"].append(str(label))
            for other in classes:
                count = int(((sample.observed == label) & (sample.predicted == other)).sum())
                columns[f"predicted {other}"].append(count)
    return Table("confusion", "Rows of each class, by the class that is predicted", columns)


def _fronts(fit: Fit) -> list[Part]:
    measure = fit.runs[0].problem.measure
    drawn = {label: _front(front, measure) for label, front in zip(fit.labels, fit.model.fronts, strict=True)}
    caption = "The most accurate formula of each size; the ring marks the one that was picked."
    parts: list[Part] = [Figure("front", caption, svg_text(fronts.fronts(drawn, "Error against size")))]
    for k, (label, front) in enumerate(zip(fit.labels, fit.model.fronts, strict=True)):
        formulas = front.formulas
        columns: dict[str, Sequence[Cell]] = {
            "nodes": [formula.nodes for formula in formulas],
            measure_name(fit.model.measure): [formula.error for formula in formulas],
            "formula, rounded": [rounded(str(formula)) for formula in formulas],
        }
        bold = frozenset((name, front.picked) for name in columns)
        name = "front" if len(fit.runs) == 1 else f"front-{k + 1}"
        table = Table(name, f"The front for {label}", columns, note="Bold: the picked formula.", emphasised=bold)
        parts.append(table if len(fit.runs) == 1 else Details(f"The front for {label}", [table]))
    return parts


def _front(front: Front, measure: str) -> fronts.Front:
    sizes, errors = [formula.nodes for formula in front.formulas], [formula.error for formula in front.formulas]
    return fronts.Front(sizes, errors, [np.nan] * len(sizes), front.picked, measure, "formula")


def _progress(fit: Fit) -> Part:
    lines = [
        Line(label if len(runs) == 1 else f"{label}, run {k}", run.history["evaluations"], run.history["best_so_far"])
        for label, runs in zip(fit.labels, fit.searched, strict=True)
        for k, run in enumerate(runs, 1)
    ]
    panel = fitness.Panel("Least error of all formulas so far", lines, measure_name(fit.model.measure))
    caption = "The error of the most accurate formula, whatever its size, over the search."
    return Figure("progress", caption, svg_text(fitness.progress([panel], xlabel="evaluations")))


def _data(fit: Fit) -> list[Part]:
    facts, first = fit.model.facts, fit.runs[0]
    columns = Table(
        "columns",
        "Columns",
        {
            "column": [column.name for column in facts.columns],
            "kind": [{"flag": "boolean"}.get(column.kind, column.kind) for column in facts.columns],
            "texts": [", ".join(column.levels) for column in facts.columns],
        },
    )
    rows = {f"rows in {sample.name}": len(sample.observed) for sample in fit.samples}
    scores = {f"{fit.score_name} in {name}": score for name, score in fit.scores.items()}
    work: dict[str, Cell] = {
        "evaluations": f"{fit.evaluations:,}",
        "seconds": round(fit.seconds, 2),
        "seed": first.seed,
        "method": type(first.method).__name__,
    }
    settings: dict[str, Cell] = {
        name: "no limit" if value == INT_MAX else str(value) for name, value in first.settings.items()
    }
    return [
        Facts({"file": fit.source, **rows, **scores, **work}),
        Details("Columns", [columns]),
        Details("Settings of the search", [Facts(settings)]),
        Details("Grammar", [Code(fit.model.grammar.text)]),
    ]
