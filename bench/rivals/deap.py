"""DEAP's genetic programming, the usual one in Python."""

from __future__ import annotations

import operator
import random
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.programs import pagie_grid
from bench.rivals.measure import CROSSOVER, GENERATIONS, MAX_DEPTH, MUTATION, POPULATION, TOURNAMENT, Work


def deap_run(seed: int = 1, population: int = POPULATION, generations: int = GENERATIONS) -> Work:
    """DEAP's genetic programming on Pagie, as its users write it; once for the clock, once to count."""
    table, target = pagie_grid()
    start = time.process_time()
    best = _evolve(_deap_toolbox(table, target), seed, population, generations)
    seconds = time.process_time() - start

    toolbox = _deap_toolbox(table, target)
    score, seen = toolbox.evaluate, []

    def count(tree: Any) -> Any:
        seen.append((len(tree), str(tree)))
        return score(tree)

    toolbox.register("evaluate", count)
    assert _evolve(toolbox, seed, population, generations) == best, "the same seed gave another run"
    node_rows = sum(length for length, _ in seen) * len(table)
    return Work(seconds, len(seen), len({text for _, text in seen}), node_rows, best)


def _evolve(toolbox: Any, seed: int, population: int, generations: int) -> float:
    from deap import algorithms, tools

    random.seed(seed)  # DEAP draws from the global generator
    best = tools.HallOfFame(1)
    with np.errstate(all="ignore"):
        trees = toolbox.population(n=population)
        algorithms.eaSimple(trees, toolbox, CROSSOVER, MUTATION, generations - 1, halloffame=best, verbose=False)
    return float(best[0].fitness.values[0])


def _deap_toolbox(table: NDArray[np.float64], target: NDArray[np.float64]) -> Any:
    from deap import base, gp, tools

    primitives = _deap_primitives()
    tree_class = _deap_classes()
    x, y = table.T.copy()
    norm = float(((target - target.mean()) ** 2).sum())

    def rrse(tree: Any) -> tuple[float]:
        outputs = gp.compile(tree, primitives)(x, y)
        error = float(np.sqrt(((target - outputs) ** 2).sum() / norm))
        return (error if np.isfinite(error) else np.inf,)

    toolbox = base.Toolbox()
    toolbox.register("expr", gp.genHalfAndHalf, pset=primitives, min_=1, max_=6)
    toolbox.register("individual", tools.initIterate, tree_class, toolbox.expr)
    toolbox.register("population", tools.initRepeat, list, toolbox.individual)
    toolbox.register("evaluate", rrse)
    toolbox.register("select", tools.selTournament, tournsize=TOURNAMENT)
    toolbox.register("mate", gp.cxOnePoint)
    toolbox.register("subtree", gp.genFull, min_=0, max_=2)
    toolbox.register("mutate", gp.mutUniform, expr=toolbox.subtree, pset=primitives)
    limit = gp.staticLimit(key=operator.attrgetter("height"), max_value=MAX_DEPTH)
    toolbox.decorate("mate", limit)
    toolbox.decorate("mutate", limit)
    return toolbox


def _deap_primitives() -> Any:
    from deap import gp

    primitives = gp.PrimitiveSet("pagie", 2)
    primitives.renameArguments(ARG0="x", ARG1="y")
    primitives.addTerminal(1.0)
    binary = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": _divide}
    unary = {"sin": np.sin, "cos": np.cos, "exp": np.exp, "log": _log, "inv": _invert}
    for arity, functions in ((2, binary), (1, unary)):
        for name, function in functions.items():
            primitives.addPrimitive(function, arity, name=name)
    return primitives


def _deap_classes() -> Any:
    from deap import base, creator, gp

    if not hasattr(creator, "PagieTree"):  # DEAP keeps its classes in a module of its own
        creator.create("PagieError", base.Fitness, weights=(-1.0,))
        creator.create("PagieTree", gp.PrimitiveTree, fitness=creator.PagieError)
    return creator.PagieTree


def _divide(left: Any, right: Any) -> Any:
    return np.where(right == 0, 1.0, np.divide(left, right))


def _log(values: Any) -> Any:
    return np.where(np.less_equal(values, 0), 0.0, np.log(values))


def _invert(values: Any) -> Any:
    return np.where(values == 0, 1.0, np.divide(1.0, values))
