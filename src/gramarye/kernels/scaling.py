"""Linear scaling: the line intercept + slope * output that is nearest to a target, by (weighted) least squares."""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.reduction import lanes
from gramarye.kernels.summing import LANES, add_lanes, total_of


@kernel
def weighted_total(terms: np.ndarray, weights: np.ndarray) -> float:
    """The sum of terms [rows], which are multiplied by weights [rows] first; [0]: all count alike."""
    stays_apart()
    if len(weights) > 0:
        for i in lanes(len(terms)):
            terms[i] = terms[i] * weights[i]
    totals = np.zeros(LANES)
    add_lanes(totals, terms)
    return total_of(totals)


@kernel
def fit_line(
    output: np.ndarray, target: np.ndarray, weights: np.ndarray, weight: float, mean: float, terms: np.ndarray
) -> tuple[float, float]:
    """Intercept and slope for one program; a constant output has the slope 0. NaN where something is not finite.

    Sums of outputs less one of them, and then less their mean, lose far fewer digits than sums of outputs.
    """
    stays_apart()
    n = len(output)
    pivot = output[0]
    for i in lanes(n):
        terms[i] = output[i] - pivot
    centre = weighted_total(terms, weights) / weight
    for i in lanes(n):
        terms[i] = ((output[i] - pivot) - centre) * ((output[i] - pivot) - centre)
    variance = weighted_total(terms, weights)
    for i in lanes(n):
        terms[i] = ((output[i] - pivot) - centre) * (target[i] - mean)
    covariance = weighted_total(terms, weights)
    if not abs(variance) < np.inf:
        return np.nan, np.nan
    slope = covariance / variance if variance > 0.0 else 0.0
    return mean - slope * (pivot + centre), slope


@kernel
def sum_apart(
    predicted: np.ndarray,  # [P, rows]
    target: np.ndarray,  # [rows]
    weights: np.ndarray,  # [rows], or [0]: all rows count alike
    absolute: bool,  # Σ|e|, else Σe²
    sums: np.ndarray,  # [P], written; not finite where a prediction is not
) -> None:
    """Sum up how far predictions are from the target."""
    n = len(target)
    terms = np.empty(n)
    for p in range(len(predicted)):
        for i in lanes(n):
            terms[i] = predicted[p, i] - target[i]
        if absolute:
            for i in lanes(n):
                terms[i] = np.abs(terms[i])
        else:
            for i in lanes(n):
                terms[i] = terms[i] * terms[i]
        sums[p] = weighted_total(terms, weights)


@kernel
def fit_lines(
    outputs: np.ndarray,  # [P, rows]
    target: np.ndarray,  # [rows]
    weights: np.ndarray,  # [rows], or [0]: all rows count alike
    weight: float,  # the sum of the weights, or the number of rows
    mean: float,  # of the target, weighted
    lines: np.ndarray,  # [P, 2], written: intercept and slope
) -> None:
    """The line of each program."""
    terms = np.empty(len(target))
    for p in range(len(outputs)):
        lines[p, 0], lines[p, 1] = fit_line(outputs[p], target, weights, weight, mean, terms)
