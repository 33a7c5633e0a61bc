"""Grammars that a method rewrites for itself: they derive the same texts, and their derivations can be read back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations.derivation import Derivations, only_whole
from gramarye.grammar import Grammar
from gramarye.grammar.constants import constant_rules
from gramarye.grammar.rules import ProductionText, Rule, Symbol
from gramarye.kernels.codes import CHILD

Templates: TypeAlias = tuple[tuple[int, ...], ...]
Flags: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class Rewriting:
    """A grammar, and for each of its productions what stands for it in the grammar that it was made from."""

    grammar: Grammar
    templates: Templates | None = None  # numbers of productions, CHILD for a child; None: the same

    @property
    def same(self) -> bool:
        """Whether it is the original grammar."""
        return self.templates is None

    def translate(self, derivations: Derivations) -> Derivations:
        """Derivations of the rewritten grammar as those of the original."""
        if self.templates is None:
            return derivations
        if self._single is not None:
            return replace(derivations, productions=self._single[derivations.productions])
        start, templates = self.packed
        productions, offsets = kernels.rewriting.translate(
            derivations.productions, derivations.offsets, start, templates
        )
        values = self._moved(derivations, self.grammar.constants, productions, self._original_constants)
        return Derivations(productions, offsets, derivations.status, values)

    def translate_one(self, productions: NDArray[np.int32]) -> NDArray[np.int32]:
        """One derivation without constants."""
        return self.translate(Derivations.of(productions))[0]

    def unfold(self, original: Grammar, derivations: Derivations) -> Derivations:
        """The way back: derivations of the original; those that don't fit into the rewritten grammar become invalid."""
        if self.templates is None:
            return derivations
        start, templates = self.packed
        productions, offsets, status = kernels.rewriting.unfold(
            derivations.productions,
            derivations.offsets,
            derivations.status,
            original.arrays,
            self.grammar.arrays,
            start,
            templates,
        )
        if len(derivations.values):  # of those that fit
            derivations = only_whole(replace(derivations, status=status))
        values = self._moved(derivations, self._original_constants, productions, self.grammar.constants)
        return Derivations(productions, offsets, status, values)

    def with_values(self, own: Derivations, translated: Derivations) -> Derivations:
        """Derivations of the rewritten grammar with the constants of their translations."""
        if self.templates is None:
            return translated
        moved = self._moved(translated, self._original_constants, own.productions, self.grammar.constants)
        return replace(own, values=moved)

    @staticmethod
    def _moved(
        derivations: Derivations, constants: Flags, productions: NDArray[np.int32], new_constants: Flags
    ) -> NDArray[np.float64]:
        """The values of derivations at the steps of others with the same constants: they come in the same order."""
        if not len(derivations.values):
            return derivations.values
        values = np.zeros(len(productions))
        values[new_constants[productions]] = derivations.values[constants[derivations.productions]]
        return values

    @cached_property
    def _original_constants(self) -> Flags:
        """Which productions of the original are constants, as far as this grammar uses them."""
        constants = np.zeros(max(map(max, self.templates or ((0,),))) + 1, np.bool_)
        constants[self.origins[self.grammar.constants]] = True
        return constants

    def after(self, first: Rewriting) -> Rewriting:
        """This one, made from the grammar of another, as made from the grammar that the other was made from."""
        if self.templates is None or first.templates is None:
            return self if first.templates is None else first
        return Rewriting(self.grammar, composed(self.templates, first.templates))

    @cached_property
    def origins(self) -> NDArray[np.int32]:
        """[R] the first production of the original that stands for each."""
        if self.templates is None:
            return np.arange(len(self.grammar.productions), dtype=np.int32)
        return np.array([next(entry for entry in row if entry != CHILD) for row in self.templates], np.int32)

    @cached_property
    def packed(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Templates for kernels: where each begins, and all of them one after another."""
        return packed(self.templates or ())

    @cached_property
    def _single(self) -> NDArray[np.int32] | None:
        """The production that stands for each, where it is one and comes first: then a look-up is enough."""
        rows = self.templates or ()
        if any(row[0] == CHILD or sum(entry != CHILD for entry in row) != 1 for row in rows):
            return None
        return np.array([row[0] for row in rows], np.int32)


def packed(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where each row begins, and all of them one after another."""
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32)
    return start, np.array([entry for row in rows for entry in row], np.int32)


def composed(second: Templates, first: Templates) -> Templates:
    """Templates whose numbers are those of other templates, as one."""

    def replaced(steps: Iterator[int]) -> list[int]:
        """What stands for the next subtree."""
        step = next(steps)
        if step == CHILD:
            return [CHILD]
        return [number for entry in first[step] for number in (replaced(steps) if entry == CHILD else [entry])]

    return tuple(tuple(replaced(iter(row))) for row in second)


def by_parent(grammar: Grammar, slots: bool = False) -> Rewriting:
    """The parent-annotated grammar (Johnson 1998): a rule for each non-terminal below each production that holds it.

    With `slots`, also for each of its places in that production.
    """
    contexts: list[tuple[int, int, str]] = [(-1, 0, grammar.nonterminals[0])]  # production, place, non-terminal
    seen = {contexts[0]: contexts[0][2]}
    constants: set[str] = set()  # with one production, there is nothing to learn about them
    rules, templates = [], []
    for context in contexts:  # grows while it is read
        sides = []
        for production in grammar.rules[context[2]]:
            symbols, place = [], 0
            for symbol in production.symbols:
                if symbol.text in grammar.constant_names:
                    constants.add(symbol.text)
                    place += 1
                    symbols.append(symbol)
                elif symbol.kind == "nonterminal":
                    inner = (production.id, place if slots else 0, symbol.text)
                    if inner not in seen:
                        seen[inner] = _name(inner, slots, set(seen.values()) | set(grammar.nonterminals))
                        contexts.append(inner)
                    place += 1
                    symbols.append(Symbol(seen[inner], "nonterminal"))
                else:
                    symbols.append(symbol)
            sides.append(ProductionText(tuple(symbols)))
            templates.append((production.id, *[CHILD] * place))
        rules.append(Rule(seen[context], tuple(sides)))
    rules += constant_rules(constants)
    templates += [(grammar.spans[name].start,) for name in sorted(constants)]
    rewritten = Grammar(rules, grammar.name)
    return Rewriting(_with_probabilities(rewritten, grammar, templates), tuple(templates))


def _name(context: tuple[int, int, str], slots: bool, taken: set[str]) -> str:
    """`<expr.1>`: an expr below production 1; with its place, `<expr.1.0>`."""
    production, place, nonterminal = context
    return unused(f"{nonterminal[:-1]}.{production}{f'.{place}' if slots else ''}>", taken)


def unused(name: str, taken: set[str]) -> str:
    """The name of a non-terminal, with as many primes as it needs to be a new one."""
    while name in taken:
        name = f"{name[:-1]}'>"
    return name


def _with_probabilities(rewritten: Grammar, grammar: Grammar, templates: Sequence[tuple[int, ...]]) -> Grammar:
    """Each production with the probability that it had in the original."""
    if grammar.probabilities is None:
        return rewritten
    return rewritten.with_probabilities(grammar.probabilities[[template[0] for template in templates]])
