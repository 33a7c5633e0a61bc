from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import gramarye as gm
from gramarye.derivations import Derivations, Status
from gramarye.errors import DataError, LanguageError, SettingsError
from gramarye.execution import Threads
from gramarye.grammar import Grammar
from gramarye.objectives.table_evaluator import ERROR_MEASURES
from gramarye.populations.evaluation import Work

RNG = np.random.default_rng(7)
X = RNG.normal(size=(90, 3))
Y = X[:, 0] * 2 + np.sin(X[:, 1]) + 0.1 * RNG.normal(size=90)
FORMULAS = {
    "x[0]": X[:, 0],
    "x[0] + x[1] * x[2]": X[:, 0] + X[:, 1] * X[:, 2],
    "sin(x[1]) - 2.5": np.sin(X[:, 1]) - 2.5,
    "1.0": np.ones(90),
    "exp(x[2]) / x[0]": np.exp(X[:, 2]) / X[:, 0],
}
GRAMMAR = Grammar.from_text("<a> ::= " + " | ".join(FORMULAS) + " | exp(exp(exp(9 + x[0]))) | x[0]x[1] + | sqrt(x[0])")
ERRORS: dict[str, Callable[..., float]] = {
    "rrse": lambda y, f: math.sqrt(((y - f) ** 2).sum() / ((y - y.mean()) ** 2).sum()),
    "rmse": lambda y, f: math.sqrt(((y - f) ** 2).mean()),
    "mae": lambda y, f: np.abs(y - f).mean(),
    "1-r2": lambda y, f: ((y - f) ** 2).sum() / ((y - y.mean()) ** 2).sum(),
}


def population(*productions: int) -> Derivations:
    return Derivations.join([Derivations.of(np.array([q], np.int32)) for q in productions])


def evaluate(problem: gm.Regression, *productions: int, seed: int = 1, workers: int = 1) -> list[float]:
    return problem.evaluator(np.uint64(seed), Threads(workers)).evaluate(population(*productions)).fitness.tolist()


@pytest.mark.parametrize("measure", ERROR_MEASURES)
def test_error_measures_are_those_of_numpy(measure: Any) -> None:
    found = evaluate(gm.Regression(X, Y, GRAMMAR, error=measure), *range(len(FORMULAS)))
    assert found == pytest.approx([ERRORS[measure](Y, f) for f in FORMULAS.values()], rel=1e-12)


@pytest.mark.parametrize("measure", ERROR_MEASURES)
def test_a_prediction_that_is_no_number_makes_an_individual_invalid(measure: Any) -> None:
    problem = gm.Regression(X, Y, GRAMMAR, error=measure)
    assert evaluate(problem, 5, 0, 6, 7)[:1] + evaluate(problem, 5, 0, 6, 7)[2:] == [math.inf] * 3


def test_repeats_are_computed_once_and_invalid_ones_never() -> None:
    evaluator = gm.Regression(X, Y, GRAMMAR).evaluator(np.uint64(1), Threads())
    first = evaluator.evaluate(population(0, 1, 0, 6, 1, 0))
    assert first.work == Work(distinct=2, node_rows=(1 + 5) * 90, passes=6)
    second = evaluator.evaluate(population(1, 2, 0))
    assert second.work.distinct == 1
    assert second.fitness[0] == first.fitness[1]
    assert second.fitness[2] == first.fitness[0] == first.fitness[2]


def test_an_evaluation_says_why_an_individual_is_invalid_and_how_large_programs_are() -> None:
    nobody = Derivations(np.array([1], np.int32), np.array([0, 1], np.int64), np.array([Status.STEP_LIMIT], np.int8))
    everyone = Derivations.join([population(1, 5, 6, 7), nobody, population(0)])
    found = gm.Regression(X, Y, GRAMMAR).evaluator(np.uint64(1), Threads()).evaluate(everyone)
    assert found.derivations is everyone
    failed = [Status.NOT_FINITE, Status.SYNTAX, Status.NOT_FINITE, Status.STEP_LIMIT]
    assert found.status.tolist() == [Status.OK, *failed, Status.OK]
    assert (found.status == Status.OK).tolist() == np.isfinite(found.fitness).tolist() == found.valid.tolist()
    assert found.size.tolist() == [5, 6, 0, 2, 0, 1]
    assert found.weights is None


def test_threads_change_nothing() -> None:
    problem = gm.Regression(X, Y, GRAMMAR)
    numbers = Grammar.from_text("<a> ::= x[0] * <n>\n<n> ::= GE_RANGE:400")
    many = gm.Regression(X, Y, numbers)
    derivations = Derivations.join([Derivations.of(np.array([0, 1 + k], np.int32)) for k in range(400)])
    one, three = (many.evaluator(np.uint64(1), Threads(n)).evaluate(derivations).fitness for n in (1, 3))
    assert one.tobytes() == three.tobytes()
    assert len(set(one.tolist())) == 400
    assert evaluate(problem, 0, workers=2) == evaluate(problem, 0)


