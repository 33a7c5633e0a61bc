"""What flat genotypes share, whether their codons are integers or reals: a row that is read from left to right."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivation import Derivations
from gramarye.errors import GenotypeError
from gramarye.grammar import Grammar
from gramarye.representations.base import Probabilities, Representation, RowGenotypes, Seed, Step, no_genotype
from gramarye.settings import check_settings, setting

WIDEST = 8  # a genotype of variable length holds at most this many times the codons it started with


@dataclass(frozen=True)
class FlatGenotypes(RowGenotypes):
    """Rows of codons, and how many of them were read when the row was last mapped."""

    codons: NDArray[Any]  # [N, W] float64 or int32
    length: NDArray[np.int32]  # [N]
    used: NDArray[np.int32]  # [N]


@dataclass(frozen=True)
class FlatBase(Representation):
    """What both kinds of codon share."""

    codons: int = setting(128, low=1, high=2**24, doc="length of a genotype when it is drawn")
    wraps: int = setting(0, low=0, high=2**20, doc="number of times a genotype is read again from its beginning")
    consume_single: bool = setting(True, doc="whether a rule with a single production also reads a codon")
    length: Literal["fixed", "variable"] = setting("fixed", doc="whether crossover keeps the length of genotypes")
    cuts: Literal["anywhere", "used"] = setting(
        "anywhere", doc="where crossover may cut: anywhere, or only among the codons that were used"
    )

    modulo: ClassVar[bool]

    def __post_init__(self) -> None:
        check_settings(self)

    @abstractmethod
    def _draw(self, n: int, width: int, seed: Seed, generation: int) -> NDArray[Any]:
        """Random codons."""

    @abstractmethod
    def _mutate(
        self, codons: NDArray[Any], length: NDArray[np.int32], rate: float, seed: Seed, generation: int
    ) -> None:
        """Redraw some codons in place."""

    @abstractmethod
    def _redraw(self, codons: NDArray[Any], places: NDArray[np.int64], numbers: NDArray[np.float64]) -> None:
        """Change codons at some places in place, by a number in [0, 1) for each."""

    @abstractmethod
    def _choose(
        self, grammar: Grammar, nonterminal: str, codon: Any, probabilities: NDArray[np.float64]
    ) -> tuple[int, str]:
        """The production that a codon chooses, and why in words."""

    @property
    @abstractmethod
    def _codon_max(self) -> int:
        """The largest codon that is drawn."""

    @abstractmethod
    def _check(self, codon: Any) -> str | None:
        """What is wrong with a codon given by hand, or None."""

    @property
    def _width(self) -> int:
        return self.codons if self.length == "fixed" else WIDEST * self.codons

    def initial(
        self, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Probabilities | None = None
    ) -> FlatGenotypes:
        codons = self._draw(n, self.codons, seed, generation)
        if self._width > self.codons:
            codons = np.concatenate([codons, np.zeros((n, self._width - self.codons), codons.dtype)], axis=1)
        return FlatGenotypes(codons, np.full(n, self.codons, np.int32), np.zeros(n, np.int32))

    def map(
        self,
        grammar: Grammar,
        genotypes: FlatGenotypes,
        probabilities: NDArray[np.float64],
        seed: Seed,
        generation: int,
        first: int,
    ) -> tuple[FlatGenotypes, Derivations]:
        productions, offsets, status, used = kernels.leftmost.map_flat(
            np.ascontiguousarray(genotypes.codons),
            genotypes.length,
            grammar.arrays,
            probabilities,
            grammar.least_codons(self.consume_single),
            self.wraps,
            self.consume_single,
            self.modulo,
        )
        return replace(genotypes, used=used), Derivations(productions, offsets, status)

    def vary(
        self,
        grammar: Grammar,
        genotypes: FlatGenotypes,
        mothers: NDArray[np.int64],
        fathers: NDArray[np.int64],
        mutation: float,
        seed: Seed,
        generation: int,
        fitness: NDArray[np.float64] | None = None,
        probabilities: Probabilities | None = None,
    ) -> FlatGenotypes:
        limit = genotypes.length
        if self.cuts == "used":
            limit = np.minimum(limit, genotypes.used)
        if self.length == "fixed":
            codons = kernels.leftmost.cross_fixed(genotypes.codons, limit, mothers, fathers, seed, generation)
            length = genotypes.length[mothers]
        else:
            codons, length = kernels.leftmost.cross_variable(
                genotypes.codons, genotypes.length, limit, mothers, fathers, seed, generation
            )
        self._mutate(codons, length, mutation, seed, generation)
        return FlatGenotypes(codons, length, np.zeros(len(mothers), np.int32))

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Probabilities, seed: Seed, generation: int = 0
    ) -> tuple[FlatGenotypes, NDArray[np.bool_]]:
        codons, length, fits = kernels.encode_flat.encode_flat(
            derivations.productions,
            derivations.offsets,
            grammar.arrays,
            probabilities,
            self.consume_single,
            self.modulo,
            self._codon_max,
            self.codons,
            np.zeros((len(derivations), self._width), np.int32 if self.modulo else np.float64),
            seed,
            generation,
        )
        return FlatGenotypes(codons, length, np.zeros(len(length), np.int32)), fits

    def misfit(self, grammar: Grammar, productions: NDArray[np.int32], probabilities: Probabilities) -> str:
        needed = kernels.encode_flat.codons_needed(productions, grammar.arrays, self.consume_single)
        if needed > self._width:
            enough = needed if self.length == "fixed" else math.ceil(needed / WIDEST)
            return f"it needs {needed} codons, and a genotype holds {self._width}; set codons to {enough} or more"
        arguments = (grammar.arrays, probabilities, self.modulo, self._codon_max)
        missing = next(q for q in productions if kernels.encode_flat.codon_of(*arguments, q, 0.5) < 0)
        production = grammar.productions[missing]
        why = f"its probability is {probabilities[missing]:.4g}; give it a larger one"
        return f"no codon chooses {production.text} for {production.nonterminal}: {why}"

    def change(
        self,
        grammar: Grammar,
        genotypes: FlatGenotypes,
        count: int,
        seed: Seed,
        generation: int = 0,
        *,
        used_only: bool = False,
        small: bool = False,
    ) -> tuple[FlatGenotypes, NDArray[np.int64]]:
        eligible = np.minimum(genotypes.length, genotypes.used) if used_only else genotypes.length
        eligible = eligible * np.int64(self._codon_max > 0)  # there must be another value
        places, numbers = kernels.changes.pick(eligible, count, seed, generation)
        codons = genotypes.codons.copy()
        self._redraw(codons, places, numbers)
        return replace(genotypes, codons=codons), places

    def distance(self, grammar: Grammar, first: FlatGenotypes, second: FlatGenotypes) -> NDArray[np.int64]:
        found: NDArray[np.int64] = kernels.changes.row_distances(
            first.codons, second.codons, first.length, second.length
        )
        return found

    def read(self, grammar: Grammar, genotype: Any) -> FlatGenotypes:
        if not isinstance(genotype, Sequence | np.ndarray) or isinstance(genotype, str) or len(genotype) == 0:
            raise no_genotype(self.shows_genotype_as, genotype)
        for position, codon in enumerate(genotype):
            problem = self._check(codon)
            if problem:
                raise GenotypeError(f"codon {position} is {codon!r}: {problem}")
        # Integers of any size: only the traced mapping reads them.
        row = [int(codon) for codon in genotype] if self.modulo else list(genotype)
        codons = np.array([row], object if self.modulo else np.float64)
        return FlatGenotypes(codons, np.array([len(genotype)], np.int32), np.zeros(1, np.int32))

    def show(self, grammar: Grammar, genotypes: FlatGenotypes, i: int) -> list[float] | list[int]:
        row: list[Any] = genotypes.codons[i, : genotypes.length[i]].tolist()
        return row

    def trace(
        self, grammar: Grammar, genotypes: FlatGenotypes, probabilities: NDArray[np.float64], seed: Seed
    ) -> Iterator[Step]:
        codons = genotypes.codons[0, : genotypes.length[0]]
        pending = [grammar.nonterminals[0]]
        position = 0
        while pending:
            nonterminal = pending.pop()
            rule = grammar.rules[nonterminal]
            if len(rule) == 1 and not self.consume_single:
                chosen, step = rule[0].id, Step(nonterminal, None, "the only production", rule[0].id)
            elif position == len(codons) * (self.wraps + 1):
                return
            else:
                codon = codons[position % len(codons)]
                codon = int(codon) if self.modulo else float(codon)
                position += 1
                chosen, why = self._choose(grammar, nonterminal, codon, probabilities)
                step = Step(nonterminal, codon, why, chosen)
            yield step
            symbols = grammar.productions[chosen].symbols
            pending.extend(s.text for s in reversed(symbols) if s.kind == "nonterminal")

    def completed(
        self, grammar: Grammar, genotypes: FlatGenotypes, probabilities: Probabilities, seed: Seed
    ) -> list[float] | list[int]:
        return self.show(grammar, genotypes, 0)
