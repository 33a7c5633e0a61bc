"""Evaluations by functions of the user's: what they look like wherever they are made, and those in this process."""

from __future__ import annotations

import contextlib
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from gramarye.errors import ObjectiveError, SettingsError
from gramarye.execution.calls import dumps
from gramarye.execution.outcomes import Limits, NotNumbersError, Outcome, numbers, outcome_of, told, trace
from gramarye.text import counted

Functions = Sequence[Callable[[str], Any]]


class Evaluations(ABC):
    """Calls one of some functions with programs."""

    seconds = 0.0  # spent in the functions

    @abstractmethod
    def outcomes(self, programs: Sequence[str], which: int = 0) -> list[Outcome]:
        """What the function of that number makes of each program."""

    def close(self) -> None:  # noqa: B027, most have nothing to close
        """Let the processes go."""


class Here(Evaluations):
    """Evaluations in this process."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions

    def outcomes(self, programs: Sequence[str], which: int = 0) -> list[Outcome]:
        found = [outcome_of(self._functions[which], program) for program in programs]
        self.seconds += sum(outcome.seconds for outcome in found)
        return found


class Batched(Evaluations):
    """Evaluations by functions that take all programs at once: they run in this process, wherever they send them."""

    def __init__(self, functions: Sequence[Callable[[list[str]], Any]]) -> None:
        self._functions = functions

    def outcomes(self, programs: Sequence[str], which: int = 0) -> list[Outcome]:
        if not programs:
            return []
        what = ("the batch function", "the batch function for testing")[which]
        began = time.perf_counter()
        try:
            with contextlib.redirect_stdout(sys.stderr):  # what it prints is not a result
                values = self._functions[which](list(programs))
        except Exception as error:
            if isinstance(error.__cause__, KeyboardInterrupt):  # Numba makes a SystemError of Ctrl-C
                raise
            failed = ObjectiveError(f"{what} {told(error)}")
            failed.add_note(trace(error).rstrip())
            raise failed from error
        self.seconds += time.perf_counter() - began
        try:
            listed = list(values)
        except TypeError:
            raise ObjectiveError(f"{what} returned {values!r}: it must return a list") from None
        if len(listed) != len(programs):
            raise ObjectiveError(
                f"{what} returned {counted(len(listed), 'value')} for {len(programs)} programs: "
                "it must return one for each, in the same order"
            )
        return [self._outcome(value) for value in listed]

    def _outcome(self, value: Any) -> Outcome:
        try:
            return Outcome(numbers(value))
        except NotNumbersError as error:
            return Outcome(None, "exception", str(error))


def packed(functions: Functions, limits: Limits) -> bytes:
    """What a worker needs to know, as bytes; a SettingsError where they can't be made."""
    try:
        return dumps((tuple(functions), limits.memory))
    except Exception as error:
        raise SettingsError(
            f"the objective can't be sent to a worker process ({type(error).__name__}: {error}); leave out what "
            "belongs to this process, such as open files, connections and locks"
        ) from None
