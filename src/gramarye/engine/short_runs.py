"""Short runs before a long one, which starts from a prior that is learned from their best programs.

Which generation begins a run depends on its number alone, so that a shorter run is the beginning of a longer one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivation
from gramarye.engine.first_population import first_genotypes
from gramarye.engine.setup import Setup
from gramarye.engine.state import State
from gramarye.grammar import Grammar
from gramarye.kernels import codes
from gramarye.learners.dirichlet import posterior, shares_of
from gramarye.populations.population import Memory
from gramarye.representations.base import Genotypes

STRENGTH = 1.0  # of the grammar's own probabilities, as in `learn_prior`
BEST = "best"  # fitness in the run so far; the others in memory are programs, by the number of their run


def remembered(setup: Setup, state: State, memory: Memory) -> Memory:
    """The best program of each short run so far; nothing once they are over."""
    method = setup.method
    number, age = divmod(state.generation, method.short_generations)
    if number >= method.short_runs:
        return {}
    best = memory[BEST] if age else np.array(np.inf)
    top = int(np.argmin(state.fitness))
    if not state.fitness[top] < best:
        return {**memory, BEST: best}
    program = setup.rewriting.translate(state.derivations.take(np.array([top])))
    return {**memory, BEST: np.array(state.fitness[top]), str(number): program.productions}


def is_due(setup: Setup, state: State) -> bool:
    """Whether the next generation begins a run."""
    number, age = divmod(state.generation + 1, setup.method.short_generations)
    return age == 0 and number <= setup.method.short_runs


def next_population(setup: Setup, state: State, memory: Memory) -> tuple[Genotypes, NDArray[np.float64]]:
    """The genotypes of the run that begins, and the probabilities by which it does."""
    number = (state.generation + 1) // setup.method.short_generations
    seed = int(kernels.random.stream(setup.key, number, codes.RESTART, 0))
    prior = learned(setup.problem.grammar, memory) if number == setup.method.short_runs else None
    fresh = replace(setup, seed=seed, prior=prior)
    return first_genotypes(fresh), fresh.probabilities


def learned(grammar: Grammar, memory: Memory) -> Grammar:
    """What the best programs teach; the grammar as it is where no run has found one."""
    numbers = sorted(int(name) for name in memory if name != BEST)
    programs = [Derivation(grammar, memory[str(number)]) for number in numbers]
    if not programs:
        return grammar
    shares = shares_of(grammar, programs)
    return grammar.with_probabilities(posterior(grammar, np.array(grammar.start_probabilities()), [shares], STRENGTH))
