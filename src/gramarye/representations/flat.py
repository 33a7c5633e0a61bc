"""Flat genotypes: a row of codons read from left to right (GE: integers; PGE: reals)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.grammar import Grammar
from gramarye.representations.base import Reads, Seed, check_codon_max
from gramarye.representations.flat_base import FlatBase
from gramarye.settings import as_in, setting


@dataclass(frozen=True)
class FlatInteger(FlatBase):
    """Integers; a codon chooses by the remainder of its division by the number of productions."""

    consume_single: bool = as_in(FlatBase, "consume_single", default=False)
    codon_max: int = setting(255, low=0, high=2**31 - 2, doc="largest codon that is drawn")

    modulo: ClassVar[bool] = True
    reads: ClassVar[Reads] = "no"
    shows_genotype_as: ClassVar[str] = "a list of integers from 0 on"

    def check(self, grammar: Grammar, population: int = 1) -> None:
        check_codon_max(grammar, self.codon_max)

    def _draw(self, n: int, width: int, seed: Seed, generation: int) -> NDArray[Any]:
        drawn: NDArray[Any] = kernels.leftmost.random_integers(n, width, self.codon_max, seed, generation)
        return drawn

    def _mutate(
        self, codons: NDArray[Any], length: NDArray[np.int32], rate: float, seed: Seed, generation: int
    ) -> None:
        kernels.leftmost.mutate_integers(codons, length, rate, self.codon_max, seed, generation)

    def _redraw(self, codons: NDArray[Any], places: NDArray[np.int64], numbers: NDArray[np.float64]) -> None:
        kernels.changes.redraw_integers(codons, places, numbers, self.codon_max)

    def _choose(
        self, grammar: Grammar, nonterminal: str, codon: Any, probabilities: NDArray[np.float64]
    ) -> tuple[int, str]:
        rule = grammar.rules[nonterminal]
        remainder = codon % len(rule)
        return rule[remainder].id, f"{codon} mod {len(rule)} = {remainder}"

    @property
    def _codon_max(self) -> int:
        return self.codon_max

    def _check(self, codon: Any) -> str | None:
        if isinstance(codon, bool | np.bool_) or not isinstance(codon, int | np.integer):
            return "codons of this method are integers"
        return "a codon must not be negative" if codon < 0 else None


@dataclass(frozen=True)
class FlatReal(FlatBase):
    """Reals in [0, 1]; a codon chooses by comparison with the cumulative probabilities (Alg. 1, Mégane et al. 2021)."""

    modulo: ClassVar[bool] = False
    shows_genotype_as: ClassVar[str] = "a list of numbers in [0, 1]"

    def _draw(self, n: int, width: int, seed: Seed, generation: int) -> NDArray[Any]:
        drawn: NDArray[Any] = kernels.leftmost.random_reals(n, width, seed, generation)
        return drawn

    def _mutate(
        self, codons: NDArray[Any], length: NDArray[np.int32], rate: float, seed: Seed, generation: int
    ) -> None:
        kernels.leftmost.mutate_reals(codons, length, rate, seed, generation)

    def _redraw(self, codons: NDArray[Any], places: NDArray[np.int64], numbers: NDArray[np.float64]) -> None:
        kernels.changes.redraw_reals(codons, places, numbers)

    def _choose(
        self, grammar: Grammar, nonterminal: str, codon: Any, probabilities: NDArray[np.float64]
    ) -> tuple[int, str]:
        rule = grammar.rules[nonterminal]
        total = below = 0.0
        for production in rule:
            below = total
            total += float(probabilities[production.id])
            if codon < total:
                reached = f"{below:.4g} ≤ " if production is not rule[0] else ""
                return production.id, f"{reached}{codon:.4g} < {total:.4g}"
        last = max(p.id for p in rule if probabilities[p.id] > 0)
        return last, f"{codon:.4g} ≥ {total:.4g}: the last possible one"

    @property
    def _codon_max(self) -> int:
        return 1

    def _check(self, codon: Any) -> str | None:
        if isinstance(codon, bool | np.bool_) or not isinstance(codon, int | float | np.integer | np.floating):
            return "codons of this method are numbers"
        if isinstance(codon, float | np.floating) and not math.isfinite(codon):
            return "a codon must be finite"
        return None if 0 <= codon <= 1 else "codons of this method lie in [0, 1]"
