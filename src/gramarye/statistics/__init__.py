"""Statistics of experiments: tests, corrections, effect sizes and intervals, as plain functions on arrays.

Smaller is better. Every result has a `note`, empty unless something is to be said, and `p` is None where no test is
possible: it is never NaN.
"""

from __future__ import annotations

from gramarye.statistics.bootstrap import Interval, a12_interval, mean_interval, median_interval
from gramarye.statistics.corrections import bonferroni, holm
from gramarye.statistics.description import Description, describe, mean_band
from gramarye.statistics.effects import Magnitude, a12, cliffs_delta, magnitude, paired_a12
from gramarye.statistics.equivalence import Equivalence, equivalence
from gramarye.statistics.linear_regression import LinearRegression, Term, linear_regression
from gramarye.statistics.normality import Shapiro, Welch, shapiro, welch
from gramarye.statistics.over_problems import Friedman, friedman, nemenyi
from gramarye.statistics.ranks import Kruskal, MannWhitney, Wilcoxon, kruskal, mann_whitney, wilcoxon

__all__ = [
    "Description",
    "Equivalence",
    "Friedman",
    "Interval",
    "Kruskal",
    "LinearRegression",
    "Magnitude",
    "MannWhitney",
    "Shapiro",
    "Term",
    "Welch",
    "Wilcoxon",
    "a12",
    "a12_interval",
    "bonferroni",
    "cliffs_delta",
    "describe",
    "equivalence",
    "friedman",
    "holm",
    "kruskal",
    "linear_regression",
    "magnitude",
    "mann_whitney",
    "mean_band",
    "mean_interval",
    "median_interval",
    "nemenyi",
    "paired_a12",
    "shapiro",
    "welch",
    "wilcoxon",
]
