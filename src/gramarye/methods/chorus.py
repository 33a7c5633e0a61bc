"""Chorus: genes that name productions wherever they stand.

C. Ryan, A. Azad, A. Sheahan, M. O'Neill. No Coercion and No Prohibition, a Position Independent Encoding Scheme for
Evolutionary Algorithms – The Chorus System. EuroGP 2002, LNCS 2278. doi 10.1007/3-540-45984-7_13
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from gramarye.learners.nothing import NoLearning
from gramarye.methods.base import MethodBase
from gramarye.representations.chorus import Genes
from gramarye.settings import as_in


@dataclass(frozen=True, kw_only=True)
class Chorus(MethodBase):
    """The Chorus system: a gene names a production, and what is not needed yet waits as a concentration."""

    codons: int = as_in(Genes, "codons")
    wraps: int = as_in(Genes, "wraps")
    number_all: bool = as_in(Genes, "number_all")
    codon_max: int = as_in(Genes, "codon_max")

    title: ClassVar[str] = "the Chorus system"
    paper: ClassVar[str] = "Ryan, Azad, Sheahan, O'Neill 2002"
    genotype: ClassVar[str] = "integers that name productions"
    learns: ClassVar[str] = "nothing"

    @cached_property
    def representation(self) -> Genes:
        return Genes(self.codons, self.wraps, self.number_all, self.codon_max)

    @cached_property
    def learner(self) -> NoLearning:
        return NoLearning()
