"""PGE: probabilistic grammatical evolution.

J. Mégane, N. Lourenço, P. Machado. Probabilistic Grammatical Evolution. EuroGP 2021, LNCS 12691, 198-213.
doi 10.1007/978-3-030-72812-0_13
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

from gramarye.learners.alternating import AlternatingBest
from gramarye.learners.base import Context
from gramarye.methods.base import MethodBase
from gramarye.representations.flat import FlatReal


@dataclass(frozen=True, kw_only=True)
class PGE(MethodBase):
    """Probabilistic grammatical evolution: codons against probabilities that learn from the best individuals."""

    codons: int = 128
    wraps: int = 0
    consume_single: bool = True
    length: Literal["fixed", "variable"] = "fixed"
    cuts: Literal["anywhere", "used"] = "anywhere"
    learning_factor: float = 0.01
    unexpanded: Literal["keep", "decay"] = "keep"
    normalise: Literal["equal", "divide"] = "equal"
    first: Literal["overall", "generation"] = "overall"
    generation_best: Literal["offspring", "all"] = "offspring"
    remap_elites: bool = True
    floor: float = 0.0
    context: Context = "none"

    title: ClassVar[str] = "probabilistic grammatical evolution"
    paper: ClassVar[str] = "Mégane, Lourenço, Machado 2021"
    genotype: ClassVar[str] = "reals in [0, 1]"
    learns: ClassVar[str] = "the grammar's probabilities, from the best of the run and of the generation in turn"

    @cached_property
    def representation(self) -> FlatReal:
        return FlatReal(self.codons, self.wraps, self.consume_single, self.length, self.cuts)

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
