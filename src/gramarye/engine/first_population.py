"""The first genotypes of a run: at random, or from random trees; on request, no program twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import NO_VALUES, Derivations, Status
from gramarye.derivations.random_trees import Shape, check_limits, random_trees, texts
from gramarye.engine.setup import Setup
from gramarye.errors import GenotypeError, SettingsError
from gramarye.grammar import Grammar
from gramarye.representations.optional import encoder

ATTEMPTS = 20  # to draw an individual; a grammar may have fewer programs than the population has room for


def check_start(setup: Setup) -> None:
    """A SettingsError where the method can't work with a grammar as its settings say, with what to change."""
    method = setup.method
    method.representation.check(setup.grammar, method.population)
    if method.initialisation == "random":
        return
    try:
        encoder(method.representation, method.name)
    except GenotypeError as error:
        what = f"initialisation is {method.initialisation!r}: {error}"
        raise SettingsError(f"{what}, or give initialisation='random'") from None
    check_limits(setup.problem.grammar, method.initialisation, method.initial_depth, method.initial_size)


def first_genotypes(setup: Setup, taken: Collection[str] = ()) -> Any:
    """The genotypes of the first population, made as the method's settings say.

    Trees are those of the problem's grammar, whatever a method makes of it: so all begin with the same programs.
    Where none is wanted twice, programs that are `taken` count as there already; constants make no difference.
    """
    check_start(setup)
    method = setup.method
    if method.initialisation != "random":
        return _from_trees(setup, taken)
    genotypes = method.representation.initial(setup.grammar, method.population, setup.key, 0, setup.probabilities)
    return _distinct(setup, genotypes, taken) if method.unique else genotypes


def _distinct(setup: Setup, genotypes: Any, taken: Collection[str]) -> Any:
    """Genotypes, with new ones in place of those whose program is there already, as far as others are found."""
    representation, n = setup.method.representation, len(genotypes)

    def mapped(drawn: Any) -> tuple[Any, Derivations]:
        return representation.map(setup.grammar, drawn, setup.probabilities, setup.key, 0, 0)

    genotypes, derivations = mapped(genotypes)
    seen = set(taken)
    programs = _shapes(setup.grammar, derivations)
    valid = [i for i, program in enumerate(programs) if program is not None]
    again = np.setdiff1d(valid, _new(programs, seen, n))
    for attempt in range(1, ATTEMPTS):
        if len(again) == 0:
            break
        key = np.uint64(kernels.random.fork(setup.key, attempt))
        drawn, derivations = mapped(representation.initial(setup.grammar, n, key, 0, setup.probabilities))
        new = _new(_shapes(setup.grammar, derivations), seen, len(again))
        genotypes = _replaced(genotypes, again[: len(new)], drawn.take(new))
        again = again[len(new) :]
    return genotypes


def _from_trees(setup: Setup, taken: Collection[str]) -> Any:
    """Genotypes of random trees: too large ones are drawn again lower, repeated ones higher; at last some at random."""
    method, grammar, seen = setup.method, setup.problem.grammar, set(taken)
    n = method.population
    again, shifts, fits = np.arange(n), np.zeros(n, np.int64), np.ones(n, np.bool_)
    trees = _trees(setup, again, 0, shifts)
    for attempt in range(ATTEMPTS):
        if attempt > 0:
            shifts[again] += np.where(fits[again], 1, -1)
            trees = _replaced(trees, again, _trees(setup, again, attempt, shifts[again]))
        # All of them, for what an encoding leaves open is drawn by place in the population.
        own = setup.rewriting.unfold(grammar, trees)
        encode = encoder(method.representation, method.name).encode
        genotypes, fits = encode(setup.grammar, own, setup.probabilities, setup.key)
        fits &= own.status == Status.OK
        wrong = ~fits
        if method.unique:
            fitting = again[fits[again]]
            wrong[fitting] = True
            wrong[fitting[_new(_shapes(grammar, trees.take(fitting)), seen, n)]] = False
        again = np.nonzero(wrong)[0]
        if len(again) == 0:
            break
    if fits.all():
        return genotypes
    misfits = np.nonzero(~fits)[0]
    if len(misfits) == n:
        why = encoder(method.representation, method.name).misfit(setup.grammar, own[0], setup.probabilities)
        raise SettingsError(f"initialisation is {method.initialisation!r}: none of the trees drawn fits: {why}")
    others = method.representation.initial(setup.grammar, n, setup.key, 0, setup.probabilities)
    return _replaced(genotypes, misfits, others.take(misfits))


def _shapes(grammar: Grammar, derivations: Derivations) -> list[str | None]:
    """The programs without their constants, which are about to be tuned; None where one is invalid."""
    return texts(grammar, replace(derivations, values=NO_VALUES))


def _trees(setup: Setup, individuals: NDArray[np.int64], attempt: int, shifts: NDArray[np.int64]) -> Derivations:
    method = setup.method
    return random_trees(
        setup.problem.grammar,
        cast(Shape, method.initialisation),
        individuals,
        setup.key,
        depth=method.initial_depth,
        size=method.initial_size,
        attempt=attempt,
        shifts=shifts,
        probabilities=setup.base.probabilities,
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
