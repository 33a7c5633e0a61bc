"""The numbers of a formula as one array, and back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivation
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
