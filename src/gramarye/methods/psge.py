"""PSGE: probabilistic structured grammatical evolution.

J. Mégane, N. Lourenço, P. Machado. Probabilistic Structured Grammatical Evolution. IEEE CEC 2022.
doi 10.1109/CEC55065.2022.9870397
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

from gramarye.learners.alternating import AlternatingBest
from gramarye.learners.base import Context
from gramarye.methods.base import MethodBase
from gramarye.representations.real_lists import Borders, RealLists
from gramarye.representations.structured import DepthRule
from gramarye.settings import as_in


@dataclass(frozen=True, kw_only=True)
class PSGE(MethodBase):
    """Probabilistic structured grammatical evolution: PGE's codons and probabilities, a list for each non-terminal.

    Always valid: a derivation of 10,000 steps goes on with the shortest productions only.
    """

    mutation: float = as_in(MethodBase, "mutation", doc="probability that a codon that was used takes a random step")
    max_depth: int = as_in(RealLists, "max_depth")
    depth_rule: DepthRule = as_in(RealLists, "depth_rule")
    sigma: float = as_in(RealLists, "sigma")
    borders: Borders = as_in(RealLists, "borders")
    facilitated: bool = as_in(RealLists, "facilitated")
    learning_factor: float = as_in(AlternatingBest, "learning_factor")
    unexpanded: Literal["keep", "decay"] = as_in(AlternatingBest, "unexpanded")
    normalise: Literal["equal", "divide"] = as_in(AlternatingBest, "normalise", default="divide")
    first: Literal["overall", "generation"] = as_in(AlternatingBest, "first")
    generation_best: Literal["offspring", "all"] = as_in(AlternatingBest, "generation_best")
    remap_elites: bool = as_in(AlternatingBest, "remap_elites")
    floor: float = as_in(AlternatingBest, "floor")
    context: Context = as_in(AlternatingBest, "context")

    title: ClassVar[str] = "probabilistic structured grammatical evolution"
    paper: ClassVar[str] = "Mégane, Lourenço, Machado 2022"
    genotype: ClassVar[str] = "a list of reals in [0, 1] for each non-terminal"
    learns: ClassVar[str] = "the grammar's probabilities, from the best of the run and of the generation in turn"

    @cached_property
    def representation(self) -> RealLists:
        return RealLists(
            self.initial_depth, self.max_depth, self.depth_rule, self.sigma, self.borders, self.facilitated
        )

    @cached_property
    def learner(self) -> AlternatingBest:
        return AlternatingBest(
            self.learning_factor,
            self.unexpanded,
            self.normalise,
            self.first,
            self.generation_best,
            self.floor,
            self.remap_elites,
            self.context,
        )
