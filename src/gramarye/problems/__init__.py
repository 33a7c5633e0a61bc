"""Ready-made benchmark problems, one file each, and how they are found by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gramarye.errors import SettingsError, did_you_mean
from gramarye.grammar import Grammar
from gramarye.objectives.regression import Regression
from gramarye.problems import boston, pagie, quartic
from gramarye.problems.csv_table import from_csv

# Each makes its problem from a grammar, or from its own where none is given, and from options of `Regression`.
PROBLEMS: dict[str, Callable[..., Regression]] = {
    "pagie": pagie.problem,
    "boston": boston.problem,
    "quartic": quartic.problem,
}

__all__ = ["PROBLEMS", "from_csv", "load"]


def load(name: str, /, grammar: Grammar | None = None, **options: Any) -> Regression:
    """A ready-made problem.

    Parameters
    ----------
    name
        One of `gramarye.problems.PROBLEMS`: "pagie", "boston", "quartic".
    grammar
        A grammar of formulas (default: the problem's own).
    **options
        Further arguments of `gramarye.Regression`, such as `error="mae"` or `linear_scaling=True`.

    Returns
    -------
    Regression
        The problem.
    """
    if name not in PROBLEMS:
        near = did_you_mean(str(name), PROBLEMS) or f"; there are {', '.join(PROBLEMS)}"
        raise SettingsError(f"no problem is called {name!r}{near}")
    return PROBLEMS[name](grammar, **options)
