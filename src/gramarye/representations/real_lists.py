"""Structured genotypes of reals: a list of codons for each non-terminal, read through probabilities (PSGE, Co-PSGE)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.errors import GenotypeError, GrammarError
from gramarye.grammar import Grammar
from gramarye.representations.base import Probabilities, Reads, Seed
from gramarye.representations.real_list_genotypes import RealListGenotypes, read_lists, show_lists
from gramarye.representations.real_lists_base import RealListsBase
from gramarye.settings import setting

OWN = "probabilities"  # what a genotype given by hand calls its own


@dataclass(frozen=True)
class RealLists(RealListsBase):
    """Lists of codons, all read through the same probabilities."""

    shows_genotype_as: ClassVar[str] = "a mapping from each non-terminal to a list of numbers in [0, 1]"

    def _adopted(self, genotypes: RealListGenotypes, probabilities: Probabilities) -> RealListGenotypes:
        return genotypes

    def _inherited(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        seed: Seed,
        generation: int,
        fitness: NDArray[np.float64] | None,
    ) -> NDArray[np.float64]:
        return genotypes.probabilities[mothers]

    def _changeable_rows(self, grammar: Grammar, genotypes: RealListGenotypes, used_only: bool) -> NDArray[np.int64]:
        return np.zeros((len(genotypes), 0), np.int64)

    def _shifted(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        individuals: NDArray[np.int64],
        rows: NDArray[np.int64],
        numbers: NDArray[np.float64],
        steps: NDArray[np.float64],
    ) -> RealListGenotypes:
        return genotypes

    def read(self, grammar: Grammar, genotype: Any) -> RealListGenotypes:
        return read_lists(grammar, genotype, self.shows_genotype_as)

    def show(self, grammar: Grammar, genotypes: RealListGenotypes, i: int) -> dict[str, list[float]]:
        return show_lists(grammar, genotypes, i)

    def completed(
        self, grammar: Grammar, genotypes: RealListGenotypes, probabilities: Probabilities, seed: Seed
    ) -> dict[str, list[float]]:
        mapped, _ = self.map(grammar, genotypes, probabilities, seed, 0, 0)
        return self.show(grammar, mapped, 0)


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

    def _adopted(self, genotypes: RealListGenotypes, probabilities: Probabilities) -> RealListGenotypes:
        if genotypes.probabilities.shape[1]:
            return genotypes
        return replace(genotypes, probabilities=np.tile(probabilities, (len(genotypes), 1)))

    def _inherited(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        seed: Seed,
        generation: int,
        fitness: NDArray[np.float64] | None,
    ) -> NDArray[np.float64]:
        """The whole grammar of the fitter parent, the father's where both are equal; then mutated."""
        fitness = np.zeros(len(genotypes)) if fitness is None else fitness
        father_is_better = (fathers >= 0) & (fitness[fathers] <= fitness[mothers])
        givers = np.where(father_is_better, fathers, mothers)
        inherited = self._adopted(genotypes, grammar.start_probabilities()).probabilities[givers]
        kernels.real_variation.mutate_probabilities(
            inherited, grammar.arrays, self.grammar_mutation, self.grammar_sigma, seed, generation
        )
        return inherited

    def _changeable_rows(self, grammar: Grammar, genotypes: RealListGenotypes, used_only: bool) -> NDArray[np.int64]:
        choice = np.diff(grammar.arrays.rule_start) > 1
        return np.where(choice & ((genotypes.used > 0) | (not used_only)), 1, 0)

    def _shifted(
        self,
        grammar: Grammar,
        genotypes: RealListGenotypes,
        individuals: NDArray[np.int64],
        rows: NDArray[np.int64],
        numbers: NDArray[np.float64],
        steps: NDArray[np.float64],
    ) -> RealListGenotypes:
        """One probability of each row moves by a normal number, the others of its row the other way."""
        changed, start = genotypes.probabilities.copy(), grammar.arrays.rule_start
        hits = (numbers * (start[rows + 1] - start[rows])).astype(np.int64)
        for i, a, hit, step in zip(individuals, rows, hits, self.grammar_sigma * steps, strict=True):
            kernels.real_variation.shift(changed[i, start[a] : start[a + 1]], hit, step)
        return replace(genotypes, probabilities=changed)

    def own_probabilities(self, genotypes: RealListGenotypes, i: int) -> NDArray[np.float64]:
        own: NDArray[np.float64] = genotypes.probabilities[i]
        return own

    def read(self, grammar: Grammar, genotype: Any) -> RealListGenotypes:
        """Without probabilities of its own, an individual takes over those with which it is first mapped."""
        if not isinstance(genotype, Mapping) or OWN not in genotype:
            return read_lists(grammar, genotype, self.shows_genotype_as)
        given = {name: row for name, row in genotype.items() if name != OWN}
        lists = read_lists(grammar, given, self.shows_genotype_as)
        try:
            return self._adopted(lists, grammar.check_probabilities(genotype[OWN]))
        except GrammarError as error:
            raise GenotypeError(str(error)) from None

    def show(self, grammar: Grammar, genotypes: RealListGenotypes, i: int) -> dict[str, Any]:
        lists = show_lists(grammar, genotypes, i)
        if not genotypes.probabilities.shape[1]:
            return lists
        row = genotypes.probabilities[i]
        return {**lists, OWN: {name: row[span].tolist() for name, span in grammar.spans.items()}}

    def completed(
        self, grammar: Grammar, genotypes: RealListGenotypes, probabilities: Probabilities, seed: Seed
    ) -> dict[str, Any]:
        mapped, _ = self.map(grammar, genotypes, probabilities, seed, 0, 0)
        return self.show(grammar, replace(mapped, probabilities=genotypes.probabilities), 0)
