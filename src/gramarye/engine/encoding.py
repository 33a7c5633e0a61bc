"""Programs → genotypes: the way back, for programs that someone wrote or that another method found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivation, Derivations, Status
from gramarye.derivations.parsing import parse
from gramarye.derivations.rewriting import Rewriting
from gramarye.errors import GenotypeError, GrammarError, SettingsError
from gramarye.grammar import Grammar, ProbabilityValues
from gramarye.methods import PGE, MethodBase, check_method
from gramarye.representations.base import Seed, as_seed
from gramarye.representations.optional import encoder, shown
from gramarye.text import brief

Program: TypeAlias = str | Derivation
Programs: TypeAlias = Sequence[Program] | Mapping[str, Program]  # by what errors call them, if they have names


def encode(
    grammar: Grammar,
    program: Program,
    method: MethodBase | None = None,
    probabilities: ProbabilityValues | None = None,
    seed: int = 0,
) -> Any:
    """A genotype that `map_genotype` maps to a program.

    Parameters
    ----------
    grammar
        The grammar of the program.
    program
        Its text, or a derivation.
    method
        The method whose genotype is wanted (default: `PGE()`).
    probabilities
        Those that the genotype is read through (default: the grammar's).
    seed
        For what the program leaves open, such as unused codons.

    Returns
    -------
    genotype
        In the form in which `map_genotype` takes it. Of the grammar's constants, trees keep the values; other
        genotypes hold none. A GenotypeError says why a program does not fit.

    Examples
    --------
    >>> import gramarye as gm
    >>> gm.encode(gm.problems.load("quartic").grammar, "x * x", gm.SGE())
    {'<expr>': [0, 2, 2], '<op>': [2], '<var>': [0, 0]}
    """
    method = PGE() if method is None else check_method(method)
    rewriting = method.rewritten(grammar)
    own = rewriting.grammar
    weights = own.start_probabilities() if probabilities is None else own.check_probabilities(probabilities)
    derivation = derive(grammar, rewriting, program, method)
    genotypes = encode_all({"the program": derivation}, method, np.array(weights), as_seed(seed))
    return shown(method.representation, own, genotypes, 0)


def derive(
    grammar: Grammar, rewriting: Rewriting, program: Any, method: MethodBase, name: str = "the program", line: int = 1
) -> Derivation:
    """A program as a derivation of the grammar that the method's genotypes are read through."""
    encoder(method.representation, method.name)  # a GenotypeError where it can't
    if not isinstance(program, Derivation):
        return _rewritten(parse(grammar, program, name, line), rewriting, method, name)
    text = program.phenotype
    if text is None:
        raise GrammarError(f"{name} is not finished: {brief(program.form)}; derive all of its non-terminals")
    if _alike(program.grammar, rewriting.grammar):
        return Derivation(rewriting.grammar, program.productions, program.values)
    if not _alike(program.grammar, grammar):
        program = parse(grammar, text, name, line)
    return _rewritten(Derivation(grammar, program.productions, program.values), rewriting, method, name)


def _alike(one: Grammar, other: Grammar) -> bool:
    return one.with_probabilities(None) == other.with_probabilities(None)


def _rewritten(derivation: Derivation, rewriting: Rewriting, method: MethodBase, name: str) -> Derivation:
    """A derivation in the method's own grammar; where it does not fit, another one of the same text."""
    own = rewriting.unfold(derivation.grammar, derivation.alone)
    if own.status[0] == Status.OK:
        return Derivation.first_of(rewriting.grammar, own)
    try:
        return parse(rewriting.grammar, derivation.form, name)
    except GrammarError:
        weights = np.array(rewriting.grammar.start_probabilities())
        why = encoder(method.representation, method.name).misfit(rewriting.grammar, derivation.productions, weights)
        raise GenotypeError(f"{name}, {brief(derivation.form)}, does not fit: {why}") from None


def encode_all(
    programs: Mapping[str, Derivation], method: MethodBase, probabilities: NDArray[np.float64], seed: Seed
) -> Any:
    """Genotypes for some derivations of the method's grammar, by name; a GenotypeError for one that does not fit."""
    derivations = list(programs.values())
    grammar = derivations[0].grammar
    method.representation.check(grammar)
    joined = Derivations.join([derivation.alone for derivation in derivations])
    genotypes, fits = encoder(method.representation, method.name).encode(grammar, joined, probabilities, seed)
    for (name, derivation), fit in zip(programs.items(), fits.tolist(), strict=True):
        if not fit:
            why = encoder(method.representation, method.name).misfit(grammar, derivation.productions, probabilities)
            raise GenotypeError(f"{name}, {brief(derivation.form)}, does not fit: {why}")
    return genotypes


def read_programs(
    grammar: Grammar, rewriting: Rewriting, initial_programs: Programs, method: MethodBase
) -> dict[str, Derivation]:
    """The programs that a run begins with as derivations of the method's grammar, by what errors call them."""
    if isinstance(initial_programs, str | Derivation) or not isinstance(initial_programs, Sequence | Mapping):
        raise SettingsError(f"initial_programs is of type {type(initial_programs).__name__}; give a list of programs")
    if len(initial_programs) > method.population:
        raise SettingsError(
            f"initial_programs holds {len(initial_programs)} programs, but the population is {method.population}; "
            "leave some out, or increase population"
        )
    if not isinstance(initial_programs, Mapping):
        initial_programs = {
            f"program {number} of initial_programs": program for number, program in enumerate(initial_programs, 1)
        }
    return {name: derive(grammar, rewriting, program, method, name) for name, program in initial_programs.items()}
