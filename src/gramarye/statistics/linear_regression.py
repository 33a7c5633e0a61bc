"""Linear regression by ordinary least squares, with what follows from it if the errors are normal and independent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.errors import DataError
from gramarye.statistics.samples import as_sample, check_share, load_scipy

INTERCEPT = "intercept"
DEPENDENT = 1e-12  # of a column's length: what is left of it without the columns before it


@dataclass(frozen=True)
class Term:
    """One coefficient with its standard error, its t, p of the test against 0, and its interval."""

    estimate: float
    error: float
    statistic: float | None  # None where nothing is left of the error
    p: float | None
    low: float
    high: float


@dataclass(frozen=True)
class LinearRegression:
    """A fitted line or plane: its terms by name, the intercept first."""

    terms: Mapping[str, Term]
    residual_deviation: float
    r_squared: float | None  # None where all values are the same
    degrees_of_freedom: int
    confidence: float


def linear_regression(
    values: ArrayLike, columns: Mapping[str, ArrayLike], *, confidence: float = 0.95
) -> LinearRegression:
    """The values as an intercept and a multiple of each column, with the least sum of squared errors."""
    check_share("confidence", confidence)
    if not isinstance(columns, Mapping):
        raise DataError(
            f"columns are of type {type(columns).__name__}: give a mapping from their names to their values"
        )
    y = _finite(values, "the values")
    names = [INTERCEPT, *columns]
    X = np.column_stack([np.ones(len(y)), *(_column(name, column, len(y)) for name, column in columns.items())])
    freedom = len(y) - len(names)
    if freedom < 1:
        raise DataError(f"{len(y)} values are too few for {len(names)} terms: give {len(names) + 1} or more")
    coefficients, inverse, residuals = _fitted(X, y, names)
    squares, total = float(residuals @ residuals), float(((y - y.mean()) ** 2).sum())
    errors = math.sqrt(squares / freedom) * np.sqrt((inverse**2).sum(axis=1))
    t = load_scipy().t
    half = float(t.ppf((1 + confidence) / 2, freedom))
    terms = {}
    for name, estimate, error in zip(names, coefficients.tolist(), errors.tolist(), strict=True):
        statistic = estimate / error if error else None
        p = None if statistic is None else 2 * float(t.sf(abs(statistic), freedom))
        terms[name] = Term(estimate, error, statistic, p, estimate - half * error, estimate + half * error)
    explained = 1 - squares / total if total else None
    return LinearRegression(terms, math.sqrt(squares / freedom), explained, freedom, confidence)


def _fitted(
    X: NDArray[np.float64], y: NDArray[np.float64], names: list[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Coefficients [k], the inverse of the triangle R of X = QR [k, k], and residuals [n]."""
    lengths = np.linalg.norm(X, axis=0)
    Q, R = np.linalg.qr(X / np.where(lengths, lengths, 1.0))
    for name, left in zip(names, np.abs(np.diag(R)).tolist(), strict=True):
        if left < DEPENDENT:
            raise DataError(f"the column {name!r} follows from the others, or is constant: leave it out")
    inverse = np.linalg.inv(R) / lengths[:, None]
    coefficients = inverse @ (Q.T @ y)
    return coefficients, inverse, y - X @ coefficients


def _column(name: str, column: ArrayLike, n: int) -> NDArray[np.float64]:
    if name == INTERCEPT:
        raise DataError(f"a column is called {INTERCEPT!r}, as the constant term is: rename it")
    numbers = _finite(column, f"the column {name!r}")
    if len(numbers) != n:
        raise DataError(f"the column {name!r} has {len(numbers)} values, but there are {n} values to explain")
    return numbers


def _finite(values: ArrayLike, what: str) -> NDArray[np.float64]:
    numbers = as_sample(values, what)
    if not np.isfinite(numbers).all():
        raise DataError(f"{what} are not all finite: leave out the infinite ones")
    return numbers
