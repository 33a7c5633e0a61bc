"""gramarye: the regressor with its defaults."""

from __future__ import annotations

import functools

import numpy as np

from benchmarks.methods.fitting import Budget, Fit, Floats, Method, nodes

WALL = 10  # times the seconds of processor time: a limit of wall time, or the default number of evaluations would apply


def fit(X: Floats, y: Floats, seed: int, seconds: float) -> Fit:
    """Stopped by the callback after the generation in which the time is over."""
    from gramarye.sklearn import GrammarRegressor

    _compile()
    budget = Budget(seconds)
    model = GrammarRegressor(random_state=seed, max_time=WALL * seconds, callback=lambda _: budget.is_over)
    model.fit(X, y)
    spent = budget.spent
    formula = str(model.infix())
    return Fit(spent, model.predict, formula, nodes(formula))


@functools.cache
def _compile() -> None:
    """Once in each process, before the clock starts: machine code that is not kept on disk yet."""
    from gramarye.sklearn import GrammarRegressor

    X = np.random.default_rng(0).uniform(1, 2, (100, 2))
    GrammarRegressor(random_state=0, max_evaluations=20_000).fit(X, X[:, 0] + np.exp(X[:, 1] ** 3))


METHOD = Method(
    fit,
    "gramarye",
    "GrammarRegressor with defaults",
    "its callback after each generation; precise to a generation (some hundredths of a second)",
)
