"""A hierarchical Dirichlet over the productions of a rule: programs of tasks, tasks of a family, and a base above all.

Programs of a task spread around its own probabilities q, the q of tasks around those of the family, p, and p around the
base, with the same strength s at every level. The mean of each level, given the others,

    q_t = (s p + Σ x) / (s + n_t),    p = (s b + Σ q_t) / (s + T),

is a weighted average of shares x, not of counts. All averages hold at once at

    p = (s b + Σ w_t f_t) / (s + Σ w_t),    w_t = n_t / (n_t + s),

in which f_t is the mean share x of a production in the n_t programs of task t that use the rule: the weight of a task
grows with its programs, but never beyond 1. This fixed point is not the posterior mean of a hierarchical Dirichlet,
which has no closed form.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivation
from gramarye.errors import SettingsError
from gramarye.grammar import Grammar
from gramarye.learners.counts import counts_of, frequencies

Shares = NDArray[np.float64]  # [programs, R] of each production in the uses of its rule; rows of unused rules are 0
STRENGTHS = [2.0**k for k in range(-6, 7)]  # that are tried
LEAST = 1e-300  # of a probability whose logarithm is taken


def shares_of(grammar: Grammar, derivations: Sequence[Derivation]) -> Shares:
    """What each program uses; a large one counts no more than a small one."""
    one, first = np.ones(1), np.zeros(1, np.int64)
    return np.array([counts_of(grammar, each.alone, first, one, per_individual=True) for each in derivations])


def posterior(
    grammar: Grammar, base: NDArray[np.float64], tasks: Sequence[Shares], strength: float
) -> NDArray[np.float64]:
    """[R] the family's probabilities; a rule that no program uses keeps those of the base."""
    found = base.copy()
    for span in grammar.spans.values():
        weights = strength * base[span]
        used = False
        for shares in tasks:
            rows = shares[:, span][shares[:, span].any(axis=1)]
            if len(rows):
                weights = weights + rows.mean(axis=0) * len(rows) / (len(rows) + strength)
                used = True
        if used:
            found[span] = frequencies(weights.tolist())
    return found


def likeliest_strength(grammar: Grammar, base: NDArray[np.float64], tasks: Sequence[Shares]) -> float:
    """The strength under which each task is likeliest to one who knows all others; of one task only, each program."""
    if len(tasks) > 1:
        held_out = [(task, [*tasks[:k], *tasks[k + 1 :]]) for k, task in enumerate(tasks)]
    elif len(tasks[0]) > 1:
        held_out = [(tasks[0][[k]], [np.delete(tasks[0], k, axis=0)]) for k in range(len(tasks[0]))]
    else:
        raise SettingsError("shrinkage is 'auto', which needs at least two programs; give a number, such as 1")

    def likelihood(strength: float) -> float:
        return math.fsum(_likelihood(part, posterior(grammar, base, rest, strength)) for part, rest in held_out)

    return max(reversed(STRENGTHS), key=likelihood)  # of equally likely ones, the largest


def _likelihood(shares: Shares, probabilities: NDArray[np.float64]) -> float:
    """The logarithm, averaged over programs."""
    logs = [math.log(max(p, LEAST)) for p in probabilities.tolist()]
    return float(np.mean([math.fsum(row * logs) for row in shares]))
