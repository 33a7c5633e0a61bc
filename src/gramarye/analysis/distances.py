"""How far apart programs are: batches of tree and token edit distances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivations, Status
from gramarye.derivations.rewriting import packed
from gramarye.execution import Threads
from gramarye.grammar import Grammar
from gramarye.kernels.codes import CHILD

LARGEST = 300  # nodes of a tree that it doesn't share with another one; if it has more, the distance isn't computed
Indices = NDArray[np.int64]


class Nodes(NamedTuple):
    """The symbols of each production that are nodes of a tree: no white space, an empty text for an empty one."""

    start: NDArray[np.int32]  # [R+1]
    symbols: NDArray[np.int32]  # >= 0 non-terminal, < 0 ~terminal
    token_start: NDArray[np.int32]  # [R+1]
    tokens: NDArray[np.int32]  # numbers of terminals, CHILD for a non-terminal; an empty text is a node but no token


@lru_cache(maxsize=64)
def nodes_of(grammar: Grammar) -> Nodes:
    """The nodes below each production."""
    number = {name: a for a, name in enumerate(grammar.nonterminals)}
    code = {text: t for t, text in enumerate(grammar.terminals)}
    rows = []
    for production in grammar.productions:
        seen = [s for s in production.symbols if s.kind != "space"]
        row = [number[s.text] if s.kind == "nonterminal" else ~code[s.text] for s in seen]
        rows.append(row if production.symbols else [~code[""]])
    tokens = [[max(~symbol, CHILD) for symbol in row if ~symbol != code.get("")] for row in rows]
    return Nodes(*packed(rows), *packed(tokens))


@dataclass(frozen=True)
class Distances:
    """Edits between the programs of some pairs; -1 where a program is none, or trees differ too much to be measured.

    Of those trees it is known all the same that they are more than one edit apart.
    """

    trees: NDArray[np.int32]  # [P]
    tokens: NDArray[np.int32]  # [P]
    nodes: NDArray[np.int64]  # [P] of both trees together
    longest: NDArray[np.int64]  # [P] tokens of the longer text

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Which pairs have a distance of trees."""
        return self.trees >= 0

    @property
    def relative(self) -> NDArray[np.float64]:
        """Distances of trees as a share of their nodes: 1 where one would be cut down and the other rebuilt."""
        return self.trees / np.maximum(self.nodes, 1)


def distances(
    grammar: Grammar,
    one: Derivations,
    other: Derivations,
    first: Indices,  # [P] which derivation of `one`,
    second: Indices,  # [P] and which of `other`
    threads: Threads | None = None,
) -> Distances:
    """Tree edit distance by unit costs on derivation trees, and edit distance on tokens."""
    nodes = nodes_of(grammar)
    valid = np.flatnonzero((one.status[first] == Status.OK) & (other.status[second] == Status.OK))
    texts = (*spelt(grammar, one), *spelt(grammar, other))
    size_one, size_other = sizes(grammar, one), sizes(grammar, other)
    room = max(int(size_one.max(initial=1)), int(size_other.max(initial=1)))

    def work(begin: int, end: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        a, b = first[valid[begin:end]], second[valid[begin:end]]
        arrays = one.productions, one.offsets, other.productions, other.offsets
        trees = kernels.tree_distance.tree_distances(*arrays, a, b, nodes.start, nodes.symbols, room, LARGEST)
        return trees, kernels.token_distance.token_distances(*texts, a, b)

    trees, tokens = np.full((2, len(first)), -1, np.int32)
    parts = (threads or Threads()).map(work, len(valid))
    trees[valid], tokens[valid] = (np.concatenate(found) for found in zip(*parts, strict=True))
    both = size_one[first] + size_other[second]
    return Distances(trees, tokens, both, np.maximum(np.diff(texts[1])[first], np.diff(texts[3])[second]))


def sizes(grammar: Grammar, derivations: Derivations) -> NDArray[np.int64]:
    """The nodes of each tree; none where a program is invalid."""
    added = np.concatenate([[0], np.cumsum(np.diff(nodes_of(grammar).start)[derivations.productions])])
    found: Indices = np.diff(added[derivations.offsets]) + (derivations.status == Status.OK)
    return found


def spelt(grammar: Grammar, derivations: Derivations) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The tokens of all programs, one after another, and where each begins."""
    nodes = nodes_of(grammar)
    tokens, ends = kernels.rewriting.translate(
        derivations.productions, derivations.offsets, nodes.token_start, nodes.tokens
    )
    return tokens, ends
