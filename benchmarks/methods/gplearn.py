"""gplearn's regressor, with a least-squares line over what it finds: its metric is the correlation."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.methods.fitting import Budget, Fit, Floats, Method, infix, line_through, nodes

LARGEST = 1e100  # keeps gplearn's own arithmetic free of overflow


def fit(X: Floats, y: Floats, seed: int, seconds: float) -> Fit:
    """Generation by generation, as long as at least half of another one fits into the time."""
    from gplearn.genetic import SymbolicRegressor

    model = SymbolicRegressor(
        population_size=500,
        generations=1,
        tournament_size=10,
        function_set=("add", "sub", "mul", "div", "sqrt", "log", "sin", "cos", _exponential(), _square()),
        metric="pearson",
        stopping_criteria=1.0,
        const_range=(-5.0, 5.0),
        init_depth=(2, 6),
        p_crossover=0.7,
        p_subtree_mutation=0.1,
        p_hoist_mutation=0.05,
        p_point_mutation=0.1,
        parsimony_coefficient=0.0005,
        feature_names=[f"x{column}" for column in range(X.shape[1])],
        warm_start=True,
        random_state=seed,
    )
    budget, before = Budget(seconds), 0.0
    with np.errstate(all="ignore"):
        while True:
            model.fit(X, y)
            spent = budget.spent
            perfect = model._program.raw_fitness_ >= 1.0
            if perfect or spent + (spent - before) / 2 >= seconds:
                break
            before = spent
            model.set_params(generations=model.generations + 1)
    return _scaled(model, X, y, spent)


def _scaled(model: Any, X: Floats, y: Floats, spent: float) -> Fit:
    slope, intercept = line_through(np.asarray(model.predict(X), np.float64), y)
    formula = f"{intercept!r} + {slope!r} * {infix(str(model._program))}"

    def predict(X: Floats) -> Floats:
        return intercept + slope * np.asarray(model.predict(X), np.float64)

    return Fit(spent, predict, formula, nodes(formula))


def _exponential() -> Any:
    from gplearn.functions import make_function

    return make_function(function=lambda x: np.exp(np.minimum(x, 100.0)), name="exp", arity=1)


def _square() -> Any:
    from gplearn.functions import make_function

    return make_function(function=lambda x: np.minimum(x * x, LARGEST), name="square", arity=1)


METHOD = Method(
    fit,
    "gplearn",
    "population 500, tournaments of 10, correlation with a least-squares line, parsimony 0.0005, constants in [-5, 5], "
    "crossover 0.7, subtree 0.1, hoist 0.05, point 0.1, + - * / sqrt log sin cos exp square",
    "one generation at a time with warm_start; precise to half a generation (some tenths of a second)",
)
