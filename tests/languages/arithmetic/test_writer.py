from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.data import Dataset
from gramarye.derivations import Status
from gramarye.grammar import Grammar
from gramarye.languages import Arithmetic, Programs
from gramarye.languages.arithmetic.factors import tidied
from gramarye.languages.arithmetic.formulas import steps_of, weighted, words_of
from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.arithmetic.writer import text_of
from tests.languages.arithmetic.test_machine import TABLES, Program, X, Y, code, number, run, same_bits
from tests.languages.arithmetic.test_terms import tree_of, tuned, tuned_programs

LANGUAGE = Arithmetic(Grammar.from_text("<e> ::= x | y"), 2)
NAMES = LANGUAGE.reader.labels(())
NUMBERS = st.floats(-1e3, 1e3) | st.sampled_from([-0.0, 1e-300, -1e22, 5e-324, 0.1])


def written(program: Program) -> str:
    return text_of(steps_of(np.array(program, np.int32)), NAMES)


def plain(program: Program) -> Program:
    """The same with numbers that are not tuned, a sign being an operation."""
    words: Program = []
    for node in tree_of(program)[1]:
        if node.words[0] > codes.CONSTANT:
            words += node.words
            continue
        value = float(np.array(node.words[1:], np.int32).view(np.float64)[0])
        words += number(abs(value)) + ([codes.NEGATE] if np.signbit(value) else [])
    return words


@given(tuned_programs(numbers=NUMBERS))
def test_what_is_written_reads_back_to_the_same_program(program: Program) -> None:
    status, words = LANGUAGE.program(written(program))
    assert status == Status.OK
    assert words.tolist() == plain(program)


@given(tuned_programs(numbers=NUMBERS), TABLES)
def test_what_is_written_means_the_same(program: Program, columns: NDArray[np.float64]) -> None:
    _, words = LANGUAGE.program(written(program))
    assert same_bits(run([words.tolist()], columns), run([program], columns))


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ([X, Y, codes.ADD, X, codes.MULTIPLY], "(x[0] + x[1]) * x[0]"),
        ([X, Y, codes.MULTIPLY, X, codes.ADD], "x[0] * x[1] + x[0]"),
        ([X, Y, X, codes.SUBTRACT, codes.SUBTRACT], "x[0] - (x[1] - x[0])"),
        ([X, Y, codes.SUBTRACT, X, codes.SUBTRACT], "x[0] - x[1] - x[0]"),
        ([X, Y, codes.POWER, X, codes.POWER], "(x[0]**x[1])**x[0]"),
        ([X, Y, X, codes.POWER, codes.POWER], "x[0]**x[1]**x[0]"),
        ([*tuned(-2.5), Y, codes.POWER], "(-2.5)**x[1]"),
        ([X, *tuned(-2.5), codes.POWER], "x[0]**(-2.5)"),
        ([X, codes.NEGATE, Y, codes.POWER], "(-x[0])**x[1]"),
        ([X, Y, codes.POWER, codes.NEGATE], "-x[0]**x[1]"),
        ([X, Y, codes.ADD, codes.NEGATE], "-(x[0] + x[1])"),
        ([X, *number(1.5), codes.MINIMUM, codes.SIN], "sin(min(x[0], 1.5))"),
    ],
)
def test_brackets_stand_only_where_they_are_needed(program: Program, text: str) -> None:
    assert written(program) == text


@pytest.mark.parametrize(
    ("intercept", "terms", "text"),
    [
        (0.0, [], "0.0"),
        (1.5, [(0.0, [X])], "1.5"),
        (0.0, [(1.0, [X, Y, codes.ADD])], "x + y"),
        (-1.5, [(2.0, [X]), (-1.0, [Y])], "-1.5 + 2.0 * x - y"),
        (0.0, [(-2.0, [X, Y, codes.MULTIPLY])], "-2.0 * (x * y)"),
        (1.5, [(-1.0, [*number(-2.0), X, codes.DIVIDE])], "1.5 - (-2.0 / x)"),
        (0.0, [(-1.0, [X, Y, codes.MULTIPLY]), (0.5, [X, codes.NEGATE])], "-x * y - 0.5 * x"),
    ],
)
def test_weights_of_0_and_1_are_left_out(intercept: float, terms: list[tuple[float, Program]], text: str) -> None:
    steps = [(weight, list(steps_of(np.array(program, np.int32)))) for weight, program in terms]
    assert text_of(tidied(weighted(intercept, steps)), ["x", "y"]) == text


@given(tuned_programs(numbers=NUMBERS))
def test_steps_become_the_same_program_again(program: Program) -> None:
    steps = list(steps_of(np.array(program, np.int32)))
    columns = np.random.default_rng(1).uniform(-2, 2, (2, 30))
    assert same_bits(run([words_of(steps).tolist()], columns), run([program], columns))


@given(tuned_programs(), st.sampled_from([2, 3, 6]))
def test_a_weighted_formula_predicts_what_the_program_does(program: Program, most: int) -> None:
    columns = np.random.default_rng(1).uniform(0.5, 2.5, (2, 30))
    words, offsets = code([program])
    programs = Programs(words, offsets, np.zeros(1, np.int8))
    found = LANGUAGE.fit(programs, Dataset(columns, np.cos(columns[0]) * columns[1]), most, 0, 1e-4)
    assume(np.isfinite(found.errors[0]))
    predicted = LANGUAGE.predictions(programs, columns, found.weights)[0]
    status, formula = LANGUAGE.program(LANGUAGE.written(programs, found.weights[0]))
    assert status == Status.OK
    scale = np.abs(found.weights[0, 1:]).max() * np.abs(run([program], columns)).max() + np.abs(predicted).max()
    assume(np.isfinite(scale))
    assert run([formula.tolist()], columns)[0] == pytest.approx(predicted, rel=1e-9, abs=1e-9 * scale)


def test_columns_are_called_by_names_that_can_be_read_back() -> None:
    names = ["age", "body mass", "sin", "2010", "élan", "a.b"]
    language = Arithmetic(Grammar.from_text("<e> ::= age"), 6, names)
    labels = language.reader.labels(())
    assert labels == ["age", "`body mass`", "`sin`", "`2010`", "élan", "a.b"]
    for column, label in enumerate(labels):
        assert language.program(f"{label} + 1.0")[1][0] == codes.VARIABLE + column


@pytest.mark.parametrize(
    ("text", "first_index", "labels"),
    [
        ("x0 | x1", 0, ["x0", "x1"]),
        ("x | y", 0, ["x", "y"]),
        ("x1", 1, ["x1", "x[2]"]),
    ],
)
def test_columns_are_called_as_the_grammar_calls_them(text: str, first_index: int, labels: list[str]) -> None:
    language = Arithmetic(Grammar.from_text(f"<e> ::= {text}"), 2, None, first_index)
    assert language.reader.labels(language.grammar.terminals) == labels
