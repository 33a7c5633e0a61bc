from __future__ import annotations

import math
from typing import Any

import pytest

import gramarye as gm
from gramarye.errors import LanguageError, ObjectiveError
from gramarye.problems.base import Wanted, synthesis

GRAMMAR = gm.Grammar.from_text(
    '# dialect: gramarye\n<function> ::= "def double(n):{:return "<e>":}"\n<e> ::= n + n | n * n | len(n) | abs(n) + n'
)
WANTED = Wanted("double", "x", lambda found, expected: abs(found - expected), ("abs",))


def problem(**options: str) -> gm.Objective:
    return synthesis(WANTED, [(0, 0), (3, 6)], [(-1, -2), (5, 10)], GRAMMAR, **options)


def test_programs_are_judged_case_by_case_and_tested_with_unseen_cases() -> None:
    judged, tested = problem().functions
    assert judged("def double(n):{:return n * n:}") == [0, 3]
    assert judged("def double(n):{:return abs(n) + n:}") == [0, 0]
    assert tested("def double(n):{:return abs(n) + n:}") == [2, 0]


def test_a_grammar_of_something_else_is_refused() -> None:
    words = gm.Grammar.from_text("<word> ::= a | b<word>", name="words")
    what = r"words: programs of objective are Python that defines double\(x\), but no terminal has that name"
    with pytest.raises(LanguageError, match=what):
        synthesis(WANTED, [(0, 0)], [(1, 2)], words)


def test_programs_know_only_the_builtins_that_are_named() -> None:
    with pytest.raises(ObjectiveError, match="NameError: name 'len' is not defined"):
        gm.evolve(problem(on_error="raise"), gm.GE(population=50, generations=1), seed=1)


def test_lexicase_selection_compares_programs_by_their_cases() -> None:
    with pytest.warns(UserWarning, match="NameError"):
        run = gm.evolve(problem(), gm.GE(population=50, generations=3, selection="lexicase"), seed=1)
    assert run.best.fitness == 0
    assert run.best.test_fitness is not None
    assert not math.isnan(run.best.test_fitness)


def test_the_best_program_is_exported_as_python_that_runs_alone() -> None:
    with pytest.warns(UserWarning, match="NameError"):
        best = gm.evolve(problem(), gm.GE(population=50, generations=3), seed=1).best
    space: dict[str, Any] = {}
    exec(str(best.python()), space)
    assert space["double"](4) == 8
