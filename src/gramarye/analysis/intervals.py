"""Bootstrap intervals over base genotypes: the neighbours of one base depend on each other, so they stay together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramarye.statistics import Interval

CONFIDENCE = 0.95
RESAMPLES = 1000


class Resampled:
    """Some bases, drawn again and again with replacement."""

    def __init__(self, bases: int, seed: int) -> None:
        self.bases = bases
        self._rng = np.random.default_rng(seed)
        drawn = self._rng.integers(bases, size=(RESAMPLES, bases)) + bases * np.arange(RESAMPLES)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
        self._counts = counts.astype(np.float64)  # [RESAMPLES, bases]

    def ratio(self, above: NDArray[np.float64], below: NDArray[np.float64]) -> Interval:
        """The sum of one column [bases] divided by the sum of another: the mean of what the second one counts."""
        if not below.sum() > 0:
            return missing("nothing to measure")
        sums = self._counts @ np.stack([above, below], axis=1)
        resampled = sums[:, 0][sums[:, 1] > 0] / sums[:, 1][sums[:, 1] > 0]
        low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        return Interval(float(above.sum() / below.sum()), float(low), float(high), CONFIDENCE, "")

    def mean(
        self, base: NDArray[np.int64], values: NDArray[np.float64] | NDArray[np.bool_], where: NDArray[np.bool_]
    ) -> Interval:
        """The mean of those values [P] that count, each of which belongs to a base [P]."""
        chosen = base[where]
        return self.ratio(
            np.bincount(chosen, values[where].astype(np.float64), self.bases).astype(np.float64),
            np.bincount(chosen, minlength=self.bases).astype(np.float64),
        )


def share(hits: int, draws: int, seed: int) -> Interval:
    """The share of hits among independent draws."""
    if draws == 0:
        return missing("nothing to measure")
    drawn = np.random.default_rng(seed).binomial(draws, hits / draws, RESAMPLES) / draws
    low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(hits / draws, float(low), float(high), CONFIDENCE, "")


def exact(value: float, note: str = "") -> Interval:
    """A number without an interval."""
    return Interval(value, None, None, CONFIDENCE, note)


def missing(note: str) -> Interval:
    """No number, and why."""
    return Interval(None, None, None, CONFIDENCE, note)
