"""A formula for a number."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from gramarye.data.merged_rows import merged
from gramarye.engine.individual import Individual
from gramarye.engine.run import Run
from gramarye.errors import SettingsError
from gramarye.export import Exported
from gramarye.grammar import Grammar
from gramarye.models import Front, Model
from gramarye.models.joined import joined_front, mean_grammar, picked, run_of
from gramarye.models.simplified import simplified
from gramarye.show.figures.model import number_model
from gramarye.sklearn.base import GrammarEstimator
from gramarye.sklearn.picture import check_given, fitted_rows, saved, searched, weights_of
from gramarye.sklearn.rows import facts_of
from gramarye.text import rounded

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class GrammarRegressor(RegressorMixin, GrammarEstimator):
    """A formula that predicts a number, found by evolution; an estimator for scikit-learn.

    Parameters
    ----------
    grammar
        The formulas that are searched: a `gm.Grammar`, the path of a grammar file, or BNF text (which contains `::=`).
        Default: `gm.Grammar.from_columns` with the next four parameters.
    preset, template, units, target_unit
        The operators and functions, a formula with holes, or the units of columns and target: see
        `gm.Grammar.from_columns`. They can't be combined with a grammar (`preset` has no effect then). The default
        method keeps the form of a template; in other grammars it adds an intercept and a weight for each term.
    prior
        Probabilities of the grammar that the search starts from: a `gm.Grammar` with the same rules, the path of its
        file, or finished runs or anything else that `gm.learn_prior` learns from.
    method
        The search (default: `gm.TunedTrees()`, with a template `gm.TunedTrees(terms=0)`), with settings of its own.
    max_evaluations
        Evaluations after which the search stops. Default: 100,000 with the default method, unless `max_time` is given;
        the setting of the method with another one.
    max_time
        Seconds after which the search stops.
    runs
        Number of independent runs, which share `max_evaluations` and `max_time`; limits that are set in `method` are
        for each run. Their fronts are joined. With several, importances have intervals.
    clip
        Whether predictions are limited to the range of the target, extended by its width at both ends.
    n_jobs
        Number of threads, as everywhere in scikit-learn. It changes time only.
    random_state
        An integer is the seed of the (first) run; fits with the same one are identical.
    warm_start
        Whether a fit starts from the formulas that the last one found.
    callback
        A function that is called with each `gm.Generation`; the search stops when it returns True.
    verbose
        1 shows a progress bar.

    Attributes
    ----------
    runs_ : tuple of gm.Run
        All runs.
    run_ : gm.Run
        The run that found the picked formula.
    picked_ : gm.Individual
        The formula that predicts, with no more digits than the data support; `run_.picked` has all of them.
    grammar_ : gm.Grammar
        With the frequencies of its productions in the front, or the probabilities that the method learned; the mean
        over all runs.
    front_ : dict of arrays
        The columns `nodes`, `error`, `formula` and `picked`; `pandas.DataFrame(model.front_)` is a frame.
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
    >>> from gramarye.sklearn import GrammarRegressor
    >>> X = np.random.default_rng(1).uniform(1, 9, (50, 2))
    >>> model = GrammarRegressor(preset="rational", random_state=1).fit(X, X[:, 0] / X[:, 1])
    >>> model.predict([[6.0, 3.0]]).round(6)
    array([2.])
    """

    runs_: tuple[Run, ...]
    run_: Run
    picked_: Individual
    _members: tuple[Individual, ...]  # of the front

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search for a formula; rows that are repeated, and rows with weights, give the same model."""
        table, target = self._read(X, y, y_numeric=True)
        weights = _check_sample_weight(sample_weight, table.values, dtype=np.float64, ensure_non_negative=True)
        rows = merged(table.values, target.astype(np.float64), weights)
        problem = self._problem(rows, table, self._grammar(X, table))
        old = getattr(self, "runs_", ()) if self.warm_start else ()
        seeds, search = self._seeds(), self._search()
        self.runs_ = self._find(search, problem, seeds, self.max_time, old, "searching")
        self._members = simplified(joined_front(self.runs_), self.runs_[0].tunes)
        self.picked_ = picked(self._members)
        self.run_ = run_of(self.runs_, self.picked_)
        self.grammar_: Grammar = mean_grammar(self.runs_)
        self.n_iter_ = max(run.generations for run in self.runs_)
        self._facts = facts_of(X, y, table)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """What the formula gives for each row."""
        X = self._columns(X)
        return self.picked_.predict(X)

    def use(self, nodes: int) -> Self:
        """Predict with the formula of the front that has this number of nodes."""
        check_is_fitted(self)
        sizes = {member.nodes: member for member in self._members}
        if nodes not in sizes:
            raise SettingsError(f"nodes is {nodes!r}: the formulas of the front have {', '.join(map(str, sizes))}")
        self.picked_ = sizes[nodes]
        self.run_ = run_of(self.runs_, self.picked_)
        return self

    @property
    def front_(self) -> dict[str, NDArray[Any]]:
        """Error against size, smallest first, as columns."""
        check_is_fitted(self)
        members = self._members
        return {
            "nodes": np.array([member.nodes for member in members]),
            "error": np.array([member.fitness for member in members]),
            "formula": np.array([member.formula for member in members], object),
            "picked": np.array([member is self.picked_ for member in members]),
        }

    def sympy(self) -> Exported[Any]:
        """The formula as an expression of sympy; see `gm.Individual.sympy`."""
        return self._individual.sympy()

    def latex(self, digits: int | None = None) -> Exported[str]:
        """The formula as LaTeX; see `gm.Individual.latex`."""
        return self._individual.latex(digits)

    def python(self) -> Exported[str]:
        """The formula as Python source that needs NumPy alone; see `gm.Individual.python`."""
        return self._individual.python()

    def infix(self) -> Exported[str]:
        """The formula as a string that `sympy.sympify` reads; see `gm.Individual.infix`."""
        return self._individual.infix()

    def plot(self, X: Any = None, y: Any = None, path: str | os.PathLike[str] | None = None) -> Figure:
        """A figure of Matplotlib: error over the search, the front, and predictions against the target.

        Parameters
        ----------
        X, y
            Rows that are drawn next to the training rows, such as those kept for testing.
        path
            A PNG, SVG or PDF file that it is written to.

        Returns
        -------
        matplotlib.figure.Figure
        """
        check_is_fitted(self)
        check_given(X, y, path)
        table, data = fitted_rows(self.runs_[0])
        samples = {"training": (data.target, self.picked_.predict(table))}
        scores = [f"{r2_score(*samples['training'], sample_weight=weights_of(data)):.3g} in training"]
        if X is not None:
            samples["given"] = np.asarray(y, np.float64), self.predict(X)
            scores.append(f"{r2_score(*samples['given']):.3g} in the given rows")
        heading = f"R² {', '.join(scores)}"
        target = self._facts.target or "target"
        drawn = number_model(
            searched(self.runs_, self._members, self.picked_), samples, target, heading, rounded(str(self))
        )
        return saved(drawn, path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write formula, front, grammar and columns to a JSON file, which `gm.Model.load` reads back."""
        check_is_fitted(self)
        Model.of(self._facts, [Front.of(self._members, self.picked_)], self.runs_).save(path)

    @property
    def _individual(self) -> Individual:
        check_is_fitted(self)
        return self.picked_

    @property
    def _runs_by_formula(self) -> tuple[tuple[Run, ...], ...]:
        return (self.runs_,)

    def __str__(self) -> str:
        if not hasattr(self, "picked_"):
            return repr(self)
        target = self._facts.target
        return f"{target} ≈ {self.picked_.formula}" if target else str(self.picked_.formula)
