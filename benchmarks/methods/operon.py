"""pyoperon's regressor, in two settings."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.methods.fitting import Budget, Fit, Floats, Method, nodes

SYMBOLS = "add,sub,mul,div,constant,variable,sin,cos,exp,logabs,sqrtabs,square"
DIGITS = 9  # decimals of the constants in a formula


def fit(X: Floats, y: Floats, seed: int, seconds: float, **settings: Any) -> Fit:
    """Stopped after the generation in which the time is over."""
    from pyoperon.sklearn import SymbolicRegressor

    model = SymbolicRegressor(
        allowed_symbols=SYMBOLS,
        max_length=50,
        generations=10**6,
        max_evaluations=10**9,
        epsilon=1e-14,
        random_state=seed,
        n_threads=1,
        **settings,
    )
    budget = Budget(seconds)
    with stopped_by(budget):
        model.fit(X, y)
    spent = budget.spent
    formula = readable(model.get_model_string(model.model_, DIGITS))
    return Fit(spent, lambda X: np.asarray(model.predict(X), np.float64), formula, nodes(formula))


@contextmanager
def stopped_by(budget: Budget) -> Iterator[None]:
    """Within, algorithms that the regressor makes have no evaluations left once the budget is over."""
    import pyoperon
    import pyoperon.sklearn as module

    evaluators: list[Any] = []

    def noted(kind: Any) -> Any:
        def make(*given: Any, **named: Any) -> Any:
            evaluators.append(kind(*given, **named))
            return evaluators[-1]

        return make

    def stop() -> None:
        if budget.is_over:
            for evaluator in evaluators:
                evaluator.Budget = 0

    def watched(kind: Any) -> Any:
        return lambda *given: _Watched(kind(*given), stop)

    names = {name: getattr(pyoperon, name) for name in dir(pyoperon)}
    names |= {name: noted(names[name]) for name in ("Evaluator", "MultiEvaluator", "LengthEvaluator")}
    names |= {name: watched(names[name]) for name in ("GeneticProgrammingAlgorithm", "NSGA2Algorithm")}
    plain, module.op = module.op, SimpleNamespace(**names)
    try:
        yield
    finally:
        module.op = plain


class _Watched:
    """An algorithm that calls a function after each generation."""

    def __init__(self, algorithm: Any, each: Any) -> None:
        self._algorithm, self._each = algorithm, each

    def Run(self, rng: Any, _: None, threads: int, warm_start: bool) -> None:  # noqa: N802, its name there
        self._algorithm.Run(rng, self._each, threads, warm_start)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._algorithm, name)


def readable(formula: str) -> str:
    """A formula of Operon, whose columns are counted from 1, as sympy reads it."""
    numbered = re.sub(r"\bX(\d+)\b", lambda match: f"x{int(match[1]) - 1}", formula)
    return re.sub(r"\babs\b", "Abs", numbered).replace("^", "**")


STOPPING = "a callback after each generation sets its budget of evaluations to 0; precise to a generation"
ONE_OBJECTIVE = Method(
    functools.partial(fit, population_size=200, optimizer_iterations=10, objectives=["r2"]),
    "pyoperon",
    f"population 200, 10 iterations of Levenberg and Marquardt, R², at most 50 nodes, {SYMBOLS}",
    STOPPING,
)
NSGA2 = Method(
    functools.partial(fit, population_size=500, optimizer_iterations=3, objectives=["r2", "length"]),
    "pyoperon",
    "NSGA-II over R² and length, population 500, 3 iterations of Levenberg and Marquardt, otherwise as above",
    STOPPING,
)
