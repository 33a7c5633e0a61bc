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
from gramarye.settings import as_in


@dataclass(frozen=True, kw_only=True)
class CFGGP(MethodBase):
    """Grammatically-based genetic programming: trees that exchange subtrees of the same non-terminal, always valid."""

    mutation: float = as_in(
        MethodBase,
        "mutation",
        default=0.1,
        doc="probability that one subtree of an individual is replaced by a random one",
    )
    initialisation: Initialisation = as_in(MethodBase, "initialisation", default="ramped")
    max_depth: int = as_in(Trees, "max_depth")

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
