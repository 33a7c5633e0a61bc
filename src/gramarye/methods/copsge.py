"""Co-PSGE: co-evolutionary probabilistic structured grammatical evolution.

J. Mégane, N. Lourenço, P. Machado. Co-evolutionary Probabilistic Structured Grammatical Evolution. GECCO 2022.
doi 10.1145/3512290.3528833
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from gramarye.learners.nothing import OwnProbabilities
from gramarye.methods.base import MethodBase
from gramarye.representations.real_lists import Borders
from gramarye.representations.real_lists_with_probabilities import RealListsWithProbabilities
from gramarye.representations.structured import DepthRule
from gramarye.settings import as_in


@dataclass(frozen=True, kw_only=True)
class CoPSGE(MethodBase):
    """Co-evolutionary PSGE: every individual carries probabilities of its own, inherited from its fitter parent.

    Always valid: where probabilities come to favour recursion alone, the depth limit leaves room for 2**17 expansions;
    a derivation of 10,000 steps goes on with the shortest productions only.
    """

    mutation: float = as_in(MethodBase, "mutation", doc="probability that a codon that was used takes a random step")
    max_depth: int = as_in(RealListsWithProbabilities, "max_depth")
    depth_rule: DepthRule = as_in(RealListsWithProbabilities, "depth_rule")
    sigma: float = as_in(RealListsWithProbabilities, "sigma")
    borders: Borders = as_in(RealListsWithProbabilities, "borders")
    facilitated: bool = as_in(RealListsWithProbabilities, "facilitated")
    grammar_mutation: float = as_in(RealListsWithProbabilities, "grammar_mutation")
    grammar_sigma: float = as_in(RealListsWithProbabilities, "grammar_sigma")

    title: ClassVar[str] = "co-evolutionary probabilistic structured grammatical evolution"
    paper: ClassVar[str] = "Mégane, Lourenço, Machado 2022"
    genotype: ClassVar[str] = "a list of reals in [0, 1] for each non-terminal, and probabilities"
    learns: ClassVar[str] = "probabilities of each individual's own, by inheritance and mutation"

    @cached_property
    def representation(self) -> RealListsWithProbabilities:
        return RealListsWithProbabilities(
            self.initial_depth,
            self.max_depth,
            self.depth_rule,
            self.sigma,
            self.borders,
            self.facilitated,
            self.grammar_mutation,
            self.grammar_sigma,
        )

    @cached_property
    def learner(self) -> OwnProbabilities:
        return OwnProbabilities()
