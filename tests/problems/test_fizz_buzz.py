from __future__ import annotations

import pytest

import gramarye as gm
from gramarye.problems.fizz_buzz import EDGES, LARGEST, edit_distance

SOLUTION = r"""def fizz_buzz(x):{:result = ''
if x % 3 == 0:{:result = 'Fizz':}
if x % 5 == 0:{:result = result + 'Buzz':}else:{:if not x % 3 == 0:{:result = str(x):}:}
return result:}"""


def test_a_solution_has_no_error_in_training_and_test() -> None:
    problem = gm.problems.load("fizz-buzz")
    program = gm.parse(problem.grammar, SOLUTION).phenotype
    assert [set(judge(program)) for judge in problem.functions] == [{0}, {0}]


def test_a_short_run_improves() -> None:
    run = gm.evolve(gm.problems.load("fizz-buzz"), gm.SGE(population=100, generations=10), seed=1)
    first, *_, last = run.history["best_so_far"]
    assert last < first
    assert run.best.test_fitness is not None
    assert not run.failures


def test_cases_are_those_of_the_suite_and_the_unseen_ones_are_others() -> None:
    training, unseen = (judge.args[1] for judge in gm.problems.load("fizz-buzz").functions)
    assert (len(training), len(unseen)) == (200, 2000)
    assert tuple(x for x, _ in training[: len(EDGES)]) == EDGES
    assert not {x for x, _ in training} & {x for x, _ in unseen}
    assert all(1 <= x <= LARGEST for x, _ in training + unseen)
    assert training[:15] == [
        *((1, "1"), (2, "2"), (3, "Fizz"), (4, "4"), (5, "Buzz"), (6, "Fizz"), (7, "7"), (8, "8"), (9, "Fizz")),
        *((10, "Buzz"), (11, "11"), (12, "Fizz"), (13, "13"), (14, "14"), (15, "FizzBuzz")),
    ]


def test_cases_are_always_the_same() -> None:
    assert gm.problems.load("fizz-buzz").identity == gm.problems.load("fizz-buzz").identity


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("Fizz", "Buzz", 2), ("FizzBuzz", "Buzz", 4)],
)
def test_edit_distance(a: str, b: str, distance: int) -> None:
    assert edit_distance(a, b) == edit_distance(b, a) == distance
