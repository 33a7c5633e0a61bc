"""Programs fitted to data: the weights of their terms by least squares, their constants by Levenberg and Marquardt.

Kernels are called in turn over all programs that are not done yet: one with everything inside takes far longer to
compile. What is found out about a program does not depend on the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye.data import Dataset
from gramarye.languages.arithmetic import kernels
from gramarye.languages.base import Fitted, Programs
from gramarye.populations.evaluation import Work

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

DAMPING = 0.01  # lambda at first; divided by 10 after a step that helps, multiplied by 10 after one that does not
MOST_TUNED = 50  # constants of a program; one with more keeps them, as does one with too many for its rows
# No step leads a constant without bounds further (times the largest target, if that is above 1): it would overflow.
FARTHEST = 1e100


class _Point(NamedTuple):
    """N programs with certain constants, and what is known of them there."""

    words: NDArray[np.int32]
    grams: Floats  # their Gram matrices, one after another
    pivots: Floats  # [N, terms]
    weights: Floats  # [N, 1 + terms]
    errors: Floats  # [N]
    blur: Floats  # [N] errors below have few digits
    steps: Floats  # where to go from here, a number for each constant
    moves: NDArray[np.bool_]  # [N] whether that is somewhere else


class Fit:
    """N programs, none of which is empty, and a dataset to which they are fitted."""

    def __init__(
        self, programs: Programs, data: Dataset, terms: int, iterations: int, least_gain: float, limits: Floats
    ) -> None:
        self._data, self._iterations, self._least_gain = data, iterations, least_gain
        reach = FARTHEST * max(1.0, float(np.abs(data.target).max()))
        self._limits = np.where(np.isfinite(limits), limits, np.copysign(reach, limits))
        self._weighted, self._most = terms > 0, max(terms, 1)
        self._target, self._roots = data.target - data.mean, np.sqrt(data.weights)
        begin, end = programs.offsets[0], programs.offsets[-1]
        self._words, self._offsets = programs.words[begin:end], programs.offsets - begin
        self._terms, parameters, _, owners = kernels.terms.lay_out(self._words, self._offsets, self._most)
        room = data.rows - (1 + self._terms) * self._weighted  # for numbers to fit, beside the weights
        tuned = (parameters <= np.minimum(MOST_TUNED, room)) & (iterations > 0)
        self._parameters, self._owners = parameters * tuned, owners[np.repeat(tuned, parameters)]
        self._first = _ends(self._parameters)
        self._starts = _ends((self._terms + self._parameters + 2) ** 2)
        self._damping = np.full(len(programs), DAMPING)
        self._node_rows = 0

    def run(self) -> Fitted:
        """Fit all of them."""
        everyone = np.arange(len(self._terms))
        here, there = self._point(self._words.copy()), self._point(self._words.copy())
        passes = np.zeros(len(everyone), np.int64)
        self._compute(here, everyone)
        passes += 1
        active = everyone[np.isfinite(here.errors)]
        for _ in range(self._iterations):
            active = active[here.moves[active]]
            if len(active) == 0:
                break
            arguments = (active, here.steps, self._first, self._limits, there.words)
            kernels.postfix.move_values(here.words, self._offsets, *arguments)
            self._damping[active] /= 10
            self._compute(there, active)
            passes[active] += 1
            before, after = here.errors[active], there.errors[active]
            better = after < before
            done = abs(after - before) < self._least_gain * before
            self._go(active[better], there, here)
            self._damping[active[~better]] *= 100
            self._solve(here, active[~better])
            active = active[~done]
        if self._weighted:
            layout = self._starts, self._terms, self._parameters
            kernels.least_squares.clear_rounding(here.grams, *layout, here.pivots, here.weights)
        return Fitted(here.words, here.weights, here.errors, here.blur, passes, Work(len(everyone), self._node_rows))

    def _point(self, words: NDArray[np.int32]) -> _Point:
        n = len(self._terms)
        return _Point(
            words,
            grams=np.empty(self._starts[-1]),
            pivots=np.empty((n, self._most)),
            weights=np.empty((n, 1 + self._most)),
            errors=np.empty(n),
            blur=np.empty(n),
            steps=np.empty(self._first[-1]),
            moves=np.empty(n, np.bool_),
        )

    def _compute(self, point: _Point, which: Integers) -> None:
        """Run programs over the data."""
        table = self._data.columns, self._target, self._roots
        self._node_rows += kernels.gradients.gram_matrices(
            point.words, self._offsets, which, *table, self._most, self._parameters,
            self._starts, point.grams, point.pivots,
        )  # fmt: skip
        self._solve(point, which)

    def _solve(self, point: _Point, which: Integers) -> None:
        """Weights, errors and steps from Gram matrices."""
        layout = self._starts, self._terms, self._parameters, self._owners, self._first
        facts = point.pivots, self._data.mean, self._weighted, self._damping
        found = point.weights, point.errors, point.blur, point.steps, point.moves
        kernels.least_squares.solve(which, point.grams, *layout, *facts, *found)

    def _go(self, which: Integers, there: _Point, here: _Point) -> None:
        """Some programs have found a better place."""
        take_over = kernels.least_squares.take_over
        take_over(which, self._offsets, there.words, here.words)
        take_over(which, self._starts, there.grams, here.grams)
        take_over(which, self._first, there.steps, here.steps)
        for name in ("pivots", "weights", "errors", "blur", "moves"):
            getattr(here, name)[which] = getattr(there, name)[which]


def _ends(lengths: Integers) -> Integers:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
