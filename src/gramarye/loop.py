"""The loop: `start` and `step` are pure functions of a state.

Order within a generation: rank, learn, select, vary, map, evaluate, note the bests; elites come last in a population.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.derivation import Derivation, Derivations
from gramarye.encoding import Program, encode_seeds, read_seeds
from gramarye.errors import SettingsError
from gramarye.evaluation import Work
from gramarye.execution import Workers
from gramarye.grammar import Grammar
from gramarye.initialisation import first_genotypes
from gramarye.learners.base import Candidate, Ranked
from gramarye.methods.base import MethodBase
from gramarye.objectives.base import Evaluator, Problem
from gramarye.representations.base import as_seed
from gramarye.rewriting import Rewriting
from gramarye.run import RECORDED
from gramarye.state import State


def start(
    problem: Problem,
    method: MethodBase,
    seed: int,
    evaluator: Evaluator | None = None,
    workers: Workers | None = None,
    seeds: Sequence[Program] = (),
) -> State:
    """The first generation, evaluated; its first individuals are `seeds`, programs as texts or as derivations.

    What computes fitness may be handed on from call to call, to save time only.
    """
    grammar = method.rewritten(problem.grammar).grammar
    probabilities = np.array(grammar.start_probabilities())
    given = read_seeds(problem.grammar, seeds, method)
    taken = {str(derivation.phenotype) for derivation in given}
    genotypes = first_genotypes(problem.grammar, method, method.population, as_seed(seed), probabilities, taken)
    if given:
        others = genotypes.take(np.arange(len(given), method.population))
        genotypes = type(genotypes).join([encode_seeds(given, method, as_seed(seed)), others])
    blank = Candidate(np.zeros(0, np.int32), np.inf)
    before = State(
        seed=seed,
        generation=-1,
        genotypes=genotypes,
        fitness=np.zeros(0),
        derivations=Derivations(np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0, np.int8)),
        probabilities=np.array(grammar.start_probabilities()),
        best=blank,
        best_genotype=genotypes.take(np.zeros(1, np.int64)),
        test_fitness=float("nan"),
        best_offspring=blank,
        best_of_all=blank,
        best_in_population=0,
        history=np.zeros((0, len(RECORDED))),
        probability_history=np.zeros((0, len(grammar.productions))),
        identity=identity(problem, method, given),
    )
    return _evaluated(before, genotypes, np.zeros(0, np.int64), problem, method, evaluator, workers)


def step(
    state: State,
    problem: Problem,
    method: MethodBase,
    evaluator: Evaluator | None = None,
    workers: Workers | None = None,
) -> State:
    """The next generation, evaluated: learn, select, vary (or draw anew), map, evaluate."""
    rewriting = method.rewritten(problem.grammar)
    grammar = rewriting.grammar
    ranked = Ranked(
        state.generation,
        state.best,
        state.best_offspring,
        state.best_of_all,
        state.derivations,
        state.fitness,
        rewriting.origins,
    )
    state = replace(state, probabilities=method.learner.update(grammar, state.probabilities, ranked))
    seed, generation = np.uint64(state.seed), state.generation + 1
    count = method.population - method.elites
    if method.samples:
        offspring = method.representation.initial(grammar, count, seed, generation, state.probabilities)
    else:
        mothers, fathers = method.selection.pairs(state.fitness, count, method.crossover, seed, generation)
        offspring = method.representation.vary(
            grammar,
            state.genotypes,
            mothers,
            fathers,
            method.mutation,
            seed,
            generation,
            state.fitness,
            state.probabilities,
        )
    elites = np.argsort(state.fitness, kind="stable")[: method.elites]
    return _evaluated(state, offspring, elites, problem, method, evaluator, workers)


def identity(problem: Problem, method: MethodBase, seeds: Sequence[Derivation] = ()) -> str:
    """What a state belongs to, as JSON: the problem, the method, its settings, the programs that it began with.

    More generations may always be added.
    """
    settings = {name: repr(value) for name, value in method.settings.items() if name != "generations"}
    if seeds:
        digest = _digest([seed.productions.tolist() for seed in seeds])
        settings["seeds"] = f"{len(seeds)} program{'s' * (len(seeds) > 1)} ({digest})"
    problem_name = f"{problem.name} ({_digest(problem.facts())})"
    return json.dumps({"problem": problem_name, "method": method.name, **settings})


def _digest(value: Any) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


def check_identity(state: State, problem: Problem, method: MethodBase, seeds: Sequence[Derivation] = ()) -> None:
    """A SettingsError that says what is different, where a state belongs to something else.

    The programs that a run began with need not be given again; where they are, they must be the same.
    """
    theirs, ours = json.loads(state.identity), json.loads(identity(problem, method, seeds))
    different = [name for name in {**theirs, **ours} if theirs.get(name) != ours.get(name)]
    different = [name for name in different if seeds or name != "seeds"]
    if different:
        name = different[0]
        raise SettingsError(
            "the saved state belongs to another problem or method, or to other settings: "
            f"its {name} is {theirs.get(name)}, here it is {ours.get(name)}"
        )


def _evaluated(
    state: State,
    offspring: Any,
    elites: NDArray[np.int64],
    problem: Problem,
    method: MethodBase,
    evaluator: Evaluator | None,
    workers: Workers | None,
) -> State:
    """Map and evaluate offspring, and elites if they are to be mapped again; note the bests; write the record."""
    workers = workers or Workers()
    evaluator = evaluator or problem.evaluator(np.uint64(state.seed), workers)
    rewriting = method.rewritten(problem.grammar)
    made = len(offspring)
    kept = state.genotypes.take(elites)
    join = type(offspring).join
    if method.learner.remap_elites:
        genotypes, mapped = _map(join([offspring, kept]), state, rewriting.grammar, method, workers)
        evaluation = evaluator.evaluate(rewriting.translate(mapped))
        derivations, fitness = mapped, evaluation.fitness
    else:
        children, mapped = _map(offspring, state, rewriting.grammar, method, workers)
        genotypes = join([children, kept])
        derivations = Derivations.join([mapped, state.derivations.take(elites)])
        evaluation = evaluator.evaluate(rewriting.translate(mapped))
        fitness = np.concatenate([evaluation.fitness, state.fitness[elites]])
    state = replace(
        state, generation=state.generation + 1, genotypes=genotypes, derivations=derivations, fitness=fitness
    )
    state = _with_bests(state, made, len(mapped), rewriting, evaluator)
    own = method.representation.own_probabilities(state.best_genotype, 0)
    state = state if own is None else replace(state, probabilities=own)
    return _with_record(state, len(mapped), evaluation.work)


def _map(
    genotypes: Any, state: State, grammar: Grammar, method: MethodBase, workers: Workers
) -> tuple[Any, Derivations]:
    """Derivations of a population, slice by slice; the genotypes with what mapping noted."""

    def work(first: int, last: int) -> tuple[Any, Derivations]:
        part = genotypes if last - first == len(genotypes) else genotypes.take(np.arange(first, last))
        return method.representation.map(
            grammar, part, state.probabilities, np.uint64(state.seed), state.generation + 1, first
        )

    parts = workers.map(work, len(genotypes))
    return type(genotypes).join([part for part, _ in parts]), Derivations.join([d for _, d in parts])


def _with_bests(state: State, made: int, mapped: int, rewriting: Rewriting, evaluator: Evaluator) -> State:
    """The state of the new population, with the best of the run, of its offspring and of all."""
    fitness, derivations = state.fitness, state.derivations
    child, top = int(np.argmin(fitness[:made])), int(np.argmin(fitness))
    best = Candidate(derivations[top], float(fitness[top]))
    state = replace(
        state,
        best_offspring=Candidate(derivations[child], float(fitness[child])),
        best_of_all=best,
        best_in_population=top,
    )
    # "<=": an equally good newer individual takes over. Its derivation stays as it was when it was found. An elite that
    # was not mapped again is no newer one.
    if top < mapped and best.fitness <= state.best.fitness:
        one = Derivations.of(rewriting.translate_one(best.productions))
        test = evaluator.test(one) if best.valid else float("nan")
        state = replace(state, best=best, best_genotype=state.genotypes.take(np.array([top])), test_fitness=test)
    return state


def _with_record(state: State, evaluations: int, work: Work) -> State:
    """The state with one more row of history."""
    valid = state.fitness[np.isfinite(state.fitness)]
    before = dict(zip(RECORDED, state.history[-1], strict=True)) if len(state.history) else {}
    record = {
        "best": state.best_of_all.fitness,
        "best_so_far": state.best.fitness,
        "test": state.test_fitness,
        "mean": _mean(valid),
        "median": _median(valid),
        "invalid": len(state.fitness) - len(valid),
        "evaluations": before.get("evaluations", 0) + evaluations,
        "distinct": before.get("distinct", 0) + work.distinct,
        "node_rows": before.get("node_rows", 0) + work.node_rows,
    }
    row = np.array([[record[name] for name in RECORDED]])
    return replace(
        state,
        history=np.concatenate([state.history, row]),
        probability_history=np.concatenate([state.probability_history, state.probabilities[None]]),
    )


def _median(values: NDArray[np.float64]) -> float:
    """The median; infinite where it is beyond all floats, or where there is nothing."""
    with np.errstate(over="ignore"):
        return float(np.median(values)) if len(values) else float("inf")


def _mean(values: NDArray[np.float64]) -> float:
    """The mean; infinite where the sum is beyond all floats, or where there is nothing."""
    total = 0.0
    for value in values.tolist():  # left to right: NumPy's order of addition differs between processors
        total += value
    return total / len(values) if len(values) else float("inf")
