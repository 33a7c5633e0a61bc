"""Structured genotypes of reals, each read through probabilities of its own, which evolve too (Co-PSGE)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivations
from gramarye.errors import GenotypeError, GrammarError
from gramarye.grammar import Grammar
from gramarye.kernels import codes
from gramarye.representations.base import Floats, Reads, Seed
from gramarye.representations.optional import How
from gramarye.representations.real_lists import RealListGenotypes, RealListsBase, normals
from gramarye.representations.structured import changeable, picked
from gramarye.settings import setting

OWN = "probabilities"  # what a genotype given by the user calls its own
ROW = -2  # the place of a change that was made in a row of probabilities


@final
@dataclass(frozen=True)
class RealListsWithProbabilities(RealListsBase):
    """Lists of codons, each individual's read through its own probabilities, which are inherited and mutated too."""

    grammar_mutation: float = setting(
        0.05, low=0, high=1, doc="probability that a production's own probability changes, at most one per non-terminal"
    )
    grammar_sigma: float = setting(
        0.5, low=0, high=2**20, doc="standard deviation of the change of a production's probability"
    )

    shows_genotype_as: ClassVar[str] = (
        "a mapping from each non-terminal to a list of numbers in [0, 1], "
        f'and perhaps from "{OWN}" to a mapping from non-terminals to the probabilities of their productions'
    )
    reads: ClassVar[Reads] = "own"

    def map(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        probabilities: Floats,
        seed: Seed,
        generation: int,
        first: int,
        purpose: int = codes.FILL,
    ) -> tuple[RealListGenotypes, Derivations]:
        own = adopted(genotypes, probabilities)
        return super().map(grammar, own, probabilities, seed, generation, first, purpose)

    def inherited(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        seed: Seed,
        generation: int,
        fitness: Floats | None,
    ) -> Floats:
        """The whole grammar of the fitter parent, the father's where both are equal; then mutated."""
        fitness = np.zeros(len(genotypes)) if fitness is None else fitness
        father_is_better = (fathers >= 0) & (fitness[fathers] <= fitness[mothers])
        givers = np.where(father_is_better, fathers, mothers)
        own = adopted(genotypes, grammar.start_probabilities()).probabilities[givers]
        kernels.real_lists.mutate_probabilities(
            own, grammar.arrays, self.grammar_mutation, self.grammar_sigma, seed, generation
        )
        return own

    def own_probabilities(self, genotypes: RealListGenotypes, i: int) -> Floats:
        own: Floats = genotypes.probabilities[i]
        return own

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Floats, seed: Seed, generation: int = 0
    ) -> tuple[RealListGenotypes, NDArray[np.bool_]]:
        genotypes, fits = super().encode(grammar, derivations, probabilities, seed, generation)
        return adopted(genotypes, probabilities), fits

    def change(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        count: int,
        seed: Seed,
        generation: int = 0,
        how: How = "any",
    ) -> tuple[RealListGenotypes, NDArray[np.int64]]:
        """Of codons and of rows of probabilities."""
        k, choice = len(grammar.nonterminals), np.diff(grammar.arrays.rule_start) > 1
        rows = np.where(choice & ((genotypes.used > 0) | (how != "used")), 1, 0)
        sizes = np.concatenate([changeable(grammar, genotypes, how), rows], axis=1)
        lists, places, numbers = picked(sizes, count, seed, generation)
        changed = self.moved(genotypes, lists, places, numbers, how)
        who, which = np.nonzero(lists >= k)
        changed = self._shifted(grammar, changed, who, lists[who, which] - k, numbers[who, which])
        return changed, np.where(lists >= k, ROW, places)

    def _shifted(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        individuals: NDArray[np.int64],  # [M], and so are the others
        rows: NDArray[np.int64],
        numbers: Floats,
    ) -> RealListGenotypes:
        """One probability of each row moves by a normal number, the others of its row the other way."""
        changed, start = genotypes.probabilities.copy(), grammar.arrays.rule_start
        hits = (numbers * (start[rows + 1] - start[rows])).astype(np.int64)
        for i, a, hit, step in zip(individuals, rows, hits, self.grammar_sigma * normals(numbers), strict=True):
            kernels.real_lists.shift(changed[i, start[a] : start[a + 1]], hit, step)
        return replace(genotypes, probabilities=changed)

    def distance(self, grammar: Grammar, first: RealListGenotypes, second: RealListGenotypes) -> NDArray[np.int64]:
        """How many codons and how many rows of probabilities differ."""
        found = super().distance(grammar, first, second)
        if first.probabilities.shape[1]:
            different = first.probabilities != second.probabilities
            found += np.logical_or.reduceat(different, grammar.arrays.rule_start[:-1], axis=1).sum(axis=1)
        return found

    def read(self, grammar: Grammar, genotype: Any) -> RealListGenotypes:
        """Without probabilities of its own, an individual takes over those with which it is first mapped."""
        if not isinstance(genotype, Mapping) or OWN not in genotype:
            return super().read(grammar, genotype)
        given = {name: row for name, row in genotype.items() if name != OWN}
        lists = super().read(grammar, given)
        try:
            return adopted(lists, grammar.check_probabilities(genotype[OWN]))
        except GrammarError as error:
            raise GenotypeError(str(error)) from None

    def show(self, grammar: Grammar, genotypes: RealListGenotypes, i: int) -> dict[str, Any]:
        lists = super().show(grammar, genotypes, i)
        if not genotypes.probabilities.shape[1]:
            return lists
        row = genotypes.probabilities[i]
        return {**lists, OWN: {name: row[span].tolist() for name, span in grammar.spans.items()}}

    def completed(
        self, grammar: Grammar, genotypes: RealListGenotypes, probabilities: Floats, seed: Seed
    ) -> dict[str, Any]:
        mapped, _ = super().map(grammar, genotypes, probabilities, seed, 0, 0)
        return self.show(grammar, mapped, 0)


def adopted(genotypes: RealListGenotypes, probabilities: Floats) -> RealListGenotypes:
    """The genotypes with these probabilities as their own, if they have none yet."""
    if genotypes.probabilities.shape[1]:
        return genotypes
    return replace(genotypes, probabilities=np.tile(probabilities, (len(genotypes), 1)))
