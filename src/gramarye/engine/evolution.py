"""A run from the outside: `Evolution` iterates over generations, `evolve` drives to a `Run`."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, Self

import numpy as np

from gramarye.derivations import Derivation, Status
from gramarye.engine.encoding import Programs
from gramarye.engine.front import clear_steps
from gramarye.engine.individual import Individual
from gramarye.engine.loop import SEEN, start, step
from gramarye.engine.run import Failure, Generation, Run, shown_record
from gramarye.engine.setup import Bound, Setup, check_problem, check_seed
from gramarye.engine.state import State
from gramarye.engine.stopping import Limit, ended_by, nearest
from gramarye.errors import SettingsError
from gramarye.execution import HERE, Threads, Workers
from gramarye.grammar.probabilities import Probabilities
from gramarye.methods import PGE, MethodBase, check_method
from gramarye.objectives.problem import Evaluator, Problem
from gramarye.populations.history import FAILURES, RECORDED
from gramarye.populations.population import Candidate
from gramarye.representations.optional import shown


class Evolution(Bound):
    """A run as an iterator over its generations: stop, plot, log as you like.

    Parameters
    ----------
    problem
        What to solve: a `Regression`, an `Objective`, or a ready-made one from `gramarye.problems`.
    method
        The method with its settings (default: `PGE()`).
    seed
        Random seed, 0 to 2**64 - 1. Runs with the same seed are identical. Default: a fresh one, recorded in the run.
    threads
        Number of threads that share the work of each generation. It changes time only.
    workers
        Number of worker processes that evaluate the programs of an `Objective`. It changes time only. Default: programs
        are evaluated in this process, or in one worker if the objective has limits.
    executor
        A `concurrent.futures.Executor`, such as that of a Dask cluster, that evaluates them instead.
    state
        A saved state to resume from, with the same problem, method and seed; its limits may be others.
    initial_programs
        Programs that the first population begins with, as texts or derivations. They need not be given again when a
        state is resumed.
    seconds
        How long a run that is resumed has taken before; it counts towards `max_time`.

    Examples
    --------
    >>> import gramarye as gm
    >>> evolution = gm.Evolution(gm.problems.load("quartic"), gm.GE(population=50, generations=3), seed=1)
    >>> for generation in evolution:
    ...     print(generation.index, round(generation.best_of_generation.fitness, 3))
    0 0.817
    1 ...
    2 0.72
    >>> evolution.run.evaluations
    140
    """

    def __init__(
        self,
        problem: Problem,
        method: MethodBase | None = None,
        seed: int | None = None,
        *,
        threads: int = 1,
        workers: int | None = None,
        executor: Executor | None = None,
        state: State | None = None,
        initial_programs: Programs = (),
        seconds: float = 0.0,
    ) -> None:
        if state is not None and not isinstance(state, State):
            raise SettingsError(f"state is of type {type(state).__name__}; give a saved one, gm.State.load(path)")
        seed = check_seed(seed if state is None or seed is not None else state.seed)
        self.setup = Setup(
            check_problem(problem), PGE() if method is None else check_method(method), seed, initial_programs
        )
        if state is None:
            _ = self.setup.encoded  # raises now what would end the run later
        else:
            self.setup.check(state.identity)
            if state.seed != seed:
                raise SettingsError(f"the saved state belongs to seed {state.seed}, not to {seed}")
        self.state = state
        self._threads = Threads(threads, _workers(self.problem, workers, executor))
        self._evaluator: Evaluator | None = None
        self.seconds = self._before = seconds  # that the run has taken
        self._evaluations = 0.0 if state is None else state.record()["evaluations"]  # before

    def __iter__(self) -> Iterator[Generation]:
        while self.ended_by is None:
            yield self.advance()

    @property
    def ended_by(self) -> str | None:
        """The limit that the run has reached, as its setting is called; None where it may continue."""
        return None if self.state is None else ended_by(self.setup, self.state, self.seconds)

    @property
    def limit(self) -> Limit:
        """The limit that most is used up of."""
        return nearest(self.setup, self._evaluated(), self.seconds)

    def advance(self) -> Generation:
        """Make and evaluate the next population."""
        began = time.perf_counter()
        if self._evaluator is None:
            self._evaluator = self.setup.evaluator(self._threads)
            if self.state is not None:
                self._evaluator.recall(self.state.memory.get(SEEN, {}))
        known = set(self._evaluator.failures)
        try:
            if self.state is None:
                self.state = start(self.setup, self._evaluator, self._threads)
            else:
                self.state = step(self.setup, self.state, self._evaluator, self._threads)
        except SystemError as error:  # how Numba passes on a Ctrl-C that came while a kernel ran
            if isinstance(error.__cause__, KeyboardInterrupt):
                raise KeyboardInterrupt from error
            raise
        news = [failure for status, failure in self._evaluator.failures.items() if status not in known]
        generation = replace(self.generation, failures=tuple(f for f in self._failures(-1) if f.first in news))
        self.seconds += time.perf_counter() - began
        return generation

    @property
    def generation(self) -> Generation:
        """The last population that was evaluated."""
        state = self._evaluated()
        top = int(np.argmin(state.fitness))
        return Generation(
            index=state.generation,
            best_of_generation=self._individual(state.genotypes, top, Candidate.of(state.evaluation, top), np.nan),
            best_of_run=self._best(),
            probabilities=Probabilities(self.setup.grammar, state.probability_history[-1]),
            fitness=self.problem.shown(state.fitness),
            record=shown_record(state.record(), self.problem),
        )

    @property
    def run(self) -> Run:
        """The run as far as it has come."""
        state = self._evaluated()
        return Run(
            setup=self.setup,
            best=self._best(),
            history=shown_record(dict(zip(RECORDED, state.history.T, strict=True)), self.problem),
            probabilities=state.probability_history,
            seconds=self.seconds,
            front=self._front(),
            ended_by=self.ended_by,
            failures=self.failures,
            objective_share=self.objective_share,
            rate=self.rate,
        )

    @property
    def objective_share(self) -> float | None:
        """The share of the time of all workers that the function of an `Objective` took; None where there is none."""
        passed = (self.seconds - self._before) * self._threads.workers.slots
        if self.problem.compiled or self._evaluator is None or passed <= 0:
            return None
        return min(self._evaluator.seconds / passed, 1.0)

    @property
    def rate(self) -> float | None:
        """Evaluations per second, since the run began or was resumed; None where nothing was evaluated."""
        passed, made = self.seconds - self._before, self._evaluated().record()["evaluations"] - self._evaluations
        return made / passed if made and passed > 0 else None

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Why individuals had no fitness so far, where a function of the user's was at fault; rarest last."""
        return self._failures(0)

    def _failures(self, since: int) -> tuple[Failure, ...]:
        """The same, from some generation on."""
        history = self._evaluated().history[since:]
        counts = {name: int(history[:, RECORDED.index(name)].sum()) for name in FAILURES}
        first = {} if self._evaluator is None else self._evaluator.failures
        found = [Failure(name, count, first.get(Status[name.upper()])) for name, count in counts.items() if count]
        return tuple(sorted(found, key=lambda failure: -failure.individuals))

    def _front(self) -> tuple[Individual, ...]:
        """The front, each with its error on the rows kept for testing."""
        state, evaluator = self._evaluated(), self._evaluator or self.setup.evaluator(self._threads)
        found = []
        for i in clear_steps(state.front.fitness):
            member = Candidate.of(state.front, i)
            weights = None if member.weights is None else member.weights[None]
            test = evaluator.test(self.setup.rewriting.translate(member.derivations), weights)
            found.append(self._individual(None, 0, member, test))
        return tuple(found)

    def _evaluated(self) -> State:
        if self.state is None:
            raise SettingsError("the run has not begun: call advance, or iterate over the evolution")
        return self.state

    def _best(self) -> Individual:
        state = self._evaluated()
        return self._individual(state.best_genotype, 0, state.best_of_run, state.test_fitness)

    def _individual(self, genotypes: Any, i: int, candidate: Candidate, test_fitness: float) -> Individual:
        return Individual(
            None if genotypes is None else shown(self.method.representation, self.setup.grammar, genotypes, i),
            Derivation.first_of(self.problem.grammar, self.setup.rewriting.translate(candidate.derivations)),
            self.problem.shown(candidate.fitness),
            self.problem.shown(test_fitness),
            self.problem,
            candidate.weights,
            candidate.nodes,
            self.seed,
        )

    def close(self) -> None:
        """Let threads and worker processes go."""
        self._threads.close()
        if self._evaluator is not None:
            self._evaluator.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def evolve(
    problem: Problem,
    method: MethodBase | None = None,
    seed: int | None = None,
    *,
    threads: int = 1,
    workers: int | None = None,
    executor: Executor | None = None,
    initial_programs: Programs = (),
) -> Run:
    """Evolve a program: a whole run, from its first generation to its last.

    Parameters
    ----------
    problem
        What to solve: a `Regression`, an `Objective`, or a ready-made one from `gramarye.problems`.
    method
        The method with its settings (default: `PGE()`).
    seed
        Random seed, 0 to 2**64 - 1. Runs with the same seed are identical. Default: a fresh one, recorded in the run.
    threads
        Number of threads that share the work of each generation. It changes time only.
    workers
        Number of worker processes that evaluate the programs of an `Objective`. It changes time only. Default: programs
        are evaluated in this process, or in one worker if the objective has limits.
    executor
        A `concurrent.futures.Executor`, such as that of a Dask cluster, that evaluates them instead.
    initial_programs
        Programs that the first population begins with, as texts or derivations.

    Returns
    -------
    Run
        The best program, the history of the run and what was learned.

    Examples
    --------
    >>> import gramarye as gm
    >>> run = gm.evolve(gm.problems.load("quartic"), gm.SGE(population=100, generations=20), seed=1)
    >>> run.best.fitness < 1e-12
    True
    """
    shared: dict[str, Any] = {"threads": threads, "workers": workers, "executor": executor}
    with Evolution(problem, method, seed, **shared, initial_programs=initial_programs) as evolution:
        for generation in evolution:
            for failure in generation.failures:
                warnings.warn(str(failure), stacklevel=2)
        return evolution.run


def _workers(problem: Problem, workers: int | None, executor: Executor | None) -> Workers:
    """Who evaluates programs; an error where nobody has to be asked."""
    found = Workers(workers, executor)
    if found != HERE and problem.compiled:
        what = "executor" if workers is None else f"workers is {workers}"
        raise SettingsError(f"{what}: the engine itself evaluates programs of {problem.name}; use threads instead")
    return found
