from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.languages.arithmetic.kernels import codes, enclosures
from tests import twins
from tests.languages.arithmetic.test_machine import X, Y, alone, code, number, programs, run

Enclosure = tuple[float, float]
UNKNOWN = math.nan, math.nan
ANYTHING = -math.inf, math.inf
ENDS = st.floats(-1e3, 1e3) | st.sampled_from([0.0, -0.0, 1.0, -2.0, 1e300, 5e-324, math.pi, 700.0, 1e7])
BOXES = st.lists(st.tuples(ENDS, ENDS).map(sorted), min_size=2, max_size=2).map(np.array)  # [V, 2]
PLACES = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0]), min_size=2, max_size=2)


def enclosed(program: list[int], box: NDArray[np.float64], weights: Sequence[float] = (0.0, 1.0)) -> Enclosure:
    with np.errstate(all="ignore"):
        low, high = enclosures.enclosures(*code([program]), np.array([weights]), *np.ascontiguousarray(box.T))[0]
    return float(low), float(high)


def exceeds(
    program: list[int],
    start: Sequence[float],
    end: Sequence[float],
    limits: Enclosure,
    weights: Sequence[float] = (0, 1),
) -> bool:
    points = np.array([start], np.float64), np.array([end], np.float64)
    with np.errstate(all="ignore"):
        return bool(enclosures.exceed(*code([program]), np.array([weights], np.float64), *points, *limits)[0])


# The twin: ends of intervals, and the points between where a function turns.


def turning(operation: int, low: float, high: float) -> list[float]:
    """What a function of one argument has as its value at places between, besides that at the ends."""
    if operation in (codes.ABS, codes.ROOT_ABS, codes.SQUARE):
        return [0.0] if low < 0 < high else []
    if operation in (codes.SIN, codes.COS):
        if max(-low, high) > 1e6:
            return [-1.0, 1.0]
        first = 0.25 if operation == codes.SIN else 0.0
        turns = [(low / (2 * math.pi), high / (2 * math.pi), first, 1.0)]
        turns.append((*turns[0][:2], first + 0.5, -1.0))
        return [value for a, b, place, value in turns if math.ceil(a - place - 1e-9) <= b - place + 1e-9]
    return []


def with_slack(values: Sequence[float], slack: float) -> Enclosure:
    """The least and the largest, with room for what a function is off."""
    low, high = min(values), max(values)
    low *= 1.0 - slack if low > 0 else 1.0 + slack
    high *= 1.0 + slack if high > 0 else 1.0 - slack
    return low - 1e-300, high + 1e-300


def of_one(operation: int, low: float, high: float) -> Enclosure:
    if operation == codes.INVERSE:
        return quotient(1.0, 1.0, low, high)
    if operation == codes.PROTECTED_EXP:
        low, high = of_one(codes.EXP, low, high)
        return (low, high) if high < math.inf else (min(low, 1.0), high)
    if operation == codes.LOG and low <= 0:
        return (-745.0, max(0.0, with_slack([alone(codes.LOG, high)], 1e-15)[1])) if high > 0 else (0.0, 0.0)
    if (operation == codes.SQRT and low < 0) or (
        operation in (codes.SIN, codes.COS, codes.TAN) and math.isinf(max(-low, high))
    ):
        return UNKNOWN
    if operation == codes.TAN:
        poles = math.ceil(low / math.pi - 0.5 - 1e-9) <= high / math.pi - 0.5 + 1e-9
        if poles or max(-low, high) > 1e6:
            return ANYTHING
    values = [alone(operation, low), alone(operation, high), *turning(operation, low, high)]
    if operation not in twins.NEAR:
        return min(values), max(values)
    low, high = with_slack(values, 1e-15)
    return (max(low, 0.0), high) if operation == codes.EXP else (low, high)


def quotient(a: float, b: float, c: float, d: float) -> Enclosure:
    if math.isinf(max(-a, b)) and math.isinf(max(-c, d)):
        return UNKNOWN
    values = [alone(codes.DIVIDE, p, q) for p, q in product((a, b), (c, d)) if q]
    if c <= 0 <= d:
        values.append(1.0)
        values += [math.inf] if (b > 0 and d > 0) or (a < 0 and c < 0) else []
        values += [-math.inf] if (a < 0 and d > 0) or (b > 0 and c < 0) else []
        values += [0.0] if a <= 0 <= b and (c, d) != (0, 0) else []
    return min(values), max(values)


