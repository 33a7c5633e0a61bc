"""What can go wrong, drawn as a tree.

GramaryeError                every error that gramarye raises on purpose
 ├── GrammarError            a grammar file or its probabilities
 ├── GenotypeError           a genotype given by the user
 ├── SettingsError           a setting of a method out of its range, an unknown name
 ├── DataError               a table of data that can't be learned from
 ├── LanguageError           a grammar whose programs the engine can't run
 ├── ObjectiveError          a fitness function of the user's that failed
 ├── OutputError             a file that can't be written, or read back
 ├── WorkerError             a call that didn't reach a worker, or whose answer didn't come back
 │    ├── WorkerLost         a worker process that died
 │    └── WorkerStartError   workers that can't be started, or a cluster that can't be reached
 └── MissingExtraError       an optional package that is not installed
"""

from __future__ import annotations

import difflib
import inspect
import warnings
from collections.abc import Iterable


class GramaryeError(Exception):
    """Every error that gramarye raises on purpose: where, what, the value, what to do."""


class GrammarError(GramaryeError, ValueError):
    """A grammar that can't be read, or that no program can be derived from."""


class GenotypeError(GramaryeError, ValueError):
    """A genotype given by the user that the method can't read."""


class SettingsError(GramaryeError, ValueError):
    """A setting out of its range, or a name that nothing answers to."""


class DataError(GramaryeError, ValueError):
    """A table of data that can't be learned from."""


class LanguageError(GramaryeError, ValueError):
    """A grammar whose phenotypes the compiled engine can't run."""


class ObjectiveError(GramaryeError):
    """A fitness function of the user's that raised, or returned no number."""


class OutputError(GramaryeError, OSError):
    """A file that can't be written, or read back."""


class WorkerError(GramaryeError, RuntimeError):
    """A call that couldn't be handed to a worker, or whose answer couldn't be handed back."""


class WorkerLost(WorkerError):  # noqa: N818, it names what happened
    """A worker process that died in the middle of a call; others may still be well."""


class WorkerStartError(WorkerError):
    """Workers that can't be started, or a cluster that can't be reached: to try again is of no use."""


class MissingExtraError(GramaryeError, ImportError):
    """An optional package that is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed: pip install 'gramarye[{extra}]'")


class GrammarWarning(UserWarning):
    """A grammar that was read in a way which its author may not have meant."""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside of gramarye that led here."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "gramarye":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def nearest(name: str, candidates: Iterable[str], cutoff: float = 0.5) -> str | None:
    """The candidate that a misspelt name most likely means, if any is near."""
    near = difflib.get_close_matches(name, list(candidates), n=1, cutoff=cutoff)
    return near[0] if near else None


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """`"; did you mean <var>?"`, or nothing where no candidate is near."""
    near = nearest(name, candidates)
    return f"; did you mean {near}?" if near else ""
