"""What the estimators share: parameters, columns, and the search for one formula."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from gramarye.data.frames import check_is_table, column_names
from gramarye.data.merged_rows import Rows
from gramarye.engine.run import Generation, Run
from gramarye.errors import DataError, SettingsError
from gramarye.grammar import Grammar
from gramarye.methods import MethodBase, TunedTrees, check_method
from gramarye.models.joined import seeds_of, shares_of_columns
from gramarye.objectives import Regression
from gramarye.priors import with_prior
from gramarye.priors.learning import Programs
from gramarye.show.tables.table import Table as ResultTable
from gramarye.sklearn.importances import importance_table, losses_by_permutation, warn_of_disagreements
from gramarye.sklearn.rows import Table, has_texts, table_with_texts
from gramarye.sklearn.search import Search, programs_of, shared_time

EVALUATIONS = 100_000  # of the default method: a fit takes seconds
ALLOWED: dict[str, tuple[Callable[[Any], bool], str]] = {  # parameters that no other part checks
    "callback": (lambda value: value is None or callable(value), "a function of a generation, or None"),
    "verbose": (lambda value: isinstance(value, int | np.integer), "0, or 1 for a progress bar"),
    "n_jobs": (lambda value: value is None or isinstance(value, int | np.integer), "an integer, or None for 1"),
    "warm_start": (lambda value: isinstance(value, bool | np.bool_), "True or False"),
}


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
        prior: Grammar | Programs | None = None,
        method: MethodBase | None = None,
        max_evaluations: int | None = None,
        max_time: float | None = None,
        runs: int = 1,
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
        self.prior = prior
        self.method = method
        self.max_evaluations = max_evaluations
        self.max_time = max_time
        self.runs = runs
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
        if y_numeric and target.dtype.kind not in "biuf":
            raise DataError(f"y holds values of the type {target.dtype}; turn them into numbers")
        self._sources = table.sources
        return table, target

    def _columns(self, X: Any) -> Any:
        """X of a prediction, checked."""
        check_is_fitted(self)
        check_is_table(X, "X")
        if not self._has_texts:
            return validate_data(self, X, reset=False, dtype=np.float64)
        if not hasattr(X, "columns"):
            fix = "give a data frame with the columns that it was fitted to"
            raise DataError(f"X is of type {type(X).__name__}, but the model was fitted to columns of texts; {fix}")
        return validate_data(self, X, reset=False, skip_check_array=True)

    def _grammar(self, X: Any, table: Table) -> Grammar:
        """The grammar of a fit, with the probabilities of its prior."""
        grammar = self._rules(X, table)
        return grammar if self.prior is None else with_prior(grammar, self.prior)

    def _rules(self, X: Any, table: Table) -> Grammar:
        given = self.grammar
        form: dict[str, Any] = {"template": self.template, "units": self.units, "target_unit": self.target_unit}
        other = next((name for name, value in form.items() if value is not None), None)
        if given is not None and other is not None:
            raise SettingsError(f"grammar and {other} can't be combined; leave one of them out")
        if given is None:
            labelled = hasattr(X, "columns") and (table.names is not None or column_names(X) is None)
            return Grammar.from_columns(
                X if labelled else table.values,  # scikit-learn gives columns no names if their labels are no texts
                preset=self.preset,
                **form,
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
            kept: dict[str, Any] = (
                {"terms": 0} if self.grammar is None and self.template is not None else {}
            )  # the form of a template
            method: MethodBase = TunedTrees(**(given or {"max_evaluations": EVALUATIONS}), **kept)
        else:
            method = replace(check_method(self.method), **given)
        shared = self.method is None or self.max_evaluations is not None
        if self.runs == 1 or not shared or method.max_evaluations is None:
            return method
        return replace(method, max_evaluations=max(method.max_evaluations // self.runs, 1))

    def _problem(self, rows: Rows, table: Table, grammar: Grammar) -> Regression:
        return Regression(table.named(rows.X), rows.y, grammar, sample_weight=rows.weights, clip=self.clip)

    def _seed(self) -> int:
        """A number is the seed itself; from anything else one is drawn."""
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _seeds(self) -> list[int]:
        """Of each run."""
        runs: object = self.runs
        if isinstance(runs, bool) or not isinstance(runs, int | np.integer) or runs < 1:
            raise SettingsError(f"runs is {runs!r}: it must be an integer ≥ 1")
        seed = self._seed()
        if not 0 <= seed < 2**64:
            raise SettingsError(f"random_state is {seed}: it must be an integer from 0 to 2**64 - 1")
        return seeds_of(seed, int(runs))

    def _find(
        self,
        search: Search,
        problem: Regression,
        seeds: Sequence[int],
        seconds: float | None,
        old: Sequence[Run],  # whose formulas the runs start from
        title: str,
    ) -> tuple[Run, ...]:
        """The runs for one formula. Once the search was stopped, those that are left are left out."""
        found: list[Run] = []
        for k, (seed, part) in enumerate(zip(seeds, shared_time(seconds, len(seeds)), strict=True)):
            if search.stopped and found:
                break
            programs = programs_of(old[k], problem.grammar) if k < len(old) else []
            which = f", run {k + 1} of {len(seeds)}" if len(seeds) > 1 else ""
            method = self._method(part)
            try:
                found.append(search.run(problem, method, seed, programs, f"{title}{which}"))
            except SettingsError as error:
                setting = str(error).partition(" ")[0]
                if self.method is not None or setting not in method.settings:
                    raise
                raise SettingsError(f"{error}, by method=gm.TunedTrees({setting}=…)") from None
        return tuple(found)

    def _search(self) -> Search:
        for name, (allows, what) in ALLOWED.items():
            value = getattr(self, name)
            if not allows(value):
                raise SettingsError(f"{name} is {value!r}: it must be {what}")
        self._method(self.max_time)  # raises now what is wrong, before time is shared by several runs
        return Search(self.callback, self.verbose, max(effective_n_jobs(self.n_jobs), 1))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """[n_features] the share of the fronts' formulas that use each column, divided by the sum over all columns."""
        check_is_fitted(self)
        found = self._shares.mean(axis=0)
        return np.asarray(found / (found.sum() or 1.0))

    @property
    def _shares(self) -> NDArray[np.float64]:
        """[runs, n_features] the share of formulas that use each column; of several formulas, the mean over them."""

        def shares(run: Run) -> NDArray[np.float64]:
            return shares_of_columns(run, self._sources, self.n_features_in_)

        together = zip(*self._runs_by_formula, strict=False)  # an interrupted fit has fewer runs for some formulas
        return np.array([np.mean([shares(run) for run in runs], axis=0) for runs in together])

    def importances(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        scoring: Any = None,
        n_repeats: int = 10,
        random_state: Any = 0,
    ) -> ResultTable:
        """A table of the importance of each column: by the formulas that use it, and by permuting it.

        A warning names the columns for which the two orders clearly disagree.

        Parameters
        ----------
        X, y, sample_weight
            Rows in which columns are permuted, best those that were not used to fit the model.
        scoring
            The score that is measured, as everywhere in scikit-learn (default: that of `score`).
        n_repeats
            How often each column is permuted.
        random_state
            The seed of the permutations.

        Returns
        -------
        gramarye.show.tables.table.Table
            With the columns `feature`, `share` (of the formulas of the front that use it, the mean over all runs),
            `low` and `high` (its 95 % interval, if there are several runs), `permutation` and `std` (loss of score when
            it is permuted, mean and standard deviation), `rank` and `permutation rank`. `print` shows it;
            `pandas.DataFrame(table.columns)` is a frame.
        """
        check_is_fitted(self)
        names, shares = self._feature_names, self._shares
        given = {"scoring": scoring, "sample_weight": sample_weight, "n_repeats": n_repeats}
        losses = losses_by_permutation(self, X, y, random_state=random_state, **given)
        warn_of_disagreements(names, shares, losses)
        return importance_table(names, shares, losses)

    @property
    def _feature_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{column}" for column in range(self.n_features_in_)] if names is None else list(names)

    @property
    @abstractmethod
    def _runs_by_formula(self) -> Sequence[Sequence[Run]]:
        """The runs of the last fit: for each formula, those that searched for it."""
