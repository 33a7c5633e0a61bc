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
from gramarye.representations.real_lists import RealLists
from gramarye.representations.real_lists_base import Borders
from gramarye.representations.structured import DepthRule


@dataclass(frozen=True, kw_only=True)
class PSGE(MethodBase):
    """Probabilistic structured grammatical evolution: PGE's codons and probabilities, a list for each non-terminal.

    Always valid: a derivation of 10,000 steps goes on with the shortest productions only.
    """

    max_depth: int = 17
    depth_rule: DepthRule = "height"
    sigma: float = 0.5
    borders: Borders = "clip"
    facilitated: bool = False
    learning_factor: float = 0.01
    unexpanded: Literal["keep", "decay"] = "keep"
    normalise: Literal["equal", "divide"] = "divide"
    first: Literal["overall", "generation"] = "overall"
    generation_best: Literal["offspring", "all"] = "offspring"
    remap_elites: bool = True
    floor: float = 0.0
    context: Context = "none"

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
