"""A fit to a table: the model, the runs that found it, and how well it predicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.engine.run import Run
from gramarye.models.model import Model
from gramarye.records.document import head


@dataclass(frozen=True)
class Sample:
    """Rows of a table, and what a model predicts for them."""

    name: str  # "training" or "test"
    observed: NDArray[Any]
    predicted: NDArray[Any]
    weights: NDArray[np.float64] | None = None  # None: all rows count alike

    @property
    def accuracy(self) -> float:
        """The share of rows whose class is predicted."""
        return float(np.average(self.observed == self.predicted, weights=self.weights))

    @property
    def r2(self) -> float:
        """R², 1 for exact predictions; NaN where the target is constant."""
        with np.errstate(all="ignore"):
            weights = 1.0 if self.weights is None else self.weights
            spread = (weights * (self.observed - np.average(self.observed, weights=self.weights)) ** 2).sum()
            error = (weights * (self.observed - self.predicted) ** 2).sum()
            return float(1 - error / spread) if spread > 0 else float("nan")


@dataclass(frozen=True)
class Fit:
    """What `gramarye fit` has found."""

    source: str  # the name of the file
    model: Model
    runs: tuple[Run, ...]  # the first for each formula, with the front of all
    searched: tuple[tuple[Run, ...], ...]  # for each formula, all of its runs
    samples: tuple[Sample, ...]  # training, and test where rows were held out

    @property
    def score_name(self) -> str:
        """What `scores` are called."""
        return "R²" if self.model.classes_ is None else "accuracy"

    @property
    def scores(self) -> dict[str, float]:
        """How well the model predicts each sample."""
        numbers = self.model.classes_ is None
        return {sample.name: sample.r2 if numbers else sample.accuracy for sample in self.samples}

    @property
    def labels(self) -> list[str]:
        """What each formula is for: the target, or a class."""
        target = self.model.facts.target or "target"
        if self.model.classes_ is None:
            return [target]
        return [f"{target} = {label}" for label in self.model.formulas_]

    @property
    def ended(self) -> bool:
        """Whether all runs came to their end."""
        return all(run.ended_by is not None for runs in self.searched for run in runs)

    @property
    def evaluations(self) -> int:
        """Of all runs."""
        return sum(run.evaluations for runs in self.searched for run in runs)

    @property
    def seconds(self) -> float:
        """Of all runs."""
        return sum(run.seconds for runs in self.searched for run in runs)

    def document(self, files: Mapping[str, Path]) -> dict[str, Any]:
        """Everything, as `gramarye fit --json` prints it."""
        return {
            **head("fit", version=1),
            "data": self.source,
            "target": self.model.facts.target,
            "rows": {sample.name: len(sample.observed) for sample in self.samples},
            "score": "r2" if self.model.classes_ is None else "accuracy",
            "scores": self.scores,
            "finished": self.ended,
            "model": self.model.document(),
            "files": {what: str(path) for what, path in files.items()},
        }
