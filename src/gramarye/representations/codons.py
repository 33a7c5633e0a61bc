"""Codons, integers or reals: how they are drawn, and what they choose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.grammar import Production
from gramarye.representations.base import Floats, Seed
from gramarye.representations.by_hand import is_integer, is_number
from gramarye.representations.optional import Step

Codons: TypeAlias = NDArray[np.generic]  # float64 or int32; given by hand also objects: integers of any size


@final
@dataclass(frozen=True)
class Integers:
    """Integers from 0; the remainder of the division by the number of productions chooses."""

    largest: int  # that is drawn

    modulo: ClassVar[bool] = True
    dtype: ClassVar[type[np.generic]] = np.int32

    def draw(self, n: int, width: int, seed: Seed, generation: int) -> Codons:
        """Random codons [n, width]."""
        drawn: Codons = kernels.flat.random_integers(n, width, self.largest, seed, generation)
        return drawn

    def mutate(self, codons: Codons, length: NDArray[np.int32], rate: float, seed: Seed, generation: int) -> None:
        """Redraw some codons in place."""
        kernels.flat.mutate_integers(codons, length, rate, self.largest, seed, generation)

    def redraw(self, codons: Codons, places: NDArray[np.int64], numbers: Floats) -> None:
        """Change codons at some places in place, by a number in [0, 1) for each."""
        kernels.neighbours.redraw_integers(codons, places, numbers, self.largest)

    def choose(self, rule: Sequence[Production], codon: int, probabilities: Floats) -> Step:
        """What a codon chooses, and why in words."""
        chosen = rule[codon % len(rule)]
        return Step(chosen.nonterminal, codon, f"{codon} mod {len(rule)} = {codon % len(rule)}", chosen.id)

    def problem(self, codon: Any) -> str | None:
        """What is wrong with a codon given by hand, or None."""
        if not is_integer(codon):
            return "codons of this method are integers"
        return "a codon must not be negative" if codon < 0 else None


@final
class Reals:
    """Reals in [0, 1]; comparison with the cumulative probabilities chooses (Alg. 1, Mégane et al. 2021)."""

    largest: ClassVar[int] = 1
    modulo: ClassVar[bool] = False
    dtype: ClassVar[type[np.generic]] = np.float64

    def draw(self, n: int, width: int, seed: Seed, generation: int) -> Codons:
        drawn: Codons = kernels.flat.random_reals(n, width, seed, generation)
        return drawn

    def mutate(self, codons: Codons, length: NDArray[np.int32], rate: float, seed: Seed, generation: int) -> None:
        kernels.flat.mutate_reals(codons, length, rate, seed, generation)

    def redraw(self, codons: Codons, places: NDArray[np.int64], numbers: Floats) -> None:
        kernels.neighbours.redraw_reals(codons, places, numbers)

    def choose(self, rule: Sequence[Production], codon: float, probabilities: Floats) -> Step:
        total = below = 0.0
        for production in rule:
            below = total
            total += float(probabilities[production.id])
            if codon < total:
                reached = f"{below:.4g} ≤ " if production is not rule[0] else ""
                return Step(production.nonterminal, codon, f"{reached}{codon:.4g} < {total:.4g}", production.id)
        last = max(p.id for p in rule if probabilities[p.id] > 0)
        return Step(rule[0].nonterminal, codon, f"{codon:.4g} ≥ {total:.4g}: the last possible one", last)

    def problem(self, codon: Any) -> str | None:
        if not is_number(codon):
            return "codons of this method are numbers"
        if isinstance(codon, float | np.floating) and not math.isfinite(codon):
            return "a codon must be finite"
        return None if 0 <= codon <= 1 else "codons of this method lie in [0, 1]"
