"""A grammar that starts from a prior."""

from __future__ import annotations

from itertools import zip_longest
from os import PathLike
from pathlib import Path
from typing import Any

from gramarye.errors import GrammarError
from gramarye.grammar import Grammar
from gramarye.priors.learning import learn_prior
from gramarye.text import shown


def with_prior(grammar: Grammar, prior: Any) -> Grammar:
    """The grammar with the probabilities of a prior: a grammar, its file, or what `learn_prior` learns one from."""
    if isinstance(prior, str | PathLike) and Path(prior).suffix.lower() != ".db":
        prior = Grammar.from_file(prior)
    if not isinstance(prior, Grammar):
        return learn_prior(prior, grammar)
    _check_rules(grammar, prior)
    if prior.probabilities is None:
        raise GrammarError(f"the prior {prior.name} carries no probabilities; learn them with gm.learn_prior")
    return grammar.with_probabilities(prior.probabilities)


def _check_rules(grammar: Grammar, prior: Grammar) -> None:
    """A GrammarError that names the first production that is different."""
    for own, other in zip_longest(grammar.productions, prior.productions):
        if own != other:
            here, there = (
                "the end" if each is None else f"{each.nonterminal} ::= {shown(each.text)}" for each in (own, other)
            )
            what = f"the prior {prior.name} does not have the rules of {grammar.name}: {there} instead of {here}"
            raise GrammarError(f"{what}; learn a prior with this grammar")
