"""GE: grammatical evolution.

C. Ryan, J. J. Collins, M. O'Neill. Grammatical Evolution: Evolving Programs for an Arbitrary Language. EuroGP 1998.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

from gramarye.learners.nothing import NoLearning
from gramarye.methods.base import MethodBase
from gramarye.representations.flat import FlatInteger


@dataclass(frozen=True, kw_only=True)
class GE(MethodBase):
    """Grammatical evolution: a codon chooses by its remainder; the grammar never changes."""

    codons: int = 128
    wraps: int = 0
    consume_single: bool = False
    codon_max: int = 255
    length: Literal["fixed", "variable"] = "fixed"
    cuts: Literal["anywhere", "used"] = "anywhere"

    title: ClassVar[str] = "grammatical evolution"
    paper: ClassVar[str] = "Ryan, Collins, O'Neill 1998"
    genotype: ClassVar[str] = "integers"
    learns: ClassVar[str] = "nothing"

    @cached_property
    def representation(self) -> FlatInteger:
        return FlatInteger(
            self.codons, self.wraps, self.consume_single, self.length, self.cuts, codon_max=self.codon_max
        )

    @cached_property
    def learner(self) -> NoLearning:
        return NoLearning()
