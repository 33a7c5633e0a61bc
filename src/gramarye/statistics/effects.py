"""How large a difference is: Vargha and Delaney's A12 (2000), turned so that above one half means that `a` is better.

Smaller is better here, so that A12 is the probability that a run of `a` ends below a run of `b`, ties by half. Vargha
and Delaney wrote it for larger is better: our a12(a, b) is their A of b over a.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.errors import DataError
from gramarye.statistics.samples import as_sample

Magnitude: TypeAlias = Literal["negligible", "small", "medium", "large"]

# From these on, or from as far below one half (Vargha & Delaney 2000, table 1).
MAGNITUDES: tuple[tuple[float, Magnitude], ...] = ((0.71, "large"), (0.64, "medium"), (0.56, "small"))
ROUNDING = 1e-12  # 1 − A12 may miss a threshold by its last digit, and both sides must get the same word


def a12(a: ArrayLike, b: ArrayLike) -> float | None:
    """P(a < b) + ½ P(a = b): above 0.5 if `a` is better, that is smaller; None where a sample is empty."""
    first, second = as_sample(a, "a"), as_sample(b, "b")
    if not len(first) or not len(second):
        return None
    return a12_of_places(*places(first, np.sort(second)), len(second))


def paired_a12(a: ArrayLike, b: ArrayLike) -> float | None:
    """The same over pairs, as runs with the same seed: P(aᵢ < bᵢ) + ½ P(aᵢ = bᵢ); None where there is no pair.

    R. J. Grissom and J. J. Kim (2012), Effect Sizes for Research, chapter 5: the probability of superiority with
    dependent groups.
    """
    first, second = as_sample(a, "a"), as_sample(b, "b")
    if len(first) != len(second):
        raise DataError(f"a has {len(first)} runs and b has {len(second)}: paired samples must have the same length")
    return float(((first < second) + (first == second) / 2).mean()) if len(first) else None


def cliffs_delta(a: ArrayLike, b: ArrayLike) -> float | None:
    """Cliff's delta (1993), 2·A12 − 1: above 0 if `a` is better, that is smaller; None where a sample is empty."""
    share = a12(a, b)
    return None if share is None else 2 * share - 1


def magnitude(share: float | None) -> Magnitude | None:
    """An A12 in a word, whichever side is better."""
    if share is None:
        return None
    if not 0 <= share <= 1:
        raise DataError(f"A12 is {share!r}: it must lie between 0 and 1")
    away = max(share, 1 - share) + ROUNDING
    return next((word for least, word in MAGNITUDES if away >= least), "negligible")


def places(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each value of `a` how many of `b`, which is sorted, are smaller, and how many are smaller or equal."""
    return np.searchsorted(b, a, "left"), np.searchsorted(b, a, "right")


def a12_of_places(below: NDArray[np.int64], until: NDArray[np.int64], n: int) -> float:
    """A12 from the places of each run among n others: a tie is half a win."""
    return float((n - (below + until) / 2).sum() / (len(below) * n))
