"""Bootstrap intervals over base genotypes: the neighbours of one base depend on each other, so they stay together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramarye.statistics import Interval

Floats = NDArray[np.float64]
CONFIDENCE = 0.95
RESAMPLES = 1000


class Resampled:
    """Some bases, drawn again and again with replacement."""

    def __init__(self, bases: int, seed: int) -> None:
        self.bases = bases
        rng = np.random.default_rng(seed)
        drawn = rng.integers(bases, size=(RESAMPLES, bases)) + bases * np.arange(RESAMPLES)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
        self._counts = counts.astype(np.float64)  # [RESAMPLES, bases]

    def ratio(self, above: Floats, below: Floats) -> Interval:
        """The sum of one column [bases] divided by the sum of another: the mean of what the second one counts."""
        if not below.sum() > 0:
            return missing("nothing to measure")
        sums = self._counts @ np.stack([above, below], axis=1)
        resampled = sums[:, 0][sums[:, 1] > 0] / sums[:, 1][sums[:, 1] > 0]
        return _between(float(above.sum() / below.sum()), resampled)

    def mean(self, base: NDArray[np.int64], values: Floats | NDArray[np.bool_], where: NDArray[np.bool_]) -> Interval:
        """The mean of those values [P] that count, each of which belongs to a base [P]."""
        chosen = base[where]
        return self.ratio(
            np.bincount(chosen, values[where].astype(np.float64), self.bases).astype(np.float64),
            np.bincount(chosen, minlength=self.bases).astype(np.float64),
        )

    def median(self, base: NDArray[np.int64], values: Floats, where: NDArray[np.bool_]) -> Interval:
        """The median of those values [P] that count: for values of which a few are huge."""
        if not where.any():
            return missing("nothing to measure")
        order = np.flatnonzero(where)[np.argsort(values[where], kind="stable")]
        chosen, ascending = base[order], values[order]
        found = []
        for counts in self._counts:
            weights = np.cumsum(counts[chosen])
            if weights[-1] > 0:
                found.append(ascending[np.searchsorted(weights, weights[-1] / 2)])
        return _between(float(ascending[(len(ascending) - 1) // 2]), np.array(found))

    def correlation(self, base: NDArray[np.int64], a: Floats, b: Floats) -> Interval:
        """Pearson's correlation of pairs [P], each of which belongs to a base [P]."""
        if len(a) < 2 or a.std() == 0 or b.std() == 0:
            return missing("all values are the same")
        a, b = (a - a.mean()) / a.std(), (b - b.mean()) / b.std()
        columns = [np.ones(len(a)), a, b, a * a, b * b, a * b]
        sums = np.stack([np.bincount(base, column, self.bases) for column in columns], axis=1)
        n, x, y, xx, yy, xy = (self._counts @ sums).T
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y))
        return _between(float((a * b).mean()), found[np.isfinite(found)])


def share(hits: int, draws: int, seed: int) -> Interval:
    """The share of hits among independent draws."""
    if draws == 0:
        return missing("nothing to measure")
    return _between(hits / draws, np.random.default_rng(seed).binomial(draws, hits / draws, RESAMPLES) / draws)


def of_two_means(above: Floats, below: Floats, seed: int) -> Interval:
    """The mean of one sample divided by that of another one, which was drawn apart from it."""
    rng = np.random.default_rng(seed)
    means = [values[rng.integers(len(values), size=(RESAMPLES, len(values)))].mean(axis=1) for values in (above, below)]
    kept = means[1] > 0
    return _between(float(above.mean() / below.mean()), means[0][kept] / means[1][kept])


def missing(note: str) -> Interval:
    """No number, and why."""
    return Interval(None, None, None, CONFIDENCE, note)


def _between(estimate: float, resampled: Floats) -> Interval:
    """An estimate, and where the middle of those from resampled bases lies."""
    low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(estimate, float(low), float(high), CONFIDENCE, "")
