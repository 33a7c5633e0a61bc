"""Programs that meet special cases of protected operations: as exports find them, and as their texts say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import gramarye as gm
from gramarye.languages import Arithmetic, Programs
from gramarye.languages.arithmetic.special_cases import meet_special_cases
from gramarye.languages.expression import Guard
from tests.export.test_exports import LANGUAGE, TABLES, Floats
from tests.languages.arithmetic.test_machine import code
from tests.languages.arithmetic.test_terms import tuned_programs

GRAMMAR = gm.Grammar.from_text(
    "<m> ::= (<m> + <m>) | (<m> - <m>) | (<m> / <1>) | (<m> * <1>) | x | y\n"
    "<1> ::= (<m> / <m>) | log(<1>) | exp(<1>) | <const>"
)
TABLE = np.array([[1.0, 2.0, 3.0], [1.0, 5.0, 4.0]])


def kept(text: str, grammar: gm.Grammar = GRAMMAR) -> bool:
    language = Arithmetic(grammar, 2, ("x", "y"))
    return bool(language.keeps_units(language.programs(gm.parse(grammar, text).alone), TABLE)[0])


@pytest.mark.parametrize(
    ("text", "keeps"),
    [
        ("(x / (y / x))", True),
        ("(x / (x / (y - y)))", False),
        ("(x / ((x - y) / x))", False),  # in one row
        ("(x / 0.0)", False),
        ("(x * log((-0.5)))", False),
        ("(x * log((x / y)))", True),
        ("(x * log(((x - y) / x)))", False),
    ],
)
def test_a_program_with_units_keeps_them_unless_a_special_case_occurs(text: str, keeps: bool) -> None:
    assert kept(text) == keeps


def test_in_other_grammars_special_cases_are_what_they_are() -> None:
    assert kept("x / (y - y)", gm.Grammar.from_text("<e> ::= x / (y - y)"))


@given(tuned_programs(most=10), TABLES)
def test_special_cases_are_those_that_exports_find(program: list[int], columns: Floats) -> None:
    programs = Programs(*code([program]), np.zeros(1, np.int8))
    found = meet_special_cases(programs, lambda parts: LANGUAGE.outputs(parts, columns), columns.shape[1])
    steps = LANGUAGE.steps(programs, None, columns)
    if any(step.guard in (Guard.TOUCHED, Guard.ALWAYS) for step in steps):  # those of constants are computed away
        assert found[0]
