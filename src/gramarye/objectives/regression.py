"""Learning a formula from a table: the compiled objective."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.data import Dataset
from gramarye.derivations import Derivation, Derivations, Status
from gramarye.errors import DataError, SettingsError
from gramarye.execution import Threads
from gramarye.grammar import Grammar
from gramarye.identity import digest
from gramarye.languages import Arithmetic, Programs
from gramarye.languages.arithmetic.reader import DIVISIONS, Precedence
from gramarye.languages.expression import Expression
from gramarye.objectives.problem import AS_THEY_ARE, Problem, Tuning, check_grammar
from gramarye.objectives.table_evaluator import ERROR_MEASURES, RELATIVE, ErrorMeasure, TableEvaluator, limited_to
from gramarye.objectives.worth import PICKS_BY, price
from gramarye.text import counted, measure_name

EXACT = 1e-12  # of the target's spread, as an error
SMALLEST = 1e-300  # of a squared error whose logarithm is taken
LEAST = 1e-18  # of the target's spread: smaller squared errors differ by rounding only
LEAST_SPREAD = float(np.finfo(float).tiny / np.finfo(float).eps ** 2)  # errors by rounding still have a square


class Regression(Problem):
    """A table of data, a target and a grammar of formulas; fitness is the error of a formula's predictions.

    Parameters
    ----------
    X
        The features: an array, or a pandas or polars data frame. The grammar refers to columns by name or by position
        as `x[0]`; where they have no names, also as `x0`, or x, y, z.
    y
        The target, one number per row.
    grammar
        A grammar of arithmetic expressions.
    error
        The error measure: "rrse" (root relative squared error), "rmse", "mae" or "1-r2".
    test_rows
        Number of rows that are kept for testing, drawn by the seed of a run.
    sample_weight
        How much each row counts (default: all alike). A row of weight 2 counts like two rows.
    linear_scaling
        Whether the predictions are intercept + slope * formula, fitted to the training rows by least squares.
    clip
        Whether predictions are limited to the range of the target in the training rows, extended by its width at both
        ends. It is used where programs predict and are tested, not while they are trained.
    first_index
        The number of the first column: 1 for grammars that call it `x[1]`.
    precedence
        How tightly `|_div|` binds, the division of grammars of the SGE family: "ordinary", as `/` does; or "authors",
        more weakly than `+ - *`, as in the published programs, where Python's `|` stands for it.
    name, description
        What reports call the problem.

    Examples
    --------
    >>> import gramarye as gm
    >>> grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | <e> * <e> | x")
    >>> problem = gm.Regression([1.0, 2.0, 3.0], [3.0, 9.0, 19.0], grammar, linear_scaling=True)
    >>> gm.evolve(problem, gm.GE(population=50, generations=5), seed=1).best.phenotype
    'x * x'
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
        linear_scaling: bool = False,
        clip: bool = False,
        first_index: int = 0,
        precedence: Precedence = "ordinary",
        name: str = "regression",
        description: str = "a formula for a table of data",
    ) -> None:
        self.dataset = Dataset.read(X, y, sample_weight)
        if error not in ERROR_MEASURES:
            raise SettingsError(f"error is {error!r}: it must be one of {', '.join(map(repr, ERROR_MEASURES))}")
        for what, given in (("linear_scaling", linear_scaling), ("clip", clip)):
            if not isinstance(given, bool):
                raise SettingsError(f"{what} is {given!r}: it must be True or False")
        rows = self.dataset.rows
        whole = isinstance(test_rows, int | np.integer)
        if not whole or not 0 <= test_rows < rows - 1 or (test_rows == 1 and error in RELATIVE):
            raise SettingsError(
                f"test_rows is {test_rows!r}: it must be 0, or an integer ≥ 2 that leaves two of the {rows} rows "
                "for training"
            )
        if error in RELATIVE and self.dataset.constant:
            raise DataError("y is the same in every row: there is nothing to learn")
        if error != "mae":
            _check_squares(self.dataset)
        if precedence not in DIVISIONS:
            raise SettingsError(f"precedence is {precedence!r}: it must be one of {', '.join(map(repr, DIVISIONS))}")
        self.grammar = check_grammar(grammar, partial(_count, self.dataset))
        columns = len(self.dataset.columns)
        self.language = Arithmetic(self.grammar, columns, self.dataset.names, first_index, precedence)
        self.precedence = precedence
        self.error = error
        self.linear_scaling = linear_scaling
        self.clip = clip
        self.test_rows = test_rows
        self.name = name
        self.description = description

    @property
    def measure(self) -> str:
        return measure_name(self.error)

    @property
    def exact(self) -> float:
        return EXACT if self.error in RELATIVE else EXACT * float(np.sqrt(self.dataset.spread / self.dataset.weight))

    @property
    def noun(self) -> str:
        return self.language.noun

    @property
    def summary(self) -> dict[str, Any]:
        return {
            "error": self.error,
            "rows": self.dataset.rows,
            "test_rows": int(self.test_rows),
            "linear_scaling": self.linear_scaling,
            "clip": self.clip,
            "weighted": bool(len(self.dataset.weights)),
            **({"precedence": self.precedence} if self.precedence != "ordinary" else {}),
        }

    @property
    def identity(self) -> dict[str, str]:
        columns = self.language.reader.names, self.language.reader.first_index
        return {
            **super().identity,
            "data": self.dataset.identity,
            "columns": digest(columns),
            "error": self.error,
            "test_rows": str(int(self.test_rows)),
            "linear_scaling": str(self.linear_scaling),
            **({"clip": "True"} if self.clip else {}),
            **({"precedence": self.precedence} if self.precedence != "ordinary" else {}),
        }

    def evaluator(self, seed: np.uint64, threads: Threads, tuning: Tuning = AS_THEY_ARE) -> TableEvaluator:
        train, test = self.split(seed)
        scales, iterations = self.linear_scaling, tuning.iterations * self.grammar.has_constants
        tuning = tuning._replace(iterations=iterations)
        if tuning.fits:
            tuning = tuning._replace(terms=max(tuning.terms, int(scales)))
        if tuning.fits or self.error != "mae":
            where = "" if test is None else f"with seed {seed}, in the {counted(train.rows, 'training row')}, "
            _check_squares(train, where)
        evaluator = partial(
            TableEvaluator,
            self.language,
            test=test,
            threads=threads,
            seed=seed,
            error=self.error,
            linear_scaling=scales,
            tuning=tuning,
            bounds=_bounds(train) if self.clip else None,
        )
        sample = train if tuning.rows is None else train.sample(tuning.rows, seed)
        if sample is train or sample.constant:
            return evaluator(train)
        compared = evaluator(sample)
        compared.whole = evaluator(train)
        return compared

    def split(self, seed: np.uint64) -> tuple[Dataset, Dataset | None]:
        """The rows for training and for testing in the run of this seed."""
        train, test = self.dataset.split(self.test_rows, seed)
        train = train.counted()
        if train.rows == 0 or (self.error in RELATIVE and train.constant):
            rows = f"the {self.dataset.rows - int(self.test_rows)} training rows"
            why = f"all {rows} have weight 0" if train.rows == 0 else f"y is constant in {rows}"
            raise DataError(f"with seed {seed}, {why}; reduce test_rows")
        return train, test

    def outputs(self, derivations: Derivations) -> NDArray[np.float64]:
        return self.language.outputs(self.language.programs(derivations), self.dataset.columns)

    def predict(self, derivation: Derivation, weights: NDArray[np.float64] | None, X: Any) -> NDArray[np.float64]:
        programs = self._program(derivation)
        columns = self.dataset.like(X, self.language.columns_needed(programs, weights), self.language.column)
        with np.errstate(all="ignore"):
            found = self.language.predictions(programs, columns, None if weights is None else weights[None])
        return np.asarray(found[0])

    def _program(self, derivation: Derivation) -> Programs:
        """The program of a derivation, or a SettingsError."""
        programs = self.language.programs(derivation.alone)
        if programs.status[0] != Status.OK:
            raise SettingsError(f"{derivation.form!r} is not {self.language.noun}: it predicts nothing")
        return programs

    def limited(self, predicted: NDArray[np.float64], seed: np.uint64) -> NDArray[np.float64]:
        if not self.clip:
            return predicted
        return limited_to(predicted, *_bounds(self.split(seed)[0]))

    def check_columns(self, X: Any) -> None:
        meant = {self.language.column(text.strip()) for text in self.grammar.terminals}
        self.dataset.like(X, [column for column in meant if column is not None], self.language.column)

    def cost(self, fitness: NDArray[np.float64], size: NDArray[np.int64]) -> NDArray[np.float64]:
        """By n ln(squared error) and the price of the nodes.

        An error that is smaller than the precision of numbers allows is as good as that.
        """
        n = self.dataset.rows - int(self.test_rows)
        squared = fitness if self.error == "1-r2" else fitness**2
        scale = 1.0 if self.error in RELATIVE else self.dataset.spread / self.dataset.weight
        squared = np.maximum(squared, max(LEAST * scale, SMALLEST))
        found: NDArray[np.float64] = n * np.log(squared) + price(size, n)
        return found

    @property
    def picks_by(self) -> str:
        return PICKS_BY

    def formula(self, derivation: Derivation, weights: NDArray[np.float64] | None) -> str:
        return formula_text(self.language, derivation, weights)

    def expression(self, derivation: Derivation, weights: NDArray[np.float64] | None, seed: int | None) -> Expression:
        names = self.dataset.names
        return Expression(
            self.language.steps(self._program(derivation), weights, self.dataset.columns),
            tuple(self.language.labels if names is None else names),
            named=names is not None,
            limits=_bounds(self.split(np.uint64(seed))[0]) if self.clip and seed is not None else None,
        )


