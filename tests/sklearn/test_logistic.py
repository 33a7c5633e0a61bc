"""Which formula of a front stands for a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info

from gramarye.sklearn import logistic
from gramarye.sklearn.logistic import picked_for_class

RNG = np.random.default_rng(1)
X = RNG.uniform(-1, 1, (80, 1))


@dataclass
class Scaled:
    """A formula of some size; a larger one is closer to 0 and 1."""

    nodes: int
    power: float

    def predict(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.tanh(self.power * rows[:, 0]))


def test_of_formulas_that_separate_the_classes_a_small_one_is_picked() -> None:
    members = [Scaled(1, 0.0), Scaled(3, 4.0), Scaled(9, 40.0), Scaled(40, 1e9)]
    assert picked_for_class(members, X, (X[:, 0] > 0).astype(np.int64), None) == 1


def test_a_formula_whose_price_alone_is_too_high_is_not_fitted() -> None:
    class Costly(Scaled):
        def predict(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
            raise AssertionError("not to be called")

    members = [Scaled(1, 0.0), Scaled(3, 4.0), Costly(60, 1e9)]
    assert picked_for_class(members, X, (X[:, 0] > 0).astype(np.int64), None) == 1


def test_a_fit_takes_one_thread_of_linear_algebra_and_gives_the_others_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def threads() -> set[int]:
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    class Watched(LogisticRegression):  # type: ignore[misc]
        def fit(self, *rows: Any, **weights: Any) -> Any:
            seen.append(threads())
            return super().fit(*rows, **weights)

    seen: list[set[int]] = []
    before = threads()
    monkeypatch.setattr(logistic, "LogisticRegression", Watched)
    logistic.calibrated(X, (X[:, 0] > 0).astype(np.int64), None)
    assert (seen, threads()) == ([{1}], before)


def test_a_larger_formula_is_picked_where_it_pays() -> None:
    inside = (np.abs(X[:, 0]) < 0.5).astype(np.int64)

    @dataclass
    class Even(Scaled):
        def predict(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.asarray(rows[:, 0] ** 2)

    members = [Scaled(1, 1.0), Even(4, 0.0)]
    assert picked_for_class(members, X, inside, None) == 1
    noise = RNG.integers(0, 2, 80)
    assert picked_for_class(members, X, noise, None) == 0


def test_a_weight_is_as_good_as_repeated_rows_with_the_same_penalty() -> None:
    labels = (X[:, 0] + 0.3 * RNG.normal(size=80) > 0).astype(np.int64)
    members = [Scaled(1, 0.0), Scaled(6, 3.0)]
    light = picked_for_class(members, X, labels, np.full(80, 0.01))
    assert (light, picked_for_class(members, X, labels, np.full(80, 5.0))) == (0, 1)
