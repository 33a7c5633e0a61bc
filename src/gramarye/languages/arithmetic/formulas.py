"""From the words of a program, and the weights of its terms, to the steps of one formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.arithmetic.reader import FUNCTIONS
from gramarye.languages.expression import COLUMN, NUMBER, SPECIAL_CASES, Guard, Step, fold, number

_NAMES = {word: name for name, word in reversed(FUNCTIONS.items())}  # the first name of each operation
_OF_SIGN = {"abs", "psqrt"}
_POWERS = {"square": 2.0, "cube": 3.0}
_NEVER_NEGATIVE = {"square", "abs", "sqrt", "psqrt", "exp", "pexp"}
_AS_OPERANDS = {"add", "mul", "div", "inv", "min", "max", "cube"}  # not negative if no operand is

Run = Callable[[Sequence[Step]], NDArray[np.float64]]  # what steps give for each row of the data


def steps_of(words: NDArray[np.int32]) -> Iterator[Step]:
    """The steps of a program, one for each of its words, guards unknown."""
    place = 0
    while place < len(words):
        word = int(words[place])
        if word >= codes.VARIABLE:
            yield Step(COLUMN, column=word - codes.VARIABLE)
        elif word > codes.CONSTANT:
            yield Step(_NAMES[word], 2 if word < codes.UNARY else 1)
        else:
            yield number(float(np.ascontiguousarray(words[place + 1 : place + 3]).view(np.float64)[0]))
            place += 2
        place += 1


def words_of(steps: Sequence[Step]) -> NDArray[np.int32]:
    """The program that has these steps."""
    words: list[int] = []
    for step in steps:
        if step.name == NUMBER:
            words += [codes.CONSTANT, *np.array([step.value]).view(np.int32).tolist()]
        else:
            words.append(codes.VARIABLE + step.column if step.name == COLUMN else FUNCTIONS[step.name])
    return np.array(words, np.int32)


def weighted(intercept: float, terms: Sequence[tuple[float, Sequence[Step]]]) -> list[Step]:
    """An intercept plus weighted terms, computed in this order; what is 0 is left out."""
    found = [] if intercept == 0 else [number(intercept)]
    for weight, steps in terms:
        if weight != 0:
            found += [number(weight), *steps, Step("mul", 2), *([Step("add", 2)] if found else [])]
    return found or [number(0.0)]


@dataclass(frozen=True)
class _Part:
    """A part of a formula, as it is computed and as it is shown."""

    computed: list[Step]
    shown: list[Step]
    never_negative: bool  # whatever the data

    @property
    def constant(self) -> bool:
        return self.shown[-1].name == NUMBER


def examined(steps: Sequence[Step], run: Run) -> tuple[Step, ...]:
    """The same formula with constants put together, powers for squares and cubes, 1 / x for `inv`, and guards known."""

    def join(step: Step, parts: list[_Part]) -> _Part:
        computed = [*(each for part in parts for each in part.computed), step]
        shown = [each for part in parts for each in part.shown]
        last = parts[-1]
        guard = _guard(step.name, last, run)
        if all(part.constant for part in parts):
            return constant(computed, float(run(computed)[0]))
        if step.name == "div" and last.constant and last.shown[0].value == 0:
            return constant(computed, 1.0)
        kept = step.name in _AS_OPERANDS and all(part.never_negative for part in parts)
        never = kept or step.name in _NEVER_NEGATIVE
        if step.name in _POWERS:
            return _Part(computed, [*shown, number(_POWERS[step.name]), Step("pow", 2)], never)
        if step.name == "inv":
            return _Part(computed, [number(1.0), *shown, Step("div", 2, guard=guard)], never)
        return _Part(computed, [*shown, step._replace(guard=guard)], never)

    def leaf(step: Step) -> _Part:
        return constant([step], step.value) if step.name == NUMBER else _Part([step], [step], never_negative=False)

    def constant(computed: list[Step], value: float) -> _Part:
        return _Part(computed, [number(value)], value >= 0)

    return tuple(fold(steps, leaf, join).shown)


def _guard(name: str, last: _Part, run: Run) -> Guard:
    case = SPECIAL_CASES.get("div" if name == "inv" else name)
    if case is None or last.constant or (name in _OF_SIGN and last.never_negative):
        return Guard.NEVER
    touched = case.occurs(run(last.computed))
    return Guard.ALWAYS if touched.all() else Guard.TOUCHED if touched.any() else Guard.UNTOUCHED
