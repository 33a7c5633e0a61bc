"""What all genotypes with a list for each non-terminal share: depth rules, layout, and how people see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivation, Derivations
from gramarye.derivations.random_trees import MOST_STEPS, check_size
from gramarye.errors import GenotypeError, SettingsError, did_you_mean
from gramarye.grammar import Grammar
from gramarye.kernels import codes
from gramarye.representations.by_hand import is_integer, is_list, no_genotype
from gramarye.representations.optional import Step

DepthRule = Literal["height", "shortest", "nonrecursive"]
Entry = TypeVar("Entry", bound=np.generic)
DEPTH_RULES = {"height": codes.HEIGHT, "shortest": codes.SHORTEST, "nonrecursive": codes.NONRECURSIVE}


def rule_at(step: int, max_depth: int, depth_rule: DepthRule) -> tuple[int, int]:
    """The depth limit and the rule at a step of a derivation, as kernels take them."""
    if step < MOST_STEPS:
        return max_depth, DEPTH_RULES[depth_rule]
    return kernels.lists.NO_ROOM, codes.SHORTEST


def check_depths(grammar: Grammar, initial_depth: int, max_depth: int) -> None:
    """A SettingsError where the limits contradict each other, or where no tree of the grammar is so low."""
    check_size(grammar)
    lowest = int(grammar.arrays.nt_height[0])
    for name, depth in (("max_depth", max_depth), ("initial_depth", initial_depth)):
        if depth < lowest:
            why = f"the lowest tree of {grammar.name} has depth {lowest}"
            raise SettingsError(f"{name} is {depth}: {why}; give {lowest} or more")
    check_order(initial_depth, max_depth)


def check_order(initial_depth: int, max_depth: int) -> None:
    """A SettingsError where first trees may be deeper than later ones."""
    if initial_depth > max_depth:
        raise SettingsError(
            f"initial_depth is {initial_depth}: it must not be above max_depth, which is {max_depth}; "
            f"give {max_depth} or less, or set max_depth to {initial_depth} or more"
        )


def starts(lengths: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of several lists begins that stand one after another, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def sorted_into_lists(
    grammar: Grammar, derivations: Derivations, entries: NDArray[Entry], fits: NDArray[np.bool_]
) -> tuple[NDArray[Entry], NDArray[np.int64]]:
    """An entry for each step, appended to the list of its non-terminal: values, start; empty lists for what misfits."""
    k = len(grammar.nonterminals)
    owner = np.repeat(np.arange(len(derivations)), np.diff(derivations.offsets))
    kept = fits[owner]
    lists = (owner * k + grammar.arrays.left[derivations.productions])[kept]
    counts = np.bincount(lists, minlength=len(derivations) * k)
    order = np.argsort(lists, kind="stable")
    return entries[kept][order], starts(counts)


def too_large(grammar: Grammar, productions: NDArray[np.int32], max_depth: int) -> str | None:
    """Why no genotype derives so large a tree, and what to change; None where it is not too large."""
    if len(productions) > MOST_STEPS:
        after = f"from step {MOST_STEPS:,} on only the shortest productions are chosen"
        return f"it takes {len(productions):,} steps, and {after}; give a smaller program"
    depth = Derivation(grammar, productions).depth
    return f"its tree has a depth of {depth}; set max_depth to {depth} or more" if depth > max_depth else None


def changeable(grammar: Grammar, start: NDArray[np.int64], used: NDArray[np.int32] | None) -> NDArray[np.int64]:
    """How many entries of each list may be changed [N, K], of those that were used where they are told; none without a
    choice.
    """
    choice = np.diff(grammar.arrays.rule_start) > 1
    lengths = np.diff(start).reshape(-1, len(choice))
    return np.where(choice, lengths if used is None else np.minimum(lengths, used), 0)


# By hand


def check_names(grammar: Grammar, genotype: Any, shows_genotype_as: str, where: str = "the grammar") -> None:
    """A GenotypeError where a genotype given by hand is no mapping from non-terminals of the grammar."""
    if not isinstance(genotype, Mapping):
        raise no_genotype(shows_genotype_as, genotype)
    for name in genotype:
        if name not in grammar.rules:
            raise GenotypeError(f"{where} has no {name}{did_you_mean(str(name), grammar.nonterminals)}")


def read_entries(grammar: Grammar, name: str, row: Any) -> list[int]:
    """The production numbers of a list given by hand."""
    if not is_list(row):
        raise GenotypeError(f"the entries of {name} are a list of production numbers, not {row!r}")
    last = len(grammar.rules[name]) - 1
    for position, entry in enumerate(row):
        if not is_integer(entry) or not 0 <= entry <= last:
            raise GenotypeError(f"entry {position} of {name} is {entry!r}: it must be an integer in 0 … {last}")
    return [int(entry) for entry in row]


def show_lists(grammar: Grammar, values: NDArray[np.generic], start: NDArray[np.int64], i: int) -> dict[str, list[Any]]:
    """The lists of one individual, as they are given by hand."""
    start = start[i * len(grammar.nonterminals) :]
    return {name: values[start[a] : start[a + 1]].tolist() for a, name in enumerate(grammar.nonterminals)}


def trace_entries(grammar: Grammar, given: NDArray[np.int64], productions: NDArray[np.int32]) -> Iterator[Step]:
    """How production numbers became a derivation; of those of a list, the first `given` [K] were not drawn."""
    seen = [0] * len(given)
    for q in productions.tolist():
        a = int(grammar.arrays.left[q])
        name, position = grammar.nonterminals[a], seen[a]
        seen[a] += 1
        filled = bool(position >= given[a])
        why = f"entry {position} of {name}" + (", drawn" if filled else "")
        yield Step(name, q - int(grammar.arrays.rule_start[a]), why, q, filled)
