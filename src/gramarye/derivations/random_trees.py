"""Random trees of a grammar, as derivations: grow, full, ramped half and half, PTC2, position-independent grow."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations.derivation import Derivations
from gramarye.errors import SettingsError
from gramarye.grammar import Grammar
from gramarye.grammar.arrays import rows
from gramarye.grammar.constants import number_text
from gramarye.grammar.rules import Symbol
from gramarye.kernels.codes import CHILD, Status

Shape = Literal["grow", "full", "ramped", "pi-grow", "ptc2"]
Integers = NDArray[np.int64]

MOST_STEPS = 10_000  # beyond this many expansions a tree is ended quickly: a limit of depth alone bounds it too loosely
SMALLEST = 20  # expansions of the smallest tree of "ptc2" (Nicolau 2017)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio


class TreeArrays(NamedTuple):
    """The shape of a grammar of K non-terminals and R productions, beyond its `GrammarArrays`."""

    recursive: NDArray[np.uint8]  # [R] whether some non-terminal on the right can derive itself
    eager: NDArray[np.uint8]  # [K] whether a non-terminal has such a production
    expansions: NDArray[np.int32]  # [R] least number of expansions below a production
    least: NDArray[np.int32]  # [K] least number of expansions that finish a non-terminal


@lru_cache(maxsize=64)
def tree_arrays(grammar: Grammar) -> TreeArrays:
    """What creators of trees ask about a grammar, computed once."""
    analysis, arrays = grammar.analysis, grammar.arrays
    can_derive_itself = {Symbol(a, "nonterminal") for a in analysis.directly_recursive + analysis.indirectly_recursive}
    recursive = np.array([not can_derive_itself.isdisjoint(p.symbols) for p in grammar.productions], np.uint8)
    least = grammar.least_codons(True)  # a codon for every expansion
    below = [least[arrays.kids[a:b]].sum(dtype=np.int64) for a, b in pairwise(arrays.kid_start)]
    expansions = np.minimum(below, np.iinfo(np.int32).max).astype(np.int32)
    return TreeArrays(recursive, np.maximum.reduceat(recursive, arrays.rule_start[:-1]), expansions, least)


def check_size(grammar: Grammar) -> None:
    """A SettingsError where even the smallest tree of the grammar is too large."""
    least = int(tree_arrays(grammar).least[0])
    if least > MOST_STEPS:
        count = f"{least:,}" if least < np.iinfo(np.int32).max else f"more than {least:,}"
        raise SettingsError(
            f"the smallest program of {grammar.name} takes {count} expansions, and trees have at most {MOST_STEPS:,}; "
            "give the grammar shorter ways to end"
        )


@lru_cache(maxsize=64)
def smallest_tree(grammar: Grammar, depth: int) -> tuple[int, NDArray[np.int32]]:
    """Of the trees no deeper than `depth` one whose program has the fewest nodes: their number, and its productions."""
    counts, left, kids = grammar.node_counts.tolist(), grammar.arrays.left.tolist(), list(rows(grammar.arrays))
    levels: list[dict[int, tuple[int, int]]] = [{}]  # by depth and non-terminal: nodes, production
    while len(levels) <= depth:
        before, found = levels[-1], dict(levels[-1])
        for q, below in enumerate(kids):
            if all(a in before for a in below):
                nodes = counts[q] + sum(before[a][0] for a in below)
                if left[q] not in found or nodes < found[left[q]][0]:
                    found[left[q]] = nodes, q
        if found == before:
            break
        levels.append(found)
    productions, pending = [], [(0, len(levels) - 1)]
    while pending:
        a, level = pending.pop()
        productions.append(levels[level][a][1])
        pending += [(kid, level - 1) for kid in reversed(kids[productions[-1]])]
    return levels[-1][0][0], np.array(productions, np.int32)


def check_limits(grammar: Grammar, shape: Shape, depth: int, size: int = 0) -> None:
    """A SettingsError where no tree of the grammar is so low, or so small."""
    check_size(grammar)
    lowest, least = int(grammar.arrays.nt_height[0]), int(tree_arrays(grammar).least[0])
    if shape == "ptc2" and size < least:
        raise SettingsError(
            f"initial_size is {size}: the smallest program of {grammar.name} takes {least} expansions; "
            f"give {least} or more"
        )
    if shape != "ptc2" and depth < lowest:
        raise SettingsError(
            f"initial_depth is {depth}: the lowest tree of {grammar.name} has depth {lowest}; give {lowest} or more"
        )


def random_trees(
    grammar: Grammar,
    shape: Shape,
    individuals: Integers,  # [N] their numbers: place in the ramp and random draws follow from them
    seed: np.uint64,
    generation: int = 0,
    *,
    depth: int = 6,
    size: int = 240,
    attempt: int = 0,
    shifts: Integers | int = 0,  # [N] steps up or down the ramp, where an earlier attempt was of no use
    probabilities: NDArray[np.float64] | None = None,  # [R] of productions; None: all of a rule are alike
) -> Derivations:
    """Random trees no deeper than `depth`; those of "ptc2", no larger than `size` expansions."""
    check_limits(grammar, shape, depth, size)
    found = tree_arrays(grammar)
    if shape == "ptc2":
        limits = _sizes(int(found.least[0]), individuals, size, shifts)
    else:
        limits = _depths(int(grammar.arrays.nt_height[0]), shape == "ramped", individuals, depth, shifts)
    draws = (limits, individuals, attempt, MOST_STEPS, seed, generation)
    weights = growing_weights(grammar, probabilities)
    if shape in ("ptc2", "pi-grow"):
        productions, offsets = kernels.initial_trees.scatter_trees(
            grammar.arrays, found.recursive, weights, *found[1:], shape == "ptc2", *draws
        )
    else:
        full = (individuals % 2 == 1) if shape == "ramped" else np.full(len(individuals), shape == "full")
        productions, offsets = kernels.initial_trees.grow_trees(grammar.arrays, found.recursive, weights, full, *draws)
    return Derivations(productions, offsets, np.full(len(individuals), Status.OK, np.int8))


def growing_weights(grammar: Grammar, probabilities: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Probabilities for kernels that grow trees: none where they are uniform, which takes one draw less exactly."""
    if probabilities is None or np.array_equal(probabilities, grammar.uniform_probabilities()):
        return np.zeros(0)
    return np.array(probabilities)


