"""What all genotypes with a list for each non-terminal share: layout, depth rules, neighbours, how people see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.derivations import Derivation, Derivations
from gramarye.derivations.random_trees import MOST_STEPS, check_size
from gramarye.errors import GenotypeError, SettingsError, did_you_mean
from gramarye.grammar import Grammar
from gramarye.kernels import codes
from gramarye.representations.base import Floats, Genotypes, Reads, Seed, others
from gramarye.representations.by_hand import is_integer, is_list, no_genotype
from gramarye.representations.optional import FullRepresentation, How, Step
from gramarye.settings import HasSettings, setting

DepthRule = Literal["height", "shortest", "nonrecursive"]
Entry = TypeVar("Entry", bound=np.generic)
ALIKE = np.zeros(0)  # weights of equally likely production numbers
DEPTH_RULES = {"height": codes.HEIGHT, "shortest": codes.SHORTEST, "nonrecursive": codes.NONRECURSIVE}


@dataclass(frozen=True)
class Lists(Genotypes):
    """The lists of all individuals one after another; all that is known besides has a row for each individual."""

    values: NDArray[Any]  # [total]
    start: NDArray[np.int64]  # [N*K+1] where list a of individual i begins: start[i*K+a]
    used: NDArray[np.int32]  # [N, K] entries that the last mapping read

    def __len__(self) -> int:
        return len(self.used)

    def take(self, individuals: NDArray[np.int64]) -> Self:
        n, k = self.used.shape
        whole = np.ascontiguousarray(self.start[::k])  # all lists of an individual as one
        values, _ = kernels.lists.gather_lists(self.values, whole, individuals[:, None])
        lengths = np.diff(self.start).reshape(n, k)[individuals]
        rows = {name: getattr(self, name)[individuals] for name in self._rows()}
        return replace(self, values=values, start=starts(lengths.ravel()), **rows)

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        if len(parts) == 1:
            return parts[0]
        start = starts(np.concatenate([np.diff(part.start) for part in parts]))
        names = ("values", *cls._rows())
        return cls(start=start, **{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})

    @classmethod
    def _rows(cls) -> list[str]:
        return [field.name for field in fields(cls) if field.name not in ("values", "start")]


L = TypeVar("L", bound=Lists)


class Structured(FullRepresentation[L]):
    """What all representations whose genotypes are lists share."""

    def distance(self, grammar: Grammar, first: L, second: L) -> NDArray[np.int64]:
        found: NDArray[np.int64] = kernels.neighbours.list_distances(
            first.values, first.start, second.values, second.start, first.used.shape[1]
        )
        return found

    def show(self, grammar: Grammar, genotypes: L, i: int) -> dict[str, Any]:
        start = genotypes.start[i * len(grammar.nonterminals) :]
        return {name: genotypes.values[start[a] : start[a + 1]].tolist() for a, name in enumerate(grammar.nonterminals)}

    def completed(self, grammar: Grammar, genotypes: L, probabilities: Floats, seed: Seed) -> dict[str, Any]:
        mapped, _ = self.map(grammar, genotypes, probabilities, seed, 0, 0)
        return self.show(grammar, mapped, 0)


# Lists of production numbers


@dataclass(frozen=True)
class ListGenotypes(Lists):
    """Lists of production numbers, int32."""

    depth: NDArray[np.int32]  # [N] of the tree

    @classmethod
    def of_lists(cls, grammar: Grammar, values: NDArray[np.int32], start: NDArray[np.int64]) -> Self:
        """Lists of which nothing was read yet."""
        k = len(grammar.nonterminals)
        n = (len(start) - 1) // k
        return cls(values, start, np.zeros((n, k), np.int32), np.zeros(n, np.int32))


class Entries(Structured[ListGenotypes]):
    """What all representations whose genotypes are lists of production numbers share."""

    reads: ClassVar[Reads] = "no"
    shows_genotype_as: ClassVar[str] = "a mapping from each non-terminal to a list of production numbers"
    reads_through: ClassVar[str] = "the grammar"  # for people

    def change(
        self, grammar: Grammar, genotypes: ListGenotypes, count: int, seed: Seed, generation: int = 0, how: How = "any"
    ) -> tuple[ListGenotypes, NDArray[np.int64]]:
        lists, places, numbers = picked(changeable(grammar, genotypes, how), count, seed, generation)
        who, which = np.nonzero(lists >= 0)
        a = lists[who, which]
        at = genotypes.start[who * genotypes.used.shape[1] + a] + places[who, which]
        values, sizes = genotypes.values.copy(), np.diff(grammar.arrays.rule_start)
        values[at] = others(values[at], numbers[who, which], sizes[a])
        return replace(genotypes, values=values), places

    def read(self, grammar: Grammar, genotype: Any) -> ListGenotypes:
        def wanted(name: str, entry: Any) -> str | None:
            last = len(grammar.rules[name]) - 1
            return None if is_integer(entry) and 0 <= entry <= last else f"an integer in 0 … {last}"

        words = "entry", "entries", "production numbers"
        values, start = read_lists(grammar, genotype, self.shows_genotype_as, words, wanted, self.reads_through)
        return ListGenotypes.of_lists(grammar, np.array(values, np.int32), start)

    def trace(self, grammar: Grammar, genotypes: ListGenotypes, probabilities: Floats, seed: Seed) -> Iterator[Step]:
        given, seen = np.diff(genotypes.start), [0] * len(grammar.nonterminals)
        _, derivations = self.map(grammar, genotypes, probabilities, seed, 0, 0)
        for q in derivations[0].tolist():
            a = int(grammar.arrays.left[q])
            name, position = grammar.nonterminals[a], seen[a]
            seen[a] += 1
            filled = bool(position >= given[a])
            why = f"entry {position} of {name}" + (", drawn" if filled else "")
            yield Step(name, q - int(grammar.arrays.rule_start[a]), why, q, filled)


def mapped_lists(
    grammar: Grammar,
    genotypes: L,
    probabilities: Floats | None,  # [1, R] or [N, R]; None: lists of production numbers
    limits: tuple[int, int, int],  # depth, depth rule, steps
    draws: tuple[Seed, int, int, int],  # seed, generation, purpose, first individual
    weights: Floats = ALIKE,  # [R] of production numbers that are drawn, or [0]
) -> tuple[L, NDArray[np.int32], Derivations]:
    """Lists as a mapping leaves them under some limits, the depths of their trees [N], and their derivations."""
    values, start, productions, offsets, status, used, depths = kernels.lists.map_lists(
        genotypes.values, genotypes.start, grammar.arrays, probabilities, weights, *limits, *draws
    )
    mapped = replace(genotypes, values=values, start=start, used=used)
    return mapped, depths, Derivations(productions, offsets, status)


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


# Depth rules


@dataclass(frozen=True)
class DepthLimited(HasSettings):
    """Settings of lists that grow on demand, by trees of limited depth."""

    initial_depth: int = setting(6, low=1, high=2**20, doc="depth limit of the initial trees")
    max_depth: int = setting(
        17,
        low=1,
        high=2**20,
        doc="depth limit of trees in later generations; only the depth rule 'height' never exceeds it",
    )
    depth_rule: DepthRule = setting(
        "height", doc="productions allowed near the depth limit: those that fit, the shortest, or the non-recursive"
    )

    def check(self, grammar: Grammar, population: int = 1) -> None:
        """A SettingsError where the limits contradict each other, or where no tree of the grammar is so low."""
        check_size(grammar)
        lowest = int(grammar.arrays.nt_height[0])
        for name, depth in (("max_depth", self.max_depth), ("initial_depth", self.initial_depth)):
            if depth < lowest:
                why = f"the lowest tree of {grammar.name} has depth {lowest}"
                raise SettingsError(f"{name} is {depth}: {why}; give {lowest} or more")
        check_order(self.initial_depth, self.max_depth)


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


def too_large(grammar: Grammar, productions: NDArray[np.int32], max_depth: int) -> str | None:
    """Why no genotype derives so large a tree, and what to change; None where it is not too large."""
    if len(productions) > MOST_STEPS:
        after = f"from step {MOST_STEPS:,} on only the shortest productions are chosen"
        return f"it takes {len(productions):,} steps, and {after}; give a smaller program"
    depth = Derivation(grammar, productions).depth
    return f"its tree has a depth of {depth}; set max_depth to {depth} or more" if depth > max_depth else None


# Neighbours


def changeable(grammar: Grammar, genotypes: Lists, how: How) -> NDArray[np.int64]:
    """How many entries of each list may be changed [N, K]; none without a choice."""
    choice = np.diff(grammar.arrays.rule_start) > 1
    lengths = np.diff(genotypes.start).reshape(-1, len(choice))
    return np.where(choice, np.minimum(lengths, genotypes.used) if how == "used" else lengths, 0)


def picked(
    sizes: NDArray[np.int64], count: int, seed: Seed, generation: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """So many of the first `sizes` [N, K] entries of lists: their lists [N, count], their places there, numbers in
    [0, 1); -1 where there are no more.
    """
    places, numbers = kernels.neighbours.pick(sizes.sum(axis=1), count, seed, generation)
    ends = np.cumsum(sizes, axis=1)
    lists = np.where(places < 0, -1, np.count_nonzero(places[:, :, None] >= ends[:, None, :], axis=2))
    begins = np.take_along_axis(ends - sizes, lists, axis=1)
    return lists, np.where(places < 0, -1, places - begins), numbers


# By hand


def read_lists(
    grammar: Grammar,
    genotype: Any,
    shown_as: str,  # what a genotype is, for people
    words: tuple[str, str, str],  # for one entry, for several, for what they are
    wanted: Callable[[str, Any], str | None],  # what an entry of a non-terminal's list must be, unless it is
    where: str = "the grammar",
) -> tuple[list[Any], NDArray[np.int64]]:
    """A genotype given by the user, checked: all entries, and where each list begins."""
    if not isinstance(genotype, Mapping):
        raise no_genotype(shown_as, genotype)
    for name in genotype:
        if name not in grammar.rules:
            raise GenotypeError(f"{where} has no {name}{did_you_mean(str(name), grammar.nonterminals)}")
    one, several, what = words
    rows = {name: genotype.get(name, ()) for name in grammar.nonterminals}
    for name, row in rows.items():
        if not is_list(row):
            raise GenotypeError(f"the {several} of {name} are a list of {what}, not {row!r}")
        for position, entry in enumerate(row):
            if (must := wanted(name, entry)) is not None:
                raise GenotypeError(f"{one} {position} of {name} is {entry!r}: it must be {must}")
    return [entry for row in rows.values() for entry in row], starts([len(row) for row in rows.values()])
