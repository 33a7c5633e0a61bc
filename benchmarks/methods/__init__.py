"""The methods that are compared, each in a file; ours is the first."""

from __future__ import annotations

from benchmarks.methods import baselines, deap, gplearn, operon, ours, rils_rols
from benchmarks.methods.fitting import Budget, Fit, Method, nodes

OURS = "gramarye"
METHODS: dict[str, Method] = {
    OURS: ours.METHOD,
    "pyoperon, one objective": operon.ONE_OBJECTIVE,
    "pyoperon, NSGA-II": operon.NSGA2,
    "rils-rols": rils_rols.METHOD,
    "gplearn": gplearn.METHOD,
    "DEAP": deap.METHOD,
    "gradient boosting": baselines.BOOSTING,
    "linear regression": baselines.LINEAR,
}

__all__ = ["METHODS", "OURS", "Budget", "Fit", "Method", "nodes"]
