"""The squared error of a formula near its numbers: a quadratic function of intercept, weights and constants.

In the plane of derivatives, fixing one number and refitting the others has a closed form: that of a conditional normal
distribution, whose covariance is the inverse of the Gram matrix. Sums are written out, without BLAS.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramarye.data import Dataset
from gramarye.languages.arithmetic import kernels
from gramarye.languages.base import Programs

Floats = NDArray[np.float64]

RIDGE = 1e-10  # of the diagonal, added to it
NOTHING = 1e-300  # added as well: a number that changes no prediction has a variance
REDUNDANT = 1e8  # a number whose variance grows by this factor when the others are fitted too: they can replace it


@dataclass(frozen=True)
class Quadratic:
    """The least squared error near some values of P numbers, some of which are fixed."""

    values: Floats  # [P] where the error is least
    covariance: Floats  # [P, P] the inverse of the Gram matrix; 0 where a number is fixed
    alone: Floats  # [P] the variance of each number while all others are fixed
    gain: float  # by how much the error is less there than where derivatives were taken

    @classmethod
    def of(cls, gram: Floats, slopes: Floats, values: Floats, free: NDArray[np.bool_]) -> Quadratic:
        """From the products of derivatives with each other [P, P] and with the residuals [P] at some values [P]."""
        last = len(values)
        matrix = np.zeros((last + 1, last + 1))
        matrix[:last, :last] = gram
        matrix[:last, last] = matrix[last, :last] = slopes
        diagonal = np.diag(gram) * (1 + RIDGE) + NOTHING
        np.fill_diagonal(matrix[:last, :last], diagonal)
        matrix[:last][~free] = matrix[:, :last][:, ~free] = 0.0
        for k in np.flatnonzero(free):
            matrix = _swept(matrix, int(k))
        return cls(values + matrix[:last, last], -matrix[:last, :last], 1 / diagonal, -float(matrix[last, last]))

    @property
    def free(self) -> list[int]:
        """The numbers that are not fixed."""
        return np.flatnonzero(np.diag(self.covariance) > 0).tolist()

    def increase(self, i: int, value: float) -> float:
        """By how much the error grows if a number is fixed at a value and the others are refitted."""
        variance = float(self.covariance[i, i])
        distance = value - float(self.values[i])
        return 0.0 if variance > REDUNDANT * self.alone[i] else distance * distance / variance  # inf, where `**` raises

    def fixed(self, i: int, value: float) -> Quadratic:
        """The same with one more number fixed."""
        column = self.covariance[:, i] / self.covariance[i, i]
        values = self.values + column * (value - self.values[i])
        covariance = self.covariance - np.outer(column, self.covariance[i])
        values[i] = value
        covariance[i] = covariance[:, i] = 0.0
        return Quadratic(values, covariance, self.alone, self.gain)


def _swept(matrix: Floats, k: int) -> Floats:
    """The sweep of a symmetric matrix (J. Goodnight. The American Statistician 33(3), 1979), with signs changed."""
    row = matrix[k] / matrix[k, k]
    found = matrix - np.outer(matrix[:, k], row)
    found[k] = found[:, k] = row
    found[k, k] = -1 / matrix[k, k]
    return found


def slopes_of(programs: Programs, data: Dataset, weights: Floats) -> tuple[Floats, Floats]:
    """Of one program with weights [1 + T]: products of its derivatives with each other [P, P] and with residuals [P].

    The derivatives are those by the intercept, the weights of its terms, and the numbers that are tuned.
    """
    most = len(weights) - 1
    terms, parameters, _, owners = kernels.terms.lay_out(programs.words, programs.offsets, most)
    used, size = 1 + int(terms[0]), int(terms[0] + parameters[0]) + 2
    grams, pivots = np.empty(size * size), np.zeros((1, most))
    kernels.gradients.gram_matrices(
        programs.words, programs.offsets, np.zeros(1, np.int64), data.columns, data.target - data.mean,
        np.sqrt(data.weights), most, parameters, np.array([0, size * size]), grams, pivots,
    )  # fmt: skip
    upper = np.triu(grams.reshape(size, size))
    products = upper + np.triu(upper, 1).T
    pivot, own = pivots[0, : used - 1], weights[1:used]
    residuals = products[:, -1] - (weights[0] - data.mean + float((own * pivot).sum())) * products[:, 0]
    for k, weight in enumerate(own.tolist(), start=1):
        residuals = residuals - weight * products[:, k]
    products[:, -1] = residuals
    products = products[:-1]
    factors = np.concatenate([np.ones(used), weights[1 + owners]])
    products *= factors[:, None]
    products[:, :-1] *= factors
    products[1:used] += pivot[:, None] * products[0]
    products[:, 1:used] += pivot * products[:, :1]
    return products[:, :-1], products[:, -1]
