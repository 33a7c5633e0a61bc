"""Programs judged by a function of the user's: each distinct text once, and what becomes of those that fail."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations, Status, only_whole
from gramarye.derivations.random_trees import texts
from gramarye.direction import Direction, signed
from gramarye.errors import ObjectiveError, SettingsError, warn
from gramarye.execution.evaluations import Evaluations
from gramarye.execution.outcomes import Outcome
from gramarye.grammar import Grammar
from gramarye.objectives.cache import Cache, Records, compute_all, derivations_between, evaluation_of
from gramarye.objectives.problem import LONGEST, Evaluator, FirstFailure
from gramarye.objectives.verdicts import EACH, Verdict, Verdicts, verdicts_of
from gramarye.populations.evaluation import Evaluation, Work
from gramarye.populations.population import Memory
from gramarye.text import cut

Floats = NDArray[np.float64]

LENIENT = 'set on_error to "worst" to give such programs the worst fitness'
_MOST = 64 * 2**20  # bytes of texts and of errors that are remembered; then the oldest are forgotten


@dataclass(frozen=True)
class Judging:
    """How the numbers that a function returns are read."""

    grammar: Grammar
    direction: Direction
    noisy: bool  # whether the same text may get other numbers the next time
    strict: bool  # whether an exception ends the run
    tested: bool  # whether there is a second function, for the best of a run


class TextEvaluator(Evaluator):
    """Calls a function with each text that was not seen before."""

    def __init__(self, judging: Judging, evaluations: Evaluations) -> None:
        self._judging, self._evaluations = judging, evaluations
        self.failures: dict[Status, FirstFailure] = {}
        self._derivations = Cache()
        self._shape: tuple[int, ...] | None = None  # of what the function returns; None until it has returned
        self._seen: dict[str, Verdict] = {}
        self._bytes = 0  # of what was seen, about
        self._tests: dict[str, float] = {}
        self._sizes = np.array(
            [
                sum(s.kind in ("terminal", "constant") and s.text != "" for s in p.symbols)
                for p in judging.grammar.productions
            ]
        )

    @property
    def seconds(self) -> float:  # type: ignore[override]
        return self._evaluations.seconds

    @property
    def memory(self) -> Memory:
        return {} if self._judging.noisy else Verdicts(self._seen, self._each)

    def recall(self, memory: Memory) -> None:
        for text, verdict in verdicts_of(memory).items():
            if verdict.status == Status.OK:
                self._shape = () if verdict.errors is None else verdict.errors.shape
            self._remember(text, verdict)

    @property
    def _each(self) -> int:
        """Bytes of what is remembered of one text, about."""
        return EACH + 8 * math.prod(self._shape or ())

    def close(self) -> None:
        self._evaluations.close()

    def evaluate(self, derivations: Derivations) -> Evaluation:
        whole = only_whole(derivations)
        known = not self._judging.noisy and not len(whole.values)  # with other constants, it is another program
        look_up = self._derivations.look_up if known else compute_all

        def compute(productions: NDArray[np.int32], bounds: NDArray[np.int64]) -> tuple[Records, Work]:
            return self._evaluate_derivations(derivations_between(productions, bounds, whole.values))

        return evaluation_of(derivations, *look_up(whole.productions, whole.offsets, compute))

    def cases(self, derivations: Derivations, weights: Floats | None = None) -> Floats:
        """The errors that the function returns for each individual; it is called again where they are forgotten."""
        found = texts(self._judging.grammar, derivations)
        verdicts = self._known([text for text in found if text is not None])
        if self._shape == ():
            raise SettingsError("lexicase selection needs errors per case: return a list of errors from the objective")
        cases = np.full((len(found), *(self._shape or (1,))), np.inf)
        for i, text in enumerate(found):
            if text is not None and verdicts[text].status == Status.OK:
                cases[i] = verdicts[text].errors
        return cases

    def test(self, derivations: Derivations, weights: Floats | None = None) -> float:
        """What the second function says of one individual; +inf where it fails."""
        (text,) = texts(self._judging.grammar, derivations)
        if text is None or not self._judging.tested:
            return math.nan
        if text not in self._tests:
            self._tests[text] = self._tested(text, self._evaluations.outcomes([text], 1)[0])
        return self._tests[text]

    def _tested(self, text: str, outcome: Outcome) -> float:
        """The fitness in test; the first failure is told."""
        value = math.nan if outcome.value is None else outcome.value
        if np.isnan(value).any():
            told = outcome.told or f"returned {value!r}"[:100]
            first = FirstFailure(text, told, outcome.trace, "the test function")
            if self._judging.strict:
                raise first.error(f"{first.sentence}; {LENIENT}")
            if math.inf not in self._tests.values():
                warn(f"{first.sentence}; such programs get the worst fitness in test")
            return math.inf
        return _mean(signed(np.array(value), self._judging.direction))

    def check(self, evaluation: Evaluation) -> None:
        failed = [status for status in self.failures if (evaluation.status == status).any()]
        if failed and not np.isfinite(evaluation.fitness).any():
            first = self.failures[failed[0]]
            raise first.error(f"all individuals of a generation failed; the first: {first.sentence}")

    def _evaluate_derivations(self, derivations: Derivations) -> tuple[Records, Work]:
        """The records of derivations; several may lead to one text."""
        records = Records.blank(len(derivations))
        found = [str(text) for text in texts(self._judging.grammar, derivations)]
        if self._judging.noisy:
            verdicts, computed = self._judged(found), len(found)
        else:
            unknown = len(set(found) - self._seen.keys())
            known, computed = self._known(found), unknown
            verdicts = [known[text] for text in found]
        records.fitness[:] = [verdict.fitness for verdict in verdicts]
        records.status[:] = [verdict.status for verdict in verdicts]
        steps = np.concatenate([np.zeros(1, np.int64), np.cumsum(self._sizes[derivations.productions])])
        records.size[:] = np.diff(steps[derivations.offsets])
        return records, Work(distinct=computed)

    def _known(self, found: Sequence[str]) -> dict[str, Verdict]:
        """What is known of texts, remembered or computed now."""
        verdicts = {text: self._seen[text] for text in found if text in self._seen}
        new = list(dict.fromkeys(text for text in found if text not in verdicts))
        return verdicts | dict(zip(new, self._judged(new), strict=True))

    def _judged(self, found: Sequence[str]) -> list[Verdict]:
        """What the function says of texts now."""
        outcomes = self._evaluations.outcomes(found)
        verdicts = [self._verdict(text, outcome) for text, outcome in zip(found, outcomes, strict=True)]
        for text, verdict in zip(found, verdicts, strict=True):
            self._remember(text, verdict)
        return verdicts

    def _remember(self, text: str, verdict: Verdict) -> None:
        if text not in self._seen:
            self._bytes += self._each
        self._seen[text] = verdict
        while self._bytes > _MOST:
            del self._seen[next(iter(self._seen))]
            self._bytes -= self._each

    def _verdict(self, text: str, outcome: Outcome) -> Verdict:
        """The fitness of one text; its errors are always of one shape."""
        if outcome.value is None:
            return self._failed(text, Status[outcome.failure.upper()], outcome.told, outcome.trace)
        errors = signed(np.array(outcome.value), self._judging.direction)
        if np.isnan(errors).any():
            return self._failed(text, Status.NOT_FINITE, f"returned {outcome.value!r}"[:100])
        if errors.ndim == 0 and not np.isfinite(errors):  # invalid, whatever the function returns for others
            return Verdict(math.inf, Status.NOT_FINITE, None)
        if self._shape is None:
            self._shape = errors.shape
        if errors.shape != self._shape:
            raise ObjectiveError(
                f"for the program {cut(text, LONGEST)!r}, the objective returned {_described(errors.shape)}, "
                f"but {_described(self._shape)} before; it must return equally many for all programs, or "
                "float('inf') for one that is invalid"
            )
        fitness = _mean(errors)
        status = Status.OK if np.isfinite(fitness) else Status.NOT_FINITE
        return Verdict(fitness, status, errors if self._shape else None)

    def _failed(self, text: str, status: Status, told: str, trace: str = "") -> Verdict:
        """The worst fitness, or the end of the run."""
        first = FirstFailure(text, told, trace)
        self.failures.setdefault(status, first)
        if self._judging.strict and status in (Status.EXCEPTION, Status.NOT_FINITE):
            raise first.error(f"{first.sentence}; {LENIENT}")
        return Verdict(math.inf, status, None)


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
