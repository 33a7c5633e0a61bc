"""Any function of the phenotype as a problem."""

from __future__ import annotations

import ast
import math
import re
import secrets
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivation
from gramarye.direction import Direction
from gramarye.errors import SettingsError
from gramarye.execution import Threads
from gramarye.execution.evaluations import Batched
from gramarye.execution.outcomes import Limits
from gramarye.export import Exported
from gramarye.grammar import Grammar
from gramarye.identity import UnrecognisableError, function_identity
from gramarye.languages.python import python_text
from gramarye.objectives.problem import AS_THEY_ARE, Evaluator, Problem, Tuning, check_grammar
from gramarye.objectives.text_evaluator import Judging, TextEvaluator
from gramarye.text import brief

Number = SupportsFloat | Sequence[SupportsFloat] | NDArray[Any]
Fitness = Callable[[str], Number]
BatchFitness = Callable[[list[str]], Sequence[Number]]

UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


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
    test
        Another function like `function`, for data that the search must not see: the best programs of a run are tested
        with it (`run.best.test_fitness`).
    timeout
        Seconds that one evaluation may take. It is stopped then, and the program is invalid.
    memory
        Memory that one evaluation may use beyond what its process had before, such as "512MB" (Linux only).
    noisy
        Whether repeated calls with the same text may return different numbers: the function is then called for every
        occurrence of a program, instead of once in a run.
    batch
        Whether the functions take a list of texts and return a list, with the numbers of each: for an evaluation
        service of your own. They are called in this process, so limits and workers don't apply, and an exception stops
        the run.
    on_error
        What happens when the function raises or returns NaN: "worst" makes the program invalid, "raise" stops the run.
    name
        What reports call the problem.
    description
        What reports say of it (default: the name of the function).
    version
        A text to recognise the function by when a saved run or an experiment is resumed; change it when you change the
        function. By default the function is recognised by its module, name and source, its default arguments and the
        values it closes over, but not by functions it calls or values at the top of its module.

    Notes
    -----
    With a limit, or with `workers` in `evolve`, the function is called in worker processes: what it prints is
    discarded, and what it changes stays there. A program that ends its process costs only itself.

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
        function: Fitness | BatchFitness,
        grammar: Grammar,
        *,
        maximise: bool = False,
        test: Fitness | BatchFitness | None = None,
        timeout: float | None = None,
        memory: str | int | None = None,
        noisy: bool = False,
        batch: bool = False,
        on_error: Literal["worst", "raise"] = "worst",
        name: str = "objective",
        description: str | None = None,
        version: str | None = None,
    ) -> None:
        _check_function(function, "the objective")
        if test is not None:
            _check_function(test, "test")
        for what, flag in (("maximise", maximise), ("noisy", noisy), ("batch", batch)):
            if not isinstance(flag, bool):
                raise SettingsError(f"{what} is {flag!r}: it must be True or False")
        if on_error not in ("worst", "raise"):
            raise SettingsError(f"on_error is {on_error!r}: it must be 'worst' or 'raise'")
        self.limits = Limits(_seconds(timeout), _bytes(memory))
        if batch and self.limits != Limits():
            raise SettingsError("a batch function runs in this process, without limits; leave timeout and memory out")
        self.functions: tuple[Any, ...] = (function,) if test is None else (function, test)
        self.grammar = check_grammar(grammar)
        self.maximise = maximise
        self.noisy = noisy
        self.batch = batch
        self.on_error = on_error
        self.name = name
        self.description = _named(function) if description is None else description
        self.version = version
        self._recognised_by = self._recognise()  # now: the function may count its calls, or remember results

    @property
    def direction(self) -> Direction:
        return "maximise" if self.maximise else "minimise"

    @property
    def _given_limits(self) -> dict[str, float]:
        limits = {"timeout": self.limits.seconds, "memory": self.limits.memory}
        return {what: limit for what, limit in limits.items() if limit is not None}

    @property
    def summary(self) -> dict[str, Any]:
        tested: dict[str, Any] = {"tests": len(self.functions) > 1, "noisy": self.noisy}
        return {**tested, **self._given_limits}

    @property
    def identity(self) -> dict[str, str]:
        given = {what: f"{limit:g}" for what, limit in self._given_limits.items()}
        return {**super().identity, "direction": self.direction, **given, **self._recognised_by}

    def _recognise(self) -> dict[str, str]:
        if self.version is not None:
            return {"version": str(self.version)}
        return {what: _recognised(f) for what, f in zip(("function", "test"), self.functions, strict=False)}

    def evaluator(self, seed: np.uint64, threads: Threads, tuning: Tuning = AS_THEY_ARE) -> Evaluator:
        judging = Judging(
            grammar=self.grammar,
            direction=self.direction,
            noisy=self.noisy,
            strict=self.on_error == "raise",
            tested=len(self.functions) > 1,
        )
        if self.batch:
            return TextEvaluator(judging, Batched(self.functions))
        return TextEvaluator(judging, threads.workers.evaluations(self.functions, self.limits))

    def python(self, derivation: Derivation, weights: NDArray[np.float64] | None, seed: int | None) -> Exported[str]:
        text = python_text(derivation.phenotype or "")
        try:
            ast.parse(text, "the program")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise SettingsError(f"the program {brief(text.strip())} is not Python: {error}") from None
        return Exported(text, {})


def _recognised(function: Callable[..., Any]) -> str:
    try:
        return function_identity(function)
    except UnrecognisableError as why:  # only this object has the token
        return f"not recognisable ({why}; set version=…) {secrets.token_hex(4)}"


def _named(function: Any) -> str:
    """A function by its module and name, where it has any."""
    kind = type(function)
    module, name = (getattr(function, key, getattr(kind, key)) for key in ("__module__", "__qualname__"))
    return f"the fitness function {module}:{name}"


def _check_function(function: Any, what: str) -> None:
    if not callable(function):
        fix = "; give a function for testing as test=" if isinstance(function, tuple | list) else ""
        raise SettingsError(
            f"{what} is {function!r}: it must be a function from a text to a number or to a list of numbers{fix}"
        )


def _seconds(timeout: Any) -> float | None:
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, SupportsFloat) or not 0 < float(timeout) < math.inf:
        raise SettingsError(f"timeout is {timeout!r}: it must be a number of seconds > 0")
    return float(timeout)


def _bytes(memory: Any) -> int | None:
    """A size such as 512MB."""
    if memory is None:
        return None
    found = re.fullmatch(r"([0-9]*\.?[0-9]+)\s*([A-Za-z]+)", memory.strip()) if isinstance(memory, str) else None
    units = {unit.lower(): size for unit, size in UNITS.items()}
    if found is not None and found[2].lower() in units:
        size = float(found[1]) * units[found[2].lower()]
    else:
        size = memory if isinstance(memory, int) and not isinstance(memory, bool) else 0
    if not UNITS["MB"] <= size < 2**62:
        known = ", ".join(UNITS)
        raise SettingsError(
            f"memory is {memory!r}: it must be a size of at least 1MB, such as '512MB' (units: {known})"
        )
    return int(size)
