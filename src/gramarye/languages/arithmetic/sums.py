"""How a grammar writes weighted sums: the steps by which each non-terminal adds, subtracts and multiplies."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations
from gramarye.grammar import Grammar
from gramarye.grammar.arrays import rows
from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.base import Programs

Steps = list[tuple[int, float]]  # productions in leftmost order, each with the value of its constant (0: it is none)
Compiled = Callable[[Derivations], Programs]
FIRST, SECOND = 2.0, 3.0  # numbers by which the operands of an operation are recognised
NEARLY = 1e-6  # a coefficient that is so close to 1 needs no number
FORMS = 32  # of one production that are looked at: which operators it can be written with


class Form(NamedTuple):
    """An operation on two subtrees: the productions before, between and after them."""

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]

    def of(self, first: Steps, second: Steps) -> Steps:
        """The derivation with these operands."""
        before, between, after = (_plain(part) for part in self)
        return [*before, *first, *between, *second, *after]

    def second(self, productions: Sequence[int], size: Sequence[int], start: int) -> int | None:
        """Where the second operand begins in a derivation of this form that begins at `start`; None: it is another."""
        first = start + len(self.before)
        if tuple(productions[start:first]) != self.before:
            return None
        between = first + size[first]
        second = between + len(self.between)
        return second if tuple(productions[between:second]) == self.between else None


class Sums(NamedTuple):
    """How one non-terminal derives weighted sums of what it derives."""

    number: tuple[int, ...]  # the productions that lead to a constant
    plus: Form
    minus: Form | None
    times: Callable[[Steps, float], Steps]  # a derivation multiplied by a number

    def written(self, members: Sequence[Sequence[int]], coefficients: Sequence[float], intercept: float) -> Steps:
        """The derivation of Σ coefficient · member + intercept."""
        total: Steps = []
        for member, coefficient in zip(members, coefficients, strict=True):
            form = self.minus if total and self.minus is not None and coefficient < 0.0 else self.plus
            part = self._scaled(member, -coefficient if form is self.minus else coefficient)
            total = form.of(total, part) if total else part
        return self.plus.of(total, _constant(self.number, intercept)) if intercept else total

    def _scaled(self, member: Sequence[int], coefficient: float) -> Steps:
        steps = _plain(member)
        return steps if abs(coefficient - 1.0) <= NEARLY else self.times(steps, coefficient)


def find_sums(grammar: Grammar, compiled: Compiled) -> dict[int, Sums]:
    """By the numbers of those non-terminals that can derive weighted sums of what they derive."""
    left, numbers = grammar.arrays.left.tolist(), _numbers(grammar)
    forms: dict[tuple[int, int], Form] = {}  # by non-terminal and operation, on operands of the same non-terminal
    products: dict[int, Callable[[Steps, float], Steps]] = {}
    for form, b, c in _forms(grammar, set(numbers)):
        a = left[form.before[0]]
        operation = _operation(form, numbers[b], numbers[c], compiled) if a in numbers else None
        if operation is None:
            continue
        if b == c == a:
            forms.setdefault((a, operation), form)
        if operation == codes.MULTIPLY and a in (b, c):
            products.setdefault(a, _times(form, numbers[b] if c == a else numbers[c], c == a))
    return {
        a: Sums(numbers[a], forms[a, codes.ADD], forms.get((a, codes.SUBTRACT)), products[a])
        for a in numbers
        if (a, codes.ADD) in forms and a in products
    }


def _times(form: Form, number: tuple[int, ...], comes_first: bool) -> Callable[[Steps, float], Steps]:
    def times(steps: Steps, coefficient: float) -> Steps:
        factor = _constant(number, coefficient)
        return form.of(factor, steps) if comes_first else form.of(steps, factor)

    return times


def _forms(grammar: Grammar, operands: set[int]) -> Iterator[tuple[Form, int, int]]:
    """Productions with two operands, where all else that they hold is written out; and the two non-terminals."""
    kids, bounds = list(rows(grammar.arrays)), grammar.arrays.rule_start.tolist()
    possible = grammar.start_probabilities() > 0.0
    texts = [[q for q in range(a, b) if possible[q] and not kids[q]] for a, b in pairwise(bounds)]
    for q, own in enumerate(kids):
        places = [k for k, a in enumerate(own) if a in operands]
        if len(places) != 2 or not possible[q]:
            continue
        i, j = places
        for chosen in islice(product(*(texts[a] for a in own if a not in operands)), FORMS):
            parts = chosen[:i], chosen[i : j - 1], chosen[j - 1 :]
            yield Form((q, *parts[0]), *parts[1:]), own[i], own[j]


def _numbers(grammar: Grammar) -> dict[int, tuple[int, ...]]:
    """The shortest chain of productions from each non-terminal to a constant, of those that can be one."""
    kids, left = list(rows(grammar.arrays)), grammar.arrays.left.tolist()
    possible = grammar.start_probabilities() > 0.0
    found: dict[int, tuple[int, ...]] = {left[q]: (q,) for q in np.flatnonzero(grammar.constants).tolist()}
    waiting = deque(found)
    while waiting:
        b = waiting.popleft()
        for q, below in enumerate(kids):
            if possible[q] and below == [b] and left[q] not in found and grammar.node_counts[q] == 0:
                found[left[q]] = (q, *found[b])
                waiting.append(left[q])
    return found


def _operation(form: Form, first: tuple[int, ...], second: tuple[int, ...], compiled: Compiled) -> int | None:
    """What a form does with two numbers, if it is a single operation on them in their order."""
    words = compiled(derivation_of(form.of(_constant(first, FIRST), _constant(second, SECOND)))).words.tolist()
    is_one = len(words) == 7 and words[1:3] == bits(FIRST) and words[4:6] == bits(SECOND)
    return int(words[-1]) if is_one else None


def _plain(productions: Sequence[int]) -> Steps:
    return [(q, 0.0) for q in productions]


def _constant(productions: tuple[int, ...], value: float) -> Steps:
    return [*_plain(productions[:-1]), (productions[-1], value)]


def bits(value: float) -> list[int]:
    """A number as two words."""
    found: list[int] = np.array([value]).view(np.int32).tolist()
    return found


def derivation_of(steps: Steps) -> Derivations:
    """Steps as derivations, of one individual."""
    productions: NDArray[np.int32] = np.array([q for q, _ in steps], np.int32)
    return Derivations.of(productions, np.array([value for _, value in steps]))
