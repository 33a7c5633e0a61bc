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
    from gramarye.encoding import encode
    from gramarye.errors import GramaryeError
    from gramarye.evolution import Evolution, evolve
    from gramarye.experiment import compare
    from gramarye.grammar import Grammar
    from gramarye.learners import (
        LEARNERS,
        AlternatingBest,
        EntropyBounded,
        Frequencies,
        NoLearning,
        OwnProbabilities,
        RankWeighted,
        update_probabilities,
    )
    from gramarye.loop import start, step
    from gramarye.mapping import map_genotype
    from gramarye.methods import (
        CFGGP,
        GE,
        METHODS,
        PCFGEDA,
        PGE,
        PIGE,
        PMBGE,
        PSGE,
        SGE,
        WHGE,
        Chorus,
        CoPSGE,
        Method,
        StaticSGE,
    )
    from gramarye.objectives import Objective, Regression
    from gramarye.parsing import parse
    from gramarye.probabilities import Probabilities
    from gramarye.report.analysis import Analysis, analyse
    from gramarye.report.comparison import Comparison
    from gramarye.representations import (
        Bits,
        FixedLists,
        FlatInteger,
        FlatReal,
        Genes,
        IntegerLists,
        Pairs,
        RealLists,
        RealListsWithProbabilities,
        Trees,
    )
    from gramarye.run import Generation, Individual, Run
    from gramarye.setup import Setup
    from gramarye.state import State
    from gramarye.store import Results

__version__ = "0.1.0"

# Where each public name lives. It is loaded when first used: nothing of this waits for Numba.
_HOMES = {
    "AlternatingBest": "learners",
    "Analysis": "report.analysis",
    "Bits": "representations",
    "CFGGP": "methods",
    "Chorus": "methods",
    "CoPSGE": "methods",
    "Comparison": "report.comparison",
    "Derivation": "derivation",
    "EntropyBounded": "learners",
    "Evolution": "evolution",
    "FixedLists": "representations",
    "FlatInteger": "representations",
    "FlatReal": "representations",
    "Frequencies": "learners",
    "GE": "methods",
    "Generation": "run",
    "Genes": "representations",
    "GramaryeError": "errors",
    "Grammar": "grammar",
    "Individual": "run",
    "IntegerLists": "representations",
    "LEARNERS": "learners",
    "METHODS": "methods",
    "Method": "methods",
    "NoLearning": "learners",
    "Objective": "objectives",
    "OwnProbabilities": "learners",
    "PCFGEDA": "methods",
    "PGE": "methods",
    "PIGE": "methods",
    "PMBGE": "methods",
    "PSGE": "methods",
    "Pairs": "representations",
    "Probabilities": "probabilities",
    "RankWeighted": "learners",
    "RealLists": "representations",
    "RealListsWithProbabilities": "representations",
    "Regression": "objectives",
    "Results": "store",
    "Run": "run",
    "SGE": "methods",
    "Setup": "setup",
    "State": "state",
    "StaticSGE": "methods",
    "Trees": "representations",
    "WHGE": "methods",
    "analyse": "report.analysis",
    "encode": "encoding",
    "compare": "experiment",
    "evolve": "evolution",
    "map_genotype": "mapping",
    "parse": "parsing",
    "start": "loop",
    "step": "loop",
    "update_probabilities": "learners",
}

__all__ = [
    "CFGGP",
    "GE",
    "LEARNERS",
    "METHODS",
    "PCFGEDA",
    "PGE",
    "PIGE",
    "PMBGE",
    "PSGE",
    "SGE",
    "WHGE",
    "AlternatingBest",
    "Analysis",
    "Bits",
    "Chorus",
    "CoPSGE",
    "Comparison",
    "Derivation",
    "EntropyBounded",
    "Evolution",
    "FixedLists",
    "FlatInteger",
    "FlatReal",
    "Frequencies",
    "Generation",
    "Genes",
    "GramaryeError",
    "Grammar",
    "Individual",
    "IntegerLists",
    "Method",
    "NoLearning",
    "Objective",
    "OwnProbabilities",
    "Pairs",
    "Probabilities",
    "RankWeighted",
    "RealLists",
    "RealListsWithProbabilities",
    "Regression",
    "Results",
    "Run",
    "Setup",
    "State",
    "StaticSGE",
    "Trees",
    "analyse",
    "compare",
    "encode",
    "errors",
    "evolve",
    "map_genotype",
    "parse",
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
