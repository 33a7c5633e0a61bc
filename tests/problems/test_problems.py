from __future__ import annotations

import math

import numpy as np
import pytest

import gramarye as gm
from gramarye.derivations import Derivations
from gramarye.errors import LanguageError, SettingsError
from gramarye.execution import Threads
from gramarye.problems import PROBLEMS, load


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_loads_describes_itself_and_evolves(name: str) -> None:
    problem = load(name)
    assert problem.name == problem.grammar.name == name
    assert problem.description
    run = gm.evolve(problem, gm.PGE(population=30, generations=2), seed=1)
    assert 0 <= run.best.fitness < math.inf


def test_an_unknown_problem_names_the_nearest() -> None:
    with pytest.raises(SettingsError, match=r"no problem is called 'pagi'; did you mean pagie\?"):
        load("pagi")
    with pytest.raises(
        SettingsError, match="no problem is called 'tsp'; there are pagie, boston, quartic, string-match"
    ):
        load("tsp")


def test_pagie_is_the_paper_s_grid() -> None:
    table = load("pagie").dataset
    assert table.rows == 26 * 26 == 676
    points = {(round(x, 9), round(y, 9)): t for x, y, t in zip(*table.columns, table.target, strict=True)}
    axis = [round(-5 + 0.4 * k, 9) for k in range(26)]
    assert set(points) == {(x, y) for x in axis for y in axis}
    assert (axis[0], axis[-1]) == (-5, 5)
    assert not (table.columns == 0).any()
    for (x, y), target in points.items():
        assert target == pytest.approx(1 / (1 + x**-4) + 1 / (1 + y**-4), rel=1e-12)
    assert points[5.0, 5.0] == pytest.approx(2 * 625 / 626)
    assert points[-5.0, 0.2] == pytest.approx(625 / 626 + 1 / 626)
    assert points[-1.0, 1.0] == pytest.approx(1.0)


def test_pagie_s_grammar_is_the_paper_s() -> None:
    grammar = load("pagie").grammar
    assert {name: [p.text for p in rule] for name, rule in grammar.rules.items()} == {
        "<start>": ["<expr>"],
        "<expr>": ["<expr> <op> <expr>", "(<expr> <op> <expr>)", "<pre_op>(<expr>)", "<var>"],
        "<op>": ["+", "-", "*", "/"],
        "<pre_op>": ["sin", "cos", "exp", "log", "inv"],
        "<var>": ["x", "y", "1.0"],
    }
    assert grammar.completion_probability(128) == pytest.approx(0.4994, abs=5e-5)


def test_boston_has_506_rows_and_13_features_by_name() -> None:
    problem = load("boston")
    assert problem.dataset.columns.shape == (13, 506)
    assert list(problem.language.reader.names) == (
        ["CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT"]
    )
    assert [p.text for p in problem.grammar.rules["<var>"]][:2] == ["CRIM", "ZN"]
    assert problem.dataset.target.mean() == pytest.approx(22.5328, abs=1e-4)
    assert problem.dataset.columns[5].mean() == pytest.approx(6.2846, abs=1e-4)


def test_boston_keeps_50_rows_for_testing_by_the_seed_alone() -> None:
    train, test = load("boston").split(np.uint64(3))
    assert test is not None
    assert (train.rows, test.rows) == (456, 50)
    again, _ = load("boston", gm.Grammar.from_text("<a> ::= RM | LSTAT")).split(np.uint64(3))
    assert again.target.tobytes() == train.target.tobytes()
    other, _ = load("boston").split(np.uint64(4))
    assert other.target.tobytes() != train.target.tobytes()


def test_boston_says_why_it_was_withdrawn() -> None:
    words = load("boston").description
    for piece in ("scikit-learn withdrew", "Black residents", "reproducing published results only", "506", "456", "50"):
        assert piece in words


def test_boston_records_the_test_error_of_the_best_in_every_generation() -> None:
    problem = load("boston")
    train, test = problem.split(np.uint64(5))
    assert test is not None
    on_train = gm.Regression(train.columns.T, train.target, index_grammar())
    on_test = gm.Regression(test.columns.T, test.target, index_grammar())
    with gm.Evolution(problem, gm.PGE(population=60, generations=5), seed=5) as evolution:
        for generation in evolution:
            best = generation.best_of_run
            one = Derivations.of(best.derivation.productions)
            (train_error,) = on_train.evaluator(np.uint64(0), Threads()).evaluate(one).fitness
            (test_error,) = on_test.evaluator(np.uint64(0), Threads()).evaluate(one).fitness
            assert best.fitness == generation.record["best_so_far"] == train_error
            assert best.test_fitness == generation.record["test"] == test_error
        assert evolution.run.best.test_fitness == evolution.run.history["test"][-1]


def index_grammar() -> gm.Grammar:
    """Boston's grammar with x[0] … for the names of columns: the same productions."""
    grammar = load("boston").grammar
    lines = []
    for name, rule in grammar.rules.items():
        sides = [f"x[{k}]" if name == "<var>" and k < 13 else p.text for k, p in enumerate(rule)]
        lines.append(f"{name} ::= {' | '.join(sides)}")
    return gm.Grammar.from_text("\n".join(lines))


def test_quartic_is_soon_solved() -> None:
    table = load("quartic").dataset
    x = table.columns[0]
    assert table.rows == 21
    assert table.target == pytest.approx(x**4 + x**3 + x**2 + x)
    run = gm.evolve(load("quartic"), gm.GE(population=500, generations=30), seed=1)
    assert run.best.fitness < 0.2


def test_a_problem_takes_another_grammar() -> None:
    grammar = gm.Grammar.from_text("<a> ::= <v> * <v>\n<v> ::= x[0] | x[1] | 2")
    problem = load("pagie", grammar)
    assert problem.grammar is grammar
    assert gm.evolve(problem, gm.SGE(population=40, generations=3), seed=1).best.phenotype == "2 * 2"
    with pytest.raises(LanguageError, match="did you mean"):
        load("boston", gm.Grammar.from_text("<a> ::= CRIME"))


def test_a_grammar_may_count_from_one_as_the_paper_prints_it() -> None:
    table = load("pagie").dataset
    grammar = gm.Grammar.from_text("<a> ::= x[1] | x[2]")
    problem = gm.Regression(table.columns.T, table.target, grammar, first_index=1)
    assert gm.evolve(problem, gm.GE(population=4, generations=1, codons=1), seed=1).best.fitness < math.inf


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_ready_made_problem_may_have_another_name(name: str) -> None:
    problem = gm.problems.load(name, name="mine", description="another")
    assert (problem.name, problem.description) == ("mine", "another")


def test_an_option_that_a_problem_does_not_have_is_refused() -> None:
    with pytest.raises(SettingsError, match="the problem 'pagie' has no option 'timeout'; it has error, test_rows, "):
        load("pagie", timeout=1)
    with pytest.raises(SettingsError, match=r"has no option 'timout'; did you mean timeout\?"):
        load("fizz-buzz", timout=1)