COLUMNS = ["size", "crime rate", "größe"]
BY_NAME = Grammar.from_text('<a> ::= size - "crime rate" * größe | x[0] - x[1] * x[2]')


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(X, columns=COLUMNS), pl.DataFrame(X, schema=COLUMNS)], ids=["pandas", "polars"]
)
@pytest.mark.parametrize("target", [Y, pd.Series(Y), pl.Series(Y), Y.tolist(), Y[:, None], pd.DataFrame({"y": Y})])
def test_frames_give_their_columns_names(frame: Any, target: Any) -> None:
    found = evaluate(gm.Regression(frame, target, BY_NAME), 0, 1)
    assert found[0] == found[1] == pytest.approx(ERRORS["rrse"](Y, X[:, 0] - X[:, 1] * X[:, 2]))


def test_a_frame_of_integers_and_truths_is_a_table_too() -> None:
    frame = pd.DataFrame({"n": [1, 2, 3], "b": [True, False, True]})
    assert evaluate(gm.Regression(frame, [2, 2, 4], Grammar.from_text("<a> ::= n + b")), 0) == [0.0]


def test_a_frame_without_names_has_numbered_columns_only() -> None:
    grammar = Grammar.from_text("<a> ::= x[0] + 1")
    bare, framed = gm.Regression(X, Y, grammar), gm.Regression(pd.DataFrame(X), Y, grammar)
    assert evaluate(bare, 0) == evaluate(framed, 0)
    run = gm.evolve(framed, gm.GE(population=4, generations=1), seed=1)
    assert run.best.predict(pd.DataFrame(X)).tolist() == run.best.predict(X).tolist() == (X[:, 0] + 1).tolist()


def test_one_column_may_be_a_plain_list() -> None:
    assert evaluate(gm.Regression([1, 2, 3], [1, 2, 3], Grammar.from_text("<a> ::= x")), 0) == [0.0]


def spoilt(row: int, column: int, bad: float) -> np.ndarray:
    table = X.copy()
    table[row, column] = bad
    return table


SIMPLE = Grammar.from_text("<a> ::= x")


