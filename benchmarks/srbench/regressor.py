"""gramarye for SRBench: `est`, `model(est, X)` and `eval_kwargs`, as its contribution guide asks.

Copy this folder to algorithms/gramarye of SRBench; requirements.txt installs the rest.
"""

from __future__ import annotations

import re
from copy import copy
from typing import Any

from gramarye.sklearn import GrammarRegressor

SECONDS = 3600.0  # SRBench replaces it by its own limit
POPULATION = 100  # SRBench reads at most that many models of a fit

est = GrammarRegressor(max_time=SECONDS)


def model(est: Any, X: Any = None) -> str:
    """The formula of a fitted regressor as a string that sympy reads, with the columns' names of the data frame X."""
    formula = est.infix()
    names = formula.columns
    if X is not None and not hasattr(est, "feature_names_in_"):  # fitted to an array, whose columns are x0, x1, …
        names = {name: str(X.columns[int(label.removeprefix("x"))]) for name, label in names.items()}
    if not names:
        return str(formula)
    known = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    return known.sub(lambda match: names[match[0]], str(formula))


def get_population(est: Any) -> list[Any]:
    """Regressors for the formulas of the front, smallest first."""
    return [copy(est).use(int(nodes)) for nodes in est.front_["nodes"][-POPULATION:]]


def get_best_solution(est: Any) -> Any:
    """The regressor itself, which predicts with the formula that it recommends."""
    return est


eval_kwargs: dict[str, Any] = {
    "scale_x": False,  # formulas in the units of the data
    "scale_y": False,
    "test_params": {"max_time": None, "max_evaluations": 2_000},
}
