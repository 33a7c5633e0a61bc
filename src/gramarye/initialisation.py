"""The first genotypes of a run: at random, or from random trees; on request, no program twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivation import Derivations, Status
from gramarye.errors import SettingsError
from gramarye.grammar import Grammar
from gramarye.methods.base import MethodBase
from gramarye.representations.base import Probabilities, Seed
from gramarye.trees import Shape, check_limits, random_trees, texts

ATTEMPTS = 20  # to draw an individual; a grammar may have fewer programs than the population has room for


def check_start(grammar: Grammar, method: MethodBase) -> None:
    """A SettingsError where the method can't work with a grammar as its settings say, with what to change."""
    method.representation.check(method.rewritten(grammar).grammar, method.population)
    if method.initialisation == "random":
        return
    if not method.representation.encodable:
        raise SettingsError(
            f"initialisation is {method.initialisation!r}: {method.name} has no way back from a tree to a genotype; "
            "give initialisation='random'"
        )
    check_limits(grammar, method.initialisation, method.initial_depth, method.initial_size)


def first_genotypes(
    grammar: Grammar,
    method: MethodBase,
    n: int,
    seed: Seed,
    probabilities: Probabilities,
    taken: Collection[str] = (),  # programs that are there already, where none is wanted twice
) -> Any:
    """The genotypes of the first n individuals, made as the method's settings say.

    Trees are those of the problem's grammar, whatever a method makes of it: so all begin with the same programs.
    """
    check_start(grammar, method)
    if method.initialisation != "random":
        return _from_trees(grammar, method, n, seed, probabilities, taken)
    own = method.rewritten(grammar).grammar
    genotypes = method.representation.initial(own, n, seed, 0, probabilities)
    return _distinct(own, method, genotypes, seed, probabilities, taken) if method.unique else genotypes


def _distinct(
    grammar: Grammar,
    method: MethodBase,
    genotypes: Any,
    seed: Seed,
    probabilities: Probabilities,
    taken: Collection[str],
) -> Any:
    """Genotypes, with new ones in place of those whose program is there already, as far as others are found."""
    representation, n = method.representation, len(genotypes)
    genotypes, derivations = representation.map(grammar, genotypes, probabilities, seed, 0, 0)
    seen = set(taken)
    programs = texts(grammar, derivations)
    valid = [i for i, program in enumerate(programs) if program is not None]
    again = np.setdiff1d(valid, _new(programs, seen, n))
    for attempt in range(1, ATTEMPTS):
        if len(again) == 0:
            break
        drawn = representation.initial(grammar, n, np.uint64(kernels.random.fork(seed, attempt)), 0, probabilities)
        drawn, derivations = representation.map(grammar, drawn, probabilities, seed, 0, 0)
        new = _new(texts(grammar, derivations), seen, len(again))
        genotypes = _replaced(genotypes, again[: len(new)], drawn.take(new))
        again = again[len(new) :]
    return genotypes


def _from_trees(
    grammar: Grammar, method: MethodBase, n: int, seed: Seed, probabilities: Probabilities, taken: Collection[str]
) -> Any:
    """Genotypes of random trees: too large ones are drawn anew lower, repeated ones higher; at last some at random."""
    seen = set(taken)
    rewriting = method.rewritten(grammar)
    again, shifts, fits = np.arange(n), np.zeros(n, np.int64), np.ones(n, np.bool_)
    trees = _trees(grammar, method, again, seed, 0, shifts)
    for attempt in range(ATTEMPTS):
        if attempt > 0:
            shifts[again] += np.where(fits[again], 1, -1)
            trees = _replaced(trees, again, _trees(grammar, method, again, seed, attempt, shifts[again]))
        # All of them, for what an encoding leaves open is drawn by place in the population.
        own = rewriting.unfold(grammar, trees)
        genotypes, fits = method.representation.encode(rewriting.grammar, own, probabilities, seed)
        fits &= own.status == Status.OK
        wrong = ~fits
        if method.unique:
            fitting = again[fits[again]]
            wrong[fitting] = True
            wrong[fitting[_new(texts(grammar, trees.take(fitting)), seen, n)]] = False
        again = np.nonzero(wrong)[0]
        if len(again) == 0:
            break
    if fits.all():
        return genotypes
    misfits = np.nonzero(~fits)[0]
    if len(misfits) == n:
        why = method.representation.misfit(rewriting.grammar, own[0], probabilities)
        raise SettingsError(f"initialisation is {method.initialisation!r}: none of the trees drawn fits: {why}")
    others = method.representation.initial(rewriting.grammar, n, seed, 0, probabilities)
    return _replaced(genotypes, misfits, others.take(misfits))


def _trees(
    grammar: Grammar,
    method: MethodBase,
    individuals: NDArray[np.int64],
    seed: Seed,
    attempt: int,
    shifts: NDArray[np.int64],
) -> Derivations:
    return random_trees(
        grammar,
        cast(Shape, method.initialisation),
        individuals,
        seed,
        depth=method.initial_depth,
        size=method.initial_size,
        attempt=attempt,
        shifts=shifts,
    )


def _new(programs: Sequence[str | None], seen: set[str], most: int) -> NDArray[np.int64]:
    """The places of the first valid programs, so many at most, that have not been seen; now they have."""
    found: list[int] = []
    for i, program in enumerate(programs):
        if program is not None and program not in seen and len(found) < most:
            seen.add(program)
            found.append(i)
    return np.array(found, np.int64)


def _replaced(population: Any, which: NDArray[np.int64], others: Any) -> Any:
    """A population (genotypes, or derivations) with some individuals replaced."""
    sources = np.arange(len(population))
    sources[which] = len(population) + np.arange(len(which))
    return type(population).join([population, others]).take(sources)