@pytest.mark.parametrize(
    ("x", "y", "settings", "error", "message"),
    [
        (spoilt(4, 2, math.nan), Y, {}, DataError, "X, row 4, column 2: the value is nan; drop such rows or fill them"),
        (spoilt(5, 0, math.inf), Y, {}, DataError, "X, row 5, column 0: the value is inf"),
        (pd.DataFrame(spoilt(3, 1, -math.inf), columns=COLUMNS), Y, {}, DataError, "row 3, column crime rate: .*-inf"),
        (pl.DataFrame({"a": [1.0, None, 3.0], "b": [1, 2, 3]}), [1, 2, 3], {}, DataError, "X, row 1, column a: .*nan"),
        (X, np.where(np.arange(90) == 8, np.nan, Y), {}, DataError, r"y, row 8: the value is nan; .*\(1 in all\)"),
        (X, Y[:-1], {}, DataError, "y has 89 rows, but X has 90: give one value for each row"),
        (X, np.ones(90), {}, DataError, "y is the same in every row: there is nothing to learn"),
        (X[:1], Y[:1], {}, DataError, "the table has one row only"),
        (X, X, {}, DataError, r"y has the shape \(90, 3\): it must be one column"),
        (X[:0], Y[:0], {}, DataError, "X has no rows: give at least one"),
        (X[:, :0], Y, {}, DataError, "X has no columns: give at least one"),
        (X[:, :, None], Y, {}, DataError, r"X has the shape \(90, 3, 1\)"),
        ([["a", "b"], ["c", "d"]], [1, 2], {}, DataError, "X is not a table of numbers: could not convert string"),
        (pd.DataFrame({"x": ["a", 1]}, dtype=object), [1, 2], {}, DataError, "column 'x' holds values such as 'a'"),
        ([[1, 2], [3]], [1, 2], {}, DataError, "X is not a table of numbers"),
        (X, ["a"] * 90, {}, DataError, "y is not a table of numbers"),
        (None, Y, {}, DataError, "X"),
        ({"x": X[:, 0]}, Y, {}, DataError, r"X is a dictionary: give a data frame, such as pandas\.DataFrame\(X\)"),
        (X, Y, {"test_rows": 89}, SettingsError, "test_rows is 89: .* leaves two of the 90 rows for training"),
        (X, Y, {"test_rows": -1}, SettingsError, "test_rows is -1"),
        (X, Y, {"test_rows": 0.5}, SettingsError, "test_rows is 0.5: it must be 0, or an integer ≥ 2"),
        (X, Y, {"error": "mse"}, SettingsError, "error is 'mse': it must be one of 'rrse', 'rmse', 'mae', '1-r2'"),
        (X, Y, {"first_index": 1, "grammar": Grammar.from_text("<a> ::= x[0]")}, LanguageError, r"no variable x\[0\]"),
    ],
)  # fmt: skip
def test_data_that_can_not_be_learned_from_are_refused(
    x: Any, y: Any, settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        gm.Regression(x, y, **{"grammar": SIMPLE, **settings})


def test_the_data_of_the_user_are_copied() -> None:
    x, y = X.copy(), Y.copy()
    problem = gm.Regression(x, y, GRAMMAR)
    before = evaluate(problem, 0)
    x[:], y[:] = 0, 0
    assert evaluate(problem, 0) == before


def test_test_rows_are_drawn_by_the_seed_and_kept_apart() -> None:
    problem = gm.Regression(X, Y, GRAMMAR, test_rows=20)
    train, test = problem.split(np.uint64(1))
    assert test is not None
    assert (train.rows, test.rows) == (70, 20)
    together = np.concatenate([train.target, test.target])
    assert sorted(together) == sorted(Y)
    same, _ = problem.split(np.uint64(1))
    other, _ = problem.split(np.uint64(2))
    assert (same.target == train.target).all()
    assert set(other.target) != set(train.target)
    rows = dict(zip(Y, X.tolist(), strict=True))
    assert [rows[y] for y in test.target] == test.columns.T.tolist()  # rows stay together
    evaluator = problem.evaluator(np.uint64(1), Threads())
    assert evaluator.evaluate(population(0)).fitness[0] == pytest.approx(ERRORS["rrse"](train.target, train.columns[0]))
    assert evaluator.test(population(0)) == pytest.approx(ERRORS["rrse"](test.target, test.columns[0]))


@pytest.mark.parametrize("measure", ERROR_MEASURES)
@pytest.mark.parametrize("test_rows", [0, 20])
def test_an_integer_weight_counts_like_that_many_rows(measure: Any, test_rows: int) -> None:
    weights = RNG.integers(0, 4, 90)
    problem = gm.Regression(X, Y, GRAMMAR, error=measure, sample_weight=weights, test_rows=test_rows)
    formulas = population(*range(len(FORMULAS)))
    evaluator = problem.evaluator(np.uint64(1), Threads())
    train, test = problem.split(np.uint64(1))
    found = {"train": evaluator.evaluate(formulas).fitness.tolist()}
    if test is not None:
        found["test"] = [evaluator.test(population(q)) for q in range(len(FORMULAS))]
    for part, errors in zip((train, test), found.values(), strict=False):
        assert part is not None
        counts = part.weights.astype(int)
        repeated = gm.Regression(
            np.repeat(part.columns.T, counts, 0), np.repeat(part.target, counts), GRAMMAR, error=measure
        )
        assert errors == pytest.approx(evaluate(repeated, *range(len(FORMULAS))), rel=1e-9)


def test_a_split_in_which_no_row_counts_is_refused_or_has_no_error() -> None:
    weights = np.zeros(90)
    weights[:2] = 1.0
    problem = gm.Regression(X, Y, GRAMMAR, error="mae", sample_weight=weights, test_rows=85)
    found = set()
    for seed in range(60):
        train, _ = problem.dataset.split(85, np.uint64(seed))
        if train.weight == 0:
            found.add("train")
            with pytest.raises(DataError, match=f"with seed {seed}, all the 5 training rows have weight 0"):
                problem.split(np.uint64(seed))
    assert found
    without = gm.Regression(X, Y, GRAMMAR, error="mae", sample_weight=weights, test_rows=2)
    evaluator = next(
        without.evaluator(np.uint64(seed), Threads())
        for seed in range(9)
        if without.dataset.split(2, np.uint64(seed))[1].weight == 0  # type: ignore[union-attr]
    )
    assert math.isnan(evaluator.test(population(0)))


def test_weights_make_another_problem() -> None:
    plain, weighted = (gm.Regression(X, Y, GRAMMAR, sample_weight=w) for w in (None, np.ones(90)))
    assert plain.identity != weighted.identity


def test_without_test_rows_there_is_no_test_error() -> None:
    problem = gm.Regression(X, Y, GRAMMAR)
    assert problem.split(np.uint64(1)) == (problem.dataset, None)
    assert math.isnan(problem.evaluator(np.uint64(1), Threads()).test(population(0)))


def test_outputs_are_those_of_the_formulas() -> None:
    out = gm.Regression(X, Y, GRAMMAR).outputs(population(*range(len(FORMULAS)), 6))
    for found, wanted in zip(out, FORMULAS.values(), strict=False):
        assert found.tolist() == pytest.approx(wanted.tolist(), rel=1e-14)
    assert np.isnan(out[-1]).all()


def test_a_seed_whose_training_rows_are_all_alike_is_told() -> None:
    y = np.zeros(10)
    y[0] = 1.0
    problem = gm.Regression(np.arange(10.0)[:, None], y, gm.problems.load("quartic").grammar, test_rows=5)
    messages = []
    for seed in range(10):
        try:
            problem.split(np.uint64(seed))
        except DataError as error:
            messages.append(str(error))
    assert messages
    assert all("y is constant in the 5 training rows; reduce test_rows" in message for message in messages)


def test_a_single_test_row_has_no_relative_error() -> None:
    X, grammar = np.arange(10.0)[:, None], gm.problems.load("quartic").grammar
    with pytest.raises(SettingsError, match="test_rows is 1: it must be 0, or an integer ≥ 2"):
        gm.Regression(X, X[:, 0], grammar, test_rows=1)
    gm.Regression(X, X[:, 0], grammar, test_rows=1, error="mae")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame(np.ones((3, 2)), columns=["a", "a"]), "X has several columns called 'a': rename them"),
        (np.ones((3, 1)) + 1j, "X holds complex numbers: give their real parts"),
        (pl.DataFrame({"a": [1, 2, 3]}).lazy(), r"X is lazy: give X\.collect\(\)"),
        (pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64"), "b": [1, 2, 3]}), "row 1, column a: the value"),
    ],
)  # fmt: skip
def test_tables_of_another_kind_are_refused(X: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        gm.Regression(X, [1.0, 2.0, 3.0], gm.problems.load("quartic").grammar)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-140, 1e155, 1e300])
@pytest.mark.parametrize("error", ["rrse", "rmse", "1-r2"])
def test_a_target_whose_squares_are_no_floats_is_to_be_rescaled(scale: float, error: Any) -> None:
    X, grammar = np.arange(10.0)[:, None], gm.problems.load("quartic").grammar
    with pytest.raises(DataError, match=r"^squaring y overflows or underflows; rescale y$"):
        gm.Regression(X, X[:, 0] * scale, grammar, error=error)
    with pytest.raises(DataError, match=r"rescale y or sample_weight$"):
        gm.Regression(X, X[:, 0] * scale, grammar, error=error, sample_weight=np.full(10, 2.0))


