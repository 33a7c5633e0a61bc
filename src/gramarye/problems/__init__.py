"""Ready-made benchmark problems, one file each, and how they are found by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal, overload

from gramarye.errors import SettingsError, did_you_mean
from gramarye.grammar import Grammar
from gramarye.objectives.function import Objective
from gramarye.objectives.problem import Problem
from gramarye.objectives.regression import Regression
from gramarye.problems import boston, count_odds, fizz_buzz, pagie, quartic, string_match
from gramarye.problems.csv_table import from_csv

# Each makes its problem from a grammar, or from its own where none is given, and from options of its kind.
REGRESSIONS: dict[str, Callable[..., Regression]] = {
    "pagie": pagie.problem,
    "boston": boston.problem,
    "quartic": quartic.problem,
}
OBJECTIVES: dict[str, Callable[..., Objective]] = {
    "string-match": string_match.problem,
    "fizz-buzz": fizz_buzz.problem,
    "count-odds": count_odds.problem,
}
PROBLEMS: dict[str, Callable[..., Problem]] = {**REGRESSIONS, **OBJECTIVES}
SETTLED = ("test", "batch", "maximise")  # by the problem itself, where it is an objective

__all__ = ["OBJECTIVES", "PROBLEMS", "from_csv", "load"]


@overload
def load(
    name: Literal["pagie", "boston", "quartic"], /, grammar: Grammar | None = None, **options: Any
) -> Regression: ...
@overload
def load(
    name: Literal["string-match", "fizz-buzz", "count-odds"], /, grammar: Grammar | None = None, **options: Any
) -> Objective: ...
@overload
def load(name: str, /, grammar: Grammar | None = None, **options: Any) -> Problem: ...
def load(name: str, /, grammar: Grammar | None = None, **options: Any) -> Problem:
    """A ready-made problem.

    Parameters
    ----------
    name
        One of `gramarye.problems.PROBLEMS`: "pagie", "boston", "quartic" (regression), "string-match", "fizz-buzz",
        "count-odds".
    grammar
        A grammar of such programs (default: the problem's own).
    **options
        Further arguments of `gramarye.Regression`, such as `error="mae"` or `linear_scaling=True`, or of
        `gramarye.Objective`, such as `timeout=1.0`; and `target="…"` of "string-match".

    Returns
    -------
    Regression or Objective
        The problem.
    """
    if name not in PROBLEMS:
        near = did_you_mean(str(name), PROBLEMS) or f"; there are {', '.join(PROBLEMS)}"
        raise SettingsError(f"no problem is called {name!r}{near}")
    known = _options(name)
    for option in options:
        if option not in known:
            near = did_you_mean(option, known) or f"; it has {', '.join(known)}"
            raise SettingsError(f"the problem {name!r} has no option {option!r}{near}")
    return PROBLEMS[name](grammar, **options)


def _options(name: str) -> list[str]:
    """What may be said of a problem besides its grammar."""
    kind = Regression if name in REGRESSIONS else Objective
    parts = [*inspect.signature(PROBLEMS[name]).parameters.values(), *inspect.signature(kind).parameters.values()]
    return [each.name for each in parts if each.kind is each.KEYWORD_ONLY and each.name not in SETTLED]
