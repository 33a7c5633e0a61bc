"""Orthogonal matching pursuit: a short sum of given columns that comes close to a target.

Y. C. Pati, R. Rezaiifar, P. S. Krishnaprasad. Orthogonal matching pursuit. Asilomar Conference on Signals, Systems and
Computers 1993, 40-44. doi 10.1109/ACSSC.1993.342465
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel
from gramarye.kernels.reduction import lanes
from gramarye.languages.arithmetic.kernels.least_squares import eliminate, substitute

CONSTANT = 1e-12  # of the sum of its squares: a column that varies by less is constant
EXACT = 1e-20  # of the target's spread: what is left below is rounding


@kernel
def pursue(
    library: np.ndarray,  # [rows, M] the columns, row by row
    target: np.ndarray,  # [rows]
    weights: np.ndarray,  # [rows] what each row counts
    most: int,  # columns of the sum
) -> tuple[np.ndarray, np.ndarray, float]:
    """The numbers of the columns, their coefficients, and the intercept; fewer columns where those are exact."""
    rows, count = library.shape
    total = means = 0.0
    for i in range(rows):
        total += weights[i]
        means += weights[i] * target[i]
    middle = means / total
    centre, spread, square = np.zeros(count), np.zeros(count), np.zeros(count)
    for i in range(rows):
        for j in lanes(count):
            centre[j] += weights[i] * library[i, j]
            square[j] += weights[i] * (library[i, j] * library[i, j])
    for j in lanes(count):
        centre[j] /= total
    for i in range(rows):
        for j in lanes(count):
            apart = library[i, j] - centre[j]
            spread[j] += weights[i] * (apart * apart)
    rest, whole = np.empty(rows), 0.0
    for i in range(rows):
        rest[i] = target[i] - middle
        whole += weights[i] * rest[i] * rest[i]
    chosen, coefficients, intercept = np.empty(most, np.int64), np.zeros(most), middle
    k = 0
    while k < most:
        matched = np.zeros(count)
        for i in range(rows):
            for j in lanes(count):
                matched[j] += weights[i] * rest[i] * library[i, j]
        best, found = -1, 0.0
        for j in range(count):
            score = matched[j] * matched[j] / spread[j]
            if spread[j] > CONSTANT * square[j] and score > found:
                best, found = j, score
        if best < 0:
            break
        chosen[k] = best
        k += 1
        solve_for(library, target, weights, centre, middle, chosen[:k], coefficients)
        left = 0.0
        for i in range(rows):
            rest[i] = target[i] - middle
            for c in range(k):
                rest[i] -= coefficients[c] * (library[i, chosen[c]] - centre[chosen[c]])
            left += weights[i] * rest[i] * rest[i]
        if not left > EXACT * whole:
            break
    for c in range(k):
        intercept -= coefficients[c] * centre[chosen[c]]
    return chosen[:k], coefficients[:k], intercept


@kernel
def solve_for(
    library: np.ndarray,
    target: np.ndarray,
    weights: np.ndarray,
    centre: np.ndarray,  # [M] the mean of each column
    middle: float,  # that of the target
    chosen: np.ndarray,
    coefficients: np.ndarray,  # written
) -> None:
    """The coefficients of the chosen columns by least squares."""
    k = len(chosen)
    matrix, least = np.zeros((k + 1, k + 1)), np.empty(k + 1)
    row = np.empty(k + 1)
    for i in range(len(target)):
        for c in range(k):
            row[c] = library[i, chosen[c]] - centre[chosen[c]]
        row[k] = target[i] - middle
        for c in range(k + 1):
            for d in range(c, k + 1):
                matrix[c, d] += weights[i] * row[c] * row[d]
    for c in range(k):
        least[c] = CONSTANT * matrix[c, c]
    eliminate(matrix, 0, k, least)
    substitute(matrix, 0, k, coefficients)
