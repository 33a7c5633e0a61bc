from __future__ import annotations

import math
from typing import Any

import pytest

import gramarye as gm
from gramarye.errors import SettingsError
from gramarye.execution import compile_python


def test_a_program_takes_its_inputs_by_name_and_returns_what_it_has_made() -> None:
    run = compile_python("double = 2 * n\nn = 0")
    assert run(n=3) == {"n": 0, "double": 6}


def test_each_run_begins_anew() -> None:
    run = compile_python("seen = seen + 1")
    assert [run(seen=1)["seen"] for _ in range(3)] == [2, 2, 2]


@pytest.mark.parametrize(
    "program", ["open('/etc/passwd')", "import os", "__import__('os')", "print(1)", "eval('1')", "x = len([])"]
)
def test_no_builtin_is_there_that_was_not_named(program: str) -> None:
    with pytest.raises((NameError, ImportError)):
        compile_python(program)()


def test_builtins_and_helpers_that_are_named_are_there() -> None:
    run = compile_python("root = sqrt(max(a, b))", names={"sqrt": math.sqrt}, builtin_names=("max",))
    assert run(a=4, b=9) == {"a": 4, "b": 9, "root": 3.0}


def test_a_program_that_spoils_its_namespace_spoils_it_for_itself() -> None:
    run = compile_python("__builtins__['len'] = 3\nfor k in range(2): pass", builtin_names=("range", "len"))
    run()
    assert compile_python("n = len([1])", builtin_names=("len",))()["n"] == 1
    assert run()["k"] == 1


def test_a_builtin_that_python_does_not_have_is_refused() -> None:
    with pytest.raises(SettingsError, match="builtin_names has 'rnage': Python has no such builtin"):
        compile_python("", builtin_names=("rnage",))


@pytest.mark.parametrize(("program", "error"), [("1 +", SyntaxError), ("x = y", NameError)])
def test_what_is_wrong_with_a_program_is_raised(program: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        compile_python(program)()


def test_programs_of_python_are_judged_in_workers() -> None:
    grammar = gm.Grammar.from_text('<p> ::= "r = " <e>\n<e> ::= <e> + <e> | n | 1 | open(n) | len(n)\n')

    def fitness(program: str) -> Any:
        run = compile_python(program, builtin_names=("abs",))
        return [abs(run(n=n)["r"] - (2 * n + 1)) for n in range(5)]

    with pytest.warns(UserWarning, match="NameError"):
        best = gm.evolve(gm.Objective(fitness, grammar, timeout=1), gm.GE(population=300, generations=10), seed=1).best
    assert best.fitness == 0
