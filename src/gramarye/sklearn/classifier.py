"""Formulas for classes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import confusion_matrix
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from gramarye.data.merged_rows import Rows, merged, numbers_of_rows
from gramarye.engine.individual import Individual
from gramarye.engine.run import Run
from gramarye.errors import DataError
from gramarye.models import Front, Model
from gramarye.models.joined import joined_front
from gramarye.show.figures.model import class_model
from gramarye.sklearn.base import GrammarEstimator
from gramarye.sklearn.logistic import calibrated, picked_for_class
from gramarye.sklearn.picture import check_given, fitted_rows, saved, searched, weights_of
from gramarye.sklearn.rows import Table, facts_of
from gramarye.sklearn.search import shared_time
from gramarye.text import rounded

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_OF_REGRESSOR = ("front_", "grammar_", "use", "sympy", "latex", "python", "infix", "run_")


class GrammarClassifier(ClassifierMixin, GrammarEstimator):
    """Formulas that predict a class, found by evolution; an estimator for scikit-learn.

    With two classes, one formula is fitted to 0 and 1; with more, one for each class, which is 1 in its rows and 0 in
    the others. Of each front, the formula is picked by its log loss and its size. A logistic regression on what the
    picked formulas give makes probabilities of it.

    Sample weights that are whole numbers count rows: a row of weight 2 counts like two equal rows. Of other weights,
    only the ratios matter: they are divided by their mean over the rows whose weight is not 0.

    A row in which a formula is NaN (with `clip=False`) has the shares of the classes in training as its probabilities.

    Parameters
    ----------
    grammar, preset, template, units, target_unit, prior
        As those of `GrammarRegressor`.
    method, clip, n_jobs, random_state, warm_start, callback, verbose
        As those of `GrammarRegressor`. A callback that returns True ends the whole fit: classes that the search has not
        come to get one generation.
    runs
        Number of independent runs for each formula.
    max_evaluations
        Evaluations for each formula, shared by its runs.
    max_time
        Seconds for all formulas together.

    Attributes
    ----------
    classes_ : array [n_classes]
        The classes.
    runs_ : tuple of gm.Run
        All runs: those for the only formula of two classes, otherwise those for the first class, the second one …
    picked_ : tuple of gm.Individual
        The formulas that predict.
    formulas_ : dict
        From the class that it stands for, the second one of two, to the text of each formula.
    feature_importances_ : array [n_features]
        The share of formulas of the front that use each column (the mean over all runs), divided by the sum over all
        columns. `importances` has more.
    n_iter_ : int
        Generations of the longest run.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : array
        Their names, if X is a data frame.

    Examples
    --------
    >>> import numpy as np
    >>> from gramarye.sklearn import GrammarClassifier
    >>> X = np.random.default_rng(1).uniform(-1, 1, (200, 2))
    >>> inside = X[:, 0] ** 2 + X[:, 1] ** 2 < 0.5
    >>> model = GrammarClassifier(preset="polynomial", max_evaluations=5000, random_state=1).fit(X, inside)
    >>> model.predict([[0.0, 0.1], [0.9, 0.9]])
    array([ True, False])
    """

    classes_: NDArray[Any]
    picked_: tuple[Individual, ...]
    _runs: tuple[tuple[Run, ...], ...]  # for each formula

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search for formulas; rows that are repeated, and rows with weights, give the same model."""
        table, target = self._read(X, y, y_numeric=False)
        check_classification_targets(target)
        weights = _check_sample_weight(sample_weight, table.values, dtype=np.float64, ensure_non_negative=True)
        weights = numbers_of_rows(weights)
        counted = weights != 0
        classes = np.unique(target[counted])
        if len(classes) < 2:
            found = f"y has one class only, {classes[0]}" if len(classes) else "all rows have weight 0"
            raise DataError(f"{found}: a classifier needs rows of at least two classes")
        labels = np.searchsorted(classes, target[counted])
        rows = merged(table.values[counted], labels.astype(np.float64), weights[counted])
        warm = self.warm_start and np.array_equal(getattr(self, "classes_", ()), classes)
        old = self._runs if warm else ()
        self.classes_ = classes
        self._runs = self._runs_of_classes(X, table, rows, old)
        self.picked_ = self._picked(table.named(rows.X), rows)
        self.n_iter_ = max(run.generations for run in self.runs_)
        outputs = self._outputs(table.named(rows.X))
        self._calibration = calibrated(outputs, rows.y.astype(np.int64), rows.weights)
        self._facts = facts_of(X, y, table)
        return self

    def _runs_of_classes(
        self, X: Any, table: Table, rows: Rows, old: tuple[tuple[Run, ...], ...]
    ) -> tuple[tuple[Run, ...], ...]:
        """The runs for each formula."""
        grammar, seeds, search = self._grammar(X, table), self._seeds(), self._search()
        found: list[tuple[Run, ...]] = []
        for k, seconds in zip(self._meant, shared_time(self.max_time, len(self._meant)), strict=True):
            problem = self._problem(rows._replace(y=(rows.y == k).astype(np.float64)), table, grammar)
            before = old[len(found)] if old else ()
            found.append(self._find(search, problem, seeds, seconds, before, f"searching for {self.classes_[k]}"))
        return tuple(found)

    def _picked(self, X: Any, rows: Rows) -> tuple[Individual, ...]:
        """Of each front, the formula that is worth its size."""
        fronts = map(joined_front, self._runs)
        each = zip(self._meant, fronts, strict=True)
        return tuple(
            front[picked_for_class(front, X, (rows.y == k).astype(np.int64), rows.weights)] for k, front in each
        )

    def __getattr__(self, name: str) -> Any:
        if name not in _OF_REGRESSOR:
            return super().__getattribute__(name)  # raises what it raised before, such as NotFittedError
        fix = "each formula has its own: classifier.picked_[0].latex(), classifier.runs_[0].front, .runs_[0].grammar"
        raise AttributeError(f"{type(self).__name__} has no {name}; {fix}")

    @property
    def _meant(self) -> list[int]:
        """The classes that there are formulas for."""
        return [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))

    def _outputs(self, X: Any) -> NDArray[np.float64]:
        """What each formula gives [rows, formulas]."""
        return np.array([formula.predict(X) for formula in self.picked_]).T

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        outputs = self._outputs(self._columns(X))
        return np.asarray(self.classes_[self._calibration.labels(outputs)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class [rows, n_classes]."""
        outputs = self._outputs(self._columns(X))
        return self._calibration.probabilities(outputs)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The log odds of the second class [rows]; with more than two, a score of each [rows, n_classes]."""
        outputs = self._outputs(self._columns(X))
        return self._calibration.decisions(outputs)

    def plot(self, X: Any = None, y: Any = None, path: str | os.PathLike[str] | None = None) -> Figure:
        """A figure of Matplotlib: error over the search, the fronts, and how many rows of each class are predicted.

        Parameters
        ----------
        X, y
            Rows that are counted, such as those kept for testing (default: the training rows).
        path
            A PNG, SVG or PDF file that it is written to.

        Returns
        -------
        matplotlib.figure.Figure
        """
        check_is_fitted(self)
        check_given(X, y, path)
        given = X is not None
        found, true, weights = (self.predict(X), y, None) if given else self._training
        counts = confusion_matrix(true, found, labels=self.classes_, sample_weight=weights)
        accuracy = np.trace(counts) / max(len(y) if given else counts.sum(), 1)
        heading = f"Accuracy {accuracy:.3g} in {'the given rows' if given else 'training'}"
        labels = map(str, self.classes_[self._meant]) if len(self._runs) > 1 else [""]
        fronts = map(joined_front, self._runs)
        searches = [searched(*each) for each in zip(self._runs, fronts, self.picked_, labels, strict=True)]
        title = rounded(str(self)) if len(searches) == 1 else ""
        return saved(class_model(searches, counts, [str(label) for label in self.classes_], heading, title), path)

    @property
    def _training(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64] | None]:
        """Of the rows of the last fit: the classes that are predicted, those of the data, and weights."""
        table, data = fitted_rows(self._runs[0][0])
        ones = np.array([fitted_rows(runs[0])[1].target for runs in self._runs])  # [formulas, rows] 1 in its class
        true = ones[0].astype(np.int64) if len(ones) == 1 else ones.argmax(axis=0)
        found = self._calibration.labels(self._outputs(table))
        return self.classes_[found], self.classes_[true], weights_of(data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write formulas, fronts, classes, grammar and columns to a JSON file, which `gm.Model.load` reads back."""
        check_is_fitted(self)
        fronts = [Front.of(joined_front(runs), found) for runs, found in zip(self._runs, self.picked_, strict=True)]
        Model.of(self._facts, fronts, self.runs_, self.classes_, self._calibration).save(path)

    @property
    def formulas_(self) -> dict[Any, str]:
        """The text of each formula, by its class."""
        texts = [str(formula.formula) for formula in self.picked_]
        return dict(zip(self.classes_[self._meant].tolist(), texts, strict=True))

    @property
    def runs_(self) -> tuple[Run, ...]:
        """All runs, those for the first formula first."""
        check_is_fitted(self)
        return tuple(run for runs in self._runs for run in runs)

    @property
    def _runs_by_formula(self) -> tuple[tuple[Run, ...], ...]:
        return self._runs

    def __str__(self) -> str:
        if not hasattr(self, "picked_"):
            return repr(self)
        return "\n".join(f"{label}: {formula}" for label, formula in self.formulas_.items())
