"""Lexicase selection: parents are judged case by case, not by their mean error.

L. Spector. Assessment of problem modality by differential performance of lexicase selection in genetic programming: a
preliminary report. GECCO Companion 2012. doi 10.1145/2330784.2330846
Tolerance: W. La Cava, L. Spector, K. Danai. Epsilon-Lexicase Selection for Regression. GECCO 2016.
doi 10.1145/2908812.2908898; here the semi-dynamic form of La Cava, Helmuth, Spector and Moore, Evolutionary Computation
27(3), 2019: how far apart errors are is measured in the population, the best error among those who are left.
Samples of cases: T. Helmuth, L. Spector. Problem-Solving Benefits of Down-Sampled Lexicase Selection. Artificial Life
27(3-4), 2021. doi 10.1162/artl_a_00341
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.kernels import codes
from gramarye.populations.population import Population
from gramarye.selection.base import Selection
from gramarye.settings import setting

_DOWNSAMPLE = "fraction of the cases, drawn again in each generation, that parents are chosen by"


@dataclass(frozen=True)
class Lexicase(Selection):
    """Cases in random order: each leaves those with the smallest error in it, until no choice is left."""

    downsample: float = setting(1.0, low=0, high=1, doc=_DOWNSAMPLE)

    def parents(
        self, population: Population, n: int, seed: np.uint64, generation: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        individuals, errors = judged(population, self.downsample, seed, generation)
        return chosen(individuals, errors, np.zeros(errors.shape[1]), n, seed, generation)


@dataclass(frozen=True)
class EpsilonLexicase(Selection):
    """Lexicase for real-valued errors: a case leaves those within its median absolute deviation of the best."""

    downsample: float = setting(1.0, low=0, high=1, doc=_DOWNSAMPLE)

    def parents(
        self, population: Population, n: int, seed: np.uint64, generation: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        individuals, errors = judged(population, self.downsample, seed, generation)
        return chosen(individuals, errors, median_deviation(errors), n, seed, generation)


def judged(
    population: Population, downsample: float, seed: np.uint64, generation: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Who can become a parent [M], and their errors [M, C] in the cases of this generation.

    An invalid individual can't, unless there is nobody else.
    """
    individuals = np.flatnonzero(np.isfinite(population.fitness))
    if len(individuals) == 0:
        return np.arange(len(population)), np.zeros((len(population), 1))
    errors = population.cases[individuals]
    if downsample < 1:
        wanted = max(1, round(downsample * errors.shape[1]))
        stream = np.uint64(kernels.random.stream(seed, generation, codes.CASES, 0))
        errors = errors[:, kernels.lexicase.sample_cases(errors.shape[1], wanted, stream)]
    return individuals, errors


def median_deviation(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """[C] the median distance of a case's errors from their median."""
    with np.errstate(over="ignore"):
        distances = np.abs(errors - np.median(errors, axis=0))
        return np.asarray(np.median(distances, axis=0))


def chosen(
    individuals: NDArray[np.int64],  # [M]
    errors: NDArray[np.float64],  # [M, C]
    tolerance: NDArray[np.float64],  # [C]
    n: int,
    seed: np.uint64,
    generation: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Mothers and fathers of n children, as numbers of individuals."""
    different, group = np.unique(errors, axis=0, return_inverse=True)
    by_case = np.ascontiguousarray(different.T)
    mothers, fathers = kernels.lexicase.lexicase(by_case, group.ravel(), tolerance, n, seed, generation)
    return individuals[mothers], individuals[fathers]
