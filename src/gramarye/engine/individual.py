"""One individual, for a person to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivation
from gramarye.errors import SettingsError
from gramarye.export import Exported, to_infix, to_latex, to_sympy
from gramarye.languages.expression import Expression
from gramarye.objectives.problem import Problem
from gramarye.text import brief


@dataclass(frozen=True, repr=False)
class Individual:
    """One individual, for a person to look at; its fitness has the sign that the objective returned.

    Attributes
    ----------
    genotype
        In the form in which `map_genotype` takes it.
    derivation : Derivation
        How the grammar derives the program.
    phenotype : str or None
        The program; None if the individual is invalid.
    formula : str or None
        The program with the weights that linear scaling fitted to it.
    fitness, test_fitness : float
        On the training rows and on those kept for testing (NaN if there are none).
    size, depth : int
        Of the derivation tree.
    nodes : int
        Of the program: its words and operators, by which the front of a run counts.
    digits : int
        Of a formula whose numbers were simplified: what their digits count for in nodes, by which one is picked.

    Examples
    --------
    >>> import gramarye as gm
    >>> run = gm.evolve(gm.problems.load("quartic"), gm.GE(population=50, generations=3), seed=1)
    >>> run.best
    Individual(...)
    """

    genotype: Any
    derivation: Derivation
    fitness: float
    test_fitness: float = float("nan")  # NaN where the problem keeps no rows for testing
    problem: Problem | None = None  # that it was evaluated on
    weights: NDArray[np.float64] | None = None  # [1 + T] intercept and weights of terms, where they are fitted
    nodes: int = 0  # of the program: words and operators
    seed: int | None = None  # of its run
    digits: int = 0  # what those of its numbers count for, in nodes, where it was simplified

    @property
    def phenotype(self) -> str | None:
        """The program; None where the individual is invalid."""
        return self.derivation.phenotype if np.isfinite(self.fitness) else None

    @property
    def formula(self) -> str | None:
        """The program with the weights that were fitted to it; None where the individual is invalid."""
        if self.phenotype is None or self.problem is None:
            return self.phenotype
        return self.problem.formula(self.derivation, self.weights)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """What the program gives for each row of an array, or of a data frame whose columns are found by name."""
        if self.phenotype is None or self.problem is None:
            raise SettingsError("there is no valid program to predict with")
        predicted = self.problem.predict(self.derivation, self.weights, X)
        return predicted if self.seed is None else self.problem.limited(predicted, np.uint64(self.seed))

    def sympy(self) -> Exported[Any]:
        """The formula as an expression of sympy (`form`), with the assumptions under which it predicts the same."""
        return to_sympy(self._expression)

    def latex(self, digits: int | None = None) -> Exported[str]:
        """The formula as LaTeX, its numbers with that many significant digits (default: all of them).

        Names in other scripts, such as Japanese ones, stay as they are: they need XeLaTeX, LuaLaTeX or a notebook.
        """
        return to_latex(self._expression, digits)

    def python(self) -> Exported[str]:
        """The program as Python source that runs alone.

        A formula needs NumPy, and its function `predict` is the one here. Of an `Objective`, it is the program itself,
        with `{:` and `:}` as indentation, if it is Python.
        """
        return self._exported_from.python(self.derivation, self.weights, self.seed)

    def infix(self) -> Exported[str]:
        """The formula as a string that `sympy.sympify` reads, in the form that SRBench asks for."""
        return to_infix(self._expression)

    @property
    def _expression(self) -> Expression:
        return self._exported_from.expression(self.derivation, self.weights, self.seed)

    @property
    def _exported_from(self) -> Problem:
        """Its problem; an error where there is nothing to export."""
        if self.phenotype is None or self.problem is None:
            raise SettingsError("there is no valid program to export")
        return self.problem

    @property
    def size(self) -> int:
        """The nodes of its derivation tree."""
        return self.derivation.size

    @property
    def depth(self) -> int:
        """The depth of its derivation tree."""
        return self.derivation.depth

    def __repr__(self) -> str:
        if self.phenotype is None:
            return f"Individual(invalid: {brief(self.derivation.form)})"
        return f"Individual({brief(self.phenotype)}, fitness {self.fitness:.4g})"
