"""Whether formulas are the same up to a constant is decided as SRBench does, and in bounded time."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.recovery import Judge, Question, decide

X = np.random.default_rng(1).uniform(1, 3, (50, 2))


def question(model: str, truth: str, rows: bool = True) -> Question:
    return Question(model, truth, ("a", "b"), ("a", "b"), X if rows else np.empty((0, 2)))


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge() as made:
        yield made


@pytest.mark.parametrize("rows", [True, False], ids=["with rows", "without rows"])
@pytest.mark.parametrize(
    ("model", "truth", "answer"),
    [
        ("x0*x1", "a*b", "yes"),
        ("x1*x0 + 0*x1", "a*b", "yes"),
        ("(x0 + x1)**2", "a**2 + 2*a*b + b**2", "yes"),
        ("0.99998*x0*x1 + 0.00002", "a*b", "yes"),  # constants are rounded
        ("x0*x1 + 4.2", "a*b", "yes"),  # a constant difference
        ("-3.7*x0*x1", "a*b", "yes"),  # a constant ratio
        ("0.0796*x0/x1", "a/(4*pi*b)", "yes"),
        ("sqrt(Abs(x0))", "sqrt(a)", "yes"),  # columns are positive
        ("log(Abs(x0)) - log(x1)", "log(a/b)", "yes"),
        ("1/(exp(0.15916*x0/x1) - 1)", "1/(exp(a/(2*pi*b)) - 1)", "yes"),
        ("Piecewise((1, Eq(x1, 0)), (x0/x1, True))", "a/b", "yes"),
        ("x0*x1 + 0.01*x0", "a*b", "no"),
        ("x0*x1**2", "a*b", "no"),
        ("x0", "b", "no"),
        ("2.5", "a*b", "no"),
        ("0", "a*b", "no"),
        ("0.00003*x0", "a*b", "no"),  # its constant becomes 0
        ("1.02*sin(x0)", "sin(1.02*a)", "no"),
        ("x0 +", "a", "unreadable"),
        ("x0 + unknown(x1", "a", "unreadable"),
    ],
)
def test_known_pairs_are_decided(model: str, truth: str, answer: str, rows: bool) -> None:
    assert decide(question(model, truth, rows)) == answer


@pytest.mark.parametrize(
    ("model", "truth", "answer"),
    [
        ("sqrt(Abs(-x0 - x1))", "sqrt(a + b)", "yes"),
        ("x0 + x1 - 2", "a + b", "yes"),
        ("sqrt(Abs(x0 - x1 - 3))", "sqrt(3 + b - a)", "by sign"),
        ("log(Abs(3 + Abs(x0 - 4)))", "log(7 - a)", "by sign"),
        ("sqrt((x0 - 4)**2) * x1", "b*(4 - a)", "by sign"),
        ("sqrt(Abs(x0 - x1))", "sqrt(a - b)", "no"),  # of both signs
        ("sqrt(Abs(x0 - x1 - 3))", "sqrt(3 + b - 2*a)", "no"),
        ("sqrt(Abs(x0 - x1 - 3", "a", "unreadable"),
    ],
)
def test_absolute_values_are_left_out_where_the_rows_have_one_sign(
    judge: Judge, model: str, truth: str, answer: str
) -> None:
    assert judge.ask(question(model, truth)) == answer


def test_columns_of_a_model_are_counted_whatever_their_names() -> None:
    swapped = Question("x0 - 2*x1", "x1 - 2*x0", ("x1", "x0"))
    assert decide(swapped) == "yes"
    assert decide(Question("x0 - 2*x1", "x0 - 2*x1", ("x1", "x0"))) == "no"


def test_names_that_sympy_knows_are_columns_here() -> None:
    assert decide(Question("x0/(x1 - 1)*x2", "1/(gamma-1)*E*I", ("E", "gamma", "I"))) == "yes"


@pytest.mark.slow
def test_a_question_that_takes_too_long_is_given_up_and_the_next_is_answered() -> None:
    with Judge(seconds=0.5) as judge:
        began = time.monotonic()
        assert judge.ask(question("x0**(9**9**9)", "a", rows=False)) == "time limit"
        assert time.monotonic() - began < 60
        assert judge.ask(question("2*x0", "a")) == "yes"
        assert judge.ask(question("x1", "a")) == "no"
