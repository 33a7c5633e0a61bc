"""Programs of a language over the rows of a dataset, and their errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.data import Dataset
from gramarye.derivations import Derivations, Status, only_whole
from gramarye.execution import Threads
from gramarye.languages import Fitted, Language, Programs, Subtrees
from gramarye.objectives.cache import Cache, Records, derivations_between, evaluation_of
from gramarye.objectives.problem import AS_THEY_ARE, Evaluator, Tuning
from gramarye.objectives.vicinity import Vicinity
from gramarye.populations.evaluation import Evaluation, Work

Floats = NDArray[np.float64]
ErrorMeasure = Literal["rrse", "rmse", "mae", "1-r2"]
ERROR_MEASURES: tuple[ErrorMeasure, ...] = ("rrse", "rmse", "mae", "1-r2")
RELATIVE = ("rrse", "1-r2")  # those that are relative to the spread of the target
TOGETHER = 2**20  # outputs that are held at a time


class TableEvaluator(Evaluator):
    """Runs programs over the rows for training and for testing."""

    def __init__(
        self,
        language: Language,
        train: Dataset,
        test: Dataset | None,
        threads: Threads,
        *,
        seed: np.uint64,
        error: ErrorMeasure,
        linear_scaling: bool = False,
        tuning: Tuning = AS_THEY_ARE,
        bounds: tuple[float, float] | None = None,  # that predictions are limited to, in the rows for testing
    ) -> None:
        self._language, self._error, self._scales, self._tuning = language, error, linear_scaling, tuning
        self._train, self._test, self._bounds = train, test, bounds
        self._threads, self._seed = threads, seed
        terms = max(tuning.terms, int(linear_scaling))
        self._weights = 1 + terms if terms else 0
        self._derivations, self._programs = Cache(self._weights), Cache(self._weights, tunes=True)

    def evaluate(self, derivations: Derivations) -> Evaluation:
        whole = only_whole(derivations)
        if not len(derivations.values):
            found = self._derivations.look_up(whole.productions, whole.offsets, self._evaluate_derivations)
            return evaluation_of(derivations, *found)
        # With other constants, a derivation is another program.
        programs = self._language.programs(whole)
        records, work, words = self._programs.look_up_tuned(programs.words, programs.offsets, self._evaluate_programs)
        tuned = self._language.tuned(derivations, replace(programs, words=words))
        return evaluation_of(tuned, _with_status(records, programs), work)

    def cases(self, derivations: Derivations, weights: Floats | None = None) -> Floats:
        """Absolute errors in the training rows. Weights are not in them: they would not change who is best in a row."""
        evaluation, data = self.evaluate(derivations), self._train
        weights = evaluation.weights if weights is None else weights
        with np.errstate(all="ignore"):
            predicted = self._language.predictions(self._language.programs(derivations), data.columns, weights)
            errors: Floats = np.abs(predicted - data.target)
        errors[~evaluation.valid] = np.inf
        return errors

    def test(self, derivations: Derivations, weights: Floats | None = None) -> float:
        if self._test is None or self._test.weight == 0:
            return float("nan")
        weights = self.evaluate(derivations).weights if weights is None else weights
        programs = self._language.programs(derivations)
        sums = (
            self._sums(programs, self._test, weights)[0] if self._bounds is None else self._clipped(programs, weights)
        )
        return float(error_of(self._error, sums, self._test)[0])

    def children(self, derivations: Derivations, weights: Floats | None, generation: int) -> Derivations | None:
        if not self._tuning.subtrees:
            return None
        return self._subtrees.children(derivations, weights, self._tuning.subtrees, generation)

    @cached_property
    def _subtrees(self) -> Subtrees:
        return self._language.subtrees(self._train, self._seed)

    def safe(self, derivations: Derivations, weights: Floats | None) -> NDArray[np.bool_]:
        return self._vicinity.safe(self._language, self._language.programs(derivations), weights)

    @cached_property
    def _vicinity(self) -> Vicinity:
        return Vicinity(self._train)

    def _evaluate_derivations(self, productions: NDArray[np.int32], bounds: NDArray[np.int64]) -> tuple[Records, Work]:
        """The records of derivations not seen before; several may lead to one program."""
        programs = self._language.programs(derivations_between(productions, bounds))
        found = self._programs.look_up_tuned(programs.words, programs.offsets, self._evaluate_programs)
        return _with_status(found[0], programs), found[1]

    def _evaluate_programs(
        self, words: NDArray[np.int32], bounds: NDArray[np.int64]
    ) -> tuple[Records, Work, NDArray[np.int32]]:
        """The records of programs not seen before, and their words with tuned constants."""
        programs = Programs(words, bounds, np.zeros(len(bounds) - 1, np.int8))
        parts = self._threads.map(lambda first, last: self._judged(programs.part(first, last)), len(programs))
        fitness = error_of(self._error, np.concatenate([part.errors for part in parts]), self._train)
        status = np.where(np.isfinite(fitness), Status.OK, Status.NOT_FINITE).astype(np.int8)
        weights = np.concatenate([part.weights for part in parts])
        weights[status != Status.OK] = np.nan
        passes = np.concatenate([part.passes for part in parts])
        work = sum((part.work for part in parts), Work())
        records = Records(fitness, status, self._language.sizes(programs), weights, passes)
        return records, work, np.concatenate([part.words for part in parts])

    def _judged(self, programs: Programs) -> Fitted:
        """Programs fitted to the training rows; those that drop a unit there have infinite errors."""
        found = self._fitted(programs)
        fitted = Programs(found.words, programs.offsets - programs.offsets[0], programs.status)
        found.errors[~self._language.keeps_units(fitted, self._train.columns)] = np.inf
        return found

    def _fitted(self, programs: Programs) -> Fitted:
        """Programs fitted to the training rows; errors are the sums that the error measure asks for."""
        if self._tuning.fits:
            return self._tuned(programs)
        words, passes = programs.words[programs.offsets[0] : programs.offsets[-1]], np.ones(len(programs), np.int64)
        weights = self._lines(programs) if self._scales else None
        sums, work = self._sums(programs, self._train, weights)
        weights = np.empty((len(programs), 0)) if weights is None else weights
        return Fitted(words, weights, sums, np.zeros(len(programs)), passes, work)

    def _tuned(self, programs: Programs) -> Fitted:
        found = self._language.fit(programs, self._train, *self._tuning[:3])
        tuned = replace(programs, words=found.words, offsets=programs.offsets - programs.offsets[0])
        weights = found.weights[:, : self._weights]  # none where terms are not weighted
        imprecise = found.errors < found.blur
        if self._error == "mae" or not self._weights:
            imprecise = np.isfinite(found.errors)
        if imprecise.any():
            chosen = tuned.take(np.flatnonzero(imprecise))
            sums, work = self._sums(chosen, self._train, weights[imprecise] if self._weights else None)
            found.errors[imprecise] = sums
            found = found._replace(work=found.work + replace(work, distinct=0))
        return found._replace(weights=weights)

    def _lines(self, programs: Programs) -> Floats:
        """The lines [N, 2] of linear scaling."""
        data, lines = self._train, np.empty((len(programs), 2))
        for part in self._portions(programs, data):
            outputs = self._language.outputs(programs.part(part.start, part.stop), data.columns)
            kernels.scaling.fit_lines(outputs, data.target, data.weights, data.weight, data.mean, lines[part])
        return lines

    def _sums(self, programs: Programs, data: Dataset, weights: Floats | None) -> tuple[Floats, Work]:
        """Σe² of predictions, for the mean absolute error Σ|e|, and what that took."""
        table, absolute = (data.target, data.weights), self._error == "mae"
        if weights is None:
            return self._language.sum_errors(programs, data.columns, *table, absolute)
        sums = np.empty(len(programs))
        for part in self._portions(programs, data):
            with np.errstate(all="ignore"):
                predicted = self._language.predictions(
                    programs.part(part.start, part.stop), data.columns, weights[part]
                )
            kernels.scaling.sum_apart(predicted, *table, absolute, sums[part])
        return sums, Work(len(programs), int(self._language.sizes(programs).sum()) * data.rows)

    def _clipped(self, programs: Programs, weights: Floats | None) -> Floats:
        """Σe² or Σ|e| in the rows for testing, of predictions that are limited to the bounds."""
        data, sums = cast(Dataset, self._test), np.empty(len(programs))
        with np.errstate(all="ignore"):
            predicted = self._language.predictions(programs, data.columns, weights)
        predicted = limited_to(predicted, *cast(tuple[float, float], self._bounds))
        kernels.scaling.sum_apart(predicted, data.target, data.weights, self._error == "mae", sums)
        return sums

    @staticmethod
    def _portions(programs: Programs, data: Dataset) -> Iterator[slice]:
        """As many programs at a time as their outputs fit into memory."""
        step = max(1, TOGETHER // data.rows)
        return (slice(first, min(first + step, len(programs))) for first in range(0, len(programs), step))


def _with_status(records: Records, programs: Programs) -> Records:
    """The records of programs, some of which are none."""
    failed = programs.status != Status.OK
    records.status[failed] = programs.status[failed]
    return records


def limited_to(predicted: Floats, low: float, high: float) -> Floats:
    """Predictions within limits; one that is not a number becomes their middle."""
    return np.where(np.isnan(predicted), low + 0.5 * (high - low), np.clip(predicted, low, high))


def error_of(measure: ErrorMeasure, sums: NDArray[np.float64], data: Dataset) -> NDArray[np.float64]:
    """Errors [N] from Σe², for the mean absolute error from Σ|e|; +inf where they are not finite."""
    with np.errstate(all="ignore"):
        error = sums / (data.spread if measure in RELATIVE else data.weight)
        error = np.sqrt(error) if measure in ("rrse", "rmse") else error
    return np.where(np.isfinite(error), error, np.inf)
