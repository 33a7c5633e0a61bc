from __future__ import annotations

import gramarye as gm
from gramarye.problems.count_odds import EDGES, LONGEST, WORST

SOLUTION = r"""def count_odds(numbers):{:result = n = 0
for n in numbers:{:result = (result + (n % 2)):}
return result:}"""


def test_a_solution_has_no_error_in_training_and_test() -> None:
    problem = gm.problems.load("count-odds")
    program = gm.parse(problem.grammar, SOLUTION).phenotype
    assert [set(judge(program)) for judge in problem.functions] == [{0}, {0}]


def test_a_short_run_finds_a_solution_that_holds_for_unseen_cases() -> None:
    run = gm.evolve(gm.problems.load("count-odds"), gm.SGE(population=200, generations=10), seed=1)
    assert run.history["best_so_far"][0] > 1
    assert (run.best.fitness, run.best.test_fitness) == (0, 0)
    assert not run.failures


def test_cases_are_those_of_the_suite_and_the_unseen_ones_are_others() -> None:
    training, unseen = (judge.args[1] for judge in gm.problems.load("count-odds").functions)
    assert (len(training), len(unseen)) == (200, 2000)
    assert tuple(numbers for numbers, _ in training[: len(EDGES)]) == EDGES
    assert not {numbers for numbers, _ in training} & {numbers for numbers, _ in unseen}
    for numbers, odds in training + unseen:
        assert len(numbers) <= LONGEST
        assert all(-1000 <= n <= 1000 for n in numbers)
        assert odds == len([n for n in numbers if n % 2 == 1])
    assert all(odds == len(numbers) for numbers, odds in unseen[:100])
    assert all(odds == 0 for _, odds in unseen[100:200])


def test_cases_are_always_the_same() -> None:
    assert gm.problems.load("count-odds").identity == gm.problems.load("count-odds").identity


def test_no_error_is_larger_than_the_worst_however_large_the_number() -> None:
    program = SOLUTION.replace("(result + (n % 2))", "(result + (result + 3))")  # grows beyond all floats
    assert max(gm.problems.load("count-odds").functions[0](program)) == WORST
