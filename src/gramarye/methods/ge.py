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
from gramarye.settings import as_in


@dataclass(frozen=True, kw_only=True)
class GE(MethodBase):
    """Grammatical evolution: a codon chooses by its remainder; the grammar never changes."""

    codons: int = as_in(FlatInteger, "codons")
    wraps: int = as_in(FlatInteger, "wraps")
    consume_single: bool = as_in(FlatInteger, "consume_single")
    codon_max: int = as_in(FlatInteger, "codon_max")
    length: Literal["fixed", "variable"] = as_in(FlatInteger, "length")
    cuts: Literal["anywhere", "used"] = as_in(FlatInteger, "cuts")

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
