"""The numbers of a formula as one array, and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivation
from gramarye.languages.arithmetic.factors import Power
from gramarye.models.digits import nodes_of_digits

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Numbers:
    """An intercept, the weights of terms, and constants, those of a formula."""

    derivation: Derivation
    weights: Floats | None  # [1 + T] where they were fitted
    terms: int  # that the formula has

    @property
    def scaling(self) -> Floats:
        """Its weights; without, it is its only term."""
        return np.array([0.0, 1.0]) if self.weights is None else self.weights

    @property
    def values(self) -> Floats:
        """[P] all of them."""
        return np.concatenate([self.scaling[: 1 + self.terms], self.derivation.values[self._constants]])

    @property
    def free(self) -> Flags:
        """[P] those that were fitted and are not kept where they are by their bounds."""
        scaling, constants = self.scaling[: 1 + self.terms], self.derivation.values[self._constants]
        fitted = np.full(len(scaling), self.weights is not None)
        fitted[1:] &= scaling[1:] != 0
        low, high = self._bounds.T
        return np.concatenate([fitted, (low < constants) & (constants < high)])

    @property
    def digits(self) -> int:
        """What their digits count for, in nodes."""
        found = [len(Decimal(repr(value)).normalize().as_tuple().digits) for value in self.values.tolist()]
        return sum(map(nodes_of_digits, found))

    def replaced(self, values: Floats) -> Numbers | None:
        """The formula with other numbers, None where they are out of bounds."""
        scaling, constants = values[: 1 + self.terms], values[1 + self.terms :]
        low, high = self._bounds.T
        if not (np.isfinite(values).all() and (low <= constants).all() and (constants <= high).all()):
            return None
        derivation, weights = self.derivation, self.weights
        if weights is not None:
            weights = np.zeros(len(weights))
            weights[: 1 + self.terms] = scaling
        if len(constants):
            known = derivation.values.copy()
            known[self._constants] = constants
            derivation = replace(derivation, values=known)
        return Numbers(derivation, weights, self.terms)

    def merged(self, terms: Sequence[Sequence[Sequence[Power]]], free: Flags) -> tuple[Numbers | None, Flags]:
        """The formula with one number for the constant factors of each product, and 1 for the others, which are fixed.

        `terms` are the products of each term, and their factors by the places of the numbers. The weight of a term is
        a factor, too. It becomes the sign where a number in front of a fraction would be another one.
        """
        values, still = self.values, free.copy()
        for t, products in enumerate(terms, start=1):
            for product in products:
                weights = [Power(t)] if len(products) == 1 else []
                factors = [each for each in [*weights, *product] if free[each.name] and values[each.name] != 0]
                self._merge(values, still, sorted(factors, key=lambda each: not each.divided))
        return self.replaced(values), still

    def _merge(self, values: Floats, free: Flags, factors: Sequence[Power]) -> None:
        """Put all of a product's numbers into the first one that may hold them."""
        for chosen in (each.name for each in factors if each.power == 1):
            others = [each for each in factors if each.name != chosen and self._allows(each.name, 1.0)]
            total = values[chosen] * math.prod(values[each.name] ** each.power for each in others)
            sign = next((each.name for each in others if each.name <= self.terms), None)
            if self._allows(chosen, total if sign is None else abs(total)):
                names = [each.name for each in others]
                values[names], free[names], values[chosen] = 1.0, False, total
                if sign is not None:
                    values[sign], values[chosen] = math.copysign(1.0, total), abs(total)
                return

    def _allows(self, name: int, value: float) -> bool:
        """Whether a number may have this value."""
        if name <= self.terms:
            return math.isfinite(value)
        low, high = self._bounds[name - 1 - self.terms]
        return bool(low <= value <= high)

    @property
    def _constants(self) -> NDArray[np.int64]:
        """The steps of the derivation that are constants."""
        if not len(self.derivation.values):
            return np.zeros(0, np.int64)
        return np.flatnonzero(self.derivation.grammar.constants[self.derivation.productions])

    @property
    def _bounds(self) -> Floats:
        """[C, 2] of constants."""
        grammar = self.derivation.grammar
        return grammar.bounds[self.derivation.productions[self._constants]]
