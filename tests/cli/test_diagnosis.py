from __future__ import annotations

import pytest

import gramarye as gm
from gramarye.cli.diagnosis import why_nothing_is_valid
from gramarye.methods.base import MethodBase
from gramarye.objectives.problem import Problem


def reason(problem: Problem, method: MethodBase) -> str:
    setup = gm.engine.Setup(problem, method, 1)
    return why_nothing_is_valid(setup, gm.engine.start(setup))


def table(rules: str) -> gm.Regression:
    return gm.Regression([[1.0], [2.0]], [1.0, 2.0], gm.Grammar.from_text(rules))


def test_programs_that_are_no_expressions_are_told_with_an_example() -> None:
    told = reason(table("<e> ::= x x | x + "), gm.PGE(population=4))
    assert told.startswith("4 of 4 genotypes map to a complete program, but none is an arithmetic expression of the ")
    assert told.endswith("; correct the grammar")


def test_programs_without_a_finite_value_are_told() -> None:
    told = reason(table("<e> ::= exp(1000 * x)" + " + x" * 40), gm.PGE(population=4))
    assert "none has a finite fitness: exp(1000 * x) + x" in told
    assert told.endswith("…")


def test_an_objective_of_one_s_own_says_nothing_of_expressions() -> None:
    problem = gm.Objective(lambda _: float("inf"), gm.Grammar.from_text("<e> ::= x | y"))
    assert "but none has a finite fitness: " in reason(problem, gm.PGE(population=4))


@pytest.mark.parametrize(
    ("method", "chance"),
    [
        (gm.GE(population=4, codons=2), " (with 2 codons, the probability is 0);"),
        (gm.GE(population=4, codons=2, wraps=1), "a complete program;"),
        (gm.GE(population=4, codons=10_001), "a complete program;"),
    ],
)
def test_derivations_that_never_end_are_told_with_their_chance(method: gm.GE, chance: str) -> None:
    enough = method.codons * (method.wraps + 1)
    told = reason(table(f"<e> ::= {'<v> + ' * enough}<v>\n<v> ::= x | 1.0"), method)
    assert told.startswith("no genotype maps to a complete program")
    assert chance in told
    assert told.endswith("give more codons (--set codons=…), or use another grammar")


def test_the_setting_to_raise_is_that_of_the_representation() -> None:
    told = reason(table("<e> ::= <v> + <v> + <v>\n<v> ::= x | 1.0"), gm.PIGE(population=4, pairs=2))
    assert told == "no genotype maps to a complete program; give more pairs (--set pairs=…), or use another grammar"
