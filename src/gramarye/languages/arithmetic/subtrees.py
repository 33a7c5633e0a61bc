"""Children whose new subtree is fitted: a short sum of small formulas that gives nearly what the target asks of it.

What a place in a program would have to give is found by undoing the operations above it (kernels/wanted.py); which sum
comes close, by orthogonal matching pursuit (kernels/pursuit.py) over the smallest formulas that the grammar derives.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels as engine
from gramarye.data import Dataset
from gramarye.derivations import Derivations, Status
from gramarye.derivations.enumeration import Enumeration, Steps
from gramarye.grammar import Grammar
from gramarye.kernels.codes import SUBTREE
from gramarye.languages.arithmetic import kernels
from gramarye.languages.arithmetic.sums import Form, Sums, bits, derivation_of, find_sums
from gramarye.languages.base import Language, Programs, Subtrees

Floats = NDArray[np.float64]

ROWS = 128  # on which subtrees are fitted
MEMBERS = 300  # formulas that sums are made of
LARGEST = 7  # nodes of such a formula
MOST = 3  # of them in a sum
ALONE = 0.5  # how often a child is the term with the place, without the other terms of the program
ENOUGH = 0.7  # of the rows have to know what the place would have to give
STEEPEST = 10.0  # times the median slope: more than that a row does not count
DIVIDED = 0.5  # how often a sum is divided by its first coefficient, which what is above it may take over
NEGLIGIBLE = 1e-6  # of the largest value that is wanted: an intercept that is smaller is left out
DIGITS = 6  # by which formulas that vary in the same way are recognised
MARK = 1.2345678901234567e-77  # a number that no program has
MARKED = bits(MARK)


class _Place(NamedTuple):
    """A subtree of a parent, or of one of its terms, that is to be replaced."""

    productions: NDArray[np.int32]
    values: Floats
    step: int  # where the subtree begins
    stop: int  # and ends
    weights: Floats  # [1 + T] the intercept and the weights of terms
    draws: Floats  # random numbers that are left


class _Library(NamedTuple):
    """Small formulas of one non-terminal, none of which is a multiple of another."""

    members: list[Steps]
    outputs: Floats  # [rows, M]


@final
class FittedSubtrees(Subtrees):
    """Makes such children of programs of one grammar, for one table."""

    def __init__(self, language: Language, grammar: Grammar, data: Dataset, seed: np.uint64) -> None:
        self._language, self._grammar, self._seed = language, grammar, seed
        rows = np.sort(engine.random.permutation(seed, data.rows)[:ROWS])
        self._columns, self._target = np.ascontiguousarray(data.columns[:, rows]), data.target[rows]
        self._weights = data.weights[rows] if len(data.weights) else np.ones(len(rows))
        self._enumeration = Enumeration(grammar, 4 * MEMBERS)
        self._libraries: dict[int, _Library] = {}

    @cached_property
    def _sums(self) -> dict[int, Sums]:
        return find_sums(self._grammar, self._language.programs)

    @cached_property
    def _additions(self) -> list[Form]:
        """All ways to add or subtract."""
        return [form for own in self._sums.values() for form in (own.plus, own.minus) if form is not None]

    def children(self, derivations: Derivations, weights: Floats | None, count: int, generation: int) -> Derivations:
        if not self._sums or len(derivations) == 0:
            return _nobody()
        if weights is None:
            weights = np.tile([0.0, 1.0], (len(derivations), 1))
        size, _ = engine.trees.measured(derivations.productions, derivations.offsets, self._grammar.arrays)
        drawn = [self._place(derivations, weights, size, generation, k) for k in range(count)]
        places = [place for place in drawn if place is not None]
        programs = self._language.programs(Derivations.join([_nobody(), *map(self._whole, places)]))
        marked = self._language.programs(Derivations.join([_nobody(), *map(self._marked, places)]))
        both = zip(places, _words(programs), _words(marked), strict=True)
        made = [self._child(place, words, other) for place, words, other in both]
        return Derivations.join([_nobody(), *(child for child in made if child is not None)])

    def _place(
        self, derivations: Derivations, weights: Floats, size: NDArray[np.int32], generation: int, number: int
    ) -> _Place | None:
        """A place at random, in a parent at random."""
        state = np.uint64(engine.random.stream(self._seed, generation, SUBTREE, number))
        draws = engine.random.units(state, 5)
        parent = int(draws[0] * len(derivations))
        first, last = derivations.offsets[parent : parent + 2].tolist()
        left = self._grammar.arrays.left[derivations.productions[first:last]].tolist()
        steps = [step for step, a in enumerate(left) if a in self._sums]
        if not steps:
            return None
        step = steps[int(draws[1] * len(steps))]
        own, start, stop = weights[parent], 0, last - first
        if draws[2] < ALONE:
            start = self._term(derivations.productions[first:last].tolist(), size[first:last].tolist(), step)
            stop, own = start + int(size[first + start]), np.array([0.0, 1.0])
        part = slice(first + start, first + stop)
        end = step - start + int(size[first + step])
        return _Place(derivations.productions[part], derivations.values[part], step - start, end, own, draws[3:])

    def _term(self, productions: list[int], size: list[int], step: int) -> int:
        """Where the term of the program begins that a step belongs to."""
        start = 0
        while start < step:
            places = ((form, form.second(productions, size, start)) for form in self._additions)
            form, second = next(((form, place) for form, place in places if place is not None), (None, 0))
            if form is None or start + len(form.before) > step:
                break
            start = second if step >= second else start + len(form.before)
        return start

    def _whole(self, place: _Place) -> Derivations:
        return Derivations.of(place.productions, place.values)

    def _marked(self, place: _Place) -> Derivations:
        """With a number that can be found again in place of the subtree."""
        number = self._sums[self._symbol(place)].number
        productions = [place.productions[: place.step], np.array(number, np.int32), place.productions[place.stop :]]
        values = [place.values[: place.step], np.full(len(number), MARK), place.values[place.stop :]]
        return Derivations.of(np.concatenate(productions), np.concatenate(values))

    def _symbol(self, place: _Place) -> int:
        return int(self._grammar.arrays.left[place.productions[place.step]])

    def _child(self, place: _Place, words: NDArray[np.int32], marked: NDArray[np.int32]) -> Derivations | None:
        """A parent with a fitted subtree."""
        end = _end_of_node(words, marked)
        if end is None or not np.isfinite(place.weights).all():
            return None
        wanted, slope = kernels.wanted.wanted(words, end, self._columns, self._target, place.weights)
        known = slope > 0.0
        library = self._library(self._symbol(place))
        if known.sum() < ENOUGH * len(known) or not library.members:
            return None
        with np.errstate(over="ignore"):
            counts = self._weights * np.minimum(slope / _median(slope[known]), STEEPEST) ** 2
        chosen, coefficients, intercept = kernels.pursuit.pursue(
            library.outputs, wanted, counts, 1 + int(place.draws[0] * MOST)
        )
        numbers = [
            intercept if abs(intercept) > NEGLIGIBLE * np.abs(wanted[known]).max() else 0.0,
            *coefficients.tolist(),
        ]
        if len(chosen) > 0 and place.draws[1] < DIVIDED:
            numbers = [number / numbers[1] if numbers[1] else np.nan for number in numbers]
        if len(chosen) == 0 or not np.isfinite(numbers).all():
            return None
        return self._replaced(place, [library.members[j] for j in chosen], numbers[1:], numbers[0])

    def _replaced(
        self, place: _Place, members: list[Steps], coefficients: list[float], intercept: float
    ) -> Derivations:
        new = derivation_of(self._sums[self._symbol(place)].written(members, coefficients, intercept))
        low, high = self._grammar.bounds[new.productions].T
        productions = [place.productions[: place.step], new.productions, place.productions[place.stop :]]
        values = [place.values[: place.step], np.clip(new.values, low, high), place.values[place.stop :]]
        return Derivations.of(np.concatenate(productions), np.concatenate(values))

    def _library(self, symbol: int) -> _Library:
        """The smallest formulas of a non-terminal that differ in the rows; made when first asked for."""
        if symbol not in self._libraries:
            members = self._enumeration.smallest(symbol, LARGEST, 8 * MEMBERS)
            outputs = np.empty((0, len(self._target)))
            if members:
                derived = [derivation_of([(q, 0.0) for q in steps]) for steps in members]
                outputs = self._language.outputs(self._language.programs(Derivations.join(derived)), self._columns)
            kept = _differing(outputs)[:MEMBERS]
            chosen = [members[k] for k in kept]
            self._libraries[symbol] = _Library(chosen, np.ascontiguousarray(outputs[kept].T))
        return self._libraries[symbol]


def _nobody() -> Derivations:
    return Derivations(np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0, np.int8), np.zeros(0))


def _words(programs: Programs) -> Iterator[NDArray[np.int32]]:
    """The words of each program; none where it is not one."""
    for (begin, end), status in zip(pairwise(programs.offsets.tolist()), programs.status.tolist(), strict=True):
        yield programs.words[begin : end if status == Status.OK else begin]


def _end_of_node(words: NDArray[np.int32], marked: NDArray[np.int32]) -> int | None:
    """Where the words end that a marked program has a number in place of; None where other words differ, too."""
    low, high = MARKED
    at = np.flatnonzero((marked[1:-1] == low) & (marked[2:] == high))
    if len(at) != 1:
        return None
    begin, behind = int(at[0]), len(marked) - int(at[0]) - 3
    end = len(words) - behind
    same = end > begin and (words[:begin] == marked[:begin]).all() and (words[end:] == marked[begin + 3 :]).all()
    return end if same else None


def _median(values: Floats) -> float:
    """What np.median gives, in a third of its time."""
    in_order, middle = np.sort(values), len(values) // 2
    return float(in_order[middle] if len(values) % 2 else (in_order[middle - 1] + in_order[middle]) / 2)


def _differing(outputs: Floats) -> list[int]:
    """The rows that are finite, vary, and are not multiples of an earlier row plus a number."""
    seen: set[bytes] = set()
    found = []
    for k in np.flatnonzero(np.isfinite(outputs).all(axis=1)):
        row = outputs[k]
        apart = row - row[0]
        largest = np.abs(apart).max()
        if not 1e-9 * np.abs(row).max() < largest < np.inf:
            continue
        shape = apart / apart[np.abs(apart).argmax()]
        key = (np.round(shape, DIGITS) + 0.0).tobytes()
        if key not in seen:
            seen.add(key)
            found.append(int(k))
    return found