def power(a: float, b: float, c: float, d: float) -> Enclosure:
    if math.isinf(max(-a, b, -c, d)):
        return UNKNOWN
    whole = c == d and c.is_integer() and abs(c) <= 16
    if a <= 0 and not whole:
        return UNKNOWN
    if a <= 0 <= b and c < 0 and c % 2 == 1:
        return ANYTHING
    between = [0.0] if a < 0 < b and whole and c % 2 == 0 else []
    return with_slack([alone(codes.POWER, p, q) for p, q in product((a, b, *between), (c, d))], 1e-12)


def of_two(operation: int, one: Enclosure, other: Enclosure) -> Enclosure:
    a, b, c, d = *one, *other
    infinite = math.isinf(max(-a, b)), math.isinf(max(-c, d))
    if operation == codes.SUBTRACT:
        return of_two(codes.ADD, one, (-d, -c))
    if operation == codes.DIVIDE:
        return quotient(a, b, c, d)
    if operation == codes.POWER:
        return power(a, b, c, d)
    if operation == codes.ADD:
        return UNKNOWN if ANYTHING in ((a, d), (c, b)) else (a + c, b + d)
    if operation == codes.MULTIPLY and ((infinite[0] and c <= 0 <= d) or (infinite[1] and a <= 0 <= b)):
        return UNKNOWN
    if operation == codes.MULTIPLY:
        values = [p * q for p, q in product(one, other)]
        return min(values), max(values)
    return (min(a, c), min(b, d)) if operation == codes.MINIMUM else (max(a, c), max(b, d))


def twin(program: list[int], box: Sequence[Enclosure], strict: bool = True) -> Enclosure:
    """The enclosure of a program, each operation on the ends of those of its operands."""
    stack: list[tuple[Enclosure, int]] = []  # with the column that it is, or -1
    words = iter(program)
    for word in words:
        column = -1
        if word >= codes.VARIABLE:
            column = word - codes.VARIABLE
            found = (float(box[column][0]), float(box[column][1]))
        elif word <= codes.CONSTANT:
            value = float(np.array([next(words), next(words)], np.int32).view(np.float64)[0])
            found = value, value
        elif word >= codes.UNARY:
            found = of_one(word, *stack.pop()[0])
        else:
            other, one = stack.pop(), stack.pop()
            square = word == codes.MULTIPLY and one[1] == other[1] >= 0
            found = of_one(codes.SQUARE, *one[0]) if square else of_two(word, one[0], other[0])
        if not found[0] <= found[1]:
            if strict:
                return UNKNOWN
            found = (-1.0, 1.0) if word in (codes.SIN, codes.COS) else ANYTHING
        stack.append((found, column))
    return stack[0][0]


@given(programs(), BOXES)
@example([X, *number(-3.0), codes.POWER], np.array([[-2.0, -1.0], [0.0, 1.0]]))
@example([X, *number(-2.0), codes.POWER], np.array([[-2.0, 1.0], [0.0, 1.0]]))
@example([X, *number(-3.0), codes.POWER], np.array([[-2.0, 1.0], [0.0, 1.0]]))
@example([X, *number(0.0), codes.POWER], np.array([[-2.0, 1.0], [0.0, 1.0]]))
@example([X, codes.PROTECTED_EXP], np.array([[-1.0, 800.0], [0.0, 1.0]]))
@example([X, codes.PROTECTED_EXP], np.array([[750.0, 800.0], [0.0, 1.0]]))
@example([X, Y, codes.POWER], np.array([[0.5, 2.0], [-1.5, 1.0]]))
def test_enclosures_equal_those_of_the_twin(program: list[int], box: NDArray[np.float64]) -> None:
    wanted = twin(program, [(a, b) for a, b in box.tolist()])
    assert enclosed(program, box) == pytest.approx(wanted, rel=0, abs=0, nan_ok=True)


@given(programs(), BOXES, st.lists(PLACES, min_size=1, max_size=8))
@example([X, X, codes.MULTIPLY, codes.INVERSE], np.array([[-1.0, 1.0], [0.0, 0.0]]), [[0.5, 0.0]])
@example([X, codes.PROTECTED_EXP], np.array([[700.0, 800.0], [0.0, 1.0]]), [[0.0, 0.0], [1.0, 0.0]])
@example([*number(1.0), X, codes.DIVIDE, codes.SIN], np.array([[0.0, 5e-324], [0.0, 0.0]]), [[1.0, 0.0]])
@example([X, *number(-1.0), codes.POWER], np.array([[-1.0, 1.0], [0.0, 0.0]]), [[0.5, 0.0]])
def test_all_points_of_a_box_are_within_the_enclosure(
    program: list[int], box: NDArray[np.float64], places: list[list[float]]
) -> None:
    low, high = enclosed(program, box)
    if math.isnan(low):
        assert math.isnan(high)
        return
    inside = np.array(
        [[a * (1 - t) + b * t for t in ts] for (a, b), ts in zip(box, zip(*places, strict=True), strict=True)]
    )
    points = np.clip(inside, box[:, :1], box[:, 1:])
    with np.errstate(all="ignore"):
        outputs = run([program], points)[0]
    assert not np.isnan(outputs).any()
    assert (low <= outputs).all()
    assert (outputs <= high).all()


