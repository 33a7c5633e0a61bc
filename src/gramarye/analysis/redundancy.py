"""How many genotypes map to the same program, which programs these are, and how far apart they lie."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gramarye.analysis.intervals import CONFIDENCE, RESAMPLES, missing, of_two_means, share
from gramarye.analysis.sampling import BOOTSTRAP, PAIRED, Bases, Reading
from gramarye.derivations.random_trees import texts
from gramarye.records.analysis import Redundancy
from gramarye.statistics import Interval

REFERENCE_CODONS = 128  # within which a derivation of the reference ends
MOST_PAIRS = 2000  # of genotypes whose distances are taken


def redundancy(reading: Reading, bases: Bases, shown: int = 10) -> Redundancy:
    """How some random valid genotypes are spread over programs."""
    programs = [text or "" for text in texts(reading.grammar, bases.derivations)]
    names, which, counts = np.unique(np.array(programs, object), return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    seed = int(reading.key(BOOTSTRAP))
    top = np.flatnonzero(which == order[0]) if len(order) else np.zeros(0, np.int64)
    return Redundancy(
        sample=len(programs),
        counts=counts[order],
        programs=tuple(str(names[i]) for i in order[:shown]),
        collision=collision(counts, seed),
        entropy=entropy(counts),
        uniformity=_uniformity(reading, bases, top, seed),
        synonymity=_synonymity(reading, bases, which, counts),
    )


def collision(counts: NDArray[np.int64], seed: int = 0) -> Interval:
    """The probability that two different draws give the same program, without bias."""
    n = int(counts.sum())
    if n < 2:
        return missing("fewer than two programs")
    estimate = float((counts * (counts - 1)).sum() / (n * (n - 1)))
    # Draws that are drawn again would collide with themselves. What holds to first order: of such a mean over pairs the
    # deviation is twice that of each draw's share of pairs.
    drawn = np.random.default_rng(seed).multinomial(n, counts / n, RESAMPLES) @ ((counts - 1) / (n - 1)) / n
    low, high = np.quantile(estimate + 2 * (drawn - estimate), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(estimate, max(float(low), 0.0), min(float(high), 1.0), CONFIDENCE, "")


def entropy(counts: NDArray[np.int64]) -> float:
    """The entropy of frequencies, in bits."""
    shares = counts / max(int(counts.sum()), 1)
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def _uniformity(reading: Reading, bases: Bases, top: NDArray[np.int64], seed: int) -> Interval:
    """Against derivations in which each production is as likely as its siblings, of those that end."""
    grammar = reading.grammar
    uniform = grammar.uniform_probabilities()
    ends = grammar.completion_probability(REFERENCE_CODONS, probabilities=uniform)
    derived = {tuple(bases.derivations[i].tolist()) for i in top}
    reference = sum(float(np.prod(uniform[list(productions)])) for productions in derived) / max(ends, 1e-300)
    if not reference > 0:
        return missing("the reference never gives it")
    found = share(len(top), len(bases), seed)
    estimate, low, high = ((value or 0.0) / reference for value in (found.estimate, found.low, found.high))
    return Interval(estimate, low, high, CONFIDENCE, "")


def _synonymity(reading: Reading, bases: Bases, which: NDArray[np.int64], counts: NDArray[np.int64]) -> Interval:
    """Pairs of the same program, all equally likely, against pairs of any."""
    weights = counts * (counts - 1.0)
    if not weights.sum() > 0:
        return missing("no program occurs twice")
    rng = np.random.default_rng(int(reading.key(PAIRED)))
    by_program = np.argsort(which, kind="stable")
    members = [by_program[a:b] for a, b in pairwise(np.concatenate([[0], np.cumsum(counts)]).tolist())]
    groups = rng.choice(len(counts), MOST_PAIRS, p=weights / weights.sum())
    same = np.array([rng.choice(members[group], 2, replace=False) for group in groups])
    apart = rng.integers(len(which), size=MOST_PAIRS)
    other = (apart + 1 + rng.integers(len(which) - 1, size=MOST_PAIRS)) % len(which)
    near, far = _apart(reading, bases, same[:, 0], same[:, 1]), _apart(reading, bases, apart, other)
    seed = int(reading.key(BOOTSTRAP))
    return of_two_means(near, far, seed) if far.any() else missing("all genotypes are the same")


def _apart(reading: Reading, bases: Bases, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
    """The distances of some pairs of genotypes."""
    one, other = bases.genotypes.take(first), bases.genotypes.take(second)
    return reading.neighbourhood.distance(reading.own, one, other).astype(np.float64)
