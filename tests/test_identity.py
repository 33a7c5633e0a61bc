from __future__ import annotations

import functools
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.errors import SettingsError
from gramarye.identity import UnrecognisableError, difference, function_identity

GRAMMAR = gm.Grammar.from_text("<word> ::= <letter><word> | <letter>\n<letter> ::= a | b")
SMALL = gm.GE(population=10, generations=3)


def closing_over(value: Any, weight: float = 1.0) -> Callable[..., float]:
    def fitness(text: str, factor: float = weight) -> float:
        return len(text) * factor + (value is None)

    return fitness


class Counting:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, text: str) -> float:
        self.calls += 1
        return len(text)


def cached(body: str) -> Any:
    namespace: dict[str, Any] = {"functools": functools}
    exec(f"@functools.lru_cache\ndef fitness(text):\n    return {body}", namespace)
    return namespace["fitness"]


def calling_itself() -> Callable[[str], float]:
    def fitness(text: str) -> float:
        return 0.0 if not text else 1 + fitness(text[1:])

    return fitness


class Scorer:
    def __init__(self, weight: float) -> None:
        self.weight = weight

    def __call__(self, text: str) -> float:
        return self.weight * len(text)

    def other(self, text: str) -> float:
        return -self.weight * len(text)


same_line = [lambda text: len(text) + 1, lambda text: -len(text)]

# Pairs of functions that are not the same.
DIFFERENT = {
    "two built-in functions": (len, hash),
    "two lambdas on one line": same_line,
    "two lambdas that were typed": (eval("lambda text: 1"), eval("lambda text: 2")),
    "two arguments of a lambda": (lambda a, b=1: a - b, lambda b, a=1: a - b),
    "closed-over numbers": (closing_over(1), closing_over(2)),
    "closed-over arrays": (closing_over(np.arange(3)), closing_over(np.arange(3.0))),
    "closed-over lists": (closing_over([1, [2]]), closing_over([1, [3]])),
    "closed-over sets": (closing_over({1, 2}), closing_over({1, 3})),
    "closed-over mappings": (closing_over({"a": 1}), closing_over({"a": 2})),
    "closed-over functions": (closing_over(len), closing_over(closing_over(1))),
    "closed-over modules": (closing_over(np), closing_over(random)),
    "closed-over classes": (closing_over(Scorer), closing_over(float)),
    "defaults": (closing_over(1, 1.0), closing_over(1, 2.0)),
    "objects": (Scorer(1), Scorer(2)),
    "methods": (Scorer(1).other, Scorer(2).other),
    "methods of one object": (Scorer(1).other, Scorer(1).__call__),
    "methods of built-in objects": ("a".find, "b".find),
    "partial functions": (functools.partial(closing_over(1), factor=1), functools.partial(closing_over(1), factor=2)),
    "functions of NumPy": (np.sum, np.prod),
    "cached functions": (cached("len(text)"), cached("-len(text)")),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_functions_are_told_apart_by(what: str) -> None:
    one, other = DIFFERENT[what]
    assert function_identity(one) == function_identity(one)
    assert function_identity(one) != function_identity(other)


@pytest.mark.parametrize("value", [1, "text", np.arange(3), [1, {2: {3}}], calling_itself(), Scorer])
def test_functions_made_twice_from_equal_values_are_the_same(value: Any) -> None:
    assert function_identity(closing_over(value)) == function_identity(closing_over(value))


def test_a_function_that_calls_itself_is_recognised() -> None:
    assert function_identity(calling_itself()) == function_identity(calling_itself())


def test_the_name_of_a_function_is_part_of_its_identity() -> None:
    assert function_identity(closing_over(1)).startswith(f"{__name__}.closing_over.<locals>.fitness (")
    assert function_identity(Scorer(1)).startswith(f"{__name__}.Scorer (")


@pytest.mark.parametrize("value", [object(), random.Random(1), np.array([object()])])  # noqa: S311, draws nothing
def test_what_has_hidden_contents_cannot_be_recognised(value: Any) -> None:
    with pytest.raises(UnrecognisableError, match=r"'value' in closing_over.<locals>.fitness holds an object of type "):
        function_identity(closing_over(value))


def test_the_identity_of_a_function_is_the_same_in_another_process(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("K = 3\ndef fitness(text, scale={'b': {1, 'c'}}):\n    return len(text) * K\n")
    code = "import mine, gramarye.identity as i; print(i.function_identity(mine.fitness))"
    seeds = [{"PYTHONHASHSEED": seed, "PYTHONPATH": str(tmp_path)} for seed in ("1", "2")]
    found = {
        subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
        for env in seeds
    }
    assert len(found) == 1
    assert found.pop().startswith("mine.fitness (")


def test_the_first_difference_of_two_identities_is_named() -> None:
    assert difference('{"a": 1, "b": 2}', '{"a": 1, "b": 3}') == "b was 2 and is now 3"
    assert difference('{"a": 1}', '{"a": 1, "b": 3}') == "b was not recorded and is now 3"
    assert difference('{"a": 1, "b": 2}', '{"a": 1}') == "b was 2 and is now not given"
    assert difference('{"a": 1, "b": 2}', '{"a": 1}', ignored="b") is None


class TestObjectives:
    def test_a_state_is_resumed_with_the_same_function_only(self) -> None:
        state = gm.engine.start(gm.engine.Setup(gm.Objective(closing_over(1), GRAMMAR), SMALL, 1))
        assert gm.Evolution(gm.Objective(closing_over(1), GRAMMAR), SMALL, state=state).state is state
        with pytest.raises(SettingsError, match=r"another run: the problem's function was .*fitness .* and is now "):
            gm.Evolution(gm.Objective(closing_over(2), GRAMMAR), SMALL, state=state)

    def test_a_function_that_cannot_be_recognised_needs_a_version(self) -> None:
        problem = gm.Objective(closing_over(object()), GRAMMAR)
        state = gm.engine.start(gm.engine.Setup(problem, SMALL, 1))
        assert gm.Evolution(problem, SMALL, state=state).state is state  # the very same object is no question
        with pytest.raises(SettingsError, match=r"'value' in .* holds an object of type object; set version="):
            gm.Evolution(gm.Objective(closing_over(object()), GRAMMAR), SMALL, state=state)

    def test_a_function_that_counts_its_calls_is_recognised(self) -> None:
        evolution = gm.Evolution(gm.Objective(Counting(), GRAMMAR), SMALL, seed=1)
        evolution.advance()
        again = gm.Evolution(gm.Objective(Counting(), GRAMMAR), SMALL, state=evolution.state)
        assert len(list(again)) == 2

    def test_a_version_says_what_is_the_same(self) -> None:
        state = gm.engine.start(gm.engine.Setup(gm.Objective(closing_over(object()), GRAMMAR, version="1"), SMALL, 1))
        again = gm.Objective(closing_over(object()), GRAMMAR, version="1")
        assert gm.Evolution(again, SMALL, state=state).state is state
        with pytest.raises(SettingsError, match="the problem's version was 1 and is now 2"):
            gm.Evolution(gm.Objective(closing_over(1), GRAMMAR, version="2"), SMALL, state=state)

    def test_an_experiment_is_resumed_with_the_same_function_only(self, tmp_path: Path) -> None:
        store = tmp_path / "results.db"
        gm.compare([SMALL], [gm.Objective(same_line[0], GRAMMAR)], runs=1, workers=1, store=store).results.close()
        with pytest.raises(gm.GramaryeError, match="GE on objective is not what was run: the problem's function was"):
            gm.compare([SMALL], [gm.Objective(same_line[1], GRAMMAR)], runs=2, workers=1, store=store)
