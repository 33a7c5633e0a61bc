"""CFG-GP: grammatically-based genetic programming.

P. A. Whigham. Grammatically-based Genetic Programming. Workshop on Genetic Programming: From Theory to Real-World
Applications, 1995, 33-41.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from gramarye.learners.nothing import NoLearning
from gramarye.methods.base import Initialisation, MethodBase
from gramarye.representations.trees import Trees


@dataclass(frozen=True, kw_only=True)
class CFGGP(MethodBase):
    """Grammatically-based genetic programming: trees that exchange subtrees of the same non-terminal, always valid."""

    mutation: float = 0.1  # of an individual: one of its subtrees is grown anew
    initialisation: Initialisation = "ramped"
    max_depth: int = 17

    title: ClassVar[str] = "grammatically-based genetic programming"
    paper: ClassVar[str] = "Whigham 1995"
    genotype: ClassVar[str] = "the derivation tree itself"
    learns: ClassVar[str] = "nothing"

    @cached_property
    def representation(self) -> Trees:
        return Trees(self.initial_depth, self.max_depth)

    @cached_property
    def learner(self) -> NoLearning:
        return NoLearning()
