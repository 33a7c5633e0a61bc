"""Programs of a language over the rows of a dataset, and their errors."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.data import Dataset
from gramarye.derivations import Derivations, Status
from gramarye.execution import Threads
from gramarye.languages import Language, Programs
from gramarye.objectives.cache import Cache, Records, derivations_between, evaluation_of, only_whole
from gramarye.objectives.problem import Evaluator
from gramarye.populations.evaluation import Evaluation, Work

ErrorMeasure = Literal["rrse", "rmse", "mae", "1-r2"]
ERROR_MEASURES: tuple[ErrorMeasure, ...] = ("rrse", "rmse", "mae", "1-r2")
RELATIVE = ("rrse", "1-r2")  # those that are relative to the spread of the target
TOGETHER = 2**20  # outputs that are held at a time


class Scores(NamedTuple):
    """How good programs are."""

    errors: NDArray[np.float64]  # [N], +inf where they are not finite
    lines: NDArray[np.float64]  # [N, 2] intercept and slope of linear scaling; [N, 0] without it
    work: Work


class TableEvaluator(Evaluator):
    """Runs programs over the rows for training and for testing."""

    def __init__(
        self,
        language: Language,
        train: Dataset,
        test: Dataset | None,
        threads: Threads,
        *,
        error: ErrorMeasure,
        linear_scaling: bool = False,
    ) -> None:
        self._language, self._error, self._scales = language, error, linear_scaling
        self._train, self._test = train, test
        self._threads = threads
        weights = 2 if linear_scaling else 0
        self._derivations, self._programs = Cache(weights), Cache(weights)

    def evaluate(self, derivations: Derivations) -> Evaluation:
        whole = only_whole(derivations)
        found = self._derivations.look_up(whole.productions, whole.offsets, self._evaluate_derivations)
        return evaluation_of(derivations, *found)

    def cases(self, derivations: Derivations, weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Absolute errors in the training rows. Weights are not in them: they would not change who is best in a row."""
        evaluation, data = self.evaluate(derivations), self._train
        outputs = self._language.outputs(self._language.programs(derivations), data.columns)
        with np.errstate(all="ignore"):
            errors = np.abs(scaled(outputs, evaluation.weights if weights is None else weights) - data.target)
        errors[~evaluation.valid] = np.inf
        return errors

    def test(self, derivations: Derivations, weights: NDArray[np.float64] | None = None) -> float:
        if self._test is None or self._test.weight == 0:
            return float("nan")
        weights = self.evaluate(derivations).weights if self._scales and weights is None else weights
        return float(self._score(self._language.programs(derivations), self._test, weights).errors[0])

    def _evaluate_derivations(self, productions: NDArray[np.int32], bounds: NDArray[np.int64]) -> tuple[Records, Work]:
        """The records of derivations not seen before; several may lead to one program."""
        programs = self._language.programs(derivations_between(productions, bounds))
        records, work = self._programs.look_up(programs.words, programs.offsets, self._evaluate_programs)
        failed = programs.status != Status.OK
        records.status[failed] = programs.status[failed]
        return records, work

    def _evaluate_programs(self, words: NDArray[np.int32], bounds: NDArray[np.int64]) -> tuple[Records, Work]:
        """The records of programs not seen before."""
        programs = Programs(words, bounds, np.zeros(len(bounds) - 1, np.int8))
        parts = self._threads.map(
            lambda first, last: self._score(programs.part(first, last), self._train), len(programs)
        )
        fitness = np.concatenate([part.errors for part in parts])
        status = np.where(np.isfinite(fitness), Status.OK, Status.NOT_FINITE).astype(np.int8)
        lines = np.concatenate([part.lines for part in parts])
        lines[status != Status.OK] = np.nan
        work = sum((part.work for part in parts), Work())
        return Records(fitness, status, self._language.sizes(programs), lines), work

    def _score(self, programs: Programs, data: Dataset, lines: NDArray[np.float64] | None = None) -> Scores:
        """The errors of programs on a dataset, scaled by given lines or by those that fit it."""
        if self._scales:
            return self._score_scaled(programs, data, lines)
        table = data.columns, data.target, data.weights
        sums, work = self._language.sum_errors(programs, *table, absolute=self._error == "mae")
        return Scores(error_of(self._error, sums, data), np.empty((len(programs), 0)), work)

    def _score_scaled(self, programs: Programs, data: Dataset, given: NDArray[np.float64] | None) -> Scores:
        lines = np.empty((len(programs), 2)) if given is None else np.ascontiguousarray(given)
        sums = np.empty(len(programs))
        step = max(1, TOGETHER // data.rows)
        for first in range(0, len(programs), step):
            part = slice(first, first + step)
            outputs = self._language.outputs(programs.part(first, min(first + step, len(programs))), data.columns)
            if given is None:
                facts = data.target, data.weights, data.weight, data.mean
                kernels.scaling.fit_lines(outputs, *facts, lines[part])
            kernels.scaling.sum_scaled(
                outputs, lines[part], data.target, data.weights, self._error == "mae", sums[part]
            )
        work = Work(len(programs), int(self._language.sizes(programs).sum()) * data.rows)
        return Scores(error_of(self._error, sums, data), lines, work)


def scaled(outputs: NDArray[np.float64], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Outputs [N, rows] after linear scaling by weights [N, 2]; as they are where there are none."""
    return outputs if weights is None else weights[:, :1] + weights[:, 1:] * outputs


def error_of(measure: ErrorMeasure, sums: NDArray[np.float64], data: Dataset) -> NDArray[np.float64]:
    """Errors [N] from Σe², for the mean absolute error from Σ|e|; +inf where they are not finite."""
    with np.errstate(all="ignore"):
        error = sums / (data.spread if measure in RELATIVE else data.weight)
        error = np.sqrt(error) if measure in ("rrse", "rmse") else error
    return np.where(np.isfinite(error), error, np.inf)
