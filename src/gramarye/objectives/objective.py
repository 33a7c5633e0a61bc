"""Any function of the phenotype as a problem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar, Literal, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from gramarye.derivation import Derivations, Status
from gramarye.direction import Direction, signed
from gramarye.errors import ObjectiveError, SettingsError
from gramarye.evaluation import Evaluation, Work
from gramarye.execution import Workers
from gramarye.grammar import Grammar
from gramarye.objectives.base import Evaluator, Problem, check_grammar
from gramarye.objectives.cache import (
    Cache,
    Records,
    compute_all,
    derivations_between,
    evaluation_of,
    only_whole,
)
from gramarye.trees import texts

Fitness = Callable[[str], SupportsFloat]

_CODING = "utf-32-le", "surrogatepass"  # a number for each character; halves of pairs are legal in Python's texts


class Objective(Problem):
    """A problem whose fitness is any function from a program's text to a number; smaller is better.

    With `maximise=True` larger is better. Runs, tables and figures show the numbers that the function returned; only
    inside, for selection and learning and in saved states, are they negated and minimised.
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
        number = signed(number, self.direction)
        return number if np.isfinite(number) else np.inf


class _TextEvaluator(Evaluator):
    """Calls the function for each text that was not seen before."""

    def __init__(self, problem: Objective) -> None:
        self._problem = problem
        self._derivations, self._texts = Cache(), Cache()
        self._sizes = np.array(
            [sum(s.kind == "terminal" and s.text != "" for s in p.symbols) for p in problem.grammar.productions]
        )

    def evaluate(self, derivations: Derivations) -> Evaluation:
        whole = only_whole(derivations)
        look_up = self._derivations.look_up if self._problem.cache else compute_all
        return evaluation_of(derivations, *look_up(whole.productions, whole.offsets, self._evaluate_derivations))

    def _evaluate_derivations(self, productions: NDArray[np.int32], bounds: NDArray[np.int64]) -> tuple[Records, Work]:
        """The records of derivations; several may lead to one text."""
        derivations = derivations_between(productions, bounds)
        found = texts(self._problem.grammar, derivations)
        look_up = self._texts.look_up if self._problem.cache else compute_all
        records, work = look_up(*_code_points(found), self._evaluate_texts)
        steps = np.concatenate([np.zeros(1, np.int64), np.cumsum(self._sizes[derivations.productions])])
        return replace(records, size=np.diff(steps[derivations.offsets])), work

    def _evaluate_texts(self, points: NDArray[np.int32], bounds: NDArray[np.int64]) -> tuple[Records, Work]:
        records = Records.blank(len(bounds) - 1)
        for i, (first, last) in enumerate(pairwise(bounds.tolist())):
            text = points[first : last - 1].tobytes().decode(*_CODING)
            records.fitness[i] = self._problem.fitness(text)
        records.status[:] = np.where(np.isfinite(records.fitness), Status.OK, Status.NOT_FINITE)
        return records, Work(distinct=len(bounds) - 1)


def _code_points(found: Sequence[str | None]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Texts as rows of numbers, and their bounds; each ends in a 0, so that the empty text is a row too."""
    points = np.frombuffer("".join(f"{text}\0" for text in found).encode(*_CODING), np.int32)
    lengths = [len(str(text)) + 1 for text in found]
    return points, np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
