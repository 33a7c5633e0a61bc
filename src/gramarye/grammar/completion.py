"""How likely a random genotype is to finish its derivation, exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gramarye.grammar.arrays import GrammarArrays, consumes, rows

Floats = NDArray[np.float64]


class _Products:
    """Products of power series, each pair multiplied once however often it occurs."""

    def __init__(self, count: int) -> None:
        self.one = count  # the series 1; below it stand the non-terminals, above it the products
        self.pairs: dict[tuple[int, int], int] = {}
        self.levels: list[list[tuple[int, int, int]]] = []  # (factor, factor, product), ready level by level
        self._level = [0] * (count + 1)

    def of(self, factors: Sequence[int]) -> int:
        """The product of several series, built as a balanced tree: a thousand factors make ten levels."""
        pending = sorted(factor for factor in factors if factor != self.one)
        while len(pending) > 1:
            odd = pending[-1:] if len(pending) % 2 else []
            pending = [self._pair(*pair) for pair in zip(pending[::2], pending[1::2], strict=False)] + odd
        return pending[0] if pending else self.one

    def _pair(self, first: int, second: int) -> int:
        found = self.pairs.setdefault((first, second), len(self._level))
        if found == len(self._level):
            level = max(self._level[first], self._level[second])
            if level == len(self.levels):
                self.levels.append([])
            self.levels[level].append((first, second, found))
            self._level.append(level + 1)
        return found

    def __len__(self) -> int:
        return len(self._level)


def completion_probability(arrays: GrammarArrays, codons: int, consume_single: bool, probabilities: Floats) -> float:
    """The chance that a derivation of the axiom ends within so many codons.

    Coefficient n of the series of a non-terminal is the chance that it takes exactly n codons:
    f_A = z · Σ_q p_q · Π_{B in q} f_B, without the z where A costs no codon.
    """
    pays = consumes(arrays, consume_single)
    kids = list(rows(arrays))
    products = _Products(len(pays))
    series_of = list(range(len(pays)))
    # A non-terminal that costs nothing is just the product of its own, which are lower.
    for a in np.argsort(arrays.nt_height, kind="stable").tolist():
        if not pays[a]:
            series_of[a] = products.of([series_of[kid] for kid in kids[arrays.rule_start[a]]])
    of_production = [products.of([series_of[kid] for kid in row]) for row in kids]
    series = _series(arrays, codons, probabilities, products, np.array(of_production))
    return min(1.0, float(series[series_of[0]].sum()))


def _series(arrays: GrammarArrays, codons: int, weights: Floats, products: _Products, of_production: Floats) -> Floats:
    """Coefficients 0 .. codons of all series; each follows from the ones before it."""
    count = len(arrays.nt_height)
    levels = [np.array(level).T for level in products.levels]
    series = np.zeros((len(products), codons + 1))
    series[products.one, 0] = 1.0
    for n in range(codons + 1):
        if n > 0:
            terms = weights * series[of_production, n - 1]
            series[:count, n] = np.bincount(arrays.left, weights=terms, minlength=count)
        for first, second, product in levels:
            series[product, n] = np.einsum("ij,ij->i", series[first, : n + 1], series[second, n::-1])
    return series
