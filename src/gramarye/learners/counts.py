"""Counting what the better individuals used: what learners have in common that learn from more than one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations
from gramarye.grammar import Grammar


def best_valid(fitness: NDArray[np.float64], share: float) -> NDArray[np.int64]:
    """The best share of a population, rounded up, at least one and valid ones only; best first, ties in their order."""
    wanted = max(1, math.ceil(share * len(fitness) - 1e-9))  # 0.07 * 100 is a little above 7
    order = np.argsort(fitness, kind="stable")
    return order[np.isfinite(fitness[order])][:wanted]


def counts_of(
    grammar: Grammar,
    derivations: Derivations,
    chosen: NDArray[np.int64],
    weights: NDArray[np.float64],  # [chosen]
    per_individual: bool,  # whether a large tree counts no more than a small one
) -> NDArray[np.float64]:
    """How often some individuals used each production [R], each with its weight."""
    taken = derivations.take(chosen)
    left, r, k = grammar.arrays.left, len(grammar.productions), len(grammar.nonterminals)
    owner = np.repeat(np.arange(len(chosen)), np.diff(taken.offsets))
    if not per_individual:
        return np.bincount(taken.productions, weights[owner], minlength=r).astype(np.float64)
    uses = np.bincount(owner * r + taken.productions, minlength=len(chosen) * r).reshape(-1, r)
    expansions = np.bincount(owner * k + left[taken.productions], minlength=len(chosen) * k).reshape(-1, k)
    who, q = np.nonzero(uses)
    shares = weights[who] * uses[who, q] / expansions[who, left[q]]
    return np.bincount(q, shares, minlength=r).astype(np.float64)


def frequencies(counts: Sequence[float]) -> list[float]:
    """Counts divided by their sum; none where nothing was counted."""
    total = math.fsum(counts)
    return [count / total for count in counts] if total > 0 else []
