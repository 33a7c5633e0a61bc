"""SGE: structured grammatical evolution, the dynamic variant that the PGE paper compares with.

N. Lourenço, F. Assunção, F. B. Pereira, E. Costa, P. Machado. Structured Grammatical Evolution: A Dynamic Approach.
Handbook of Grammatical Evolution, Springer 2018, 137-161.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from gramarye.learners.nothing import NoLearning
from gramarye.methods.base import MethodBase
from gramarye.representations.lists import IntegerLists
from gramarye.representations.structured import DepthRule
from gramarye.settings import as_in


@dataclass(frozen=True, kw_only=True)
class SGE(MethodBase):
    """Structured grammatical evolution: one list of choices for each non-terminal, always valid.

    A derivation of 10,000 steps goes on with the shortest productions only.
    """

    mutation: float = as_in(
        MethodBase, "mutation", doc="probability that a codon that was used is replaced by another one"
    )
    max_depth: int = as_in(IntegerLists, "max_depth")
    depth_rule: DepthRule = as_in(IntegerLists, "depth_rule")

    title: ClassVar[str] = "structured grammatical evolution (dynamic)"
    paper: ClassVar[str] = "Lourenço, Assunção, Pereira, Costa, Machado 2018"
    genotype: ClassVar[str] = "a list of integers for each non-terminal"
    learns: ClassVar[str] = "nothing"

    @cached_property
    def representation(self) -> IntegerLists:
        return IntegerLists(self.initial_depth, self.max_depth, self.depth_rule)

    @cached_property
    def learner(self) -> NoLearning:
        return NoLearning()
