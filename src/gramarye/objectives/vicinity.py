"""Whether programs stay sensible near the data, and between its rows."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.data import Dataset
from gramarye.languages import Language, Programs

Floats = NDArray[np.float64]
WIDER = 0.25  # of its range: how far beyond it a column is probed
PLACES, AT_RANDOM = 9, 200  # where programs are probed
SEGMENTS = 64  # lines between two rows
FAR_OFF = 1e3  # ranges of the target: predictions so far from it explode
PEAKED = 30.0  # interquartile ranges: where the range of a target is larger, it has peaks itself


class Vicinity:
    """The box of the training rows, made wider, and lines through the rows."""

    def __init__(self, train: Dataset) -> None:
        columns, target = train.columns, train.target
        low, high = columns.min(axis=1), columns.max(axis=1)
        self._middle = np.median(columns, axis=1)
        self._low, self._high = _wider(low, high)
        self._starts, self._ends = self._lines(columns, low, high)
        least, most = float(target.min()), float(target.max())
        far = FAR_OFF * (most - least)
        self._limits = least - far, most + far
        lower, upper = np.quantile(target, [0.25, 0.75])
        self._counts_poles = 0 < most - least <= PEAKED * (upper - lower)

    def safe(self, language: Language, programs: Programs, weights: Floats | None) -> NDArray[np.bool_]:
        """[N] which programs are proved to keep within the limits in the box, or else show no sign of leaving them."""
        least, most = self._limits
        found = language.enclosures(programs, self._low, self._high, weights)
        within = np.isfinite(found) & (found >= least) & (found <= most)
        safe: NDArray[np.bool_] = np.all(within, axis=1)
        rest = np.flatnonzero(~safe)
        for trial in (self._has_no_pole, self._is_finite):
            if len(rest):
                passed = trial(language, programs.take(rest), None if weights is None else weights[rest])
                rest = rest[passed]
        safe[rest] = True
        return safe

    def _has_no_pole(self, language: Language, programs: Programs, weights: Floats | None) -> NDArray[np.bool_]:
        """[N] which programs are not found to leave the limits on a line."""
        if not self._counts_poles:
            return np.ones(len(programs), np.bool_)
        return np.logical_not(language.exceed(programs, self._limits, self._starts, self._ends, weights))

    def _is_finite(self, language: Language, programs: Programs, weights: Floats | None) -> NDArray[np.bool_]:
        """[N] which programs are finite at all probes."""
        with np.errstate(all="ignore"):
            predicted = language.predictions(programs, self._probes, weights)
        finite: NDArray[np.bool_] = np.all(np.isfinite(predicted), axis=1)
        return finite

    def _lines(self, columns: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """[L, V] where lines begin and end: along each column while the others are at their median; from row to row."""
        varying = np.flatnonzero(low < high)
        starts, ends = np.tile(self._middle, (2, len(varying), 1))
        starts[np.arange(len(varying)), varying] = low[varying]
        ends[np.arange(len(varying)), varying] = high[varying]
        drawn = kernels.random.units(np.uint64(1), 2 * SEGMENTS) * columns.shape[1]
        one, other = columns.T[drawn.astype(np.int64)].reshape(2, SEGMENTS, -1)
        return np.concatenate([starts, one]), np.concatenate([ends, other])

    @cached_property
    def _probes(self) -> Floats:
        """[V, points] each column at some places while the others are at their median, and at random."""
        low, high, middle = self._low, self._high, self._middle
        points = [middle]
        for v in range(len(middle)):
            for place in np.linspace(0.0, 1.0, PLACES):
                point = middle.copy()
                point[v] = low[v] + place * (high[v] - low[v])
                points.append(point)
        drawn = kernels.random.units(np.uint64(0), AT_RANDOM * len(middle)).reshape(len(middle), AT_RANDOM)
        anywhere = low[:, None] + drawn * (high - low)[:, None]
        return np.ascontiguousarray(np.concatenate([np.array(points).T, anywhere], axis=1))


def _wider(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The range of each column, wider but on the same side of 0: an area is never negative."""
    margin = WIDER * (high - low)
    return (
        np.where(low >= 0, np.maximum(low - margin, 0.0), low - margin),
        np.where(high <= 0, np.minimum(high + margin, 0.0), high + margin),
    )
