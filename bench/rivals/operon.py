"""Operon, the fastest genetic programming of its kind (C++, vector instructions), through pyoperon."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.programs import BINARY, UNARY, Program, nodes, pagie_grid
from bench.rivals.measure import (
    CROSSOVER,
    GENERATIONS,
    MAX_DEPTH,
    MUTATION,
    POPULATION,
    TOURNAMENT,
    Timing,
    Work,
    repeat,
)


def operon_run(seed: int = 1, population: int = POPULATION, generations: int = GENERATIONS) -> Work:
    """Operon's genetic programming on Pagie, without optimisation of constants; once for the clock, once to count."""
    import pyoperon

    table, target = pagie_grid()
    timed = _Operon(table, target, seed, population, generations)
    start = time.process_time()
    timed.algorithm.Run(pyoperon.RandomGenerator(seed), None, 1, False)
    seconds = time.process_time() - start

    counted = _Operon(table, target, seed, population, generations)
    counted.algorithm.Run(pyoperon.RandomGenerator(seed), counted.count, 1, False)
    assert counted.evaluator.CallCount == timed.evaluator.CallCount, "the same seed gave another run"
    best = float(np.sqrt(timed.algorithm.BestModel.GetFitness(0) / target.var()))
    return Work(seconds, timed.evaluator.CallCount, len(counted.distinct), counted.nodes * len(table), best)


class _Operon:
    """The parts of an Operon run. They hold bare pointers to each other, so each has to stay alive in an attribute."""

    MAX_LENGTH = 50  # the default of pyoperon's own regressor

    def __init__(
        self, table: NDArray[np.float64], target: NDArray[np.float64], seed: int, population: int, generations: int
    ) -> None:
        import pyoperon

        self.population, self.nodes, self.elite = population, 0, 0
        self.distinct: set[tuple[tuple[int, int], ...]] = set()
        self.dataset, self.problem, self.primitives = _operon_problem(table, target)
        self._make_variation(pyoperon)
        self.table, self.comparison = pyoperon.DispatchTable(), pyoperon.SingleObjectiveComparison(0)
        self.evaluator = pyoperon.Evaluator(self.problem, self.table, pyoperon.MSE(), False)  # False: no linear scaling
        self.evaluator.Budget = 2 * population * generations
        self.selector = pyoperon.TournamentSelector(self.comparison)
        self.selector.TournamentSize = TOURNAMENT
        self.optimiser = pyoperon.LMOptimizer(self.table, self.problem, 0, 0)
        self.tuner = pyoperon.CoefficientOptimizer(self.optimiser)
        self.generator = pyoperon.BasicOffspringGenerator(
            self.evaluator, self.crossover, self.mutation, self.selector, self.selector, self.tuner
        )
        self.reinserter = pyoperon.ReplaceWorstReinserter(self.comparison)  # of all: generational, as the others are
        self.config = pyoperon.GeneticAlgorithmConfig(
            generations=generations - 1,  # the initial population is not counted
            max_evaluations=2 * population * generations,
            local_iterations=0,
            population_size=population,
            pool_size=population,
            p_crossover=CROSSOVER,
            p_mutation=MUTATION,
            p_local=0.0,
            p_lamarck=0.0,
            epsilon=0.0,  # never stop early
            seed=seed,
        )
        self.algorithm = pyoperon.GeneticProgrammingAlgorithm(
            self.config, self.problem, self.initialiser, self.weights, self.generator, self.reinserter
        )

    def _make_variation(self, pyoperon: Any) -> None:
        self.weights = pyoperon.UniformIntCoefficientAnalyzer()
        self.weights.ParameterizeDistribution(1, 1)  # every constant is 1, every variable counts once
        self.creator = pyoperon.ProbabilisticTreeCreator(self.primitives, self.problem.InputHashes, 0.0)
        self.initialiser = pyoperon.UniformLengthTreeInitializer(self.creator)
        self.initialiser.ParameterizeDistribution(2, self.MAX_LENGTH)
        self.initialiser.MinDepth, self.initialiser.MaxDepth = 1, MAX_DEPTH
        self.crossover = pyoperon.SubtreeCrossover(0.9, MAX_DEPTH, self.MAX_LENGTH)
        self.mutation = pyoperon.ReplaceSubtreeMutation(self.creator, self.weights, MAX_DEPTH, self.MAX_LENGTH)

    def count(self) -> None:
        """Add up the population that was just evaluated; Operon keeps one elite, which it doesn't evaluate again."""
        # The list holds the parents of the next generation first.
        population = list(itertools.islice(self.algorithm.Individuals, self.population))
        self.nodes += sum(individual.Genotype.Length for individual in population) - self.elite
        self.elite = min(population, key=lambda individual: individual.GetFitness(0)).Genotype.Length
        for individual in population:
            self.distinct.add(tuple((node.HashValue, node.Arity) for node in individual.Genotype.Nodes))


