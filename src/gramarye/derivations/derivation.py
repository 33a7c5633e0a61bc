"""What a genotype becomes: a list of productions in leftmost order, from which all else follows by one replay."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gramarye.errors import GrammarError
from gramarye.grammar import Grammar, drawing
from gramarye.grammar.constants import number_text
from gramarye.grammar.drawing import Node
from gramarye.grammar.rules import Symbol
from gramarye.kernels.codes import Status
from gramarye.text import brief

NO_VALUES = np.zeros(0)  # of derivations without constants


@dataclass(frozen=True)
class Derivations:
    """The derivations of a population, one after another in one array."""

    productions: NDArray[np.int32]  # [total]
    offsets: NDArray[np.int64]  # [N+1]
    status: NDArray[np.int8]  # [N]
    # [total] of constants, 0 at other steps, NaN: to be drawn; empty: there are none, or all are to be drawn
    values: NDArray[np.float64] = field(default_factory=lambda: NO_VALUES)

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, i: int | np.integer) -> NDArray[np.int32]:
        return self.productions[self.offsets[i] : self.offsets[i + 1]]

    def take(self, individuals: NDArray[np.int64]) -> Derivations:
        """The derivations of some individuals."""
        lengths = np.diff(self.offsets)[individuals]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        places = np.repeat(self.offsets[:-1][individuals] - offsets[:-1], lengths) + np.arange(offsets[-1])
        values = self.values[places] if len(self.values) else self.values
        return Derivations(self.productions[places], offsets, self.status[individuals], values)

    @classmethod
    def of(cls, productions: NDArray[np.int32], values: NDArray[np.float64] = NO_VALUES) -> Derivations:
        """A population of one."""
        offsets = np.array([0, len(productions)], np.int64)
        return cls(np.array(productions, np.int32), offsets, np.zeros(1, np.int8), values)

    @classmethod
    def join(cls, parts: list[Derivations]) -> Derivations:
        """Several populations as one."""
        if len(parts) == 1:
            return parts[0]
        lengths = np.concatenate([part.offsets[1:] - part.offsets[:-1] for part in parts])
        return cls(
            np.concatenate([part.productions for part in parts]),
            np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
            np.concatenate([part.status for part in parts]),
            np.concatenate(_all_values(parts)),
        )


def _all_values(parts: list[Derivations]) -> list[NDArray[np.float64]]:
    """The values of each part; where only some have any, those of the others are to be drawn."""
    known = any(len(part.values) for part in parts)
    missing = [known and len(part.values) < len(part.productions) for part in parts]
    return [
        np.full(len(part.productions), np.nan) if drawn else part.values
        for part, drawn in zip(parts, missing, strict=True)
    ]


def only_whole(derivations: Derivations) -> Derivations:
    """The same population, where those that failed have no productions."""
    failed = derivations.status != Status.OK
    lengths = np.diff(derivations.offsets)
    if not (failed & (lengths > 0)).any():
        return derivations
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.where(failed, 0, lengths))])
    kept = np.repeat(~failed, lengths)
    values = derivations.values[kept] if len(derivations.values) else derivations.values
    return Derivations(derivations.productions[kept], offsets, derivations.status, values)


@dataclass(frozen=True)
class _Replay:
    root: Node
    tokens: tuple[str, ...]  # texts of the leaves left to right; a pending non-terminal by its name
    pending: int
    depth: int
    size: int


@dataclass(frozen=True, eq=False, repr=False)
class Derivation:
    """One derivation of a grammar: the productions in leftmost order, and all that follows from them.

    Attributes
    ----------
    phenotype : str or None
        The program; None if the derivation is not complete.
    tree, depth, size
        Its tree, printed by `print(derivation)`.
    counts : dict
        How often each production was used, by non-terminal.

    Examples
    --------
    >>> import gramarye as gm
    >>> derivation = gm.parse(gm.Grammar.from_text("<e> ::= <e> + <e> | x"), "x + x")
    >>> print(derivation)
    <e>
    ├─ <e>
    │  └─ x
    ├─ +
    └─ <e>
       └─ x
    """

    grammar: Grammar
    productions: NDArray[np.int32]  # [steps], leftmost order
    values: NDArray[np.float64] = field(default_factory=lambda: NO_VALUES)  # [steps] of constants, where they are known

    @classmethod
    def first_of(cls, grammar: Grammar, derivations: Derivations) -> Derivation:
        """The first of some derivations."""
        steps = slice(0, int(derivations.offsets[1]))
        return cls(grammar, derivations.productions[steps], derivations.values[steps])

    @property
    def alone(self) -> Derivations:
        """The same as a population of one."""
        return Derivations.of(self.productions, self.values)

    @property
    def complete(self) -> bool:
        """Whether no non-terminal is left."""
        return self._replay.pending == 0

    @property
    def form(self) -> str:
        """The sentential form: the text so far, with the non-terminals that are left."""
        return "".join(self.tokens)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The texts of its leaves, from left to right."""
        return self._replay.tokens

    @property
    def phenotype(self) -> str | None:
        """The text that was derived, or None as long as a non-terminal is left."""
        return self.form if self.complete else None

    @property
    def depth(self) -> int:
        """The depth of the tree: its root has depth 0, and terminals count."""
        return self._replay.depth

    @property
    def size(self) -> int:
        """The nodes of the tree, terminals included."""
        return self._replay.size

    @property
    def tree(self) -> Node:
        """The derivation tree."""
        return self._replay.root

    @cached_property
    def counts(self) -> dict[str, list[int]]:
        """How often each production was used, by non-terminal."""
        total = np.bincount(self.productions, minlength=len(self.grammar.productions)).tolist()
        return {name: total[span] for name, span in self.grammar.spans.items()}

    def svg(self) -> str:
        """The tree as a picture."""
        return drawing.tree_svg(self.tree)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"Derivation({brief(self.form)}, {len(self.productions)} steps)"

    def __str__(self) -> str:
        return drawing.tree_text(self.tree)

    def symbols(self, step: int, production: int) -> tuple[Symbol, ...]:
        """What a step puts in the place of a non-terminal; a constant by its number, where that is known."""
        if len(self.values) and self.grammar.constants[production]:
            return (Symbol(number_text(float(self.values[step])), "terminal"),)
        return self.grammar.productions[production].symbols

    @cached_property
    def _replay(self) -> _Replay:
        return _replay(self)


