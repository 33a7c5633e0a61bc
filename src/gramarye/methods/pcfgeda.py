"""PCFGEDA: an estimation-of-distribution search over a probabilistic grammar.

H.-T. Kim, C. W. Ahn. A New Grammatical Evolution Based on Probabilistic Context-free Grammar. 18th Asia Pacific
Symposium on Intelligent and Evolutionary Systems, vol. 2, Springer 2015, 1-12.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from gramarye.learners.frequencies import Frequencies
from gramarye.methods.base import NO_PARENTS, MethodBase
from gramarye.representations.flat import FlatReal
from gramarye.settings import as_in


@dataclass(frozen=True, kw_only=True)
class PCFGEDA(MethodBase):
    """Kim and Ahn's search: programs drawn from a grammar, whose probabilities are those of the better ones.

    There are no parents: `tournament`, `crossover` and `mutation` have no effect.
    """

    tournament: int = as_in(MethodBase, "tournament", doc=NO_PARENTS)
    crossover: float = as_in(MethodBase, "crossover", doc=NO_PARENTS)
    mutation: float = as_in(MethodBase, "mutation", doc=NO_PARENTS)
    codons: int = as_in(FlatReal, "codons")
    wraps: int = as_in(FlatReal, "wraps")
    consume_single: bool = as_in(FlatReal, "consume_single")
    selected: float = as_in(Frequencies, "selected")
    learning_rate: float = as_in(Frequencies, "learning_rate")
    floor: float = as_in(Frequencies, "floor")

    title: ClassVar[str] = "PCFG estimation of distribution"
    paper: ClassVar[str] = "Kim, Ahn 2015"
    genotype: ClassVar[str] = "reals in [0, 1], sampled in each generation (no crossover, no mutation)"
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
