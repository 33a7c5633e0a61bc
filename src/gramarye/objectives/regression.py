"""Learning a formula from a table: the compiled objective."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gramarye.data import Dataset
from gramarye.derivation import Derivations, Status
from gramarye.errors import DataError, SettingsError
from gramarye.evaluation import Evaluation, Work
from gramarye.execution import Workers
from gramarye.grammar import Grammar
from gramarye.languages import Arithmetic, Programs
from gramarye.objectives.base import Evaluator, Problem, check_grammar
from gramarye.objectives.cache import (
    Cache,
    Records,
    derivations_between,
    evaluation_of,
    only_whole,
)

ErrorMeasure = Literal["rrse", "rmse", "mae", "1-r2"]
ERROR_MEASURES: tuple[ErrorMeasure, ...] = ("rrse", "rmse", "mae", "1-r2")
RELATIVE = ("rrse", "1-r2")  # those that are relative to the spread of the target


class Regression(Problem):
    """A table of data, a target and a grammar of formulas; fitness is the error of the formula's predictions.

    `X` is an array or a data frame; the grammar knows its columns by their names, as `x[0]`, `x1`, or as x, y, z.
    `test_rows` of the rows, drawn by the seed of a run, are kept apart for testing.
    """

    dataset: Dataset

    def __init__(
        self,
        X: Any,
        y: Any,
        grammar: Grammar,
        *,
        error: ErrorMeasure = "rrse",
        test_rows: int = 0,
        sample_weight: Any = None,
        first_index: int = 0,
        name: str = "regression",
        description: str = "a formula for a table of data",
    ) -> None:
        self.dataset = Dataset.read(X, y, sample_weight)
        if error not in ERROR_MEASURES:
            raise SettingsError(f"error is {error!r}: it must be one of {', '.join(map(repr, ERROR_MEASURES))}")
        rows = self.dataset.rows
        whole = isinstance(test_rows, int | np.integer)
        if not whole or not 0 <= test_rows < rows - 1 or (test_rows == 1 and error in RELATIVE):
            raise SettingsError(
                f"test_rows is {test_rows!r}: it must be 0, or an integer ≥ 2 that leaves two of the {rows} rows "
                "for training"
            )
        if error in RELATIVE and not 0 < self.dataset.spread < np.inf:
            if self.dataset.constant:
                raise DataError("y is the same in every row: there is nothing to learn")
            raise DataError("squaring y overflows or underflows; rescale y")
        self.grammar = check_grammar(grammar)
        self.language = Arithmetic(grammar, len(self.dataset.columns), self.dataset.names, first_index)
        self.error = error
        self.test_rows = test_rows
        self.name = name
        self.description = description

    @property
    def summary(self) -> dict[str, Any]:
        return {"error": self.error, "rows": self.dataset.rows, "test_rows": int(self.test_rows)}

    def facts(self) -> tuple[Any, ...]:
        names = self.language.reader.names, self.language.reader.first_index
        return *super().facts(), self.dataset.digest, names, self.error, self.test_rows

    def evaluator(self, seed: np.uint64, workers: Workers) -> TableEvaluator:
        return TableEvaluator(self, *self.split(seed), workers)

    def split(self, seed: np.uint64) -> tuple[Dataset, Dataset | None]:
        """The rows for training and for testing in the run of this seed."""
        train, test = self.dataset.split(self.test_rows, seed)
        if train.weight == 0 or (self.error in RELATIVE and train.spread == 0):
            why = "that all have the weight 0" if train.weight == 0 else "in which y is the same"
            raise DataError(f"seed {seed} draws {train.rows} rows for training {why}; keep fewer for testing")
        return train, test

    def errors(self, programs: Programs, data: Dataset) -> tuple[NDArray[np.float64], Work]:
        """The error of each program on a dataset [N], and the work that this took; +inf where it is not finite."""
        table = data.columns, data.target, data.weights
        sums, work = self.language.sum_errors(programs, *table, absolute=self.error == "mae")
        return error_of(self.error, sums, data), work

    def outputs(self, derivations: Derivations) -> NDArray[np.float64]:
        """What each program gives for each row [N, rows]; NaN where it is none."""
        return self.language.outputs(self.language.programs(derivations), self.dataset.columns)


class TableEvaluator(Evaluator):
    """Runs programs over tables."""

    def __init__(self, problem: Regression, train: Dataset, test: Dataset | None, workers: Workers) -> None:
        self.problem = problem
        self._train, self._test = train, test
        self._workers = workers
        self._derivations, self._programs = Cache(), Cache()

    def evaluate(self, derivations: Derivations) -> Evaluation:
        whole = only_whole(derivations)
        found = self._derivations.look_up(whole.productions, whole.offsets, self._evaluate_derivations)
        return evaluation_of(derivations, *found)

    def _evaluate_derivations(self, productions: NDArray[np.int32], bounds: NDArray[np.int64]) -> tuple[Records, Work]:
        """The records of derivations not seen before; several may lead to one program."""
        programs = self.problem.language.programs(derivations_between(productions, bounds))
        records, work = self._programs.look_up(programs.words, programs.offsets, self._evaluate_programs)
        failed = programs.status != Status.OK
        records.status[failed] = programs.status[failed]
        return records, work

    def _evaluate_programs(self, words: NDArray[np.int32], bounds: NDArray[np.int64]) -> tuple[Records, Work]:
        """The records of programs not seen before."""
        programs = Programs(words, bounds, np.zeros(len(bounds) - 1, np.int8))
        parts = self._workers.map(lambda first, last: self._errors(programs.part(first, last)), len(programs))
        fitness = np.concatenate([errors for errors, _ in parts])
        status = np.where(np.isfinite(fitness), Status.OK, Status.NOT_FINITE).astype(np.int8)
        records = Records(fitness, status, self.problem.language.sizes(programs), np.empty((len(programs), 0)))
        return records, sum((work for _, work in parts), Work())

    def _errors(self, programs: Programs) -> tuple[NDArray[np.float64], Work]:
        return self.problem.errors(programs, self._train)

    def test(self, derivations: Derivations, weights: NDArray[np.float64] | None = None) -> float:
        if self._test is None or self._test.weight == 0:
            return float("nan")
        errors, _ = self.problem.errors(self.problem.language.programs(derivations), self._test)
        return float(errors[0])


def error_of(measure: ErrorMeasure, sums: NDArray[np.float64], data: Dataset) -> NDArray[np.float64]:
    """Errors [N] from Σe², for the mean absolute error from Σ|e|; +inf where they are not finite."""
    with np.errstate(all="ignore"):
        error = sums / (data.spread if measure in RELATIVE else data.weight)
        error = np.sqrt(error) if measure in ("rrse", "rmse") else error
    return np.where(np.isfinite(error), error, np.inf)
