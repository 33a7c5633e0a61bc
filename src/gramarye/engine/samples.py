"""Runs whose programs are compared on a sample of the rows.

What such a run reports is computed on all rows: of the programs that are the best of their size on the sample.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramarye.engine.front import leaders
from gramarye.populations.evaluation import Evaluation
from gramarye.populations.population import Memory


def newcomers(memory: Memory, evaluation: Evaluation, fresh: int) -> tuple[NDArray[np.int64], Memory]:
    """Which of the first `fresh` individuals join the front on the sample, and what is remembered of that front."""
    fitness, size = evaluation.fitness[:fresh], evaluation.size[:fresh]
    before = len(memory["size"]) if memory else 0
    if memory:
        fitness, size = np.concatenate([memory["fitness"], fitness]), np.concatenate([memory["size"], size])
    members = leaders(fitness, size)
    return members[members >= before] - before, {"fitness": fitness[members], "size": size[members]}
