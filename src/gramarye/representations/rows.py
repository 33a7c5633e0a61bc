"""Rows of codons: the methods of all representations whose genotypes are such rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivations
from gramarye.errors import GenotypeError
from gramarye.grammar import Grammar
from gramarye.representations.base import Floats, RowGenotypes, Seed
from gramarye.representations.by_hand import integer_array, is_list, leftmost, no_genotype
from gramarye.representations.codons import Codons, Integers, Reals
from gramarye.representations.optional import How, Step

WIDEST = 8  # a genotype of variable length holds at most this many times the codons it started with

Length = Literal["fixed", "variable"]
Cuts = Literal["anywhere", "used"]


@dataclass(frozen=True)
class FlatGenotypes(RowGenotypes):
    """Rows of codons, and how many of them were read when the row was last mapped."""

    codons: Codons  # [N, W]
    length: NDArray[np.int32]  # [N]
    used: NDArray[np.int32] | NDArray[np.int64]  # [N]


class Rows(Protocol):
    """What the functions below ask of a representation whose methods they are."""

    shows_genotype_as: ClassVar[str]

    @property
    def kind(self) -> Integers | Reals: ...
    @property
    def codons(self) -> int: ...
    @property
    def wraps(self) -> int: ...
    @property
    def consume_single(self) -> bool: ...
    @property
    def length(self) -> Length: ...
    @property
    def cuts(self) -> Cuts: ...


def _width(rows: Rows) -> int:
    return rows.codons if rows.length == "fixed" else WIDEST * rows.codons


# Searching


def initial(
    rows: Rows, grammar: Grammar, n: int, seed: Seed, generation: int = 0, probabilities: Floats | None = None
) -> FlatGenotypes:
    codons = np.zeros((n, _width(rows)), rows.kind.dtype)
    codons[:, : rows.codons] = rows.kind.draw(n, rows.codons, seed, generation)
    return FlatGenotypes(codons, np.full(n, rows.codons, np.int32), np.zeros(n, np.int32))


def map(
    rows: Rows,
    grammar: Grammar,
    genotypes: FlatGenotypes,
    probabilities: Floats,
    seed: Seed,
    generation: int,
    first: int,
) -> tuple[FlatGenotypes, Derivations]:
    productions, offsets, status, used = kernels.flat.map_flat(
        np.ascontiguousarray(genotypes.codons),
        genotypes.length,
        grammar.arrays,
        probabilities,
        grammar.least_codons(rows.consume_single),
        rows.wraps,
        rows.consume_single,
        rows.kind.modulo,
    )
    return replace(genotypes, used=used), Derivations(productions, offsets, status)


def vary(
    rows: Rows,
    grammar: Grammar,
    genotypes: FlatGenotypes,
    mothers: NDArray[np.int64],
    fathers: NDArray[np.int64],
    mutation: float,
    seed: Seed,
    generation: int,
    fitness: Floats | None = None,
    probabilities: Floats | None = None,
) -> FlatGenotypes:
    limit = genotypes.length
    if rows.cuts == "used":
        limit = np.minimum(limit, genotypes.used)
    if rows.length == "fixed":
        codons = kernels.flat.cross_fixed(genotypes.codons, limit, mothers, fathers, seed, generation)
        length = genotypes.length[mothers]
    else:
        codons, length = kernels.flat.cross_variable(
            genotypes.codons, genotypes.length, limit, mothers, fathers, seed, generation
        )
    rows.kind.mutate(codons, length, mutation, seed, generation)
    return FlatGenotypes(codons, length, np.zeros(len(mothers), np.int32))


def completion(rows: Rows, grammar: Grammar, probabilities: Floats, codons: int | None = None) -> float | None:
    """Not known where a genotype is read again from its beginning."""
    weights = grammar.uniform_probabilities() if rows.kind.modulo else probabilities
    count = rows.codons if codons is None else codons
    return None if rows.wraps else grammar.completion_probability(count, rows.consume_single, weights)


# Encoding


def encode(
    rows: Rows, grammar: Grammar, derivations: Derivations, probabilities: Floats, seed: Seed, generation: int = 0
) -> tuple[FlatGenotypes, NDArray[np.bool_]]:
    codons, length, fits = kernels.flat_encoding.encode_flat(
        derivations.productions,
        derivations.offsets,
        grammar.arrays,
        probabilities,
        rows.consume_single,
        rows.kind.modulo,
        rows.kind.largest,
        rows.codons,
        np.zeros((len(derivations), _width(rows)), rows.kind.dtype),
        seed,
        generation,
    )
    return FlatGenotypes(codons, length, np.zeros(len(length), np.int32)), fits


def misfit(rows: Rows, grammar: Grammar, productions: NDArray[np.int32], probabilities: Floats) -> str:
    needed, width = kernels.flat_encoding.codons_needed(productions, grammar.arrays, rows.consume_single), _width(rows)
    if needed > width:
        enough = needed if rows.length == "fixed" else math.ceil(needed / WIDEST)
        return f"it needs {needed} codons, and a genotype holds {width}; set codons to {enough} or more"
    arguments = (grammar.arrays, probabilities, rows.kind.modulo, rows.kind.largest)
    missing = next(q for q in productions if kernels.flat_encoding.codon_of(*arguments, q, 0.5) < 0)
    production = grammar.productions[missing]
    why = f"its probability is {probabilities[missing]:.4g}; give it a larger one"
    return f"no codon chooses {production.text} for {production.nonterminal}: {why}"


# Neighbours


def change(
    rows: Rows,
    grammar: Grammar,
    genotypes: FlatGenotypes,
    count: int,
    seed: Seed,
    generation: int = 0,
    how: How = "any",
) -> tuple[FlatGenotypes, NDArray[np.int64]]:
    eligible = np.minimum(genotypes.length, genotypes.used) if how == "used" else genotypes.length
    eligible = eligible * np.int64(rows.kind.largest > 0)  # there must be another value
    places, numbers = kernels.neighbours.pick(eligible, count, seed, generation)
    codons = genotypes.codons.copy()
    rows.kind.redraw(codons, places, numbers)
    return replace(genotypes, codons=codons), places


def distance(rows: Rows, grammar: Grammar, first: FlatGenotypes, second: FlatGenotypes) -> NDArray[np.int64]:
    found: NDArray[np.int64] = kernels.neighbours.row_distances(
        first.codons, second.codons, first.length, second.length
    )
    return found


# Explaining


def read(rows: Rows, grammar: Grammar, genotype: Any) -> FlatGenotypes:
    if not is_list(genotype) or len(genotype) == 0:
        raise no_genotype(rows.shows_genotype_as, genotype)
    for position, codon in enumerate(genotype):
        problem = rows.kind.problem(codon)
        if problem:
            raise GenotypeError(f"codon {position} is {codon!r}: {problem}")
    whole = rows.kind.modulo
    codons = integer_array([[int(codon) for codon in genotype]]) if whole else np.array([genotype], np.float64)
    return FlatGenotypes(codons, np.array([len(genotype)], np.int32), np.zeros(1, np.int32))


def show(rows: Rows, grammar: Grammar, genotypes: FlatGenotypes, i: int) -> list[Any]:
    row: list[Any] = genotypes.codons[i, : genotypes.length[i]].tolist()
    return row


def trace(rows: Rows, grammar: Grammar, genotypes: FlatGenotypes, probabilities: Floats, seed: Seed) -> Iterator[Step]:
    unread = chain.from_iterable(repeat(show(rows, grammar, genotypes, 0), rows.wraps + 1))

    def expand(nonterminal: str) -> Step | None:
        rule = grammar.rules[nonterminal]
        if len(rule) == 1 and not rows.consume_single:
            return Step(nonterminal, None, "the only production", rule[0].id)
        codon = next(unread, None)
        return None if codon is None else rows.kind.choose(rule, codon, probabilities)

    return leftmost(grammar, expand)