def _depths(lowest: int, ramped: bool, individuals: Integers, depth: int, shifts: Integers | int) -> Integers:
    """The limit of each tree; ramped half and half goes through all depths with pairs of individuals."""
    limits = lowest + individuals // 2 % (depth - lowest + 1) if ramped else np.full(len(individuals), depth)
    clipped: Integers = np.clip(limits + shifts, lowest, depth)
    return clipped


def _sizes(least: int, individuals: Integers, size: int, shifts: Integers | int) -> Integers:
    """The budget of each tree: multiples of the golden ratio, for these cover the ramp evenly however many they are."""
    first = min(max(SMALLEST, least), size)
    parts = (individuals.astype(np.uint64) * GOLDEN) >> np.uint64(32)
    sizes = first + ((parts * np.uint64(size - first + 1)) >> np.uint64(32)).astype(np.int64)
    clipped: Integers = np.clip(sizes + shifts * max(1, size // 10), least, size)
    return clipped


def texts(grammar: Grammar, derivations: Derivations) -> list[str | None]:
    """The phenotype of each derivation; None where it is invalid."""
    terminals = np.maximum(~grammar.arrays.symbols, CHILD)
    codes, ends = kernels.rewriting.translate(
        derivations.productions, derivations.offsets, grammar.arrays.symbol_start, terminals
    )
    words = [grammar.terminals[code] for code in codes.tolist()]
    if len(derivations.values):
        numbers = derivations.values[grammar.constants[derivations.productions]]
        places = np.flatnonzero(np.isin(codes, grammar.constant_terminals))  # a text has its numbers in the same order
        for place, number in zip(places.tolist(), numbers.tolist(), strict=True):
            words[place] = number_text(number)
    valid = (derivations.status == Status.OK).tolist()
    spans = pairwise(ends.tolist())
    return ["".join(words[a:b]) if ok else None for ok, (a, b) in zip(valid, spans, strict=True)]
