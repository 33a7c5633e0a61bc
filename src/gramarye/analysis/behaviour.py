"""What programs do on a problem: how good they are, and what they give for each row of its table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramarye.analysis.intervals import Resampled, missing
from gramarye.analysis.neighbours import Neighbours
from gramarye.analysis.sampling import Bases, Reading
from gramarye.objectives import Problem
from gramarye.populations.evaluation import Evaluation
from gramarye.statistics import Interval

TOGETHER = 512  # programs whose outputs are held at a time


def behaviour(
    problem: Problem, reading: Reading, bases: Bases, found: Neighbours, resampled: Resampled
) -> dict[str, Interval]:
    """How often a neighbour is exactly as good, and how far away one with another text is in what it does."""
    evaluator = problem.evaluator(np.uint64(reading.seed), reading.threads, reading.method.tuning)
    evaluations = evaluator.evaluate(bases.derivations), evaluator.evaluate(found.derivations)
    before, after = evaluations[0].fitness[found.base], evaluations[1].fitness
    changed = found.valid & (found.distances.tokens > 0)
    finite = np.isfinite(before) & np.isfinite(after)
    with np.errstate(invalid="ignore"):
        apart = np.abs(before - after)
    return {
        "fitness_neutrality": resampled.mean(found.base, before == after, found.valid),
        "fitness_distance": resampled.median(found.base, apart, changed & finite),
        "output_distance": _outputs_apart(problem, evaluations, found.base, resampled, changed),
    }


def _outputs_apart(
    problem: Problem,
    evaluations: tuple[Evaluation, Evaluation],
    base: NDArray[np.int64],
    resampled: Resampled,
    changed: NDArray[np.bool_],
) -> Interval:
    if problem.dataset is None:
        return missing("programs have no outputs that could be compared")
    apart = np.full(len(base), np.nan)
    bases, neighbours = (evaluation.derivations for evaluation in evaluations)  # with their constants tuned
    chosen = np.flatnonzero(changed)
    spread = problem.dataset.target.std()
    for first in range(0, len(chosen), TOGETHER):
        part = chosen[first : first + TOGETHER]
        one = problem.outputs(bases.take(base[part]))
        other = problem.outputs(neighbours.take(part))
        with np.errstate(all="ignore"):
            apart[part] = np.sqrt(((one - other) ** 2).mean(axis=1)) / spread
    return resampled.median(base, apart, np.isfinite(apart))
