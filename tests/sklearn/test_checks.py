"""scikit-learn's own checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

import gramarye as gm
from gramarye.sklearn import GrammarClassifier, GrammarRegressor

SMALL = gm.TunedTrees(population=40, initial_depth=4, max_size=20)


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        GrammarRegressor(method=SMALL, max_evaluations=1500, random_state=0),
        GrammarClassifier(method=SMALL, max_evaluations=600, random_state=0),
    ]
)
def test_scikit_learns_checks_pass(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
