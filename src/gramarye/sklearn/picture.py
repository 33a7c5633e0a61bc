"""What the picture of a fitted model is drawn from: its runs and fronts, and the rows that it was fitted to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from gramarye.data import Dataset, NamedColumns
from gramarye.engine.individual import Individual
from gramarye.engine.run import Run
from gramarye.errors import SettingsError
from gramarye.models.joined import run_of
from gramarye.objectives import Regression
from gramarye.show.figures import theme
from gramarye.show.figures.fronts import Front
from gramarye.show.figures.model import Searched
from gramarye.show.figures.picture import check_picture_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def searched(runs: Sequence[Run], members: Sequence[Individual], picked: Individual, label: str = "") -> Searched:
    """The runs for one formula, as they are drawn."""
    place = next(i for i, member in enumerate(members) if member is picked)
    errors = [member.fitness for member in members]
    measure = runs[0].problem.measure
    return Searched(
        label,
        [run.history["evaluations"] for run in runs],
        [run.history["best_so_far"] for run in runs],
        runs.index(run_of(runs, picked)),
        Front([member.nodes for member in members], errors, [np.nan] * len(members), place, measure, "formula"),
    )


def fitted_rows(run: Run) -> tuple[Any, Dataset]:
    """The rows that a model was fitted to, as formulas take them, and with targets and weights."""
    data = cast(Regression, run.problem).dataset
    return data.columns.T if data.names is None else NamedColumns(data.columns.T, list(data.names)), data


def weights_of(data: Dataset) -> NDArray[np.float64] | None:
    """How much each row counts, as scikit-learn takes it."""
    return data.weights if len(data.weights) else None


def check_given(X: Any, y: Any, path: str | os.PathLike[str] | None) -> None:
    """Raise before anything is drawn."""
    if (X is None) != (y is None):
        given, missing = ("y", "X") if X is None else ("X", "y")
        raise SettingsError(f"{given} is given without {missing}; give both, or none to draw the training rows only")
    if path is not None:
        check_picture_path(path)


def saved(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    """The figure, which is also written if a path is given."""
    if path is not None:
        theme.write(figure, Path(path), dpi=150)
    return figure
