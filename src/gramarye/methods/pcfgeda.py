"""PCFGEDA: an estimation-of-distribution search over a probabilistic grammar.

H.-T. Kim, C. W. Ahn. A New Grammatical Evolution Based on Probabilistic Context-free Grammar. 18th Asia Pacific
Symposium on Intelligent and Evolutionary Systems, vol. 2, Springer 2015, 1-12.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from gramarye.learners.frequencies import Frequencies
from gramarye.methods.base import MethodBase
from gramarye.representations.flat import FlatReal


@dataclass(frozen=True, kw_only=True)
class PCFGEDA(MethodBase):
    """Kim and Ahn's search: programs drawn from a grammar, whose probabilities are those of the better ones.

    There are no parents: `tournament`, `crossover` and `mutation` change nothing.
    """

    codons: int = 128
    wraps: int = 0
    consume_single: bool = True
    selected: float = 0.5
    learning_rate: float = 1.0
    floor: float = 0.0

    title: ClassVar[str] = "PCFG estimation of distribution"
    paper: ClassVar[str] = "Kim, Ahn 2015"
    genotype: ClassVar[str] = "reals in [0, 1], drawn anew (no crossover, no mutation)"
    learns: ClassVar[str] = "the grammar's probabilities, from the better individuals"

    @cached_property
    def representation(self) -> FlatReal:
        return FlatReal(self.codons, self.wraps, self.consume_single)

    @cached_property
    def learner(self) -> Frequencies:
        return Frequencies(self.selected, self.learning_rate, self.floor)

    @property
    def samples(self) -> bool:
        return True
