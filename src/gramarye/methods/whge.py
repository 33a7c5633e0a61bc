"""WHGE: weighted hierarchical grammatical evolution.

A. Bartoli, M. Castelli, E. Medvet. Weighted Hierarchical Grammatical Evolution. IEEE Trans. Cybernetics 50(2), 2020.
doi 10.1109/TCYB.2018.2876563
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from gramarye.learners.nothing import NoLearning
from gramarye.methods.base import MethodBase
from gramarye.representations.bits import Bits


@dataclass(frozen=True, kw_only=True)
class WHGE(MethodBase):
    """Weighted hierarchical grammatical evolution: bits are divided among the parts of a program, always valid."""

    mutation: float = 0.01  # of each bit, as in its paper
    bits: int = 1024
    power_depth: int = 3

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
