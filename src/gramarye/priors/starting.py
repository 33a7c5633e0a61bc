"""A grammar that starts from a prior."""

from __future__ import annotations

from itertools import zip_longest
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

from gramarye.derivations.rewriting import by_parent
from gramarye.errors import GrammarError, warn
from gramarye.grammar import Grammar
from gramarye.priors.learning import prior_of
from gramarye.priors.programs import Solution, holds_programs, solutions
from gramarye.text import shown


def with_prior(grammar: Grammar, prior: Any) -> Grammar:
    """The same as `started`, with a warning about the rules that the prior says nothing of."""
    found, note = started(grammar, prior)
    if note:
        warn(note)
    return found


def started(grammar: Grammar, prior: Any) -> tuple[Grammar, str]:
    """The grammar with the probabilities of a prior: a grammar, its file, or what `learn_prior` learns one from.

    A prior of other data has another rule of columns: rules that are not the same stay as they are, and a note says so.
    """
    if isinstance(prior, str | PathLike) and not holds_programs(Path(prior)):
        prior = Grammar.from_file(prior)
    if not isinstance(prior, Grammar):
        prior = _learned(grammar, solutions(prior))
    others = [name for name in grammar.nonterminals if not _is_same(grammar, prior, name)]
    shared = [name for name in grammar.nonterminals if name not in others]
    if others and (grammar.nonterminals[0] in others or all(len(grammar.rules[name]) == 1 for name in shared)):
        _refuse(grammar, prior, others[0])
    if prior.probabilities is None:
        raise GrammarError(f"the prior {prior.name} carries no probabilities; learn them with gm.learn_prior")
    values = {name: prior.probabilities[prior.spans[name]] for name in shared}
    note = f"the prior has other productions for {', '.join(others)}: their probabilities are not taken over"
    return grammar.with_probabilities(values), note if others else ""


def _learned(grammar: Grammar, found: list[Solution]) -> Grammar:
    """A prior for the grammar; for that of the runs, if only later rules differ, as they do with other columns."""
    own = found[0].grammar
    if own is None or own.productions == grammar.productions or any(each.grammar != own for each in found):
        return prior_of(found, grammar).grammar
    return prior_of(found, own if _is_same(grammar, own, grammar.nonterminals[0]) else grammar).grammar


def _refuse(grammar: Grammar, prior: Grammar, name: str) -> NoReturn:
    """A GrammarError that names the first production that is different, of a rule that is."""
    what = f"the prior {prior.name} does not have the rules of {grammar.name}"
    if any(
        _is_same(by_parent(grammar, slots=slots).grammar, prior, grammar.nonterminals[0]) for slots in (False, True)
    ):
        own = "use it as the grammar itself (grammar=…, --grammar)"
        raise GrammarError(f"{what}, but one for each context; {own}, or learn a prior without contexts")
    pairs = zip_longest(grammar.rules[name], prior.rules.get(name, ()))
    different = next(pair for pair in pairs if None in pair or pair[0].symbols != pair[1].symbols)
    here, there = ("the end" if each is None else f"{name} ::= {shown(each.text)}" for each in different)
    raise GrammarError(f"{what}: {there} instead of {here}; learn a prior with this grammar")


def _is_same(grammar: Grammar, other: Grammar, name: str) -> bool:
    """Whether two grammars have the same productions for a non-terminal."""
    mine, theirs = ([each.symbols for each in one.rules.get(name, ())] for one in (grammar, other))
    return mine == theirs
