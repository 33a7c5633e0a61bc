"""What the estimators share: parameters, columns, and the search for one formula."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, cast

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from gramarye.engine.run import Generation, Run
from gramarye.errors import DataError, SettingsError
from gramarye.grammar import Grammar
from gramarye.methods import MethodBase, TunedTrees, check_method
from gramarye.objectives import Regression
from gramarye.sklearn.rows import Rows, Table, has_texts, table_with_texts
from gramarye.sklearn.search import Search

EVALUATIONS = 100_000  # of the default method: a fit takes seconds


class GrammarEstimator(BaseEstimator):
    """An estimator that searches for formulas; its parameters are explained by those that people use."""

    n_features_in_: int
    _sources: list[int]  # the column of X that each column of the search is made of
    _has_texts: bool

    def __init__(
        self,
        grammar: Grammar | str | os.PathLike[str] | None = None,
        *,
        preset: str = "full",
        template: str | None = None,
        units: Mapping[str, str] | None = None,
        target_unit: str | None = None,
        method: MethodBase | None = None,
        max_evaluations: int | None = None,
        max_time: float | None = None,
        clip: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        callback: Callable[[Generation], Any] | None = None,
        verbose: int = 0,
    ) -> None:
        self.grammar = grammar
        self.preset = preset
        self.template = template
        self.units = units
        self.target_unit = target_unit
        self.method = method
        self.max_evaluations = max_evaluations
        self.max_time = max_time
        self.clip = clip
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.callback = callback
        self.verbose = verbose

    def _read(self, X: Any, y: Any, *, y_numeric: bool) -> tuple[Table, NDArray[Any]]:
        """X and y of a fit, checked."""
        self._has_texts = has_texts(X)
        if self._has_texts:
            target = validate_data(self, y=y, y_numeric=y_numeric)  # before X: it forgets the names of columns
            validate_data(self, X, skip_check_array=True)
            table = table_with_texts(X)
            if len(table.values) != len(target):
                raise DataError(f"X has {len(table.values)} rows, but y has {len(target)}: give one value for each row")
        else:
            check = {"dtype": np.float64, "ensure_min_samples": 2, "y_numeric": y_numeric}
            values, target = validate_data(self, X, y, **check)
            names = getattr(self, "feature_names_in_", None)
            table = Table(values, None if names is None else list(names), list(range(values.shape[1])))
        self._sources = table.sources
        return table, target

    def _columns(self, X: Any) -> Any:
        """X of a prediction, checked."""
        check_is_fitted(self)
        if not self._has_texts:
            return validate_data(self, X, reset=False, dtype=np.float64)
        if not hasattr(X, "columns"):
            fix = "give a data frame with the columns that it was fitted to"
            raise DataError(f"X is of type {type(X).__name__}, but the model was fitted to columns of texts; {fix}")
        return validate_data(self, X, reset=False, skip_check_array=True)

    def _grammar(self, X: Any, table: Table) -> Grammar:
        given = self.grammar
        if given is None:
            return Grammar.from_columns(
                X if hasattr(X, "columns") else table.values,
                preset=self.preset,
                template=self.template,
                units=self.units,
                target_unit=self.target_unit,
            )
        if isinstance(given, Grammar):
            return given
        if isinstance(given, str) and "::=" in given:
            return Grammar.from_text(given)
        if isinstance(given, str | os.PathLike):
            return Grammar.from_file(given)
        raise SettingsError(f"grammar is of type {type(given).__name__}; give a gm.Grammar, a path, or BNF text")

    def _method(self, max_time: float | None) -> MethodBase:
        limits = {"max_evaluations": self.max_evaluations, "max_time": max_time}
        given: dict[str, Any] = {name: limit for name, limit in limits.items() if limit is not None}
        if self.method is None:
            return TunedTrees(**(given or {"max_evaluations": EVALUATIONS}))
        return replace(check_method(self.method), **given)

    def _problem(self, rows: Rows, table: Table, grammar: Grammar) -> Regression:
        return Regression(table.named(rows.X), rows.y, grammar, sample_weight=rows.weights, clip=self.clip)

    def _seed(self) -> int:
        """A number is the seed itself; from anything else one is drawn."""
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _search(self) -> Search:
        return Search(self.callback, self.verbose, max(effective_n_jobs(self.n_jobs), 1))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """[n_features] how many formulas of the front use each column, divided by the sum over all columns."""
        check_is_fitted(self)
        found = [importances(run, self._sources, self.n_features_in_) for run in self._all_runs]
        return np.asarray(np.mean(found, axis=0))

    @property
    @abstractmethod
    def _all_runs(self) -> Sequence[Run]:
        """The runs of the last fit."""


def importances(run: Run, sources: Sequence[int], columns: int) -> NDArray[np.float64]:
    """[columns] the share of the front's formulas that use each column, with the sum 1; 0 where none uses any."""
    language = cast(Regression, run.problem).language
    used = np.zeros(columns)
    for member in run.front or (run.best,):
        found = language.columns_of(language.programs(member.derivation.alone))
        used[sorted({sources[column] for column in found})] += 1
    return np.asarray(used / max(used.sum(), 1.0))
