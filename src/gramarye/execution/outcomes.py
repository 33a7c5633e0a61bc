"""What becomes of one evaluation by a function of the user's: numbers, or why there are none."""

from __future__ import annotations

import math
import time
import traceback
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Literal, NamedTuple

Failure = Literal["", "timeout", "memory", "crash", "exception"]

LONGEST = 200  # characters of what an exception says
FRAMES = 5  # of its traceback


class Limits(NamedTuple):
    """What one evaluation may use, at most."""

    seconds: float | None = None
    memory: int | None = None  # bytes


class Outcome(NamedTuple):
    """One evaluation."""

    value: float | list[float] | None  # None: it failed
    failure: Failure = ""
    told: str = ""  # how it failed: goes on from "the objective"
    trace: str = ""  # where, if the function raised an exception
    seconds: float = 0.0


def outcome_of(function: Callable[[str], Any], program: str) -> Outcome:
    """Call the function."""
    began = time.perf_counter()
    try:
        value = function(program)
        found = Outcome(numbers(value))
    except MemoryError:
        found = Outcome(None, "memory", "ran out of memory")
    except (Exception, SystemExit) as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # Numba makes a SystemError of Ctrl-C
            raise
        found = Outcome(None, "exception", told(error), trace(error))
    return found._replace(seconds=time.perf_counter() - began)


class NotNumbersError(Exception):
    """What a function returned is neither a number nor a list of numbers."""


def numbers(value: Any) -> float | list[float]:
    """A number, or a list of them; what is beyond all floats is infinite. It does without NumPy, as workers do."""
    try:
        if isinstance(value, str | bytes | Mapping | AbstractSet):
            raise TypeError
        count = _length(value)
        if count is None:
            return _number(value)
        if count == 0 or any(_length(each) is not None for each in value):
            raise TypeError
        return [_number(each) for each in value]
    except (TypeError, ValueError):
        what = _cut(repr(value))
        raise NotNumbersError(f"returned {what}, which is neither a number nor a list of at least one number") from None


def _length(value: Any) -> int | None:
    """How many elements a value has; None of a number, also of one that is an array."""
    try:
        return len(value)
    except TypeError:
        return None


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond all floats
        return math.inf


def trace(error: BaseException) -> str:
    """Where in the user's code an exception was raised; the first frame is ours."""
    ours = error.__traceback__
    if isinstance(error, NotNumbersError) or ours is None:
        return ""
    return "".join(traceback.format_exception(type(error), error, ours.tb_next, limit=-FRAMES))


def told(error: BaseException) -> str:
    """What an exception says."""
    if isinstance(error, NotNumbersError):
        return str(error)
    try:
        said = str(error)
    except Exception:
        said = ""
    return _cut(f"raised {type(error).__name__}: {said}".removesuffix(": "))


def _cut(text: str) -> str:
    """A text on one line, or its beginning where it is long."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
