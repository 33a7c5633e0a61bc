"""Models of scikit-learn, for scale: they take a fraction of the time that others are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.methods.fitting import Budget, Fit, Floats, Method, nodes


def linear(X: Floats, y: Floats, _seed: int, seconds: float) -> Fit:
    """Ordinary least squares."""
    from sklearn.linear_model import LinearRegression

    model, budget = LinearRegression(), Budget(seconds)
    model.fit(X, y)
    terms = [f"{weight!r} * x{column}" for column, weight in enumerate(model.coef_.tolist())]
    formula = " + ".join([repr(float(model.intercept_)), *terms])
    return Fit(budget.spent, _predictions(model), formula, nodes(formula))


def boosting(X: Floats, y: Floats, seed: int, seconds: float) -> Fit:
    """Gradient boosting; its size is that of all trees."""
    from sklearn.ensemble import GradientBoostingRegressor

    model, budget = GradientBoostingRegressor(random_state=seed), Budget(seconds)
    model.fit(X, y)
    size = sum(tree.tree_.node_count for tree in model.estimators_.ravel())
    return Fit(budget.spent, _predictions(model), "", size)


def _predictions(model: Any) -> Any:
    return lambda X: np.asarray(model.predict(X), np.float64)


LINEAR = Method(linear, "scikit-learn", "LinearRegression", "none needed: milliseconds", budgeted=False)
BOOSTING = Method(
    boosting,
    "scikit-learn",
    "GradientBoostingRegressor with defaults",
    "none needed: less than a second",
    budgeted=False,
)
