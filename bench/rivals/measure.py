"""What a measurement is, and the settings that all rivals share."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

POPULATION = 1000
GENERATIONS = 50  # evaluated populations, the initial one included
MAX_DEPTH = 17
TOURNAMENT = 3
CROSSOVER = 0.9
MUTATION = 0.05


@dataclass(frozen=True)
class Work:
    """What a run cost and what it did for it."""

    seconds: float  # of CPU
    evaluations: int  # individuals given a fitness; those that kept theirs are not counted by DEAP and Operon
    distinct: int  # programs that differ as trees
    node_rows: int  # nodes × rows over all evaluations
    best: float  # RRSE of the best


@dataclass(frozen=True)
class Timing:
    """Nanoseconds of CPU per node and row, over repeats."""

    median: float
    minimum: float
    maximum: float

    @classmethod
    def of(cls, seconds: Sequence[float], node_rows: int) -> Timing:
        """From the seconds of each repeat and the work of one."""
        unit = 1e9 / node_rows
        return cls(statistics.median(seconds) * unit, min(seconds) * unit, max(seconds) * unit)


def repeat(run: Callable[[], object], repeats: int, clock: Callable[[], float] = time.process_time) -> list[float]:
    """Seconds of each call, after one that warms up; the garbage collector waits."""
    run()
    seconds = []
    gc.disable()
    try:
        for _ in range(repeats):
            start = clock()
            run()
            seconds.append(clock() - start)
    finally:
        gc.enable()
    return seconds
