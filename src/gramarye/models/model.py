"""Model: the formulas that a search has found, ready to predict; saved as JSON and read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from gramarye.engine.run import Run
from gramarye.errors import SettingsError
from gramarye.export import Exported, to_infix, to_latex, to_python, to_sympy
from gramarye.files import write_text
from gramarye.grammar import Grammar
from gramarye.grammar.columns import Column
from gramarye.models import from_json, to_json
from gramarye.models.calibration import Calibration
from gramarye.models.facts import Facts
from gramarye.models.formula import Front
from gramarye.models.simplified import with_simpler_numbers
from gramarye.objectives.regression import Regression
from gramarye.records.document import json_text


@dataclass(eq=False, repr=False)
class Model:
    """Formulas that predict a number or a class, without scikit-learn and without the data they were fitted to.

    `model.save("model.json")` of `GrammarRegressor` and `GrammarClassifier`, or `gramarye fit --out model.json`, writes
    one; `gm.Model.load("model.json")` reads it back. It predicts the same bits as the model that was saved.

    Attributes
    ----------
    facts
        The columns, the name of the target, and the number of rows that the model was fitted to.
    grammar : gm.Grammar
        That the formulas were searched in.
    front_ : dict of arrays
        Of a model for a number: the columns `nodes`, `error`, `formula` and `picked`, as in `GrammarRegressor`.
    classes_ : array or None
        The classes, if the model predicts one.
    formulas_ : dict
        Of a model for classes: from a class to the text of its formula, as in `GrammarClassifier`.
    search : dict
        How the formulas were found: method, settings, seed, evaluations, versions.

    Examples
    --------
    >>> import gramarye as gm
    >>> X, y = [[1.0], [2.0], [3.0]], [3.0, 9.0, 19.0]
    >>> grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | <e> * <e> | x")
    >>> run = gm.evolve(gm.Regression(X, y, grammar, linear_scaling=True), gm.GE(population=50), seed=1)
    >>> model = gm.Model.of_run(run)
    >>> model.predict([[4.0]])
    array([33.])
    """

    facts: Facts
    grammar: Grammar
    measure: str  # of errors
    fronts: tuple[Front, ...]  # one, or one for each of more than two classes
    search: Mapping[str, Any]
    classes_: NDArray[Any] | None = None
    calibration: Calibration | None = None

    @classmethod
    def of(
        cls,
        facts: Facts,
        fronts: Sequence[Front],
        runs: Sequence[Run],
        classes: NDArray[Any] | None = None,
        calibration: Calibration | None = None,
    ) -> Self:
        """The model that some runs have found."""
        problem = cast(Regression, runs[0].problem)
        search = to_json.search(runs)
        return cls(facts, problem.grammar, problem.error, tuple(fronts), search, classes, calibration)

    @classmethod
    def of_run(cls, run: Run, target: str | None = None) -> Self:
        """The model that one run on a `gm.Regression` has found; its numbers have the digits that the data support."""
        if not isinstance(run, Run):
            raise SettingsError(
                f"run is of type {type(run).__name__}: give a run, such as `gm.evolve` returns; "
                "fitted estimators and models have a method `save` of their own"
            )
        if not isinstance(run.problem, Regression) or run.picked.phenotype is None:
            raise SettingsError(f"{run.problem.name} has no formula for a table of data; give a run that found one")
        if run.problem.precedence != "ordinary":  # the file has no place for it, and the formula would mean another one
            what = f"a model can't hold formulas of precedence={run.problem.precedence!r}"
            raise SettingsError(f"{what}; export run.best.latex() or .sympy(), or learn with ordinary precedence")
        data = run.problem.dataset
        names = run.problem.language.labels if data.names is None else data.names
        facts = Facts(tuple(map(Column, names)), data.names is not None, target, data.rows)
        simpler = with_simpler_numbers(run)
        return cls.of(facts, [Front.of(simpler.front, simpler.picked)], [run])

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model that was saved as JSON."""
        if not isinstance(path, str | PathLike):
            raise SettingsError(
                f"path is of type {type(path).__name__}: "
                "give the path of a file that `gramarye fit --out` or `model.save` wrote"
            )
        return cls(**from_json.read(Path(path)))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model as JSON; a file that was there is replaced only when the new one is complete."""
        write_text(Path(path), f"{json_text(self.document(), ascii_only=False)}\n")

    def document(self) -> dict[str, Any]:
        """Everything, as `save` writes it."""
        parts = self.facts, self.grammar, self.measure, self.fronts, self.search, self.classes_, self.calibration
        return to_json.document(*parts)

    def predict(self, X: Any) -> NDArray[Any]:
        """A number or a class for each row of an array, or of a data frame whose columns are found by name."""
        if self.classes_ is None or self.calibration is None:
            return self.fronts[0].formula.predict(X)
        return np.asarray(self.classes_[self.calibration.labels(self._outputs(X))])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class [rows, classes]."""
        if self.calibration is None:
            raise SettingsError("the model predicts a number: it has no classes, and no probabilities of them")
        return self.calibration.probabilities(self._outputs(X))

    def _outputs(self, X: Any) -> NDArray[np.float64]:
        """What each formula gives [rows, formulas]."""
        return np.array([front.formula.predict(X) for front in self.fronts]).T

    @property
    def used_columns(self) -> list[Column]:
        """The columns that the formulas need."""
        used = {column for front in self.fronts for column in front.formula.columns}
        return [self.facts.columns[place] for place in sorted({self.facts.sources[i] for i in used})]

    @property
    def front_(self) -> dict[str, NDArray[Any]]:
        """Error against size, smallest first, as columns."""
        front = self._only
        return {
            "nodes": np.array([formula.nodes for formula in front.formulas]),
            "error": np.array([formula.error for formula in front.formulas]),
            "formula": np.array([str(formula) for formula in front.formulas], object),
            "picked": np.arange(len(front.formulas)) == front.picked,
        }

    def use(self, nodes: int) -> Self:
        """Predict with the formula of the front that has this number of nodes."""
        front = self._only
        sizes = [formula.nodes for formula in front.formulas]
        if nodes not in sizes:
            raise SettingsError(f"nodes is {nodes!r}: the formulas of the front have {', '.join(map(str, sizes))}")
        front.picked = sizes.index(nodes)
        return self

    @property
    def formulas_(self) -> dict[Any, str]:
        """The text of each formula, by its class; of two classes, the second one has it."""
        if self.classes_ is None:
            raise SettingsError("the model predicts a number and has one formula: str(model) gives it")
        meant = self.classes_[-1:] if len(self.classes_) == 2 else self.classes_
        texts = [str(front.formula) for front in self.fronts]
        return dict(zip(meant.tolist(), texts, strict=True))

    def sympy(self) -> Exported[Any]:
        """The formula as an expression of sympy; see `gm.Individual.sympy`."""
        return to_sympy(self._only.formula.expression)

    def latex(self, digits: int | None = None) -> Exported[str]:
        """The formula as LaTeX; see `gm.Individual.latex`."""
        return to_latex(self._only.formula.expression, digits)

    def python(self) -> Exported[str]:
        """The formula as Python source that needs NumPy alone; see `gm.Individual.python`."""
        return to_python(self._only.formula.expression)

    def infix(self) -> Exported[str]:
        """The formula as a string that `sympy.sympify` reads; see `gm.Individual.infix`."""
        return to_infix(self._only.formula.expression)

    @property
    def _only(self) -> Front:
        """The front of a model that is a single formula."""
        if self.classes_ is not None:
            raise SettingsError("the model predicts classes, by probabilities from its formulas; see model.formulas_")
        return self.fronts[0]

    def __str__(self) -> str:
        if self.classes_ is not None:
            return "\n".join(f"{label}: {formula}" for label, formula in self.formulas_.items())
        formula = str(self.fronts[0].formula)
        return f"{self.facts.target} ≈ {formula}" if self.facts.target else formula

    def __repr__(self) -> str:
        what = "a number" if self.classes_ is None else f"{len(self.classes_)} classes"
        return f"Model(for {self.facts.target or what}, from {len(self.facts.columns)} columns)"
