"""Grammars without recursion: what is directly recursive is written out over some levels (static SGE).

N. Lourenço, F. B. Pereira, E. Costa. Unveiling the Properties of Structured Grammatical Evolution. Genet. Program.
Evolvable Mach. 17(3), 2016, 251-289.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations.rewriting import Rewriting, unused
from gramarye.errors import GrammarError
from gramarye.grammar import Grammar, Production
from gramarye.grammar.arrays import rows
from gramarye.grammar.rules import ProductionText, Rule, Symbol
from gramarye.kernels.codes import CHILD

MOST_NAMED = 6  # non-terminals in an error
MOST_PRODUCTIONS = 2**18  # of a rewritten grammar: far above any use, far below what exhausts the memory

Written = tuple[tuple[Symbol, ...], tuple[int, ...]]  # a production of the rewritten grammar, and its template


def without_recursion(grammar: Grammar, levels: int) -> Rewriting:
    """The grammar in which each directly recursive non-terminal `<a>` goes on as `<a_0>`, …, down to the last level.

    There, each recursive reference is replaced by every production that doesn't recur, the leftmost varying slowest.
    """
    _check(grammar, levels)
    return _written_out(grammar, levels, grammar.name) if grammar.analysis.directly_recursive else Rewriting(grammar)


@lru_cache(maxsize=64)
def _written_out(grammar: Grammar, levels: int, grammar_name: str) -> Rewriting:
    recursive = grammar.analysis.directly_recursive
    written: dict[str, list[Written]] = {name: [] for name in grammar.nonterminals}
    for name, rule in grammar.rules.items():
        if name not in recursive:
            written[name] = [_level(production, name) for production in rule]
            continue
        names = [unused(f"{name[:-1]}_{level}>", {*written}) for level in range(levels + 1)]  # <expr_0> and so on
        for own, below in pairwise([name, *names]):
            written[own] = [_level(production, below) for production in rule]
        written[names[-1]] = [last for production in rule for last in _last_level(production, rule)]
    written |= {name: written.pop(name) for name in sorted(grammar.constant_names)}  # they come last in every grammar
    sides = {name: tuple(ProductionText(symbols) for symbols, _ in found) for name, found in written.items()}
    templates = tuple(template for found in written.values() for _, template in found)
    return Rewriting(Grammar([Rule(name, found) for name, found in sides.items()], grammar_name), templates)


def _check(grammar: Grammar, levels: int) -> None:
    """A GrammarError where recursion can't be removed, or only by far too many productions."""
    loops = grammar.analysis.indirectly_recursive
    if loops:
        named = ", ".join(loops if len(loops) <= MOST_NAMED else [*loops[:MOST_NAMED], "…"])
        raise GrammarError(
            f"{grammar.name}: {loops[0]} derives itself by way of another non-terminal ({named}); static "
            "SGE removes direct recursion only: use the method sge, or write the rules as one"
        )
    total = len(grammar.productions)
    for name in grammar.analysis.directly_recursive:
        rule = grammar.rules[name]
        ways = sum(_references(production) == 0 for production in rule)
        total += levels * len(rule) + sum(ways ** _references(production) for production in rule)
    if total > MOST_PRODUCTIONS:
        raise GrammarError(
            f"{grammar.name}: without recursion, over {levels} levels, it would have {total:,} productions, and "
            f"{MOST_PRODUCTIONS:,} is the most; use the method sge, or a lower recursion"
        )


def _references(production: Production) -> int:
    """How often a production refers to its own left side."""
    return sum(symbol == Symbol(production.nonterminal, "nonterminal") for symbol in production.symbols)


def _level(production: Production, below: str) -> Written:
    """A production whose references to its own left side lead one level down."""
    own = Symbol(production.nonterminal, "nonterminal")
    symbols = tuple(Symbol(below, "nonterminal") if symbol == own else symbol for symbol in production.symbols)
    return symbols, (production.id, *_children(symbols))


def _last_level(production: Production, rule: tuple[Production, ...]) -> list[Written]:
    """A production once for every way to replace its references by productions that don't recur."""
    ends = [other for other in rule if _references(other) == 0]
    found = []
    for chosen in product(ends, repeat=_references(production)):
        left = iter(chosen)
        symbols: list[Symbol] = []
        template = [production.id]
        for symbol in production.symbols:
            if symbol == Symbol(production.nonterminal, "nonterminal"):
                end = next(left)
                symbols += end.symbols
                template += [end.id, *_children(end.symbols)]
            else:
                symbols.append(symbol)
                template += _children((symbol,))
        found.append((tuple(symbols), tuple(template)))
    return found


def _children(symbols: tuple[Symbol, ...]) -> list[int]:
    return [CHILD for symbol in symbols if symbol.kind == "nonterminal"]


@lru_cache(maxsize=64)
def most_expansions(grammar: Grammar) -> tuple[int, ...]:
    """How often each non-terminal is expanded at most in any derivation of a grammar without recursion, exactly."""
    recursive = (*grammar.analysis.directly_recursive, *grammar.analysis.indirectly_recursive)
    if recursive:
        raise GrammarError(f"{grammar.name}: {recursive[0]} is recursive, and may be expanded without end")
    kids, rule_start = list(rows(grammar.arrays)), grammar.arrays.rule_start.tolist()
    most: dict[int, NDArray[np.object_]] = {}  # below each non-terminal [K], Python's integers: they grow fast
    pending = [0]
    while pending:  # children first
        a = pending[-1]
        rule = kids[rule_start[a] : rule_start[a + 1]]
        missing = {kid for row in rule for kid in row if kid not in most}
        if missing:
            pending += missing
            continue
        pending.pop()
        nothing = np.zeros(len(grammar.nonterminals), object)
        found = [sum((most[kid] for kid in row), nothing) for row in rule]
        most[a] = np.maximum.reduce(found)
        most[a][a] += 1
    return tuple(map(int, most[0]))
