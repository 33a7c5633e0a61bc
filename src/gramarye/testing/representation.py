"""The laws of representations."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from gramarye.derivation import Derivations, Status
from gramarye.errors import GramaryeError
from gramarye.grammar import Grammar
from gramarye.representations.base import Genotypes, Representation
from gramarye.testing.grammars import GRAMMARS, grammars
from gramarye.testing.laws import SEEDS, same, uneven
from gramarye.testing.mapping import BY_HAND, INDIVIDUALS, REPLAYED, Trial, initial, mapped


def check_representation(representation: Representation, grammar: Grammar | None = None) -> None:
    """An AssertionError where a representation breaks a law, on a grammar or on those of `GRAMMARS` that it accepts.

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
    _check_by_hand(trial, parents, derivations)
    if trial.representation.encodable:
        _check_encoding(trial, derivations)
    mapped(trial, _varied(trial, parents), 1)
    _check_copies(trial, parents)


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


# By hand


def _check_by_hand(trial: Trial, genotypes: Any, derivations: Derivations) -> None:
    representation, grammar = trial.representation, trial.grammar
    for i in trial.valid(derivations, BY_HAND):
        shown = representation.show(grammar, genotypes, i)
        read = representation.read(grammar, shown)
        steps = [step.production for step in representation.trace(grammar, read, trial.probabilities, trial.seed)]
        who = f"individual {i}"
        trial.require(steps == derivations[i].tolist(), "a genotype that was shown is traced to its derivation", who)
        trial.require(
            representation.show(grammar, read, 0) == shown, "a genotype that was shown is read as it was", who
        )
        completed = representation.completed(grammar, read, trial.probabilities, trial.seed)
        trial.require(completed == shown, "nothing is added to a complete genotype", who)


def _check_encoding(trial: Trial, derivations: Derivations) -> None:
    chosen = derivations.take(np.nonzero(derivations.status == Status.OK)[0])
    arguments = (trial.grammar, chosen, trial.probabilities, trial.seed)
    genotypes, fits = trial.representation.encode(*arguments)
    again, fits_again = trial.representation.encode(*arguments)
    trial.require(same(genotypes, again) and same(fits, fits_again), "the same seed encodes in the same way")
    trial.require(len(genotypes) == len(fits) == len(chosen), "encode gives a genotype for each derivation")
    trial.require(fits.any(), "encode finds a genotype for some derivations that came from genotypes")
    _, found = trial.map(genotypes, 0)
    which = np.nonzero(fits)[0]
    trial.require(
        same(found.take(which), chosen.take(which)), "what was encoded is mapped to the derivation that it was"
    )


# Variation


def _vary(trial: Trial, parents: Any, mothers: Any, fathers: Any, mutation: float) -> Any:
    fitness = np.arange(float(len(parents)))
    return trial.representation.vary(trial.grammar, parents, mothers, fathers, mutation, trial.seed, 1, fitness)


def _varied(trial: Trial, parents: Any) -> Any:
    """Children of neighbours, one in four without a father; with different rates of mutation."""
    mothers = np.arange(INDIVIDUALS - 1) * 7 % INDIVIDUALS
    fathers = np.where(np.arange(len(mothers)) % 4 == 0, -1, (mothers + 1) % INDIVIDUALS)
    for mutation in (0.0, 1.0, 0.2):
        with trial.unchanged("vary leaves the parents as they are", parents, mothers, fathers):
            children = _vary(trial, parents, mothers, fathers, mutation)
        trial.require(len(children) == len(mothers), "vary makes a child for each pair", f"{len(children)} children")
        again = _vary(trial, parents, mothers, fathers, mutation)
        trial.require(same(children, again), "the same seed gives the same children")
    return children


def _check_copies(trial: Trial, parents: Any) -> None:
    still = replace(trial, representation=_without_mutation(trial.representation))
    mothers = np.arange(INDIVIDUALS)[::-1].copy()
    children = _vary(still, parents, mothers, np.full(INDIVIDUALS, -1), 0.0)
    for i in range(0, INDIVIDUALS, INDIVIDUALS // REPLAYED):
        shown = [trial.representation.show(trial.grammar, *one) for one in ((children, i), (parents, int(mothers[i])))]
        law = "without mutation and without a father, a child is a copy of its mother"
        trial.require(shown[0] == shown[1], law, f"child {i}")


def _without_mutation(representation: Representation) -> Representation:
    """The same with all rates of mutation at 0 that it has besides the common one, and rates that don't adapt."""
    settings: Any = representation
    names = [field.name for field in fields(settings) if field.init] if is_dataclass(settings) else []
    rates: dict[str, Any] = {name: 0.0 for name in names if name.endswith("mutation")}
    adapting = {name: False for name in names if name == "facilitated"}
    still: Representation = replace(settings, **rates, **adapting) if rates or adapting else representation
    return still
