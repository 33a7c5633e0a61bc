"""Which formula of a front stands for a class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
