"""Genotypes of bits: a non-terminal chooses by the ones of its slice, and its children share the slice (WHGE)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivations, Status
from gramarye.derivations.random_trees import check_size
from gramarye.errors import GenotypeError
from gramarye.grammar import Grammar
from gramarye.representations.base import Floats, Reads, Representation, RowGenotypes, Seed, redrawn
from gramarye.representations.by_hand import as_given, no_genotype
from gramarye.representations.optional import Explains, HasNeighbours, How, Step
from gramarye.settings import setting

SHOWN_BITS = 16  # a longer slice is told by its length


@dataclass(frozen=True)
class BitGenotypes(RowGenotypes):
    """Rows of bits."""

    bits: NDArray[np.uint8]  # [N, L]


@final
@dataclass(frozen=True)
class Bits(Representation[BitGenotypes], HasNeighbours[BitGenotypes], Explains[BitGenotypes]):
    """Bits that are divided among the symbols of a program, from its root to its leaves."""

    bits: int = setting(1024, low=1, high=2**24, doc="length of a genotype, in bits")
    power_depth: int = setting(3, low=0, high=64, doc="tree levels counted for the weight of a non-terminal")

    reads: ClassVar[Reads] = "no"
    shows_genotype_as: ClassVar[str] = "a text of 0 and 1"
    uses_all: ClassVar[bool] = True

    def check(self, grammar: Grammar, population: int = 1) -> None:
        check_size(grammar)

    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Floats | None = None
    ) -> BitGenotypes:
        return BitGenotypes(kernels.bits.random_bits(n, self.bits, seed, generation))

    def map(
        self, grammar: Grammar, genotypes: BitGenotypes, probabilities: Floats, seed: Seed, generation: int, first: int
    ) -> tuple[BitGenotypes, Derivations]:
        parts = symbol_parts(grammar, self.power_depth)
        productions, offsets = kernels.bits.map_bits(np.ascontiguousarray(genotypes.bits), grammar.arrays, parts)
        return genotypes, Derivations(productions, offsets, np.full(len(genotypes), Status.OK, np.int8))

    def vary(
        self,
        grammar: Grammar,
        genotypes: BitGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        mutation: float,
        seed: Seed,
        generation: int,
        fitness: Floats | None = None,
        probabilities: Floats | None = None,
    ) -> BitGenotypes:
        children = kernels.bits.cross_bits(genotypes.bits, mothers, fathers, seed, generation)
        kernels.bits.flip_bits(children, mutation, seed, generation)
        return BitGenotypes(children)

    def change(
        self, grammar: Grammar, genotypes: BitGenotypes, count: int, seed: Seed, generation: int = 0, how: How = "any"
    ) -> tuple[BitGenotypes, NDArray[np.int64]]:
        n, length = genotypes.bits.shape
        places, numbers = kernels.neighbours.pick(np.full(n, length), count, seed, generation)  # all are used
        return BitGenotypes(redrawn(genotypes.bits, places, numbers, 1)), places

    def distance(self, grammar: Grammar, first: BitGenotypes, second: BitGenotypes) -> NDArray[np.int64]:
        found: NDArray[np.int64] = np.count_nonzero(first.bits != second.bits, axis=1)
        return found

    def read(self, grammar: Grammar, genotype: Any) -> BitGenotypes:
        if not isinstance(genotype, str) or not genotype:
            raise no_genotype(f"{self.shows_genotype_as}, as in '001101'", genotype)
        for position, bit in enumerate(genotype):
            if bit not in "01":
                raise GenotypeError(f"bit {position} is {bit!r}: a genotype is {self.shows_genotype_as}")
        return BitGenotypes(np.array([[int(bit) for bit in genotype]], np.uint8))

    def show(self, grammar: Grammar, genotypes: BitGenotypes, i: int) -> str:
        return "".join(map(str, genotypes.bits[i].tolist()))

    def trace(self, grammar: Grammar, genotypes: BitGenotypes, probabilities: Floats, seed: Seed) -> Iterator[Step]:
        text, parts = self.show(grammar, genotypes, 0), symbol_parts(grammar, self.power_depth)
        productions = self.map(grammar, genotypes, probabilities, seed, 0, 0)[1][0].tolist()
        stack, begins, sizes = np.zeros((3, len(productions)), np.int32)  # room for all that ever waits
        sizes[0], height = len(text), 1
        reads = len(text)  # the root owns all of them
        for q in productions:
            height -= 1
            begin, size = int(begins[height]), int(sizes[height])
            why = _why(grammar, q, text[begin : begin + size], text)
            yield Step(grammar.productions[q].nonterminal, None, why, q, reads=reads)
            reads = 0
            height = kernels.bits.push_children(parts, q, begin, size, stack, begins, sizes, height)

    completed = as_given


@lru_cache(maxsize=64)
def powers(grammar: Grammar, power_depth: int) -> dict[str, int]:
    """The weight of each non-terminal: the binary logarithm, rounded up, of what it can express within some levels."""
    sides = {
        name: [[s for s in production.symbols if s.kind != "space"] for production in rule]
        for name, rule in grammar.rules.items()
    }
    power = {name: len(rule) for name, rule in sides.items()}
    for _ in range(power_depth):  # from the deepest level up; the authors' program adds where one might multiply
        power = {
            name: sum(sum(power[s.text] if s.kind == "nonterminal" else 1 for s in side) or 1 for side in rule)
            for name, rule in sides.items()
        }
    return {name: (value - 1).bit_length() for name, value in power.items()}


@lru_cache(maxsize=64)
def symbol_parts(grammar: Grammar, power_depth: int) -> Any:
    """What shares the bits of each production, as kernels take it."""
    number = {name: a for a, name in enumerate(grammar.nonterminals)}
    weight = powers(grammar, power_depth)
    sides = [
        [s.text if s.kind == "nonterminal" else None for s in production.symbols if s.kind != "space"] or [None]
        for production in grammar.productions
    ]
    weights = [[weight[text] if text else 0 for text in side] for side in sides]
    return kernels.bits.Parts(
        np.array([*accumulate(map(len, sides), initial=0)], np.int32),
        np.array([number[text] if text else -1 for side in sides for text in side], np.int32),
        np.array([value for row in weights for value in row], np.int64),
        np.array([sum(row) for row in weights], np.int64),
    )


def _why(grammar: Grammar, q: int, own: str, whole: str) -> str:
    """The reason in words why a slice chose a production."""
    rule = grammar.rules[grammar.productions[q].nonterminal]
    bits = own if len(own) <= SHOWN_BITS else f"{len(own)} bits"
    if len(rule) == 1:
        return "the only production"
    if len(own) < len(rule):
        heights = [int(grammar.arrays.height[p.id]) for p in rule]
        lowest, count = heights.count(min(heights)), (own or whole).count("1")
        what = f"{bits} is too short for {len(rule)}, its ones:" if own else "no bits left, ones of all:"
        return f"{what} {count} mod {lowest} = {count % lowest} of the shortest"
    size, longer = divmod(len(own), len(rule))
    ends = [*accumulate((size + (k < longer) for k in range(len(rule))), initial=0)]
    parts = [own[begin:end] for begin, end in pairwise(ends)]
    ratios = [part.count("1") / len(part) for part in parts]
    ties, count = ratios.count(max(ratios)), own.count("1")
    why = f"{bits}: ones " + ", ".join(f"{part.count('1')}/{len(part)}" for part in parts)
    return f"{why}, tie: {count} mod {ties} = {count % ties}" if ties > 1 else why