def _operon_problem(table: NDArray[np.float64], target: NDArray[np.float64]) -> tuple[Any, Any, Any]:
    import pyoperon

    dataset = pyoperon.Dataset(np.asfortranarray(np.column_stack([table, target])))
    columns = sorted(dataset.Variables, key=lambda variable: variable.Index)
    problem = pyoperon.Problem(dataset)
    problem.TrainingRange = pyoperon.Range(0, dataset.Rows)
    problem.TestRange = pyoperon.Range(0, 1)
    problem.Target = columns[-1]
    problem.InputHashes = [variable.Hash for variable in columns[:-1]]
    kinds = ["Add", "Sub", "Mul", "Div", "Sin", "Cos", "Exp", "Log", "Constant", "Variable"]
    problem.ConfigurePrimitiveSet(sum(int(getattr(pyoperon.NodeType, kind)) for kind in kinds))
    primitives = problem.PrimitiveSet  # a copy: the problem's own never changes
    primitives.SetMinMaxArity(pyoperon.Node(pyoperon.NodeType.Div), 1, 2)  # a division of one argument is inv
    return dataset, problem, primitives


def operon_interpreter(
    programs: Sequence[Program], table: NDArray[np.float64], repeats: int = 7, one_by_one: bool = False
) -> Timing:
    """Operon's evaluation of programs over all rows of a table, in one thread, float32, results written to an array.

    In one call for many programs, its fastest way; `one_by_one` makes a call for each, which allocates its result.
    """
    import pyoperon

    dataset = pyoperon.Dataset(np.asfortranarray(table))
    rows = pyoperon.Range(0, dataset.Rows)
    trees = operon_trees(programs, dataset)
    block = max(1, min(64, 2**24 // len(table), len(trees)))  # the results of many rows shall not fill the memory
    blocks = [trees[first : first + block] for first in range(0, len(trees), block)]
    results = np.zeros(block * len(table), dtype=np.float32)

    def batch() -> None:
        for part in blocks:
            pyoperon.EvaluateTrees(part, dataset, rows, results[: len(part) * len(table)], 1)

    def single() -> None:
        for tree in trees:
            pyoperon.Evaluate(tree, dataset, rows)

    return Timing.of(repeat(single if one_by_one else batch, repeats), nodes(programs) * len(table))


def operon_tuning(programs: Sequence[Program], table: NDArray[np.float64], repeats: int = 3) -> Timing:
    """Operon's time for a Jacobian, float32: that of its Levenberg-Marquardt by the Jacobians that it reports.

    Jacobians alone can't be had from pyoperon: evaluations of trial steps and linear algebra are in this time too.
    """
    import pyoperon

    target = np.sin(np.arange(len(table)))
    dataset, problem, _ = _operon_problem(table, target)
    trees = operon_trees(programs, dataset)
    dispatch = pyoperon.DispatchTable()
    optimiser = pyoperon.LMOptimizer(dispatch, problem, 10)
    tuner, rng = pyoperon.CoefficientOptimizer(optimiser), pyoperon.RandomGenerator(1)
    jacobians = sum(tuner(rng, tree)[1].JacobianEvaluations * tree.Length for tree in trees)
    seconds = repeat(lambda: [tuner(rng, tree) for tree in trees], repeats)
    return Timing.of(seconds, jacobians * len(table))


def operon_trees(programs: Sequence[Program], dataset: Any) -> list[Any]:
    """The same programs as trees of Operon."""
    import pyoperon

    hashes = {variable.Index: variable.Hash for variable in dataset.Variables}
    return [pyoperon.Tree(_operon_nodes(program, hashes)).UpdateNodes() for program in programs]


def _operon_nodes(program: Program, hashes: dict[int, int]) -> list[Any]:
    """Operon's postfix: the first argument of an operator stands right before it, the second before that."""
    stack: list[list[Any]] = []
    for token in program:
        node = _operon_node(token, hashes)
        if token in BINARY:
            right = stack.pop()
            stack.append([*right, *stack.pop(), node])
        elif token in UNARY:
            stack.append([*stack.pop(), node])
        else:
            stack.append([node])
    return stack.pop()


def _operon_node(token: str, hashes: dict[int, int]) -> Any:
    from pyoperon import Node, NodeType

    if token in ("x", "y"):
        node = Node(NodeType.Variable, hashes[("x", "y").index(token)])
        node.Value = 1.0
        node.Optimize = False
    elif token in ("1.0", "c"):
        node = Node(NodeType.Constant)
        node.Value = 1.0
        node.Optimize = token == "c"
    else:
        kinds = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "inv": "Div"}
        node = Node(getattr(NodeType, kinds.get(token, token.capitalize())))
        if token == "inv":
            node.Arity = 1
    return node
