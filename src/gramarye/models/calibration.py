"""From the outputs of formulas to probabilities of classes: a logistic regression that was fitted elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FAR = 1e100  # in standard deviations; outputs that are farther away, or infinite, count as this far


@dataclass(frozen=True, eq=False)
class Calibration:
    """A logistic regression on standardised outputs of F formulas; of two classes, it has one row of weights.

    A row for which a formula gives NaN has the shares of the classes in training as its probabilities.
    """

    means: NDArray[np.float64]  # [F]
    scales: NDArray[np.float64]  # [F]
    weights: NDArray[np.float64]  # [1 or classes, F]
    intercepts: NDArray[np.float64]  # [1 or classes]
    shares: NDArray[np.float64]  # [classes] of the training rows

    def decisions(self, outputs: NDArray[np.float64]) -> NDArray[np.float64]:
        """The log odds of the second class [rows], or a score of each class [rows, classes]."""
        with np.errstate(over="ignore", invalid="ignore"):
            standardised = np.clip((outputs - self.means) / self.scales, -FAR, FAR)
        found = standardised @ self.weights.T + self.intercepts
        alone = len(self.weights) == 1
        logs = np.log(self.shares)
        found[np.isnan(standardised).any(axis=1)] = logs[1] - logs[0] if alone else logs
        return np.asarray(found[:, 0] if alone else found)

    def probabilities(self, outputs: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability of each class [rows, classes]."""
        scores = self.decisions(outputs)
        if scores.ndim == 1:
            scores = np.stack([np.zeros(len(scores)), scores], axis=1)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def labels(self, outputs: NDArray[np.float64]) -> NDArray[np.int64]:
        """The number of the most probable class of each row."""
        scores = self.decisions(outputs)
        return np.asarray(scores > 0 if scores.ndim == 1 else scores.argmax(axis=1), np.int64)
