"""Probabilities of classes, by scikit-learn's logistic regression."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler
from threadpoolctl import ThreadpoolController

from gramarye.models import Calibration
from gramarye.objectives.worth import price


class Sized(Protocol):
    """A formula of a front, found or saved."""

    @property
    def nodes(self) -> int:
        """Its size."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """What it gives for each row."""


def calibrated(
    outputs: NDArray[np.float64],  # [rows, formulas]
    labels: NDArray[np.int64],  # [rows] numbers of classes
    weights: NDArray[np.float64] | None,  # [rows]
) -> Calibration:
    """A logistic regression on what formulas give."""
    scaler = StandardScaler().fit(outputs, sample_weight=weights)
    with _libraries().limit(limits=1, user_api="blas"):  # threads would only wait for each other
        found = LogisticRegression(max_iter=1000).fit(scaler.transform(outputs), labels, sample_weight=weights)
    counts = np.bincount(labels, weights)
    return Calibration(scaler.mean_, scaler.scale_, found.coef_, found.intercept_, counts / counts.sum())


@cache
def _libraries() -> ThreadpoolController:
    """The libraries of linear algebra, whose threads can be limited; they are looked for once, which takes a while."""
    return ThreadpoolController()


def picked_for_class(
    members: Sequence[Sized],
    X: Any,
    labels: NDArray[np.int64],  # [rows] 1 in the class, else 0
    weights: NDArray[np.float64] | None,  # [rows]
) -> int:
    """Which formula of a front is worth its size: by twice the log loss and a price for each node.

    The error that the front has would not do. Where classes can be separated, squares fall towards 0, and their
    logarithm pays for any size; the log loss cannot fall below 0.
    """

    def loss(member: Sized) -> float:
        outputs = member.predict(X)[:, None]
        found = calibrated(outputs, labels, weights).probabilities(outputs)
        return float(log_loss(labels, found, sample_weight=weights, normalize=False))

    best, least = 0, np.inf
    for place, member in enumerate(members):
        size_cost = float(price(member.nodes, len(labels)))
        if size_cost < least and (cost := 2 * loss(member) + size_cost) < least:  # a loss is never negative
            best, least = place, cost
    return best
