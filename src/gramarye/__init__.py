"""Evolve programs from a grammar.

import gramarye as gm
run = gm.evolve(gm.problems.load("pagie"), gm.PGE(), seed=1)
print(run.best.phenotype, run.best.fitness)
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gramarye import analysis as analysis
    from gramarye import engine as engine
    from gramarye import errors as errors
    from gramarye import learners as learners
    from gramarye import methods as methods
    from gramarye import problems as problems
    from gramarye import replacement as replacement
    from gramarye import representations as representations
    from gramarye import selection as selection
    from gramarye import statistics as statistics
    from gramarye import testing as testing
    from gramarye.analysis.analysis import analyse as analyse
    from gramarye.comparison.comparison import Comparison as Comparison
    from gramarye.derivations import Derivation as Derivation
    from gramarye.derivations.parsing import parse as parse
    from gramarye.engine.encoding import encode as encode
    from gramarye.engine.evolution import Evolution as Evolution
    from gramarye.engine.evolution import evolve as evolve
    from gramarye.engine.individual import Individual as Individual
    from gramarye.engine.run import Generation as Generation
    from gramarye.engine.run import Run as Run
    from gramarye.engine.state import State as State
    from gramarye.engine.tracing import map_genotype as map_genotype
    from gramarye.errors import GramaryeError as GramaryeError
    from gramarye.experiment import compare as compare
    from gramarye.grammar import Grammar as Grammar
    from gramarye.grammar.probabilities import Probabilities as Probabilities
    from gramarye.learners import update_probabilities as update_probabilities
    from gramarye.methods import *  # noqa: F403, its list of members
    from gramarye.models import Model as Model
    from gramarye.objectives import Objective as Objective
    from gramarye.objectives import Regression as Regression
    from gramarye.priors import learn_prior as learn_prior
    from gramarye.store import Results as Results

__version__ = "0.1.0"

# Where public names live; each is loaded when it is first used, so that `import gramarye` doesn't wait for Numba.
_HOMES = {
    "Comparison": "comparison.comparison",
    "Derivation": "derivations",
    "Evolution": "engine.evolution",
    "Generation": "engine.run",
    "GramaryeError": "errors",
    "Grammar": "grammar",
    "Individual": "engine.individual",
    "Model": "models",
    "Objective": "objectives",
    "Probabilities": "grammar.probabilities",
    "Regression": "objectives",
    "Results": "store",
    "Run": "engine.run",
    "State": "engine.state",
    "analyse": "analysis.analysis",
    "compare": "experiment",
    "encode": "engine.encoding",
    "evolve": "engine.evolution",
    "learn_prior": "priors",
    "map_genotype": "engine.tracing",
    "parse": "derivations.parsing",
    "update_probabilities": "learners",
}
_NAMESPACES = (
    *("analysis", "engine", "errors", "learners", "methods", "problems", "replacement", "representations"),
    *("selection", "statistics", "testing"),
)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"gramarye.{_HOMES[name]}"), name)
    if name in _NAMESPACES:
        return importlib.import_module(f"gramarye.{name}")
    if name == "__all__":
        return sorted([*_HOMES, *_NAMESPACES, *_methods()])
    if name[0].isupper() and name in (methods := _methods()):  # not for modules, which ask while they are being loaded
        return methods[name]
    raise AttributeError(f"module 'gramarye' has no attribute {name!r}")


@functools.cache
def _methods() -> dict[str, Any]:
    """Every method that is listed in `gramarye.methods` is public here too."""
    listed = importlib.import_module("gramarye.methods")
    return {kind.__name__: kind for kind in (*listed.METHODS.values(), listed.Method)}


def __dir__() -> list[str]:
    return [*__getattr__("__all__"), "__version__"]
