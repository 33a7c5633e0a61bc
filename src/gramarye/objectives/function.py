"""Any function of the phenotype as a problem."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations, Status, only_whole
from gramarye.derivations.random_trees import texts
from gramarye.direction import Direction, signed
from gramarye.errors import ObjectiveError, SettingsError
from gramarye.execution import Threads
from gramarye.grammar import Grammar
from gramarye.identity import UnrecognisableError, function_identity
from gramarye.objectives.cache import Cache, Records, compute_all, derivations_between, evaluation_of
from gramarye.objectives.problem import AS_THEY_ARE, Evaluator, Problem, Tuning, check_grammar
from gramarye.populations.evaluation import Evaluation, Work

Fitness = Callable[[str], SupportsFloat | Sequence[SupportsFloat] | NDArray[Any]]
Floats = NDArray[np.float64]

_MOST = 64 * 2**20  # bytes of texts and errors that are remembered; then they are forgotten, which changes time only
_EACH = 256  # bytes of a text and its fitness, about


class Objective(Problem):
    r"""A problem whose fitness is any function of a program's text.

    Parameters
    ----------
    function
        Takes the text of a program and returns a number, or a list of numbers, one error per case: the fitness is then
        their mean, and lexicase selection can compare programs case by case. Smaller is better.
        A program whose fitness is NaN or infinite is invalid.
    grammar
        The grammar of the programs.
    maximise
        Whether larger numbers are better. Runs, tables and figures show the numbers that the function returned; only
        inside, for selection and learning and in saved states, are they negated and minimised.
    cache
        Whether equal texts are computed once in a run.
    on_error
        What happens when the function raises: "raise" stops the run, "worst" makes the program invalid.
    name
        What reports call the problem.
    version
        A text to recognise the function by when a saved run or an experiment is resumed; change it when you change the
        function. By default the function is recognised by its module, name and source, its default arguments and the
        values it closes over, but not by functions it calls or values at the top of its module.

    Examples
    --------
    >>> import gramarye as gm
    >>> grammar = gm.Grammar.from_text("<word> ::= <letter><word> | <letter>\n<letter> ::= a | b")
    >>> problem = gm.Objective(lambda text: abs(len(text) - 3), grammar)
    >>> gm.evolve(problem, gm.GE(population=50, generations=5), seed=1).best.fitness
    0.0
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
        version: str | None = None,
    ) -> None:
        if not callable(function):
            raise SettingsError(
                f"the objective is {function!r}: it must be a function from a text to a number or to a list of numbers"
            )
        if not isinstance(maximise, bool):
            raise SettingsError(f"maximise is {maximise!r}: it must be True or False")
        if on_error not in ("raise", "worst"):
            raise SettingsError(f"on_error is {on_error!r}: it must be 'raise' or 'worst'")
        self.function = function
        self.grammar = check_grammar(grammar)
        self.maximise = maximise
        self.cache = cache
        self.on_error = on_error
        self.name = name
        self.version = version
        self._recognised_by = self._recognise()  # now: the function may count its calls, or remember results
        self.description = "any function of the phenotype"

    @property
    def direction(self) -> Direction:
        return "maximise" if self.maximise else "minimise"

    @property
    def identity(self) -> dict[str, str]:
        return {**super().identity, "direction": self.direction, **self._recognised_by}

    def _recognise(self) -> dict[str, str]:
        if self.version is not None:
            return {"version": str(self.version)}
        try:
            return {"function": function_identity(self.function)}
        except UnrecognisableError as why:  # only this object has the token
            return {"function": f"not recognisable ({why}; set version=…) {secrets.token_hex(4)}"}

    def evaluator(self, seed: np.uint64, threads: Threads, tuning: Tuning = AS_THEY_ARE) -> Evaluator:
        return _TextEvaluator(self)

    def errors(self, text: str) -> Floats | None:
        """What the function returns for a text, to be minimised: [], or [C] one error per case; None: it failed."""
        try:
            value = self.function(text)
        except Exception as error:
            if self.on_error == "worst":
                return None
            raise ObjectiveError(
                f"the objective raised {type(error).__name__}: {error} for the program {text!r}; "
                'on_error="worst" gives such programs the worst fitness'
            ) from error
        try:
            numbers = _numbers(value)
        except (TypeError, ValueError):
            raise ObjectiveError(
                f"the objective returned {value!r} for the program {text!r}: it must be a number or a list of numbers"
            ) from None
        return signed(numbers, self.direction)