def _replay(derivation: Derivation) -> _Replay:
    """Replay a derivation without recursion: trees may be thousands of levels deep."""
    grammar, productions = derivation.grammar, derivation.productions
    root = Node(grammar.nonterminals[0], nonterminal=True)
    stack = [(root, 0)]
    tokens: list[str] = []
    step = pending = depth = 0
    size = 1
    while stack:
        node, level = stack.pop()
        depth = max(depth, level)
        if not node.nonterminal or step == len(productions):
            pending += node.nonterminal
            tokens.append(node.text)
            continue
        number = int(productions[step])
        if not 0 <= number < len(grammar.productions):
            raise GrammarError(f"step {step}: there is no production {number}; give 0 … {len(grammar.productions) - 1}")
        production = grammar.productions[number]
        if production.nonterminal != node.text:
            raise GrammarError(
                f"step {step}: production {production.id} belongs to {production.nonterminal}, "
                f"but the leftmost non-terminal is {node.text}"
            )
        symbols = derivation.symbols(step, number)
        children = [Node(s.text, s.kind == "nonterminal", s.kind == "space") for s in symbols]
        step += 1
        node.children.extend(children or [Node("")])
        size += sum(not child.space for child in node.children)
        stack.extend((child, level + 1) for child in reversed(node.children))
    if step < len(productions):
        raise GrammarError(f"the derivation ends after {step} steps, but {len(productions)} productions were given")
    return _Replay(root, tuple(tokens), pending, depth, size)


def sentential_forms(derivation: Derivation, steps: Container[int]) -> Iterator[tuple[int, str]]:
    """The form after each of these steps, counted from 0; all are passed by once, and only these are written out."""
    done: list[str] = []
    left = [Symbol(derivation.grammar.nonterminals[0], "nonterminal")]  # the leftmost last
    for step, number in enumerate(derivation.productions.tolist()):
        while left[-1].kind != "nonterminal":
            done.append(left.pop().text)
        left.pop()
        left.extend(reversed(derivation.symbols(step, number)))
        if step in steps:
            yield step, "".join([*done, *(symbol.text for symbol in reversed(left))])
