"""The arms of priors.py: what is learned during a run, and the priors that others start from."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from priors_tasks import EXPRESSION, VARIABLE

import gramarye as gm
from gramarye.populations.population import Population

REPRESENTATIONS = {
    "flat": gm.representations.FlatReal(),
    "lists": gm.representations.RealLists(),
    "trees": gm.representations.Trees(),
}
GENERATIONS = 50  # that fit into a budget if elites are evaluated again
CODONS = 128  # of flat genotypes
ORACLE = 0.5  # weight of the frequencies in the solution
STEPS = 60  # of a bisection: more than enough for every bit


@dataclass(frozen=True)
class Placebo(gm.learners.Learner):
    """PGE's update, but from a random valid individual of the population instead of the best."""

    remap_elites: bool = True

    learns: ClassVar[bool] = True

    def update(
        self, grammar: gm.Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        valid = np.flatnonzero(np.isfinite(population.fitness))
        if len(valid) == 0:
            return probabilities
        drawn = valid[zlib.crc32(population.fitness.tobytes()) % len(valid)]  # as random as the run itself
        counts = used(grammar, population.derivations.take(np.array([drawn])).productions)
        rule, updated = gm.learners.AlternatingBest(), np.empty(len(probabilities))
        for span in grammar.spans.values():
            updated[span] = rule.update_row(probabilities[span].tolist(), counts[span].tolist())
        return updated


LEARNERS: dict[str, gm.learners.Learner] = {
    "frozen": gm.learners.NoLearning(),
    "placebo": Placebo(),
    "PGE": gm.learners.AlternatingBest(),
    "Bayesian": gm.learners.Bayesian(),
    "policy gradient": gm.learners.PolicyGradient(),
}


def method(genotype: str, learner: str, evaluations: int) -> gm.Method:
    """A genotype with a learner; the rest is the PGE paper's, with the population that the budget allows.

    Trees don't change when the grammar does, so that their elites need not be evaluated again.
    """
    rule = LEARNERS[learner]
    return gm.Method(
        representation=REPRESENTATIONS[genotype],
        learner=replace(rule, remap_elites=False) if genotype == "trees" else rule,
        population=evaluations // GENERATIONS,
        mutation=0.1 if genotype == "trees" else 0.05,
    )


def used(grammar: gm.Grammar, productions: Sequence[int] | NDArray[np.int32]) -> NDArray[np.int64]:
    """[R] how often a derivation uses each production."""
    return np.bincount(productions, minlength=len(grammar.productions))


def oracle(grammar: gm.Grammar, solution: str) -> gm.Grammar:
    """Half uniform probabilities, half the frequencies in a solution; rules that it does not use stay uniform."""
    counts = used(grammar, gm.parse(grammar, solution).productions)
    values = grammar.uniform_probabilities().copy()
    for span in grammar.spans.values():
        if counts[span].any():
            values[span] = (1 - ORACLE) * values[span] + ORACLE * counts[span] / counts[span].sum()
    return grammar.with_probabilities(values)


def learned(grammar: gm.Grammar, programs: Sequence[str]) -> gm.Grammar:
    """What the best programs of some runs teach; the grammar as it is where there are none."""
    return gm.learn_prior(programs, grammar) if programs else grammar


def transferred(grammar: gm.Grammar, widest: gm.Grammar, tasks: Mapping[str, Sequence[str]]) -> gm.Grammar:
    """What other tasks teach of the rules that all share; variables stay uniform: those of other tasks mean others."""
    return only(grammar, gm.learn_prior(tasks, widest), set(grammar.nonterminals) - {VARIABLE})


def only(grammar: gm.Grammar, prior: gm.Grammar, rules: set[str]) -> gm.Grammar:
    """The grammar with the probabilities that a prior has for some rules."""
    rows = gm.Probabilities.of(prior)
    return grammar.with_probabilities({name: rows[name] for name in rules})


def matched(grammar: gm.Grammar, prior: gm.Grammar) -> gm.Grammar:
    """Uniform probabilities but in the recursive rule, so that as many flat genotypes are complete as with a prior.

    The weight of a production falls, or grows, by the same factor for each time that the rule occurs in it.
    """
    completion = prior.completion_probability(CODONS)
    span = grammar.spans[EXPRESSION]
    times = np.array([each.text.count(EXPRESSION) for each in grammar.productions[span]])

    def tilted(logarithm: float) -> gm.Grammar:
        weights = np.exp(logarithm * times)
        return grammar.with_probabilities({EXPRESSION: weights / weights.sum()})

    low, high = -20.0, 20.0  # fewer and more recursions
    for _ in range(STEPS):
        middle = (low + high) / 2
        if tilted(middle).completion_probability(CODONS) > completion:
            low = middle
        else:
            high = middle
    return tilted(low)


# Controls: parts of what was learned on the same task, and what only imitates it.
PARTS: dict[str, Callable[[gm.Grammar, gm.Grammar], gm.Grammar]] = {
    "recursive rows": lambda grammar, prior: only(grammar, prior, {EXPRESSION}),
    "other rows": lambda grammar, prior: only(grammar, prior, set(grammar.nonterminals) - {EXPRESSION}),
    "matched completion": matched,
}
