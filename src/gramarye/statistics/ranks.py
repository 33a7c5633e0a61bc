"""Tests on ranks: which samples tend to hold smaller values, whatever their distribution."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.errors import DataError
from gramarye.statistics.samples import (
    as_sample,
    as_samples,
    constant,
    joined,
    load_scipy,
    ranked_infinities,
    ranks_of,
)

Distribution: TypeAlias = Literal["exact", "asymptotic"]  # of the statistic, where nothing differs

LEVEL = 0.05  # a test that can't get below it is noted
FEW_RUNS = 5  # the least size of each sample for which χ² is usually trusted
MOST_TO_COUNT = 8  # Mann–Whitney: exact up to this size of the smaller sample, as SciPy's "auto" has it
MOST_PAIRS_TO_COUNT = 50  # Wilcoxon: the same, without ties…
MOST_TIED_PAIRS_TO_COUNT = 13  # …and with them, where all 2ⁿ signs are gone through

SAME = "all values are the same"


@dataclass(frozen=True)
class Kruskal:
    """A Kruskal–Wallis test: H, corrected for ties, and p from χ²; None where no test is possible."""

    statistic: float | None
    p: float | None
    degrees_of_freedom: int
    note: str


def kruskal(samples: Mapping[str, ArrayLike] | Sequence[ArrayLike]) -> Kruskal:
    """Whether any of several independent samples tends to other values than the rest (Kruskal & Wallis 1952)."""
    named = as_samples(samples)
    kept = [sample for sample in named.values() if len(sample)]
    empty = [name for name, sample in named.items() if not len(sample)]
    note = joined(f"no runs in {', '.join(empty)}: left out" if empty else "", ranked_infinities(*kept))
    freedom = max(len(kept) - 1, 0)
    if len(kept) < 2:
        return Kruskal(None, None, freedom, joined(note, "fewer than two samples with runs: no test"))
    if max(map(len, kept)) == 1:  # H is the same then, whatever the values
        return Kruskal(None, None, freedom, joined(note, "one run each: no test"))
    if constant(*kept):
        return Kruskal(0.0, 1.0, freedom, joined(SAME, note))
    result = load_scipy().kruskal(*ranks_of(*kept))
    few = f"fewer than {FEW_RUNS} runs in a sample: p is approximate" if min(map(len, kept)) < FEW_RUNS else ""
    return Kruskal(float(result.statistic), float(result.pvalue), freedom, joined(note, few))


@dataclass(frozen=True)
class MannWhitney:
    """A two-sided Mann–Whitney test: U counts the pairs where `a` is larger, ties by half."""

    statistic: float | None
    p: float | None
    distribution: Distribution | None
    note: str


def mann_whitney(a: ArrayLike, b: ArrayLike) -> MannWhitney:
    """Whether one of two independent samples tends to larger values (Mann & Whitney 1947)."""
    first, second = as_sample(a, "a"), as_sample(b, "b")
    m, n = len(first), len(second)
    note = ranked_infinities(first, second)
    if not m or not n:
        return MannWhitney(None, None, None, joined(note, f"no runs in {'b' if m else 'a'}: no test"))
    if m == n == 1:
        return MannWhitney(None, None, None, joined(note, "one run each: no test"))
    if constant(first, second):
        return MannWhitney(m * n / 2, 1.0, "exact", joined(SAME, note))
    x, y = ranks_of(first, second)
    tied = len(np.unique(np.concatenate([x, y]))) < m + n
    distribution: Distribution = "exact" if min(m, n) <= MOST_TO_COUNT and not tied else "asymptotic"
    result = load_scipy().mannwhitneyu(x, y, method=distribution)
    if distribution == "exact":
        few = _too_few(2 / math.comb(m + n, n))
    else:
        few = "ties among few runs: p is approximate" if min(m, n) <= MOST_TO_COUNT else ""
    return MannWhitney(float(result.statistic), float(result.pvalue), distribution, joined(note, few))


@dataclass(frozen=True)
class Wilcoxon:
    """A two-sided signed-rank test: the smaller sum of ranks, over so many pairs that differ."""

    statistic: float | None
    p: float | None
    distribution: Distribution | None
    pairs: int
    note: str


def wilcoxon(a: ArrayLike, b: ArrayLike) -> Wilcoxon:
    """Whether paired values differ, as those of two methods on the same problems (Wilcoxon 1945).

    Pairs without a difference are left out, as Wilcoxon did; the differences must be comparable among themselves.
    """
    first, second = as_sample(a, "a"), as_sample(b, "b")
    if len(first) != len(second):
        raise DataError(f"a has {len(first)} runs and b has {len(second)}: paired samples must have the same length")
    ranks = _signed_ranks(first, second)
    note = ranked_infinities(first, second)
    if len(first) < 2:
        reason = "one pair: no test" if len(first) else "no runs: no test"
        return Wilcoxon(None, None, None, len(ranks), joined(note, reason))
    if not len(ranks):
        return Wilcoxon(0.0, 1.0, "exact", 0, joined("all differences are zero", note))
    zeros = len(first) - len(ranks)
    left_out = f"pairs without a difference ({zeros} of {len(first)}) are left out" if zeros else ""
    positive = float(ranks[ranks > 0].sum())
    smaller = min(positive, len(ranks) * (len(ranks) + 1) / 2 - positive)
    p, distribution = _signed_rank_p(ranks)
    few = _too_few(2.0 ** (1 - len(ranks)))
    return Wilcoxon(smaller, p, distribution, len(ranks), joined(note, left_out, few))


def _signed_ranks(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ranks of the differences with their signs, without zeros; two infinities don't differ."""
    differ = a != b
    with np.errstate(over="ignore"):  # a difference too large for a number is the largest: inf, as it should be
        differences = a[differ] - b[differ]
    ranks: NDArray[np.float64] = load_scipy().rankdata(np.abs(differences)) if len(differences) else differences
    ranks *= np.sign(differences)
    return ranks


def _signed_rank_p(ranks: NDArray[np.float64]) -> tuple[float, Distribution]:
    stats = load_scipy()
    tied = len(np.unique(np.abs(ranks))) < len(ranks)
    if not tied and len(ranks) <= MOST_PAIRS_TO_COUNT:
        return float(stats.wilcoxon(ranks, method="exact").pvalue), "exact"
    if len(ranks) > MOST_TIED_PAIRS_TO_COUNT:
        return float(stats.wilcoxon(ranks, method="asymptotic").pvalue), "asymptotic"
    # SciPy's own wilcoxon does the same for ties, but one permutation at a time.
    result = stats.permutation_test(
        (ranks,),
        lambda x, axis: np.maximum(x, 0).sum(axis),
        permutation_type="samples",  # of a single sample: its signs
        n_resamples=2 ** len(ranks),
        vectorized=True,
    )
    return float(result.pvalue), "exact"


def _too_few(least: float) -> str:
    return f"so few runs can't give p below {least:.2g}" if least > LEVEL else ""
