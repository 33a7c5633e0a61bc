"""Evolve programs from a grammar.

import gramarye as gm
run = gm.evolve(gm.problems.load("pagie"), gm.PGE(), seed=1)
print(run.best.phenotype, run.best.fitness)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gramarye import errors, problems
    from gramarye.derivation import Derivation
    from gramarye.errors import GramaryeError
    from gramarye.evolution import Evolution, evolve
    from gramarye.experiment import compare
    from gramarye.grammar import Grammar
    from gramarye.learners import AlternatingBest, NoLearning, update_probabilities
    from gramarye.loop import start, step
    from gramarye.mapping import map_genotype
    from gramarye.methods import GE, METHODS, PGE, SGE, Method
    from gramarye.objectives import Objective, Regression
    from gramarye.probabilities import Probabilities
    from gramarye.report.comparison import Comparison
    from gramarye.representations import FlatInteger, FlatReal, IntegerLists
    from gramarye.run import Generation, Individual, Run
    from gramarye.state import State
    from gramarye.store import Results

__version__ = "0.1.0"

# Where each public name lives. It is loaded when first used: nothing of this waits for Numba.
_HOMES = {
    "AlternatingBest": "learners",
    "Comparison": "report.comparison",
    "Derivation": "derivation",
    "Evolution": "evolution",
    "FlatInteger": "representations",
    "FlatReal": "representations",
    "GE": "methods",
    "Generation": "run",
    "GramaryeError": "errors",
    "Grammar": "grammar",
    "Individual": "run",
    "IntegerLists": "representations",
    "METHODS": "methods",
    "Method": "methods",
    "NoLearning": "learners",
    "Objective": "objectives",
    "PGE": "methods",
    "Probabilities": "probabilities",
    "Regression": "objectives",
    "Results": "store",
    "Run": "run",
    "SGE": "methods",
    "State": "state",
    "compare": "experiment",
    "evolve": "evolution",
    "map_genotype": "mapping",
    "start": "loop",
    "step": "loop",
    "update_probabilities": "learners",
}

__all__ = [
    "GE",
    "METHODS",
    "PGE",
    "SGE",
    "AlternatingBest",
    "Comparison",
    "Derivation",
    "Evolution",
    "FlatInteger",
    "FlatReal",
    "Generation",
    "GramaryeError",
    "Grammar",
    "Individual",
    "IntegerLists",
    "Method",
    "NoLearning",
    "Objective",
    "Probabilities",
    "Regression",
    "Results",
    "Run",
    "State",
    "compare",
    "errors",
    "evolve",
    "map_genotype",
    "problems",
    "start",
    "step",
    "update_probabilities",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"gramarye.{_HOMES[name]}"), name)
    if name in ("errors", "problems"):
        return importlib.import_module(f"gramarye.{name}")
    raise AttributeError(f"module 'gramarye' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
