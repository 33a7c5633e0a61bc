"""πGE: position independent grammatical evolution.

M. O'Neill, A. Brabazon, M. Nicolau, S. Mc Garraghy, P. Keenan. πGrammatical Evolution. GECCO 2004, LNCS 3103.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from gramarye.learners.nothing import NoLearning
from gramarye.methods.base import MethodBase
from gramarye.representations.pairs import Insertion, Pairs
from gramarye.settings import as_in


@dataclass(frozen=True, kw_only=True)
class PIGE(MethodBase):
    """Position independent grammatical evolution: genotypes also say which non-terminal is expanded next."""

    mutation: float = as_in(MethodBase, "mutation", doc="probability that an integer is replaced by a random one")
    pairs: int = as_in(Pairs, "pairs")
    wraps: int = as_in(Pairs, "wraps")
    insertion: Insertion = as_in(Pairs, "insertion")
    codon_max: int = as_in(Pairs, "codon_max")

    title: ClassVar[str] = "position independent grammatical evolution (πGE)"
    paper: ClassVar[str] = "O'Neill, Brabazon, Nicolau, Mc Garraghy, Keenan 2004"
    genotype: ClassVar[str] = "pairs of integers: which non-terminal, which production"
    learns: ClassVar[str] = "nothing"

    @cached_property
    def representation(self) -> Pairs:
        return Pairs(self.pairs, self.wraps, self.insertion, self.codon_max)

    @cached_property
    def learner(self) -> NoLearning:
        return NoLearning()
