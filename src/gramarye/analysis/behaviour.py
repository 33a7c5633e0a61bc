"""What programs do on a problem: how good they are, and what they give for each row of its table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramarye.analysis.intervals import Resampled, missing
from gramarye.analysis.neighbours import Neighbours
from gramarye.analysis.sampling import Bases, Reading
from gramarye.derivation import Derivations, Status
from gramarye.languages.arithmetic import kernels
from gramarye.objectives import Problem, Regression
from gramarye.statistics import Interval

TOGETHER = 512  # programs whose outputs are held at a time


def behaviour(
    problem: Problem, reading: Reading, bases: Bases, found: Neighbours, resampled: Resampled
) -> dict[str, Interval]:
    """How often a neighbour is exactly as good, and how far away one with another text is in what it does."""
    evaluator = problem.evaluator(np.uint64(reading.seed), reading.workers)
    before = evaluator.evaluate(bases.derivations).fitness[found.base]
    after = evaluator.evaluate(found.derivations).fitness
    changed = found.valid & (found.distances.tokens > 0)
    finite = np.isfinite(before) & np.isfinite(after)
    with np.errstate(invalid="ignore"):
        apart = np.abs(before - after)
    return {
        "fitness_neutrality": resampled.mean(found.base, before == after, found.valid),
        "fitness_distance": resampled.median(found.base, apart, changed & finite),
        "output_distance": _outputs_apart(problem, bases, found, resampled, changed),
    }


def _outputs_apart(
    problem: Problem, bases: Bases, found: Neighbours, resampled: Resampled, changed: NDArray[np.bool_]
) -> Interval:
    if not isinstance(problem, Regression):
        return missing("programs have no outputs that could be compared")
    apart = np.full(len(found.base), np.nan)
    chosen = np.flatnonzero(changed)
    spread = problem.table.target.std()
    for first in range(0, len(chosen), TOGETHER):
        part = chosen[first : first + TOGETHER]
        one = outputs(problem, bases.derivations.take(found.base[part]))
        other = outputs(problem, found.derivations.take(part))
        with np.errstate(all="ignore"):
            apart[part] = np.sqrt(((one - other) ** 2).mean(axis=1)) / spread
    return resampled.median(found.base, apart, np.isfinite(apart))


def outputs(problem: Regression, derivations: Derivations) -> NDArray[np.float64]:
    """What each program gives for each row [N, rows]; NaN where it is none."""
    table, machine = problem.table, kernels.machine
    programs = problem.language.programs(derivations)
    runs = np.flatnonzero(programs.status == Status.OK)
    starts, stops = programs.offsets[:-1][runs], programs.offsets[1:][runs]
    computed, sums = np.empty((len(runs), table.rows)), np.empty((len(runs), 7))
    others = None if machine.is_basic(programs.words, starts, stops) else True
    centred = table.target - table.mean
    machine.run(
        programs.words, starts, stops, table.columns, table.target, centred, machine.SQUARES, computed, sums, others
    )
    found = np.full((len(derivations), table.rows), np.nan)
    found[runs] = computed
    return found
