"""Static SGE: structured grammatical evolution as first published, with lists of fixed size.

N. Lourenço, F. B. Pereira, E. Costa. Unveiling the Properties of Structured Grammatical Evolution. Genet. Program.
Evolvable Mach. 17(3), 2016, 251-289.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from gramarye.learners.nothing import NoLearning
from gramarye.methods.base import MethodBase
from gramarye.representations.fixed_lists import FixedLists
from gramarye.settings import as_in


@dataclass(frozen=True, kw_only=True)
class StaticSGE(MethodBase):
    """Static structured grammatical evolution: recursion is written out first, lists never grow, always valid."""

    mutation: float = as_in(
        MethodBase, "mutation", doc="probability that one of the used codons of a list is replaced by another one"
    )
    recursion: int = as_in(FixedLists, "recursion")

    title: ClassVar[str] = "structured grammatical evolution (static)"
    paper: ClassVar[str] = "Lourenço, Pereira, Costa 2016"
    genotype: ClassVar[str] = "a list of integers, of fixed size, for each non-terminal"
    learns: ClassVar[str] = "nothing"

    @cached_property
    def representation(self) -> FixedLists:
        return FixedLists(self.recursion)

    @cached_property
    def learner(self) -> NoLearning:
        return NoLearning()
