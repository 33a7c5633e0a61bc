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
from gramarye.settings import as_in


@dataclass(frozen=True, kw_only=True)
class PGE(MethodBase):
    """Probabilistic grammatical evolution: codons against probabilities that learn from the best individuals."""

    codons: int = as_in(FlatReal, "codons")
    wraps: int = as_in(FlatReal, "wraps")
    consume_single: bool = as_in(FlatReal, "consume_single")
    length: Literal["fixed", "variable"] = as_in(FlatReal, "length")
    cuts: Literal["anywhere", "used"] = as_in(FlatReal, "cuts")
    learning_factor: float = as_in(AlternatingBest, "learning_factor")
    unexpanded: Literal["keep", "decay"] = as_in(AlternatingBest, "unexpanded")
    normalise: Literal["equal", "divide"] = as_in(AlternatingBest, "normalise")
    first: Literal["overall", "generation"] = as_in(AlternatingBest, "first")
    generation_best: Literal["offspring", "all"] = as_in(AlternatingBest, "generation_best")
    remap_elites: bool = as_in(AlternatingBest, "remap_elites")
    floor: float = as_in(AlternatingBest, "floor")
    context: Context = as_in(AlternatingBest, "context")

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
