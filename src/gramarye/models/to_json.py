"""A model as plain values, as its JSON file holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.engine.run import Run
from gramarye.errors import OutputError
from gramarye.grammar import Grammar
from gramarye.grammar.columns import Column
from gramarye.models.calibration import Calibration
from gramarye.models.facts import Facts
from gramarye.models.formula import Formula, Front
from gramarye.records.document import head

VERSION = 2
KINDS = {"number": "number", "flag": "boolean", "text": "text"}  # of columns, as users call them


def document(
    facts: Facts,
    grammar: Grammar,
    measure: str,
    fronts: Sequence[Front],
    search: Mapping[str, Any],
    classes: NDArray[Any] | None,
    calibration: Calibration | None,
) -> dict[str, Any]:
    """Everything about a model; phenotypes and weights are what is read back, formulas are for people."""
    return {
        **head("model", VERSION),
        "target": facts.target,
        "classes": None if classes is None else _classes(classes),
        "columns": [_column(column) for column in facts.columns],
        "columns_by": "name" if facts.named else "position",
        "rows": facts.rows,
        "error_measure": measure,
        "fronts": [_front(front) for front in fronts],
        "calibration": None if calibration is None else vars(calibration),
        "grammar": grammar.text,
        "search": search,
    }


def search(runs: Sequence[Run]) -> dict[str, Any]:
    """How some runs came about."""
    first = runs[0]
    return {
        "method": first.method.name,
        "settings": first.settings,
        "seed": first.seed,
        "runs": len(runs),
        "generations": sum(run.generations for run in runs),
        "evaluations": sum(run.evaluations for run in runs),
        "seconds": round(sum(run.seconds for run in runs), 3),
        "finished": all(run.ended_by is not None for run in runs),
        "versions": first.versions,
    }


def _classes(classes: NDArray[Any]) -> list[Any]:
    """The classes as JSON has them: texts, numbers or booleans."""
    found: list[Any] = classes.tolist()
    for label in found:
        if not isinstance(label, str | bool | int | float):
            what = f"the class {label!r} is of type {type(label).__name__}, which JSON does not have"
            raise OutputError(f"{what}; turn the classes into texts or numbers and fit again")
    return found


def _column(column: Column) -> dict[str, Any]:
    levels = {"levels": column.levels} if column.kind == "text" else {}
    return {"name": column.name, "kind": KINDS[column.kind], **levels}


def _front(front: Front) -> dict[str, Any]:
    """A front; what its formulas share is written once."""
    first = front.formulas[0]
    return {
        "picked": front.picked,
        "limits": first.limits,
        "most_terms": 0 if first.weights is None else len(first.weights) - 1,
        "formulas": [_formula(formula) for formula in front.formulas],
    }


def _formula(formula: Formula) -> dict[str, Any]:
    weights = formula.weights
    return {
        "nodes": formula.nodes,
        "error": formula.error,
        "formula": str(formula),
        "phenotype": formula.derivation.phenotype,
        "weights": None if weights is None else np.asarray(weights)[: 1 + formula.terms],
        "special_cases": [guard.name.lower() for guard in formula.guards],
    }
