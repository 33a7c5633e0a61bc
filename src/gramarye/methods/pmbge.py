"""PMBGE: probabilistic model building grammatical evolution, with conditional dependencies.

H.-T. Kim, H.-K. Kang, C. W. Ahn. A Conditional Dependency Based Probabilistic Model Building Grammatical Evolution.
IEICE Trans. Inf. & Syst. E99-D(7), 2016. doi 10.1587/transinf.2016EDL8004
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

from gramarye.learners.frequencies import Frequencies
from gramarye.methods.base import NO_PARENTS, MethodBase
from gramarye.representations.flat import FlatReal
from gramarye.settings import as_in


@dataclass(frozen=True, kw_only=True)
class PMBGE(MethodBase):
    """Model building: as PCFGEDA, but a non-terminal's probabilities depend on the production that it stands in.

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
    context: Literal["parent", "slot"] = as_in(Frequencies, "context", default="parent")
    backoff: float = as_in(Frequencies, "backoff")

    title: ClassVar[str] = "probabilistic model building grammatical evolution"
    paper: ClassVar[str] = "Kim, Kang, Ahn 2016"
    genotype: ClassVar[str] = "reals in [0, 1], sampled in each generation (no crossover, no mutation)"
    learns: ClassVar[str] = "probabilities for each context of a non-terminal, from the better individuals"

    @cached_property
    def representation(self) -> FlatReal:
        return FlatReal(self.codons, self.wraps, self.consume_single)

    @cached_property
    def learner(self) -> Frequencies:
        return Frequencies(self.selected, self.learning_rate, self.floor, self.context, backoff=self.backoff)

    @property
    def samples(self) -> bool:
        return True
