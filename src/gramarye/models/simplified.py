"""The formulas of a front with simpler numbers: as few digits as the data support."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from gramarye import kernels
from gramarye.engine.front import clear_steps
from gramarye.engine.individual import Individual
from gramarye.engine.run import Run
from gramarye.languages.arithmetic.factors import tuned_factors
from gramarye.languages.arithmetic.quadratic import Quadratic, slopes_of
from gramarye.models.digits import HARMLESS, Fix, Precision
from gramarye.models.numbers import Flags, Numbers
from gramarye.objectives.regression import EXACT, SMALLEST, Regression
from gramarye.objectives.table_evaluator import error_of
from gramarye.objectives.vicinity import Vicinity

STAGES = range(1), range(3), range(16)  # digits that are tried from the same derivatives; 0 digits: 0 and ±1
ITERATIONS = 20  # of tuning before numbers are simplified
REFITS = 4  # of the numbers that are not fixed, for the error is not quadratic
SLACK = 0.1  # beside what numbers may cost


def simplified(members: Sequence[Individual], tuned: bool) -> tuple[Individual, ...]:
    """A front with simpler numbers, without formulas that are then no better than smaller ones.

    Constants are kept unless they were tuned.
    """
    problem, seed = members[0].problem, members[0].seed
    if not isinstance(problem, Regression) or problem.error == "mae" or seed is None or members[0].phenotype is None:
        return tuple(members)  # numbers are fitted by least squares
    fitting = _Fitting(problem, seed, ITERATIONS if tuned else 0)
    found = [fitting.simplified(member) for member in members]
    errors = np.maximum([member.fitness for member in found], problem.exact)  # below, they differ by rounding
    return tuple(found[i] for i in clear_steps(errors))


def with_simpler_numbers(run: Run) -> Run:
    """The same run with a simplified front."""
    return replace(run, front=simplified(run.front or (run.best,), run.tunes))


@dataclass(frozen=True, eq=False)
class _Point:
    """A formula with certain numbers, and its squared error."""

    numbers: Numbers
    error: float  # infinite where predictions are not sensible


class _Fitting:
    """The rows that formulas were fitted to."""

    def __init__(self, problem: Regression, seed: int, iterations: int) -> None:
        self._iterations = iterations
        self._language, self._measure = problem.language, problem.error
        self._data = data = problem.split(np.uint64(seed))[0]
        self._vicinity = Vicinity(data)
        floor, deviation = max(EXACT**2 * data.spread, SMALLEST), math.sqrt(data.spread / data.weight)
        self._precision = Precision(data.rows, floor, deviation)

    def simplified(self, found: Individual) -> Individual:
        """A formula with simpler numbers."""
        programs = self._language.programs(found.derivation.alone)
        most = 1 if found.weights is None else len(found.weights) - 1
        terms = sum(len(term.words) > 0 for term in self._language.terms(programs, most))
        start = self._point(Numbers(found.derivation, found.weights, terms))
        point = min(start, self._tuned(start.numbers), key=lambda each: each.error)
        if not math.isfinite(point.error):
            return found
        free = point.numbers.free
        free[1 + point.numbers.terms :] &= self._iterations > 0
        point, free = self._merged(point, free)
        for digits in STAGES:
            point, free = self._stage(point, free, digits)
        fitness = float(error_of(self._measure, np.array([point.error]), self._data)[0])
        return replace(
            found,
            genotype=None,  # it has the numbers of the search
            derivation=point.numbers.derivation,
            weights=point.numbers.weights,
            fitness=fitness,
            digits=point.numbers.digits,
        )

    def _merged(self, point: _Point, free: Flags) -> tuple[_Point, Flags]:
        """The formula with one number for the constant factors of each term, if it predicts the same."""
        numbers = point.numbers
        programs, names = self._language.programs(numbers.derivation.alone), count(1 + numbers.terms)
        terms = self._language.terms(programs, len(numbers.scaling) - 1)[: numbers.terms]
        merged, still = numbers.merged([tuned_factors(term.words, names) for term in terms], free)
        if merged is None:
            return point, free
        found = self._point(merged)
        same = self._precision.cost(found.error, point.error) <= SLACK  # not where something is divided by 0
        return (found, still) if same else (point, free)

    def _tuned(self, numbers: Numbers) -> _Point:
        """All numbers fitted to the end: a search does so by a few steps at a time."""
        derivation, weights = numbers.derivation, numbers.weights
        terms = 0 if weights is None else len(weights) - 1
        programs = self._language.programs(derivation.alone)
        fitted = self._language.fit(programs, self._data, terms, self._iterations, HARMLESS / self._data.rows)
        if len(derivation.values):
            found = self._language.tuned(derivation.alone, replace(programs, words=fitted.words))
            derivation = replace(derivation, values=found.values)
        return self._point(Numbers(derivation, fitted.weights[0] if terms else None, numbers.terms))

    def _stage(self, point: _Point, free: Flags, digits: Sequence[int]) -> tuple[_Point, Flags]:
        """The formula with numbers of so many digits where the data allow it, and which numbers are still free."""
        near = self._near(point.numbers, free)
        least = max(point.error - near.gain, 0.0)
        fixes = self._precision.simpler(near, least, point.numbers.terms, digits)
        while fixes:
            found = self._fixed(point, near, free, fixes)
            if found is not None:
                still = free.copy()
                still[[fix.number for fix in fixes]] = False
                return found, still
            fixes = fixes[: len(fixes) // 2]
        return point, free

    def _fixed(self, point: _Point, near: Quadratic, free: Flags, fixes: Sequence[Fix]) -> _Point | None:
        """The formula with some numbers fixed and the others refitted; None where that costs too much."""
        price = sum(fix.price for fix in fixes) + SLACK
        still = free.copy()
        for fix in fixes:
            near = near.fixed(fix.number, fix.value)
            still[fix.number] = False
        for _ in range(REFITS):
            numbers = point.numbers.replaced(near.values)
            if numbers is None:
                return None
            found = self._point(numbers)
            if self._precision.cost(found.error, point.error) <= price:
                return found
            if not still.any():
                return None
            near = self._near(numbers, still)
        return None

    def _point(self, numbers: Numbers) -> _Point:
        programs, sums = self._language.programs(numbers.derivation.alone), np.empty(1)
        weights = None if numbers.weights is None else numbers.weights[None]
        with np.errstate(all="ignore"):
            predicted = self._language.predictions(programs, self._data.columns, weights)
        kernels.scaling.sum_apart(predicted, self._data.target, self._data.weights, False, sums)
        sensible = np.isfinite(sums[0]) and self._vicinity.safe(self._language, programs, weights)[0]
        sensible &= self._language.keeps_units(programs, self._data.columns)[0]
        return _Point(numbers, float(sums[0]) if sensible else math.inf)

    def _near(self, numbers: Numbers, free: Flags) -> Quadratic:
        programs = self._language.programs(numbers.derivation.alone)
        with np.errstate(all="ignore"):
            gram, slopes = slopes_of(programs, self._data, numbers.scaling)
            return Quadratic.of(gram, slopes, numbers.values, free)
