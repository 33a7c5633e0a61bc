"""A problem from a CSV file."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from gramarye.data import CSV
from gramarye.errors import DataError, did_you_mean
from gramarye.grammar import Grammar
from gramarye.objectives.regression import Regression


def from_csv(
    path: str | PathLike[str],
    grammar: Grammar,
    *,
    target: str | None = None,
    sample_weight: str | None = None,
    **options: Any,
) -> Regression:
    """Learn one column of a CSV file from the others.

    Parameters
    ----------
    path
        A file whose first line names the columns; they are separated by commas, semicolons or tabs.
    grammar
        A grammar of formulas that knows the columns by their names.
    target
        The column to learn (default: the last one).
    sample_weight
        A column that says how much each row counts. It is left out of the features.
    **options
        Further arguments of `gramarye.Regression`; `name` and `description` are by default those of the file.

    Returns
    -------
    Regression
        The problem.
    """
    path = Path(path)
    table = CSV(path)
    names = table.columns
    target = names[-1] if target is None else target
    for name in (target, sample_weight):
        if name is not None and name not in names:
            near = did_you_mean(name, names) or f"; it has {', '.join(names)}"
            raise DataError(f"{path}: no column is called {name!r}{near}")
    if target == sample_weight:
        raise DataError(f"{path}: the column {target!r} can't be target and sample_weight at once")
    features = [name for name in names if name not in (target, sample_weight)]
    if not features:
        raise DataError(f"{path}: besides the target {target!r} there is no column to learn from")
    options = {"name": path.stem, "description": path.name, **options}
    weights = None if sample_weight is None else table[[sample_weight]]
    return Regression(table[features], table[[target]], grammar, sample_weight=weights, **options)
