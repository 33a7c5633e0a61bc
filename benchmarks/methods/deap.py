"""DEAP's genetic programming with linear scaling (Keijzer 2003) and tournaments that prefer small trees."""

from __future__ import annotations

import operator
import random
from typing import Any

import numpy as np

from benchmarks.methods.fitting import Budget, Fit, Floats, Method, infix, line_through, nodes

POPULATION, TOURNAMENT, PARSIMONY = 500, 5, 1.4
CROSSOVER, MUTATION = 0.8, 0.2
MAX_DEPTH, MAX_NODES = 10, 50


def fit(X: Floats, y: Floats, seed: int, seconds: float) -> Fit:
    """Generations until the time is over, which is checked after each evaluation."""
    random.seed(seed)  # DEAP draws from the global generator
    toolbox, primitives = _toolbox(X, y)
    budget = Budget(seconds)
    with np.errstate(all="ignore"):
        best = _evolved(toolbox, budget)
    spent = budget.spent
    return _scaled(best, primitives, X, y, spent)


def _evolved(toolbox: Any, budget: Budget) -> Any:
    """The best tree that was seen."""
    from deap import algorithms

    population, best = toolbox.population(n=POPULATION), None
    while True:
        for tree in population:
            if tree.fitness.valid:
                continue
            tree.fitness.values = toolbox.evaluate(tree)
            if best is None or tree.fitness > best.fitness:
                best = toolbox.clone(tree)
            if budget.is_over or best.fitness.values[0] < 1e-14:
                return best
        chosen = [toolbox.clone(tree) for tree in toolbox.select(population, POPULATION - 1)]
        population = [toolbox.clone(best), *algorithms.varAnd(chosen, toolbox, CROSSOVER, MUTATION)]


def _toolbox(X: Floats, y: Floats) -> tuple[Any, Any]:
    from deap import base, gp, tools

    primitives, kind = _primitives(X.shape[1]), _tree_class()
    columns, norm = [*X.T.copy()], float(((y - y.mean()) ** 2).sum())

    def unexplained(tree: Any) -> tuple[float]:
        outputs = np.broadcast_to(np.asarray(gp.compile(tree, primitives)(*columns), np.float64), len(y))
        slope, intercept = line_through(outputs, y)
        error = float(((y - intercept - slope * outputs) ** 2).sum() / norm) if slope else 1.0
        return (error if np.isfinite(error) else np.inf,)

    toolbox = base.Toolbox()
    toolbox.register("expr", gp.genHalfAndHalf, pset=primitives, min_=1, max_=4)
    toolbox.register("individual", tools.initIterate, kind, toolbox.expr)
    toolbox.register("population", tools.initRepeat, list, toolbox.individual)
    toolbox.register("evaluate", unexplained)
    toolbox.register(
        "select", tools.selDoubleTournament, fitness_size=TOURNAMENT, parsimony_size=PARSIMONY, fitness_first=True
    )
    toolbox.register("mate", gp.cxOnePoint)
    toolbox.register("mutate", _mutated, primitives=primitives)
    for name in ("mate", "mutate"):
        toolbox.decorate(name, gp.staticLimit(key=operator.attrgetter("height"), max_value=MAX_DEPTH))
        toolbox.decorate(name, gp.staticLimit(key=len, max_value=MAX_NODES))
    return toolbox, primitives


def _mutated(tree: Any, primitives: Any) -> Any:
    """One of four mutations, as likely as each other."""
    from deap import gp

    kind = random.randrange(4)
    if kind == 0:
        return gp.mutNodeReplacement(tree, primitives)
    if kind == 1:
        return gp.mutEphemeral(tree, "one")
    if kind == 2:
        return gp.mutShrink(tree)
    return gp.mutUniform(tree, lambda pset, type_: gp.genFull(pset, 0, 2, type_), primitives)


def _primitives(columns: int) -> Any:
    from deap import gp

    primitives = gp.PrimitiveSet("regression", columns, prefix="x")
    binary = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": _divide}
    unary = {"sin": np.sin, "cos": np.cos, "exp": np.exp, "log": _log, "sqrt": _root, "square": np.square}
    for arity, functions in ((2, binary), (1, unary)):
        for name, function in functions.items():
            primitives.addPrimitive(function, arity, name=name)
    primitives.addEphemeralConstant("constant", _constant)
    return primitives


def _tree_class() -> Any:
    from deap import base, creator, gp

    if not hasattr(creator, "RegressionTree"):  # DEAP keeps its classes in a module of its own
        creator.create("RegressionError", base.Fitness, weights=(-1.0,))
        creator.create("RegressionTree", gp.PrimitiveTree, fitness=creator.RegressionError)
    return creator.RegressionTree


def _constant() -> float:
    return random.uniform(-5.0, 5.0)


def _divide(left: Any, right: Any) -> Any:
    return np.where(right == 0, 1.0, np.divide(left, right))


def _log(values: Any) -> Any:
    return np.where(values == 0, 0.0, np.log(np.abs(values)))


def _root(values: Any) -> Any:
    return np.sqrt(np.abs(values))


def _scaled(tree: Any, primitives: Any, X: Floats, y: Floats, spent: float) -> Fit:
    from deap import gp

    function = gp.compile(tree, primitives)

    def outputs(X: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(function(*X.T), np.float64), len(X))

    slope, intercept = line_through(outputs(X), y)
    formula = f"{intercept!r} + {slope!r} * {infix(str(tree))}"
    return Fit(spent, lambda X: intercept + slope * outputs(X), formula, nodes(formula))


METHOD = Method(
    fit,
    "deap",
    f"population {POPULATION}, linear scaling, double tournaments ({TOURNAMENT}, {PARSIMONY}), crossover {CROSSOVER}, "
    f"four mutations ({MUTATION}), depth ≤ {MAX_DEPTH}, at most {MAX_NODES} nodes, one elite, + - * / sin cos exp log "
    "sqrt square, constants in [-5, 5]",
    "our loop checks the time after each evaluation; precise to an evaluation",
)