def test_training_rows_whose_squares_are_no_floats_are_to_be_rescaled() -> None:
    y = np.arange(10.0) * 1e-160
    y[0] = 1.0
    problem = gm.Regression(np.arange(10.0), y, gm.problems.load("quartic").grammar, test_rows=5)
    message = "^with seed {}, in the 5 training rows, squaring y overflows or underflows; rescale y$"
    refused = [seed for seed in range(8) if 0 not in problem.split(np.uint64(seed))[0].columns[0]]
    assert 0 < len(refused) < 8
    for seed in range(8):
        if seed in refused:
            with pytest.raises(DataError, match=message.format(seed)):
                problem.evaluator(np.uint64(seed), Threads())
        else:
            problem.evaluator(np.uint64(seed), Threads())


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_absolute_errors_need_no_squares_unless_programs_are_fitted_by_least_squares(scale: float) -> None:
    X = np.arange(10.0)
    problem = gm.Regression(X, X * scale, Grammar.from_text("<e> ::= x | x + x | <const>"), error="mae")
    assert np.isfinite(gm.evolve(problem, gm.GE(population=9, generations=2, tuning_iterations=0), seed=1).best.fitness)
    for method in (gm.GE(population=9, generations=2), gm.TunedTrees(population=9, generations=2, initial_depth=2)):
        with pytest.raises(DataError, match=r"^squaring y overflows or underflows; rescale y$"):
            gm.evolve(problem, method, seed=1)


def test_a_constant_target_is_fine_for_an_absolute_error() -> None:
    problem = gm.Regression(np.arange(10.0)[:, None], np.ones(10), gm.problems.load("quartic").grammar, error="rmse")
    assert gm.evolve(problem, gm.GE(population=50, generations=3), seed=1).best.fitness == 0


@pytest.mark.parametrize(
    "make", [lambda g: gm.Regression(np.ones((3, 1)), [1, 2, 3], g), lambda g: gm.Objective(len, g)]
)
def test_a_text_is_no_grammar(make: Any) -> None:
    with pytest.raises(SettingsError, match=r"the grammar is '<e> ::= x': give gm\.Grammar\.from_text\(text\)"):
        make("<e> ::= x")
