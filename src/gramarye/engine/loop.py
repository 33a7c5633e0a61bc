"""The loop: `start` and `step` are pure functions of a setup and a state.

Order within a generation: learn, keep, select, vary, map, evaluate, note the bests, choose survivors, remember. In a
population, offspring come first and those kept come last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import NO_VALUES, Derivations
from gramarye.derivations.constants import with_values
from gramarye.engine import front, recording, restarts, samples, short_runs
from gramarye.engine.first_population import first_genotypes
from gramarye.engine.setup import Setup
from gramarye.engine.state import State
from gramarye.execution import Threads
from gramarye.objectives.problem import Evaluator
from gramarye.populations.evaluation import Evaluation, Work
from gramarye.populations.history import RECORDED
from gramarye.populations.population import NOBODY, Candidate, Memory, Population, Remembers
from gramarye.representations.optional import encoder

TENTH = 10  # of the parents: the objective makes children of the best of them
# What is remembered about these, beside what the parts of a method remember
RESTARTS, SHORT_RUNS, SAMPLE, SEEN = "restarts", "short_runs", "sample", "seen"


def start(setup: Setup, evaluator: Evaluator | None = None, threads: Threads | None = None) -> State:
    """The first generation, evaluated; it begins with the programs of the setup, if there are any.

    What computes fitness may be handed on from call to call, to save time only.
    """
    engine = _Engine(setup, evaluator, threads)
    genotypes, evaluation, work = engine.evaluated(_first(setup), setup.probabilities, 0)
    n = len(genotypes)
    state = State(
        seed=setup.seed,
        generation=0,
        genotypes=genotypes,
        evaluation=evaluation,
        born=np.zeros(n, np.int64),
        probabilities=setup.probabilities,
        best_of_run=NOBODY,
        best_genotype=genotypes.take(np.zeros(1, np.int64)),
        test_fitness=float("nan"),
        history=np.zeros((0, len(RECORDED))),
        probability_history=np.zeros((0, len(setup.grammar.productions))),
        memory={RESTARTS: restarts.begun(setup)},
        front=front.EMPTY,
        identity=setup.identity,
    )
    state, more = engine.with_best(state, n)
    return engine.finished(state, n, work + more)


def step(setup: Setup, state: State, evaluator: Evaluator | None = None, threads: Threads | None = None) -> State:
    """The next generation, evaluated."""
    engine = _Engine(setup, evaluator, threads)
    if short_runs.is_due(setup, state):
        genotypes, probabilities = short_runs.next_population(setup, state, state.memory[SHORT_RUNS])
        return _begun_again(engine, state, genotypes, probabilities, {SHORT_RUNS: state.memory[SHORT_RUNS]})
    if restarts.is_due(setup, state.memory.get(RESTARTS, {})):
        genotypes, memory = restarts.next_population(setup, state, state.memory[RESTARTS])
        return _begun_again(engine, state, genotypes, setup.probabilities, {RESTARTS: memory})
    parts, before = setup.method.parts, state
    parents = engine.population(state)
    probabilities = parts.learner.update(setup.grammar, state.probabilities, parents)
    state = replace(state, generation=state.generation + 1, probabilities=probabilities)
    kept = parts.replacement.kept(parents)
    offspring = engine.improved(state, parents, _offspring(setup, state, parents, setup.method.population - len(kept)))
    born = np.concatenate([np.full(len(offspring), state.generation), state.born[kept]])
    state, fresh, work = _grown(engine, state, offspring, kept)
    state, more = engine.with_best(replace(state, born=born), fresh)
    chosen = parts.replacement.survivors(parents, engine.population(state))
    if chosen is not None:
        state = _surviving(state, parents, chosen)
    return engine.finished(state, fresh, work + more, before)


def _begun_again(
    engine: _Engine,
    state: State,
    genotypes: Any,
    probabilities: NDArray[np.float64],
    memory: Mapping[str, Memory],
) -> State:
    """The next generation is another population."""
    generation = state.generation + 1
    genotypes, evaluation, work = engine.evaluated(genotypes, probabilities, generation)
    state = replace(
        state,
        generation=generation,
        genotypes=genotypes,
        evaluation=evaluation,
        born=np.full(len(genotypes), generation),
        probabilities=probabilities,
        memory={**memory, SAMPLE: state.memory.get(SAMPLE, {})},
    )
    n = len(genotypes)
    state, more = engine.with_best(state, n)
    return engine.finished(state, n, work + more)


def _first(setup: Setup) -> Any:
    """The genotypes of the first population."""
    taken = {replace(program, values=NO_VALUES).form for program in setup.programs.values()}
    genotypes = first_genotypes(setup, taken)
    if setup.encoded is None:
        return genotypes
    others = genotypes.take(np.arange(len(setup.encoded), len(genotypes)))
    return type(genotypes).join([setup.encoded, others])


def _offspring(setup: Setup, state: State, parents: Population, n: int) -> Any:
    """The genotypes of n children: drawn from the grammar, or varied from parents."""
    method, generation = setup.method, state.generation
    if method.samples:
        return method.representation.initial(setup.grammar, n, setup.key, generation, state.probabilities)
    mothers, fathers = method.parts.selection.parents(parents, n, setup.key, generation)
    crossed = kernels.tournaments.coins(n, method.crossover, setup.key, generation)
    return method.representation.vary(
        setup.grammar,
        state.genotypes,
        mothers,
        np.where(crossed, fathers, -1),
        method.mutation,
        setup.key,
        generation,
        parents.fitness,
        state.probabilities,
    )


def _grown(engine: _Engine, state: State, offspring: Any, kept: NDArray[np.int64]) -> tuple[State, int, Work]:
    """Offspring and those kept, evaluated (those kept only if they are to be mapped again); how many were; the work."""
    before, join = state.evaluation, type(offspring).join
    elites = state.genotypes.take(kept)
    if engine.setup.method.learner.remap_elites:
        offspring = join([offspring, elites])
    genotypes, made, work = engine.evaluated(offspring, state.probabilities, state.generation)
    evaluation = made
    if not engine.setup.method.learner.remap_elites:
        genotypes, evaluation = join([genotypes, elites]), Evaluation.join([made, before.take(kept)])
    return replace(state, genotypes=genotypes, evaluation=evaluation), len(made), work


def _surviving(state: State, parents: Population, chosen: NDArray[np.int64]) -> State:
    """The state with those who survive: numbers of parents, then of offspring."""
    genotypes = type(state.genotypes).join([parents.genotypes, state.genotypes])
    return replace(
        state,
        genotypes=genotypes.take(chosen),
        evaluation=Evaluation.join([parents.evaluation, state.evaluation]).take(chosen),
        born=np.concatenate([parents.born, state.born])[chosen],
    )


class _Engine:
    """A setup with what computes fitness."""

    def __init__(self, setup: Setup, evaluator: Evaluator | None, threads: Threads | None) -> None:
        self.setup = setup
        self._threads = threads or Threads()
        self._evaluator = evaluator or setup.evaluator(self._threads)
        self._reporting = self._evaluator.whole or self._evaluator

    def evaluated(
        self, genotypes: Any, probabilities: NDArray[np.float64], generation: int
    ) -> tuple[Any, Evaluation, Work]:
        """Genotypes with what mapping noted, their evaluation, and what it has cost."""
        genotypes, derivations = self._mapped(genotypes, probabilities, generation)
        derivations = with_values(self.setup.grammar, derivations, self.setup.key)
        evaluation, work = self._computed(self._evaluator, derivations)
        return self._absorbed(genotypes, evaluation.derivations), evaluation, replace(work, failed=evaluation.failed)

    def _computed(self, evaluator: Evaluator, derivations: Derivations) -> tuple[Evaluation, Work]:
        """The evaluation of derivations of the method's own grammar, and what it has cost."""
        rewriting = self.setup.rewriting
        evaluation = evaluator.evaluate(rewriting.translate(derivations))
        own = rewriting.with_values(derivations, evaluation.derivations)
        return replace(evaluation, derivations=own, work=Work()), evaluation.work

    def _absorbed(self, genotypes: Any, derivations: Derivations) -> Any:
        """Genotypes with what tuning has made of their constants."""
        return self.setup.method.representation.tuned(genotypes, derivations) if len(derivations.values) else genotypes

    def _mapped(self, genotypes: Any, probabilities: NDArray[np.float64], generation: int) -> tuple[Any, Derivations]:
        """Derivations of a population, slice by slice."""

        def work(first: int, last: int) -> tuple[Any, Derivations]:
            part = genotypes if last - first == len(genotypes) else genotypes.take(np.arange(first, last))
            arguments = (self.setup.grammar, part, probabilities, self.setup.key, generation, first)
            return self.setup.method.representation.map(*arguments)

        parts = self._threads.map(work, len(genotypes))
        return type(genotypes).join([part for part, _ in parts]), Derivations.join([d for _, d in parts])

    def improved(self, state: State, parents: Population, offspring: Any) -> Any:
        """Offspring, the last of them replaced by children that the objective makes of the best parents."""
        best = np.argsort(parents.rank, kind="stable")[: max(len(parents) // TENTH, 1)]
        chosen = parents.evaluation.take(np.sort(best[parents.evaluation.valid[best]]))
        made = self._evaluator.children(chosen.derivations, chosen.weights, state.generation)
        if made is None or len(made) == 0:
            return offspring
        encode = encoder(self.setup.method.representation, self.setup.method.name).encode
        genotypes, fits = encode(self.setup.grammar, made, state.probabilities, self.setup.key, state.generation)
        genotypes = genotypes.take(np.flatnonzero(fits)[: len(offspring)])
        kept = offspring.take(np.arange(len(offspring) - len(genotypes)))
        return type(offspring).join([kept, genotypes])

    def population(self, state: State) -> Population:
        """What the parts of a method see of a state."""
        return Population(
            generation=state.generation,
            genotypes=state.genotypes,
            evaluation=state.evaluation,
            rank=self.setup.method.parts.replacement.rank(state.evaluation),
            born=state.born,
            best_of_run=state.best_of_run,
            probabilities=state.probabilities,
            origins=self.setup.rewriting.origins,
            memory=state.memory,
            compute_cases=lambda: self._evaluator.cases(
                self.setup.rewriting.translate(state.derivations), state.evaluation.weights
            ),
        )

    def with_best(self, state: State, fresh: int) -> tuple[State, Work]:
        """The state with the front and the best of the run, which may be among the first `fresh` individuals.

        And what that took, where they are computed on all rows.
        """
        if self._evaluator.whole is None:
            return self._with_best(state, state.evaluation, np.arange(len(state.evaluation)), fresh), Work()
        new, memory = samples.newcomers(state.memory.get(SAMPLE, {}), state.evaluation, fresh)
        state = replace(state, memory={**state.memory, SAMPLE: memory})
        if len(new) == 0:
            return state, Work()
        found, work = self._computed(self._evaluator.whole, state.derivations.take(new))
        return self._with_best(state, found, new, len(new)), work

    def _with_best(self, state: State, found: Evaluation, who: NDArray[np.int64], fresh: int) -> State:
        """The same, of individuals `who` that were evaluated.

        An equally good newer individual takes over ("<="). Its derivation stays as it was when it was found.
        """
        state = replace(state, front=front.grown(state.front, found, fresh, self._safe))
        top = int(np.argmin(found.fitness))
        best = Candidate.of(found, top)
        if top >= fresh or not best.fitness <= state.best_of_run.fitness:
            return state
        test = float("nan")
        if best.valid:
            derivations = self.setup.rewriting.translate(best.derivations)
            test = self._reporting.test(derivations, None if best.weights is None else best.weights[None])
        genotype = self._absorbed(state.genotypes.take(who[[top]]), best.derivations)
        return replace(state, best_of_run=best, best_genotype=genotype, test_fitness=test)

    def _safe(self, new: Evaluation) -> NDArray[np.bool_]:
        """[N] which programs may join the front; only methods that search for one are particular about it."""
        if not self.setup.method.parts.replacement.seeks_front:
            return np.ones(len(new), np.bool_)
        return self._reporting.safe(self.setup.rewriting.translate(new.derivations), new.weights)

    def finished(self, state: State, evaluations: int, work: Work, before: State | None = None) -> State:
        """The state of a population that is complete: with what its parts remember, and a row of history."""
        self._evaluator.check(state.evaluation)
        own = self.setup.method.representation.own_probabilities(state.best_genotype, 0)
        state = state if own is None else replace(state, probabilities=own)
        state = replace(state, memory=self._remembered(state))
        return replace(
            state,
            history=np.concatenate([state.history, [recording.numbers(state, evaluations, work)]]),
            probability_history=np.concatenate(
                [state.probability_history, recording.probabilities(self.setup, state, before)[None]]
            ),
        )

    def _remembered(self, state: State) -> dict[str, Memory]:
        parts = self.setup.method.parts._asdict()
        remembering = {name: part for name, part in parts.items() if isinstance(part, Remembers)}
        population = self.population(state) if remembering else None
        found = {
            name: part.remember(population, state.memory.get(name, {}))
            for name, part in remembering.items()
            if population is not None
        }
        segment = restarts.noted(state.memory.get(RESTARTS, {}), float(state.fitness.min()))
        short = short_runs.remembered(self.setup, state, state.memory.get(SHORT_RUNS, {}))
        own = {RESTARTS: segment, SHORT_RUNS: short, SAMPLE: state.memory.get(SAMPLE, {}), SEEN: self._evaluator.memory}
        return {**found, **{name: memory for name, memory in own.items() if memory}}