@given(programs(most=4), programs(most=4), BOXES, st.tuples(*[st.floats(-9, 9)] * 3))
def test_weighted_terms_are_enclosed_one_by_one(
    one: list[int], other: list[int], box: NDArray[np.float64], weights: tuple[float, float, float]
) -> None:
    if {one[-1], other[-1]} & {codes.ADD, codes.SUBTRACT}:
        return  # they would be split themselves
    total = (weights[0], weights[0])
    for term, weight in zip((one, other), weights[1:], strict=True):
        if weight:
            inner = of_two(codes.MULTIPLY, (weight, weight), twin(term, [(a, b) for a, b in box.tolist()]))
            total = of_two(codes.ADD, total, inner)
    found = enclosed([*one, *other, codes.SUBTRACT], box, weights)
    assert math.isnan(sum(total) * 0) or found == total


def exceeds_as_the_twin_says(program: list[int], start: float, end: float, limits: Enclosure) -> bool:
    """Halve stretches until their enclosures are on one side of the limits."""
    least, most = limits
    left = [(0.0, 0)]
    for _ in range(1 + enclosures.SPARE):
        if not left:
            return False
        first, halved = left.pop()
        ends = [start * (1.0 - t) + end * t for t in (first, first + 0.5**halved)]
        low, high = twin(program, [(min(ends), max(ends))], strict=False)
        if low > most or high < least:
            return True
        if not (least <= low and high <= most) and halved < enclosures.ROUNDS:
            left += [(first + 0.5 ** (halved + 1), halved + 1), (first, halved + 1)]
    return False


@given(programs(columns=1, most=5), st.floats(-10, 10), st.floats(-10, 10), st.sampled_from([1.0, 100.0, 1e6]))
def test_what_exceeds_limits_on_a_line_is_what_the_twin_says(
    program: list[int], start: float, end: float, limit: float
) -> None:
    wanted = exceeds_as_the_twin_says(program, start, end, (-limit, limit))
    assert exceeds(program, [start], [end], (-limit, limit)) == wanted


LESS, SQUARED = [X, *number(0.30001), codes.SUBTRACT], [X, X, codes.MULTIPLY]


@pytest.mark.parametrize(
    ("program", "beyond"),
    [
        ([*LESS, codes.INVERSE], True),
        ([*number(1e-6), *LESS, codes.DIVIDE], True),
        ([*number(1e-12), *LESS, codes.DIVIDE], False),  # as narrow as that, hardly any row would see it
        ([*LESS, codes.LOG], False),
        ([X, codes.TAN], True),
        ([X, codes.INVERSE, codes.SIN], False),
        ([X, X, codes.DIVIDE], False),
        ([*SQUARED, *SQUARED, codes.MULTIPLY, codes.INVERSE, *number(1.0), codes.ADD, codes.INVERSE], False),
        ([*SQUARED, *number(0.01), codes.ADD, codes.INVERSE], False),
        ([*SQUARED, *number(1e-4), codes.ADD, codes.INVERSE], True),  # a peak that is ten times as high as the limit
        ([X, *number(10.0), codes.MULTIPLY, codes.EXP], True),
        ([*number(2.0)], False),
        ([*number(2000.0)], True),
    ],
)
def test_a_pole_on_a_line_is_found_but_not_one_that_stays_bounded(program: list[int], beyond: bool) -> None:
    assert exceeds(program, [-5.0], [5.0], (-1e3, 1e3)) == beyond
    assert exceeds(program, [5.0], [-5.0], (-1e3, 1e3)) == beyond


def test_lines_run_through_all_columns_and_weights_count() -> None:
    program = [X, Y, codes.SUBTRACT, codes.INVERSE]
    assert exceeds(program, [0.0, 1.0], [1.0, 0.2], (-1e3, 1e3))
    assert not exceeds(program, [0.0, 1.0], [0.4, 0.5], (-1e3, 1e3))
    assert not exceeds(program, [0.0, 1.0], [1.0, 0.2], (-1e3, 1e3), (5.0, 0.0))
    assert exceeds(program, [0.0, 1.0], [0.4, 0.5], (-1e3, 1e3), (0.0, 5e3))
