from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gramarye.languages.arithmetic.kernels import codes, wanted
from tests.languages.arithmetic.test_machine import Program, X, Y, code, number, run

ROWS = 40
PLACE = codes.VARIABLE + 2  # the column that programs have in the place
BINARY = [codes.ADD, codes.SUBTRACT, codes.MULTIPLY, codes.DIVIDE]
UNARY = [
    *(
        codes.NEGATE,
        codes.EXP,
        codes.PROTECTED_EXP,
        codes.LOG,
        codes.SQRT,
        codes.ROOT_ABS,
        codes.ABS,
        codes.INVERSE,
        codes.SQUARE,
    ),
    codes.TANH,
]


@st.composite
def above(draw: st.DrawFn) -> tuple[Program, int]:
    """A program with one place in it, and where its words end."""
    words, end = [PLACE], 1
    for _ in range(draw(st.integers(0, 3))):
        if draw(st.booleans()):
            words = [*words, draw(st.sampled_from(UNARY))]
            continue
        other: Program = draw(st.sampled_from([[X], [Y], number(1.7), [X, codes.SIN]]))
        operation = draw(st.sampled_from(BINARY))
        if draw(st.booleans()):
            words = [*words, *other, operation]
        else:
            words, end = [*other, *words, operation], end + len(other)
    return words, end


def columns(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.4, 2.0, (4, ROWS))


@given(above(), st.integers(0, 9), st.booleans())
def test_what_is_wanted_gives_the_target(program: tuple[Program, int], seed: int, is_scaled: bool) -> None:
    words, end = program
    table = columns(seed)
    weights = np.array([0.3, -1.5]) if is_scaled else np.array([0.0, 1.0])
    with np.errstate(all="ignore"):
        target = (
            weights[0] + weights[1] * run([words], np.vstack([table[:2], table[3:]]))[0]
        )  # the place gives table[3]
    assume(np.isfinite(target).all())
    found, slope = wanted.wanted(code([words])[0], end, np.ascontiguousarray(table[:3]), target, weights)
    known = slope > 1e-3 * np.abs(target).max()
    if not any(operation in words for operation in (codes.ADD, codes.SUBTRACT)):
        assert (
            known.any()
            or codes.TANH in words
            or codes.EXP in words
            or codes.PROTECTED_EXP in words
            or codes.SQUARE in words
        )
    again = np.vstack([table[:2], found[None]])
    with np.errstate(all="ignore"):
        predicted = weights[0] + weights[1] * run([words], again)[0]
    np.testing.assert_allclose(predicted[known], target[known], rtol=1e-6, atol=1e-9)


@given(above(), st.integers(0, 9))
def test_the_slope_is_that_of_the_program_by_the_place(program: tuple[Program, int], seed: int) -> None:
    words, end = program
    table = columns(seed)
    with np.errstate(all="ignore"):
        target = run([words], np.vstack([table[:2], table[3:]]))[0]
        found, slope = wanted.wanted(
            code([words])[0], end, np.ascontiguousarray(table[:3]), target, np.array([0.0, 1.0])
        )
        step = 1e-6 * np.abs(found)
        low, high = (run([words], np.vstack([table[:2], (found + sign * step)[None]]))[0] for sign in (-1, 1))
        measured = np.abs(high - low) / (2 * step)
    known = (slope > 1e-6) & (slope < 1e6) & np.isfinite(measured) & np.isfinite(target) & (np.abs(found) > 1e-3)
    assume(known.any())
    np.testing.assert_allclose(slope[known], measured[known], rtol=1e-3, atol=1e-6 * np.abs(target[known]).max())


def test_other_terms_are_taken_from_the_target_with_their_weights() -> None:
    words = [X, Y, codes.ADD, PLACE, codes.ADD]  # x + y + place
    table = columns(0)
    weights = np.array([0.5, 2.0, -3.0, 4.0])
    target = 0.5 + 2.0 * table[0] - 3.0 * table[1] + 4.0 * table[3]
    found, slope = wanted.wanted(code([words])[0], 4, np.ascontiguousarray(table[:3]), target, weights)
    np.testing.assert_allclose(found, table[3])
    assert (slope == 4.0).all()


@pytest.mark.parametrize(
    ("words", "end", "weights"),
    [
        ([PLACE, codes.SIN], 1, [0.0, 1.0]),  # has many inverses
        ([PLACE, X, codes.POWER], 1, [0.0, 1.0]),
        ([X, PLACE, codes.MAXIMUM], 2, [0.0, 1.0]),
        ([X, PLACE, codes.ADD], 3, [0.0, 1.0, 1.0]),  # a sum of terms is not in a term
        ([X, PLACE, codes.ADD], 2, [0.0, 1.0, 0.0]),  # a term that does not count
    ],
)
def test_where_nothing_would_do_the_slope_is_zero(words: Program, end: int, weights: list[float]) -> None:
    table = np.ascontiguousarray(columns(0)[:3])
    _, slope = wanted.wanted(code([words])[0], end, table, table[0], np.array(weights))
    assert (slope == 0.0).all()


def test_rows_in_which_nothing_would_do_have_no_slope() -> None:
    target = np.array([-1.0, 4.0])
    table = np.ones((3, 2))
    found, slope = wanted.wanted(code([[PLACE, codes.SQUARE]])[0], 1, table, target, np.array([0.0, 1.0]))
    assert found.tolist() == [0.0, 2.0]
    assert slope.tolist() == [0.0, 4.0]
