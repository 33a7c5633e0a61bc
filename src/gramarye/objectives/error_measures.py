"""Error measures of predictions."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gramarye.data import Dataset

ErrorMeasure = Literal["rrse", "rmse", "mae", "1-r2"]
ERROR_MEASURES: tuple[ErrorMeasure, ...] = ("rrse", "rmse", "mae", "1-r2")
RELATIVE = ("rrse", "1-r2")  # those that are relative to the spread of the target


def error_of(measure: ErrorMeasure, sums: NDArray[np.float64], data: Dataset) -> NDArray[np.float64]:
    """Errors [N] from Σe², for the mean absolute error from Σ|e|; +inf where they are not finite."""
    with np.errstate(all="ignore"):
        error = sums / (data.spread if measure in RELATIVE else data.weight)
        error = np.sqrt(error) if measure in ("rrse", "rmse") else error
    return np.where(np.isfinite(error), error, np.inf)
