"""A problem = grammar + objective: the interface of all problems."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye.data import Dataset
from gramarye.derivations import Derivation, Derivations, Status
from gramarye.direction import Direction, Values, signed
from gramarye.errors import ObjectiveError, SettingsError
from gramarye.execution import Threads
from gramarye.export import Exported, to_python
from gramarye.grammar import Grammar
from gramarye.identity import digest
from gramarye.languages.expression import Expression
from gramarye.populations.evaluation import Evaluation
from gramarye.populations.population import Memory
from gramarye.text import cut


def check_grammar(grammar: Any, count: Callable[[str], int] | None = None) -> Grammar:
    """The grammar; a SettingsError where it is something else, such as its text.

    What a `GE_RANGE:dataset_…` counts is written out by `count`, which knows how many of it the data have.
    """
    if not isinstance(grammar, Grammar):
        raise SettingsError(
            f"the grammar is {grammar!r}: give gm.Grammar.from_text(text), or gm.Grammar.from_file(path)"
        )
    if not grammar.unknown:
        return grammar
    if count is None:
        example = ", ".join(f"{name}=…" for name in grammar.unknown)
        what = f"{grammar.name} depends on a table ({', '.join(grammar.unknown)})"
        raise SettingsError(f"{what}; give grammar.resolved({example}), or write the numbers into its text")
    return grammar.resolved(**{name: count(name) for name in grammar.unknown})


class Tuning(NamedTuple):
    """How an objective fits programs to its data, where it can; by default, as they are."""

    terms: int = 0  # of the sum that a program is, at most, which get a weight each, besides an intercept
    iterations: int = 0  # of tuning the constants of a grammar
    least_gain: float = 1e-4  # of the squared error; a step of the constants that gains less is the last one
    rows: int | None = None  # on which programs are compared, where there are at least twice as many
    subtrees: int = 0  # children of each generation whose new subtree is fitted

    @property
    def fits(self) -> bool:
        """Whether anything is fitted."""
        return self.terms > 0 or self.iterations > 0


AS_THEY_ARE = Tuning()


LONGEST = 200  # characters of a program in a message


class FirstFailure(NamedTuple):
    """The first program of a run whose evaluation failed in some way."""

    program: str
    told: str  # what happened: goes on from the name of the function
    trace: str = ""  # where, if it raised an exception
    function: str = "the objective"

    @property
    def sentence(self) -> str:
        """What happened, with the program."""
        return f"for the program {cut(self.program, LONGEST)!r}, {self.function} {self.told}"

    def error(self, sentence: str) -> ObjectiveError:
        """An error that says this, and where it was."""
        error = ObjectiveError(sentence)
        if self.trace:
            error.add_note(self.trace.rstrip())
        return error


class Evaluator(ABC):
    """Evaluates populations during one run. It may remember programs that it has seen, which changes time only."""

    seconds: float = 0.0  # spent in a function of the user's, in all processes together
    failures: Mapping[Status, FirstFailure] = MappingProxyType({})  # of evaluations, by what happened
    whole: Evaluator | None = None  # computes what a run reports, where this one looks at some of the rows only

    @abstractmethod
    def evaluate(self, derivations: Derivations) -> Evaluation:
        """Fitness, status and size of each individual; the derivations are those of the problem's grammar."""

    def cases(self, derivations: Derivations, weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """The errors [N, C] of each individual in each case; +inf in all cases where it is invalid."""
        raise SettingsError(f"{type(self).__name__} has no errors per case")

    def test(self, derivations: Derivations, weights: NDArray[np.float64] | None = None) -> float:
        """The error of one individual on rows kept for testing, smaller is better; NaN where there are none.

        `weights` [1, 1 + T] are those of its evaluation.
        """
        return float("nan")

    def children(
        self, derivations: Derivations, weights: NDArray[np.float64] | None, generation: int
    ) -> Derivations | None:
        """Children that it can make of individuals by itself; None where it makes none."""
        return None

    def safe(self, derivations: Derivations, weights: NDArray[np.float64] | None) -> NDArray[np.bool_]:
        """[N] which programs give sensible numbers not only for the data, but also between its rows and near it."""
        return np.ones(len(derivations), np.bool_)

    @property
    def memory(self) -> Memory:
        """What it has seen, for the saved state of a run; nothing where computing it again takes no longer."""
        return {}

    def recall(self, memory: Memory) -> None:  # noqa: B027, most remember nothing
        """Remember what the evaluator of a saved state had seen."""

    def check(self, evaluation: Evaluation) -> None:  # noqa: B027, nothing to check by default
        """An error where the evaluation of a whole population failed, so that there is no sense in going on."""

    def close(self) -> None:  # noqa: B027, most hold nothing
        """Let go what it holds, such as processes."""


class Problem(ABC):
    """A grammar, and how good a program is that was derived from it."""

    name: str
    grammar: Grammar
    description: str
    dataset: Dataset | None = None  # what it learns from, where that is a table
    compiled: ClassVar[bool] = True  # whether the engine computes fitness, in any process; not a function of the user's

    @property
    def measure(self) -> str:
        """What its numbers are called: "RRSE", "fitness"."""
        return "fitness"

    @property
    def exact(self) -> float | None:
        """The (minimised) fitness of a program that is exact but for rounding; None where it is not known."""
        return None

    @property
    def noun(self) -> str:
        """What its programs are: "an arithmetic expression"."""
        return "a program"

    @property
    def direction(self) -> Direction:
        """Which numbers are better, as people see them; inside, fitness is always minimised."""
        return "minimise"

    def shown(self, fitness: Values) -> Values:
        """Minimised fitness with the sign that people see."""
        return signed(fitness, self.direction)

    @property
    def summary(self) -> dict[str, Any]:
        """What a report says of it, beside its description."""
        return {}

    @property
    def identity(self) -> dict[str, str]:
        """What distinguishes it from other problems, by name: a run is resumed only with the problem it began with."""
        return {"name": self.name, "type": type(self).__name__, "grammar": digest(self.grammar.text)}

    @abstractmethod
    def evaluator(self, seed: np.uint64, threads: Threads, tuning: Tuning = AS_THEY_ARE) -> Evaluator:
        """What computes fitness in the run of this seed."""

    def outputs(self, derivations: Derivations) -> NDArray[np.float64]:
        """What each program gives for each row of the dataset [N, rows]; NaN where it is not a program."""
        raise SettingsError(f"{self.name} has no data, so its programs have no outputs")

    def predict(self, derivation: Derivation, weights: NDArray[np.float64] | None, X: Any) -> NDArray[np.float64]:
        """What a program predicts for other rows, scaled by the weights [1 + T] that its evaluation found."""
        raise SettingsError(f"{self.name} has no data, so its programs predict nothing")

    def check_columns(self, X: Any) -> None:
        """An error where a table can't be predicted, because it lacks columns that programs may use."""
        raise SettingsError(f"{self.name} has no data, so its programs predict nothing")

    def cost(self, fitness: NDArray[np.float64], size: NDArray[np.int64]) -> NDArray[np.float64]:
        """[N] by which one program is picked from a front, the smallest first: here the fitness alone."""
        return fitness

    @property
    def picks_by(self) -> str:
        """What `cost` is called."""
        return "its fitness alone"

    def limited(self, predicted: NDArray[np.float64], seed: np.uint64) -> NDArray[np.float64]:
        """Predictions of a program that the run of this seed has found, with what the problem makes of them."""
        return predicted

    def formula(self, derivation: Derivation, weights: NDArray[np.float64] | None) -> str:
        """A program with the weights that its evaluation found, as a person would write it."""
        return derivation.form

    def expression(self, derivation: Derivation, weights: NDArray[np.float64] | None, seed: int | None) -> Expression:
        """A program with the weights that its evaluation found in the run of this seed, as exports read it."""
        raise SettingsError(f"{self.name} has no data, so its programs are not formulas that can be exported")

    def python(self, derivation: Derivation, weights: NDArray[np.float64] | None, seed: int | None) -> Exported[str]:
        """A program with the weights that its evaluation found in the run of this seed, as Python that runs alone."""
        return to_python(self.expression(derivation, weights, seed))
