"""Genotypes of pairs: which of the waiting non-terminals is expanded next, and by which production (πGE)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, final

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivations
from gramarye.errors import GenotypeError
from gramarye.grammar import Grammar
from gramarye.kernels import codes
from gramarye.representations.base import Floats, Reads, RowGenotypes, Seed, check_codon_max, redrawn
from gramarye.representations.by_hand import as_given, integer_array, is_integer, is_list, no_genotype
from gramarye.representations.optional import FullRepresentation, How, Step
from gramarye.settings import setting

Insertion = Literal["inplace", "start", "end"]
INSERTIONS = {"inplace": codes.IN_PLACE, "start": codes.AT_START, "end": codes.AT_END}


@dataclass(frozen=True)
class PairGenotypes(RowGenotypes):
    """Rows of pairs, and how many of them were read when the row was last mapped."""

    pairs: NDArray[np.generic]  # [N, L, 2] int32; given by the user also objects: integers of any size
    used: NDArray[np.int64]  # [N]


@final
@dataclass(frozen=True)
class Pairs(FullRepresentation[PairGenotypes]):
    """Pairs of integers: the first one chooses a waiting non-terminal, the second one its production."""

    pairs: int = setting(128, low=1, high=2**23, doc="length of a genotype, in pairs of integers")
    wraps: int = setting(0, low=0, high=2**20, doc="number of times a genotype is read again from its beginning")
    insertion: Insertion = setting(
        "inplace", doc="where the non-terminals of a production wait: in its place, before all others or after them"
    )
    codon_max: int = setting(255, low=0, high=2**31 - 2, doc="largest codon that is drawn")

    reads: ClassVar[Reads] = "no"
    limited_by: ClassVar[str | None] = "pairs"
    shows_genotype_as: ClassVar[str] = "a list of pairs of integers ≥ 0"

    def check(self, grammar: Grammar, population: int = 1) -> None:
        check_codon_max(grammar, self.codon_max)

    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Floats | None = None
    ) -> PairGenotypes:
        drawn = np.empty((n, 2 * self.pairs), np.int32)
        kernels.flat.draw_codons(drawn, 2 * self.pairs, self.codon_max, seed, generation)
        return PairGenotypes(drawn.reshape(n, self.pairs, 2), np.zeros(n, np.int64))

    def map(
        self, grammar: Grammar, genotypes: PairGenotypes, probabilities: Floats, seed: Seed, generation: int, first: int
    ) -> tuple[PairGenotypes, Derivations]:
        productions, offsets, status, used = kernels.pairs.map_pairs(
            np.ascontiguousarray(genotypes.pairs),
            grammar.arrays,
            grammar.least_codons(True),
            self.wraps,
            INSERTIONS[self.insertion],
        )
        return replace(genotypes, used=used), Derivations(productions, offsets, status)

    def vary(
        self,
        grammar: Grammar,
        genotypes: PairGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        mutation: float,
        seed: Seed,
        generation: int,
        fitness: Floats | None = None,
        probabilities: Floats | None = None,
    ) -> PairGenotypes:
        n, length = len(mothers), genotypes.pairs.shape[1]
        # A pair of two int32 is one int64, so that no cut divides it.
        whole = np.ascontiguousarray(genotypes.pairs).view(np.int64)[..., 0]
        limit = np.full(len(genotypes), length, np.int32)
        children = kernels.flat.cross_fixed(whole, limit, mothers, fathers, seed, generation).view(np.int32)
        numbers = np.full(n, 2 * length, np.int32)
        kernels.flat.mutate_codons(children, numbers, mutation, self.codon_max, seed, generation)
        return PairGenotypes(children.reshape(n, length, 2), np.zeros(n, np.int64))

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Floats, seed: Seed, generation: int = 0
    ) -> tuple[PairGenotypes, NDArray[np.bool_]]:
        pairs, fits = kernels.pairs.encode_pairs(
            derivations.productions,
            derivations.offsets,
            derivations.status,
            grammar.arrays,
            self.pairs,
            INSERTIONS[self.insertion],
            self.codon_max,
            seed,
            generation,
        )
        return PairGenotypes(pairs, np.zeros(len(pairs), np.int64)), fits

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Floats) -> str:
        if len(productions) > self.pairs:
            needed = f"it needs {len(productions)} pairs, and a genotype holds {self.pairs}"
            return f"{needed}; set pairs to {len(productions)} or more"
        return f"some number of its pairs would be above {self.codon_max}; set codon_max higher"

    def change(
        self, grammar: Grammar, genotypes: PairGenotypes, count: int, seed: Seed, generation: int = 0, how: How = "any"
    ) -> tuple[PairGenotypes, NDArray[np.int64]]:
        n, length = genotypes.pairs.shape[:2]
        eligible = np.minimum(genotypes.used, length) if how == "used" else np.full(n, length)
        eligible = eligible * np.int64(self.codon_max > 0)  # there must be another value
        places, numbers = kernels.neighbours.pick(eligible, count, seed, generation)
        second = numbers >= 0.5  # which of the two integers
        where = np.where(places < 0, places, 2 * places + second)
        flat = genotypes.pairs.reshape(n, 2 * length)
        pairs = redrawn(flat, where, 2 * numbers - second, self.codon_max)
        return replace(genotypes, pairs=pairs.reshape(n, length, 2)), places

    def distance(self, grammar: Grammar, first: PairGenotypes, second: PairGenotypes) -> NDArray[np.int64]:
        found: NDArray[np.int64] = np.count_nonzero((first.pairs != second.pairs).any(axis=2), axis=1)
        return found

    def read(self, grammar: Grammar, genotype: Any) -> PairGenotypes:
        if not is_list(genotype) or len(genotype) == 0:
            raise no_genotype(self.shows_genotype_as, genotype)
        for position, pair in enumerate(genotype):
            if not is_list(pair) or len(pair) != 2:
                raise GenotypeError(f"pair {position} is {pair!r}: write two integers, as in [8, 19]")
            for number in pair:
                if not is_integer(number) or number < 0:
                    raise GenotypeError(f"pair {position} holds {number!r}: it must be an integer ≥ 0")
        row = [[int(number) for number in pair] for pair in genotype]
        return PairGenotypes(integer_array([row]), np.zeros(1, np.int64))

    def show(self, grammar: Grammar, genotypes: PairGenotypes, i: int) -> list[list[int]]:
        row: list[list[int]] = genotypes.pairs[i].tolist()
        return row

    def trace(self, grammar: Grammar, genotypes: PairGenotypes, probabilities: Floats, seed: Seed) -> Iterator[Step]:
        """Steps from left to right; the number of its pair tells when each was taken.

        Where pairs run out, those up to the first non-terminal that is left.
        """
        pairs = self.show(grammar, genotypes, 0)
        names, steps, children = [grammar.nonterminals[0]], dict[int, Step](), dict[int, range]()  # of nodes
        pending, reads = [0], 0
        while pending and reads < len(pairs) * (self.wraps + 1):
            which, how = pairs[reads % len(pairs)]
            reads += 1
            index = which % len(pending)
            why = f"pair {reads}: {which} mod {len(pending)} = {index} picks it"
            node = pending.pop(index)
            rule = grammar.rules[names[node]]
            production = rule[how % len(rule)]
            steps[node] = Step(names[node], how, f"{why}, {how} mod {len(rule)} = {how % len(rule)}", production.id)
            kids = [s.text for s in production.symbols if s.kind == "nonterminal"]
            children[node] = range(len(names), len(names) + len(kids))
            names += kids
            place = {"inplace": index, "start": 0, "end": len(pending)}[self.insertion]
            pending[place:place] = children[node]
        found, walk = list[Step](), [0]
        while walk and walk[-1] in steps:
            node = walk.pop()
            found.append(steps[node])
            walk.extend(reversed(children[node]))
        # What was read for non-terminals further to the right was read all the same.
        found[-1] = replace(found[-1], reads=reads - len(found) + 1)
        yield from found

    completed = as_given
