"""A prior from finished runs: probabilities of a grammar's productions that later runs start from."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from gramarye.comparison.comparison import Comparison
from gramarye.derivations import Derivation, Derivations
from gramarye.derivations.rewriting import Rewriting, by_parent
from gramarye.engine.run import Run
from gramarye.errors import SettingsError
from gramarye.grammar import Grammar
from gramarye.learners.base import Context
from gramarye.learners.dirichlet import likeliest_strength, posterior, shares_of
from gramarye.objectives.problem import check_grammar
from gramarye.priors.programs import Solution, common_grammar, derivation, solutions
from gramarye.store import Results

Texts: TypeAlias = Sequence[str | Derivation]
Programs: TypeAlias = Run | Sequence[Run] | Comparison | Results | str | PathLike[str] | Texts | Mapping[str, Texts]
Shrinkage: TypeAlias = float | Literal["auto"]
LOW, HIGH = 1e-6, 1e6  # of the shrinkage


class Prior(NamedTuple):
    """A grammar with learned probabilities, and how strongly they were shrunk."""

    grammar: Grammar
    shrinkage: float


def learn_prior(
    programs: Programs,
    grammar: Grammar | None = None,
    *,
    shrinkage: Shrinkage = 1.0,
    context: Context = "none",
) -> Grammar:
    r"""A grammar whose probabilities are learned from the best programs of finished runs.

    A program counts by how its uses of each rule are shared among the rule's productions, whatever its size. Programs
    of one task are averaged before tasks are: ten runs of one task don't outweigh one run of each of ten others.

    Parameters
    ----------
    programs
        Runs; a comparison or `gm.Results`; the path of a `results.db`, of its folder or of a saved model; or programs
        as texts, in a list, or in a mapping from tasks to lists. Runs on the same problem are of one task.
    grammar
        The grammar of the prior (default: that of the runs). Programs of other grammars are parsed with it.
    shrinkage
        Number of tasks that the grammar's own probabilities count as (uniform ones if it carries none); within a task,
        the mean over all tasks counts as that many programs. "auto" takes the number that predicts each task best from
        the others (if there is only one task, each program); `gramarye.priors.auto_shrinkage` returns that number.
    context
        "parent" or "slot" gives a non-terminal separate probabilities for each production that it occurs in, or also
        for its position there. The grammar is rewritten accordingly; each context is shrunk towards its non-terminal.

    Returns
    -------
    Grammar
        With probabilities; `str(prior)` is the text of its file. No production becomes impossible.

    Examples
    --------
    >>> import gramarye as gm
    >>> grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | <v>\n<v> ::= x | 1.0")
    >>> print(gm.learn_prior({"first": ["x + x"], "second": ["x", "x + x"]}, grammar), end="")
    <e> ::= <e> + <e> {0.358...}
          | <v>       {0.641...}
    <v> ::= x   {0.769...}
          | 1.0 {0.230...}
    """
    return prior_of(solutions(programs), grammar, shrinkage, context).grammar


def auto_shrinkage(programs: Programs, grammar: Grammar | None = None) -> float:
    """The number that `learn_prior(programs, grammar, shrinkage="auto")` takes."""
    return prior_of(solutions(programs), grammar, "auto").shrinkage


def prior_of(
    found: Sequence[Solution],
    grammar: Grammar | None = None,
    shrinkage: Shrinkage = 1.0,
    context: Context = "none",
) -> Prior:
    """A prior from programs that have been collected."""
    _check(shrinkage, context)
    grammar = common_grammar(found) if grammar is None else check_grammar(grammar)
    tasks: dict[Hashable, list[Derivation]] = {}
    for each in found:
        tasks.setdefault(each.task, []).append(derivation(each, grammar))
    shares = [shares_of(grammar, derivations) for derivations in tasks.values()]
    base = np.array(grammar.start_probabilities())
    strength = likeliest_strength(grammar, base, shares) if shrinkage == "auto" else float(shrinkage)
    learned = grammar.with_probabilities(posterior(grammar, base, shares, strength))
    if context != "none":
        learned = _by_context(learned, list(tasks.values()), strength, context)
    return Prior(learned, strength)


def contexts_of(grammar: Grammar, context: Context) -> Rewriting:
    """The grammar with a rule for each context of a non-terminal."""
    return Rewriting(grammar) if context == "none" else by_parent(grammar, slots=context == "slot")


def _by_context(learned: Grammar, tasks: Sequence[Sequence[Derivation]], strength: float, context: Context) -> Grammar:
    """The grammar with a rule for each context, whose base is what was learned without contexts."""
    rewriting = contexts_of(learned, context)
    own = rewriting.grammar
    unfolded = [
        [Derivation.first_of(own, rewriting.unfold(learned, Derivations.of(each.productions))) for each in derivations]
        for derivations in tasks
    ]
    shares = [shares_of(own, derivations) for derivations in unfolded]
    return own.with_probabilities(posterior(own, np.array(own.start_probabilities()), shares, strength))


def _check(shrinkage: Any, context: str) -> None:
    number = isinstance(shrinkage, int | float | np.number) and not isinstance(shrinkage, bool)
    if shrinkage != "auto" and not (number and LOW <= shrinkage <= HIGH):
        raise SettingsError(f"shrinkage is {shrinkage!r}: it must be a number from {LOW:f} to {HIGH:,.0f}, or 'auto'")
    if context not in get_args(Context):
        raise SettingsError(f"context is {context!r}: it must be one of {', '.join(map(repr, get_args(Context)))}")
