"""Any function of the phenotype as a problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from gramarye.derivation import Derivation, Derivations, Status
from gramarye.errors import ObjectiveError, SettingsError
from gramarye.execution import Workers
from gramarye.grammar import Grammar
from gramarye.objectives.base import Direction, Evaluator, Problem, Work, check_grammar

Fitness = Callable[[str], SupportsFloat]


class Objective(Problem):
    """A problem whose fitness is any function from a program's text to a number; smaller is better.

    With `maximise=True` larger is better; inside, and in what a run records, fitness is then the negative number.
    Equal texts are computed once in a run, unless `cache=False`. A function that raises stops the run, unless
    `on_error="worst"`: then such programs are invalid. So is a program whose fitness is NaN or infinite.
    """

    compiled: ClassVar[bool] = False

    def __init__(
        self,
        function: Fitness,
        grammar: Grammar,
        *,
        maximise: bool = False,
        cache: bool = True,
        on_error: Literal["raise", "worst"] = "raise",
        name: str = "objective",
    ) -> None:
        if not callable(function):
            raise SettingsError(f"the objective is {function!r}: it must be a function from a text to a number")
        if on_error not in ("raise", "worst"):
            raise SettingsError(f"on_error is {on_error!r}: it must be 'raise' or 'worst'")
        self.function = function
        self.grammar = check_grammar(grammar)
        self.maximise = maximise
        self.cache = cache
        self.on_error = on_error
        self.name = name
        self.description = "any function of the phenotype"

    @property
    def direction(self) -> Direction:
        return "maximise" if self.maximise else "minimise"

    @property
    def summary(self) -> dict[str, Any]:
        return {"maximise": self.maximise}

    def facts(self) -> tuple[Any, ...]:
        return *super().facts(), self.maximise

    def evaluator(self, seed: np.uint64, workers: Workers) -> Evaluator:
        return _TextEvaluator(self)

    def fitness(self, text: str) -> float:
        """The fitness of a text as the run sees it: minimised, +inf where it is no finite number."""
        try:
            value = self.function(text)
        except Exception as error:
            if self.on_error == "worst":
                return np.inf
            raise ObjectiveError(
                f"the objective raised {type(error).__name__}: {error} for the program {text!r}; "
                'on_error="worst" gives such programs the worst fitness'
            ) from error
        try:
            number = float(value)
        except OverflowError:  # an integer beyond all floats
            number = np.inf
        except (TypeError, ValueError):
            raise ObjectiveError(
                f"the objective returned {value!r} for the program {text!r}: it must be a number"
            ) from None
        number = -number if self.maximise else number
        return number if np.isfinite(number) else np.inf


class _TextEvaluator(Evaluator):
    def __init__(self, problem: Objective) -> None:
        self.work = Work()
        self._problem = problem
        self._seen: dict[str, float] = {}

    def evaluate(self, derivations: Derivations) -> NDArray[np.float64]:
        fitness = np.full(len(derivations), np.inf)
        for i in np.nonzero(derivations.status == Status.OK)[0]:
            text = Derivation(self._problem.grammar, derivations[i]).form
            if text not in self._seen or not self._problem.cache:
                self._seen[text] = self._problem.fitness(text)
                self.work.distinct += 1
            fitness[i] = self._seen[text]
        return fitness
