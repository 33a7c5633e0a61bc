"""gramarye for SRBench: `est`, `model(est, X)` and `eval_kwargs`, as its contribution guide asks.

Copy this folder to algorithms/gramarye of SRBench; requirements.txt installs the rest.
"""

from __future__ import annotations

import re
from copy import copy
from typing import Any

from gramarye.export.identifiers import identifiers
from gramarye.export.infix import RESERVED
from gramarye.sklearn import GrammarRegressor

SECONDS = 3600.0  # SRBench replaces it by its own limit
POPULATION = 100  # SRBench reads at most that many models of a fit

est = GrammarRegressor(max_time=SECONDS)


def model(est: Any, X: Any = None) -> str:
    """The formula of a fitted regressor as a string that sympy reads, with the columns' names of the data frame X.

    A name that sympy can't read is changed: `alpha 1` becomes alpha_1, and `lambda` lambda_.
    """
    formula = est.infix()
    if X is None or hasattr(est, "feature_names_in_") or not formula.columns:
        return str(formula)
    own = identifiers([str(label) for label in X.columns], RESERVED)  # fitted to an array, whose columns are x0, x1, …
    names = {name: own[int(label.removeprefix("x"))] for name, label in formula.columns.items()}
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
