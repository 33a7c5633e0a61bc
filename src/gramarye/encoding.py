"""Programs → genotypes: the way back, for programs that someone wrote by hand or that another method found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gramarye.derivation import Derivation, Derivations, Status
from gramarye.drawing import brief
from gramarye.errors import GenotypeError, GrammarError, SettingsError
from gramarye.grammar import Grammar, ProbabilityValues
from gramarye.methods import PGE, MethodBase, check_method
from gramarye.parsing import parse
from gramarye.representations.base import Seed, as_seed
from gramarye.rewriting import Rewriting

Program: TypeAlias = str | Derivation


def encode(
    grammar: Grammar,
    program: Program,
    method: MethodBase | None = None,
    probabilities: ProbabilityValues | None = None,
    seed: int = 0,
) -> Any:
    """A genotype that `map_genotype` maps to this program, as text or as a derivation; PGE where no method is given.

    What the program leaves open is drawn from `seed`. Probabilities are those given, or the grammar's own, or uniform.
    """
    method = PGE() if method is None else check_method(method)
    own = method.rewritten(grammar).grammar
    weights = own.start_probabilities() if probabilities is None else own.check_probabilities(probabilities)
    derivation = derive(grammar, program, method)
    genotypes = encode_all([derivation], ["the program"], method, np.array(weights), as_seed(seed))
    return method.representation.show(own, genotypes, 0)


def derive(grammar: Grammar, program: Any, method: MethodBase, name: str = "the program", line: int = 1) -> Derivation:
    """A program as a derivation of the grammar that the method's genotypes are read through."""
    if not method.representation.encodable:
        raise GenotypeError(f"{method.name} has no way back from a program to a genotype; take another method")
    rewriting = method.rewritten(grammar)
    if not isinstance(program, Derivation):
        return _rewritten(parse(grammar, program, name, line), rewriting, method, name)
    text = program.phenotype
    if text is None:
        raise GrammarError(f"{name} is not finished: {brief(program.form)}; derive all of its non-terminals")
    if _alike(program.grammar, rewriting.grammar):
        return Derivation(rewriting.grammar, program.productions)
    if not _alike(program.grammar, grammar):
        program = parse(grammar, text, name, line)
    return _rewritten(Derivation(grammar, program.productions), rewriting, method, name)


def _alike(one: Grammar, other: Grammar) -> bool:
    return one.with_probabilities(None) == other.with_probabilities(None)


def _rewritten(derivation: Derivation, rewriting: Rewriting, method: MethodBase, name: str) -> Derivation:
    """A derivation in the method's own grammar; where it does not fit, another one of the same text."""
    own = rewriting.unfold(derivation.grammar, Derivations.of(derivation.productions))
    if own.status[0] == Status.OK:
        return Derivation(rewriting.grammar, own[0])
    try:
        return parse(rewriting.grammar, derivation.form, name)
    except GrammarError:
        weights = np.array(rewriting.grammar.start_probabilities())
        why = method.representation.misfit(rewriting.grammar, derivation.productions, weights)
        raise GenotypeError(f"{name}, {brief(derivation.form)}, does not fit: {why}") from None


def encode_all(
    derivations: Sequence[Derivation],
    names: Sequence[str],
    method: MethodBase,
    probabilities: NDArray[np.float64],
    seed: Seed,
) -> Any:
    """Genotypes for some derivations of the method's grammar; a GenotypeError for the first that does not fit."""
    grammar = derivations[0].grammar
    method.representation.check(grammar)
    joined = Derivations.join([Derivations.of(derivation.productions) for derivation in derivations])
    genotypes, fits = method.representation.encode(grammar, joined, probabilities, seed)
    for derivation, name, fit in zip(derivations, names, fits.tolist(), strict=True):
        if not fit:
            why = method.representation.misfit(grammar, derivation.productions, probabilities)
            raise GenotypeError(f"{name}, {brief(derivation.form)}, does not fit: {why}")
    return genotypes


# Runs that begin with given programs


def read_seeds(grammar: Grammar, seeds: Sequence[Program], method: MethodBase) -> tuple[Derivation, ...]:
    """The programs that a run begins with as derivations of the method's grammar."""
    if isinstance(seeds, str | Derivation) or not isinstance(seeds, Sequence):
        raise SettingsError(f"seeds is of type {type(seeds).__name__}; give a list of programs")
    if len(seeds) > method.population:
        raise SettingsError(
            f"seeds holds {len(seeds)} programs, more than a population of {method.population} has room for; "
            "leave some out, or set population higher"
        )
    names = _names(len(seeds))
    return tuple(derive(grammar, program, method, name) for program, name in zip(seeds, names, strict=True))


def encode_seeds(
    derivations: Sequence[Derivation], method: MethodBase, seed: Seed, names: Sequence[str] | None = None
) -> Any:
    """The genotypes of the first individuals of a run; `names` is what errors call them."""
    weights = np.array(derivations[0].grammar.start_probabilities())
    return encode_all(derivations, names or _names(len(derivations)), method, weights, seed)


def _names(count: int) -> list[str]:
    return [f"program {number} of seeds" for number in range(1, count + 1)]
