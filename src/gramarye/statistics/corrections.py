"""Corrections of p for several tests at once. A test that was not possible, None, stays None and doesn't count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gramarye.errors import DataError
from gramarye.statistics.samples import is_number


def bonferroni(ps: Sequence[float | None]) -> list[float | None]:
    """Each p times the number of tests, at most 1, in the order given."""
    made = _made(ps)
    return _put_back(ps, np.minimum(made * len(made), 1.0))


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction (1979), in the order given: holds whenever Bonferroni's does, and is never larger."""
    made = _made(ps)
    order = np.argsort(made, kind="stable")
    corrected = np.empty_like(made)
    corrected[order] = np.minimum(np.maximum.accumulate(made[order] * np.arange(len(made), 0, -1)), 1.0)
    return _put_back(ps, corrected)


def _made(ps: Sequence[float | None]) -> NDArray[np.float64]:
    for number, p in enumerate(ps, 1):
        if p is not None and not (is_number(p) and 0 <= p <= 1):
            raise DataError(f"p {number} of {len(ps)} is {p!r}: it must lie between 0 and 1, or be None for no test")
    return np.array([p for p in ps if p is not None], np.float64)


def _put_back(ps: Sequence[float | None], corrected: NDArray[np.float64]) -> list[float | None]:
    values = iter(corrected.tolist())
    return [None if p is None else next(values) for p in ps]