def formula_text(language: Arithmetic, derivation: Derivation, weights: NDArray[np.float64] | None) -> str:
    """A program with the weights [1 + T] of its terms; one with fixed numbers as its grammar writes it."""
    if derivation.grammar.has_constants or (weights is not None and len(weights) != 2):
        return language.written(language.programs(derivation.alone), weights)
    text = language.form(derivation)
    return text if weights is None else language.scaled(text, *weights.tolist())


def _count(data: Dataset, name: str) -> int:
    """How many columns or distinct values there are: what `GE_RANGE:dataset_n_vars` and the like count."""
    if name == "n_vars":
        return len(data.columns)
    return len(np.unique(data.columns if name == "n_is" else data.target))


def _check_squares(data: Dataset, where: str = "") -> None:
    """A DataError where the squared errors of a target that is not constant are too large or too small for floats."""
    if not data.constant and not LEAST_SPREAD <= data.spread < np.inf:
        what = "y or sample_weight" if len(data.weights) else "y"
        raise DataError(f"{where}squaring y overflows or underflows; rescale {what}")


def _bounds(train: Dataset) -> tuple[float, float]:
    """The range of the target, extended by its width at both ends."""
    low, high = float(train.target.min()), float(train.target.max())
    return low - (high - low), high + (high - low)
