"""Probabilities of classes, by scikit-learn's logistic regression."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from gramarye.models import Calibration


def calibrated(
    outputs: NDArray[np.float64],  # [rows, formulas]
    labels: NDArray[np.int64],  # [rows] numbers of classes
    weights: NDArray[np.float64] | None,  # [rows]
) -> Calibration:
    """A logistic regression on what formulas give."""
    scaler = StandardScaler().fit(outputs, sample_weight=weights)
    found = LogisticRegression(max_iter=1000).fit(scaler.transform(outputs), labels, sample_weight=weights)
    return Calibration(scaler.mean_, scaler.scale_, found.coef_, found.intercept_)
