"""The laws of learners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations, Status
from gramarye.grammar import Grammar
from gramarye.learners.base import Learner
from gramarye.populations.population import Population
from gramarye.representations.flat import FlatReal
from gramarye.testing.grammars import grammars
from gramarye.testing.laws import PRECISION, SEEDS, Case, complaint, same, uneven

INDIVIDUALS, GENERATIONS = 20, 6


def check_learner(learner: Learner, grammar: Grammar | None = None) -> None:
    """An AssertionError where a learner breaks a law, on a grammar or on all of `GRAMMARS`."""
    for original in grammars(grammar):
        rewriting = learner.rewritten(original)
        own = rewriting.grammar
        for number in SEEDS:
            case = Case(repr(learner), original.name, number)
            case.require(isinstance(learner.remap_elites, bool), "remap_elites is True or False")
            probabilities = np.array(own.start_probabilities())
            for generation in range(GENERATIONS):
                made = population(own, probabilities, generation, number, elites=2 * (generation % 2))
                made = replace(made, origins=rewriting.origins)
                _check_recorded(case, learner, own, probabilities, made)
                probabilities = _updated(case, learner, own, probabilities, made)
                for before in (probabilities, uneven(own)):
                    _check_invalid(case, learner, own, before, generation)


def population(
    grammar: Grammar, probabilities: NDArray[np.float64], generation: int, number: int, elites: int
) -> Population:
    """A population drawn from the probabilities; some have equal fitness, some are invalid, elites are best."""
    reals, seed = FlatReal(64), np.uint64(number)
    genotypes = reals.initial(grammar, INDIVIDUALS, seed, generation)
    _, derivations = reals.map(grammar, genotypes, probabilities, seed, generation, 0)
    fitness = (np.arange(INDIVIDUALS) * 7 % 11).astype(np.float64)
    fitness[INDIVIDUALS - elites :] = -1.0
    fitness[(derivations.status != Status.OK) | (np.arange(INDIVIDUALS) % 6 == 5)] = np.inf
    born = np.where(np.arange(INDIVIDUALS) < INDIVIDUALS - elites, generation, generation - 1)
    return replace(Population.of(derivations, fitness, generation=generation), born=born)


def _updated(
    case: Case, learner: Learner, grammar: Grammar, probabilities: NDArray[np.float64], made: Population
) -> NDArray[np.float64]:
    old, looked_at = "the old probabilities are left as they are", "the population is left as it is"
    with case.unchanged(old, probabilities), case.unchanged(looked_at, made):
        updated = learner.update(grammar, probabilities, made)
    why = complaint(grammar, updated)
    case.require(why is None, "probabilities stay probabilities", f"generation {made.generation}: {why}")
    again = learner.update(grammar, probabilities, made)
    case.require(same(updated, again), "the same population teaches the same", f"generation {made.generation}")
    if not learner.learns:
        case.require(same(updated, probabilities), "who does not learn leaves probabilities as they are")
    return updated


def _check_recorded(
    case: Case, learner: Learner, grammar: Grammar, probabilities: NDArray[np.float64], made: Population
) -> None:
    """What a run records, had its front been the valid individuals of a population."""
    front = made.evaluation.take(np.flatnonzero(np.isfinite(made.fitness)))
    with case.unchanged("recording leaves probabilities and front as they are", probabilities, front):
        recorded = learner.recorded(grammar, probabilities, front)
    why = complaint(grammar, recorded)
    case.require(why is None, "what is recorded are probabilities", f"generation {made.generation}: {why}")
    if learner.wording is None or len(front) == 0:
        law = "where there is nothing to record, the probabilities are recorded as they are"
        case.require(same(recorded, probabilities), law, f"generation {made.generation}")


def _check_invalid(
    case: Case, learner: Learner, grammar: Grammar, probabilities: NDArray[np.float64], generation: int
) -> None:
    """Where nobody is valid, there is nothing to learn from."""
    lost = Derivations(
        np.zeros(0, np.int32), np.zeros(INDIVIDUALS + 1, np.int64), np.full(INDIVIDUALS, Status.OUT_OF_CODONS, np.int8)
    )
    made = Population.of(lost, np.full(INDIVIDUALS, np.inf), generation=generation)
    updated = learner.update(grammar, probabilities, made)
    law = "a population without a valid individual teaches nothing"
    case.require(np.allclose(updated, probabilities, rtol=0, atol=PRECISION), law, f"generation {generation}")
