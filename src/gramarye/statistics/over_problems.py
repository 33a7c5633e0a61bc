"""Several methods on several problems: Friedman's test, and how far mean ranks must be apart (Demšar 2006)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.errors import DataError
from gramarye.statistics.samples import as_numbers, check_share, check_whole, joined, load_scipy, ranked_infinities

FEW_PROBLEMS = 10  # Demšar's rule of thumb: χ² is good for more


@dataclass(frozen=True)
class Friedman:
    """A Friedman test, corrected for ties; a method that is best on every problem has mean rank 1."""

    statistic: float | None
    p: float | None
    degrees_of_freedom: int
    mean_ranks: tuple[float, ...]  # one for each method; empty where there is no problem
    note: str


def friedman(matrix: ArrayLike) -> Friedman:
    """Whether methods differ over a set of problems, from one number for each: matrix [problems, methods]."""
    values = _as_matrix(matrix)
    problems, methods = values.shape
    note = ranked_infinities(values)
    freedom = methods - 1
    if not problems:
        return Friedman(None, None, freedom, (), "no problems: no test")
    ranks = load_scipy().rankdata(values, axis=1)
    mean_ranks = tuple(float(rank) for rank in ranks.mean(0))
    if problems == 1:  # the statistic depends on the ties only
        return Friedman(None, None, freedom, mean_ranks, joined(note, "one problem: no test"))
    if (values == values[:, :1]).all():
        same = "the methods have the same value on every problem"
        return Friedman(0.0, 1.0, freedom, mean_ranks, joined(same, note))
    if methods == 2:  # the χ² of two ranks is a poor sign test
        return Friedman(None, None, freedom, mean_ranks, joined(note, "two methods: no test, use wilcoxon"))
    result = load_scipy().friedmanchisquare(*ranks.T)
    few = f"{problems} problems: p is approximate up to {FEW_PROBLEMS}" if problems <= FEW_PROBLEMS else ""
    return Friedman(float(result.statistic), float(result.pvalue), freedom, mean_ranks, joined(note, few))


def _as_matrix(matrix: ArrayLike) -> NDArray[np.float64]:
    values = as_numbers(matrix, "the matrix")
    if values.ndim != 2:
        raise DataError(f"the matrix has {values.ndim} dimensions: give one row for each problem, of as many methods")
    if values.shape[1] < 2:
        raise DataError(f"the matrix has {values.shape[1]} methods: at least two are needed for a comparison")
    missing = np.argwhere(np.isnan(values))
    if len(missing):
        problem, method = missing[0] + 1
        raise DataError(
            f"problem {problem}, method {method} is NaN: leave the problem out, or make it inf if all failed"
        )
    return values


def nemenyi(methods: int, problems: int, alpha: float = 0.05) -> float:
    """The least difference of two mean ranks that is significant among so many methods (Nemenyi 1963)."""
    check_whole("methods", methods, 2)
    check_whole("problems", problems, 1)
    check_share("alpha", alpha)
    q = float(load_scipy().studentized_range.ppf(1 - alpha, methods, math.inf)) / math.sqrt(2)
    return q * math.sqrt(methods * (methods + 1) / (6 * problems))