class _TextEvaluator(Evaluator):
    """Calls the function for each text that was not seen before."""

    def __init__(self, problem: Objective) -> None:
        self._problem = problem
        self._derivations = Cache()
        self._shape: tuple[int, ...] | None = None  # of what the function returns; None until it has returned
        self._texts: dict[str, tuple[float, Floats | None]] = {}  # seen: fitness, errors per case (None: it failed)
        self._calls = 0  # of the function
        self._sizes = np.array(
            [
                sum(s.kind in ("terminal", "constant") and s.text != "" for s in p.symbols)
                for p in problem.grammar.productions
            ]
        )

    def evaluate(self, derivations: Derivations) -> Evaluation:
        if not self._problem.cache:
            self._texts.clear()
        whole = only_whole(derivations)
        known = self._problem.cache and not len(whole.values)  # with other constants, a derivation is another program
        look_up = self._derivations.look_up if known else compute_all

        def compute(productions: NDArray[np.int32], bounds: NDArray[np.int64]) -> tuple[Records, Work]:
            return self._evaluate_derivations(derivations_between(productions, bounds, whole.values))

        return evaluation_of(derivations, *look_up(whole.productions, whole.offsets, compute))

    def cases(self, derivations: Derivations, weights: Floats | None = None) -> Floats:
        """The errors that the function returns for each individual; it is called again where they are forgotten."""
        found = [
            (math.inf, None) if text is None else self._known(text)
            for text in texts(self._problem.grammar, derivations)
        ]
        if self._shape == ():
            raise SettingsError("lexicase selection needs errors per case: return a list of errors from the objective")
        cases = np.full((len(found), *(self._shape or (1,))), np.inf)
        for i, (fitness, errors) in enumerate(found):
            if np.isfinite(fitness):
                cases[i] = errors
        return cases

    def _evaluate_derivations(self, derivations: Derivations) -> tuple[Records, Work]:
        """The records of derivations; several may lead to one text."""
        records, before = Records.blank(len(derivations)), self._calls
        fitness_of = self._known if self._problem.cache else self._called
        for i, text in enumerate(texts(self._problem.grammar, derivations)):
            records.fitness[i], _ = fitness_of(str(text))
        records.status[:] = np.where(np.isfinite(records.fitness), Status.OK, Status.NOT_FINITE)
        steps = np.concatenate([np.zeros(1, np.int64), np.cumsum(self._sizes[derivations.productions])])
        records.size[:] = np.diff(steps[derivations.offsets])
        return records, Work(distinct=self._calls - before)

    def _known(self, text: str) -> tuple[float, Floats | None]:
        """The fitness and the errors of one text, remembered or computed."""
        return self._texts[text] if text in self._texts else self._called(text)

    def _called(self, text: str) -> tuple[float, Floats | None]:
        """The fitness and the errors of one text, always of one shape."""
        errors = self._problem.errors(text)
        self._calls += 1
        if errors is not None and errors.ndim == 0 and not np.isfinite(errors):
            errors = None  # the program is invalid, whatever the function returns for others
        if errors is not None and self._shape is None:
            self._shape = errors.shape
        if errors is not None and errors.shape != self._shape:
            raise ObjectiveError(
                f"the objective returned {_described(errors.shape)} for the program {text!r}, "
                f"but {_described(self._shape or ())} before"
            )
        if (len(self._texts) + 1) * (_EACH + 8 * math.prod(self._shape or ())) > _MOST:
            self._texts.clear()
        fitness = math.inf if errors is None else _mean(errors)
        self._texts[text] = fitness, errors if self._shape else None
        return self._texts[text]


def _numbers(value: Any) -> Floats:
    """One number [], or a list of them [C]; what is beyond all floats is infinite."""
    if np.ndim(value) == 0:
        return np.array(_number(value))
    if np.ndim(value) != 1 or len(value) == 0:
        raise ValueError
    return np.array([_number(one) for one in value])


def _number(value: Any) -> float:
    if isinstance(value, str | bytes):
        raise TypeError
    try:
        return float(value)
    except OverflowError:  # an integer beyond all floats
        return math.inf


def _mean(errors: Floats) -> float:
    """The fitness: +inf where an error is not finite."""
    if not np.isfinite(errors).all():
        return math.inf
    try:
        return math.fsum(errors) / len(errors) if errors.ndim else float(errors)
    except OverflowError:
        return math.inf


def _described(shape: tuple[int, ...]) -> str:
    return f"{shape[0]} error{'s' * (shape[0] != 1)}" if shape else "a single number"
