"""The laws of representations."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramarye.derivations import Derivations, Status
from gramarye.errors import GramaryeError
from gramarye.grammar import Grammar
from gramarye.representations.base import Genotypes, Representation
from gramarye.representations.optional import Encodes, Explains, HasNeighbours
from gramarye.testing.grammars import GRAMMARS, grammars
from gramarye.testing.laws import SEEDS, same, uneven
from gramarye.testing.mapping import BY_HAND, Trial, check_filling, initial, mapped
from gramarye.testing.neighbours import check_changes, check_distances
from gramarye.testing.variation import check_copies, check_draws, varied


def check_representation(representation: Representation[Any], grammar: Grammar | None = None) -> None:
    """An AssertionError where a representation breaks a law, on a grammar or on those of `GRAMMARS` that it accepts.

    The laws of `Encodes`, `HasNeighbours` and `Explains` are those of representations that have these interfaces.
    A limit `max_depth` is taken to be a hard one, unless there is a `depth_rule` other than "height".
    """
    accepted = 0
    for original in grammars(grammar):
        try:
            rewriting = representation.rewritten(original)
            representation.check(rewriting.grammar)
        except GramaryeError:
            if grammar is not None:
                raise
            continue
        accepted += 1
        start = np.array(rewriting.grammar.start_probabilities())
        for number, probabilities in zip(SEEDS, (start, uneven(rewriting.grammar)), strict=True):
            _check_trial(
                Trial(repr(representation), original.name, number, representation, original, rewriting, probabilities)
            )
    if not accepted:
        raise AssertionError(f"{representation!r} accepts none of the grammars {', '.join(GRAMMARS)}")


def _check_trial(trial: Trial) -> None:
    parents, derivations = mapped(trial, initial(trial), 0)
    _check_layout(trial, parents)
    if isinstance(trial.representation, Explains):
        _check_explaining(trial, trial.representation, parents, derivations)
    if isinstance(trial.representation, Encodes):
        _check_encoding(trial, trial.representation, derivations)
    children = varied(trial, parents)
    mapped(trial, children, 1)
    check_filling(trial, children, 1)
    check_copies(trial, parents, derivations)
    check_draws(trial, parents, derivations)
    if isinstance(trial.representation, HasNeighbours):
        check_distances(trial, parents, derivations)
        check_changes(trial, parents, derivations)


# Layout


def _check_layout(trial: Trial, genotypes: Any) -> None:
    derived = isinstance(genotypes, Genotypes)
    trial.require(derived, "genotypes can be saved with a run: their class is derived from Genotypes")
    join, n = type(genotypes).join, len(genotypes)
    every, middle = np.arange(n), n // 3
    trial.require(same(genotypes.take(every), genotypes), "taking all gives all")
    parts = [genotypes.take(every[:middle]), genotypes.take(every[middle:])]
    trial.require([len(part) for part in parts] == [middle, n - middle], "take gives as many as are asked for")
    trial.require(same(join(parts), genotypes), "join undoes take")
    trial.require(same(join([genotypes]), genotypes), "one part alone is the whole")
    nobody = genotypes.take(every[:0])
    trial.require(
        len(nobody) == 0 and same(join([genotypes, nobody]), genotypes), "nobody adds nothing to a population"
    )
    order = np.concatenate([every[::-1], every[:2]])
    back = genotypes.take(order).take(every[::-1])
    trial.require(same(back, genotypes), "individuals are taken in any order, more than once if asked for")


# Optional interfaces


def _check_explaining(trial: Trial, explains: Explains[Any], genotypes: Any, derivations: Derivations) -> None:
    grammar = trial.grammar
    for i in trial.valid(derivations, BY_HAND):
        shown = explains.show(grammar, genotypes, i)
        read = explains.read(grammar, shown)
        steps = [step.production for step in explains.trace(grammar, read, trial.probabilities, trial.seed)]
        who = f"individual {i}"
        trial.require(steps == derivations[i].tolist(), "a genotype that was shown is traced to its derivation", who)
        _, mapped = trial.map(read, 0)
        trial.require(same(mapped[0], derivations[i]), "a genotype that was shown is mapped to its derivation", who)
        trial.require(explains.show(grammar, read, 0) == shown, "a genotype that was shown is read as it was", who)
        completed = explains.completed(grammar, read, trial.probabilities, trial.seed)
        trial.require(completed == shown, "nothing is added to a complete genotype", who)


def _check_encoding(trial: Trial, encodes: Encodes[Any], derivations: Derivations) -> None:
    chosen = derivations.take(np.nonzero(derivations.status == Status.OK)[0])
    arguments = (trial.grammar, chosen, trial.probabilities, trial.seed)
    genotypes, fits = encodes.encode(*arguments)
    again, fits_again = encodes.encode(*arguments)
    trial.require(same(genotypes, again) and same(fits, fits_again), "the same seed encodes in the same way")
    trial.require(len(genotypes) == len(fits) == len(chosen), "encode gives a genotype for each derivation")
    trial.require(fits.any(), "encode finds a genotype for some derivations that came from genotypes")
    _, found = trial.map(genotypes, 0)
    which = np.nonzero(fits)[0]
    trial.require(
        same(found.take(which), chosen.take(which)), "what was encoded is mapped to the derivation that it was"
    )
