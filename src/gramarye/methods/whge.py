"""WHGE: weighted hierarchical grammatical evolution.

A. Bartoli, M. Castelli, E. Medvet. Weighted Hierarchical Grammatical Evolution. IEEE Trans. Cybernetics 50(2), 2020.
doi 10.1109/TCYB.2018.2876563
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from gramarye.learners.nothing import NoLearning
from gramarye.methods.base import Initialisation, MethodBase
from gramarye.representations.bits import Bits
from gramarye.settings import as_in

NO_TREES = "has no effect: bits are not made from trees"


@dataclass(frozen=True, kw_only=True)
class WHGE(MethodBase):
    """Weighted hierarchical grammatical evolution: bits are divided among the parts of a program, always valid."""

    mutation: float = as_in(MethodBase, "mutation", default=0.01, doc="probability that a bit is flipped")
    initialisation: Initialisation = as_in(
        MethodBase, "initialisation", doc="only random: trees cannot be encoded as bits"
    )
    initial_depth: int = as_in(MethodBase, "initial_depth", doc=NO_TREES)
    initial_size: int = as_in(MethodBase, "initial_size", doc=NO_TREES)
    bits: int = as_in(Bits, "bits")
    power_depth: int = as_in(Bits, "power_depth")

    title: ClassVar[str] = "weighted hierarchical grammatical evolution"
    paper: ClassVar[str] = "Bartoli, Castelli, Medvet 2018"
    genotype: ClassVar[str] = "bits"
    learns: ClassVar[str] = "nothing"

    @cached_property
    def representation(self) -> Bits:
        return Bits(self.bits, self.power_depth)

    @cached_property
    def learner(self) -> NoLearning:
        return NoLearning()
