from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize

from gramarye.data import Dataset
from gramarye.grammar import Grammar
from gramarye.languages import Arithmetic, Fitted, Programs
from gramarye.languages.arithmetic import fitting
from gramarye.languages.arithmetic.fitting import Fit
from gramarye.languages.arithmetic.kernels import codes, postfix
from tests import twins
from tests.languages.arithmetic.test_machine import Program, X, Y, code, number, run, same_bits
from tests.languages.arithmetic.test_terms import terms_of, tree_of, tuned, tuned_programs

Floats = NDArray[np.float64]
FREE = np.array([[-np.inf, np.inf], [-1.0, 1.0]])  # two kinds of constants
RNG = np.random.default_rng(5)
COLUMNS = RNG.uniform(0.2, 3.0, (2, 60))
NOISE = RNG.normal(size=60) / 10
TARGET = np.sin(2 * COLUMNS[0]) + 0.5 * COLUMNS[1] + NOISE
WEIGHTS = RNG.uniform(0.1, 3.0, 60)
LANGUAGE = Arithmetic(Grammar.from_text("<e> ::= x | y | <const>"), 2)


def fit(
    programs: Sequence[Program],
    terms: int = 1,
    iterations: int = 0,
    target: Floats = TARGET,
    weights: Floats | None = None,
    columns: Floats = COLUMNS,
) -> Fitted:
    words, offsets = code(programs)
    data = Dataset(columns, target, None, np.zeros(0) if weights is None else weights)
    return Fit(Programs(words, offsets, np.zeros(len(programs), np.int8)), data, terms, iterations, 1e-4, FREE).run()


def words_of(found: Fitted, programs: Sequence[Program], k: int = 0) -> Program:
    """One of the programs with its new numbers."""
    _, offsets = code(programs)
    words: Program = found.words[offsets[k] : offsets[k + 1]].tolist()
    return words


def constants_in(program: Program) -> list[float]:
    nodes = tree_of(program)[1]
    return [twins.evaluate([0, *node.words[1:]], [], {})[0] for node in nodes if node.words[0] < codes.CONSTANT]


def residuals(
    found: Fitted,
    programs: Sequence[Program],
    k: int = 0,
    target: Floats = TARGET,
    columns: Floats = COLUMNS,
    terms: int = 1,
) -> Floats:
    """How far the predictions of one of the programs are from the target."""
    _, offsets = code(programs)
    new = Programs(found.words, offsets, np.zeros(len(programs), np.int8)).take(np.array([k]))
    predicted = LANGUAGE.predictions(new, COLUMNS, found.weights[k : k + 1])
    difference: Floats = predicted[0] - target
    return difference


# Weights


def least_squares(
    program: Program, terms: int, weights: Floats | None, target: Floats = TARGET
) -> tuple[Floats, float]:
    """The weights of NumPy, and the error that they leave."""
    target = TARGET
    table = np.column_stack([np.ones(len(target)), *run([term.program for term in terms_of(program, terms)], COLUMNS)])
    roots = np.ones(len(target)) if weights is None else np.sqrt(weights)
    solution, *_ = np.linalg.lstsq(table * roots[:, None], target * roots, rcond=None)
    return solution, float((((table @ solution - target) * roots) ** 2).sum())


SUM = [X, codes.SIN, Y, X, codes.MULTIPLY, codes.ADD, X, codes.LOG, codes.SUBTRACT, Y, codes.SQUARE, codes.ADD]


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["alike", "weighted"])
@pytest.mark.parametrize("terms", [1, 2, 3, 4, 6])
def test_weights_are_those_of_least_squares(terms: int, weights: Floats | None) -> None:
    found = fit([SUM], terms, weights=weights)
    wanted, error = least_squares(SUM, terms, weights)
    assert found.weights.shape == (1, 1 + terms)
    assert found.weights[0, : len(wanted)] == pytest.approx(wanted, rel=1e-8)
    assert not found.weights[0, len(wanted) :].any()
    assert found.errors[0] == pytest.approx(error, rel=1e-9)


@given(tuned_programs([codes.MULTIPLY], [codes.SIN, codes.COS, codes.TANH]), st.sampled_from([1, 2, 6]), st.booleans())
@example([X, *number(7e-163), codes.MULTIPLY], 1, False)  # its squares are too small for all digits
def test_errors_are_those_of_predictions_and_no_larger_than_with_other_weights(
    program: Program, terms: int, weighted: bool
) -> None:
    weights = WEIGHTS if weighted else None
    found = fit([program], terms, weights=weights)
    squares = residuals(found, [program]) ** 2 * (1.0 if weights is None else weights)
    spread = Dataset(COLUMNS, TARGET, None, np.zeros(0) if weights is None else weights).spread
    assert found.errors[0] == pytest.approx(squares.sum(), rel=1e-6, abs=1e-9 * spread)
    assert found.errors[0] <= spread * (1 + 1e-9)
    assert squares.sum() <= least_squares(program, terms, weights)[1] * (1 + 1e-6) + 1e-9 * spread


def test_terms_that_depend_on_others_have_the_weight_0() -> None:
    twice = [X, X, *number(3.0), codes.MULTIPLY, codes.ADD, Y, codes.ADD, *number(5.0), codes.ADD]
    found = fit([twice], 4)
    assert found.weights[0, [2, 4]].tolist() == [0.0, 0.0]  # 3 x and the number, which is what the intercept is
    assert found.errors[0] == pytest.approx(least_squares([X, Y, codes.ADD], 2, None)[1], rel=1e-9)


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_what_adds_nothing_but_rounding_to_predictions_weighs_0(scale: float) -> None:
    target = scale * (COLUMNS[0] * COLUMNS[1] + COLUMNS[0])
    product, waves = [X, Y, codes.MULTIPLY], [X, codes.SIN, codes.ADD, Y, codes.EXP, codes.ADD]
    found = fit([[*product, X, codes.ADD, *waves]], 4, target=target)
    assert found.weights[0, [0, 3, 4]].tolist() == [0.0, 0.0, 0.0]
    assert found.weights[0, [1, 2]] == pytest.approx([scale, scale], rel=1e-12)
    small = fit([[*product, X, codes.ADD, *waves]], 4, target=target + scale * (1e-9 * np.sin(COLUMNS[0]) + 1e-8))
    assert small.weights[0, [0, 3]] == pytest.approx([1e-8 * scale, 1e-9 * scale], rel=1e-3)


def test_a_program_without_variables_predicts_the_mean() -> None:
    for program in (number(7.0), tuned(7.0)):
        found = fit([program], 6, 3)
        assert found.weights[0].tolist() == pytest.approx([TARGET.mean(), *[0.0] * 6])
        assert found.errors[0] == pytest.approx(((TARGET - TARGET.mean()) ** 2).sum())


def test_a_constant_target_is_met_by_the_intercept() -> None:
    found = fit([SUM, [X, *tuned(2.0), codes.MULTIPLY]], 6, 5, target=np.full(60, 3.25))
    assert found.errors == pytest.approx(0.0, abs=1e-20)
    assert found.weights[:, 0] == pytest.approx(3.25)
    assert found.weights[:, 1:] == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("terms", [0, 1, 6])
@pytest.mark.parametrize("bad", [[X, *number(800.0), codes.MULTIPLY, codes.EXP], [X, codes.NEGATE, codes.SQRT]])
def test_a_program_that_is_not_finite_has_no_error_and_is_run_once(bad: Program, terms: int) -> None:
    found = fit([[Y, *tuned(0.5), codes.ADD, *bad, codes.ADD], SUM], terms, 5)
    assert not np.isfinite(found.errors[0])
    assert np.isfinite(found.errors[1])
    assert found.passes.tolist() == [1, 1]


def test_without_terms_a_program_is_taken_as_it_is() -> None:
    found = fit([SUM], 0)
    assert found.weights.tolist() == [[0.0, 1.0]]
    assert found.errors[0] == pytest.approx(((run([SUM], COLUMNS)[0] - TARGET) ** 2).sum(), rel=1e-12)


def test_one_term_is_a_line() -> None:
    found = fit([SUM], 1)
    slope, intercept = np.polyfit(run([SUM], COLUMNS)[0], TARGET, 1)
    assert found.weights[0] == pytest.approx([intercept, slope])


# Constants

WAVE = [X, *tuned(1.7), codes.MULTIPLY, *tuned(0.3), codes.ADD, codes.SIN, Y, *tuned(0.9), codes.POWER, codes.ADD]
DECAY = [X, *tuned(-0.4), codes.MULTIPLY, codes.EXP, *tuned(1.5), Y, codes.ADD, codes.DIVIDE]
MODELS: dict[str, tuple[Program, list[float], Callable[[Any, Any, Any], Any]]] = {  # with constants to be found
    "wave": (WAVE, [2.0, 0.1, 1.2], lambda c, x, y: np.sin(c[0] * x + c[1]) + y ** c[2]),
    "decay": (DECAY, [-0.7, 2.0], lambda c, x, y: np.exp(c[0] * x) / (c[1] + y)),
}


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["alike", "weighted"])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("scaled", [False, True], ids=["as it is", "scaled"])
def test_the_minimum_is_the_one_that_scipy_finds(name: str, scaled: bool, weights: Floats | None) -> None:
    program, truth, model = MODELS[name]
    target = model(truth, *COLUMNS) * (1.3 if scaled else 1.0) + NOISE
    roots = np.ones(60) if weights is None else np.sqrt(weights)

    def apart(c: Floats) -> Floats:
        line = c[-2] + c[-1] * model(c, *COLUMNS) if scaled else model(c, *COLUMNS)
        return np.asarray((line - target) * roots)

    def minimum(start: Fitted) -> float:
        """What SciPy finds from there."""
        line = start.weights[0].tolist() if scaled else []
        first = [*constants_in(words_of(start, [program])), *line]
        return 2 * float(optimize.least_squares(apart, first, method="lm", xtol=1e-12, ftol=1e-12).cost)

    before, after = (fit([program], int(scaled), count, target, weights) for count in (0, 200))
    assert after.errors[0] <= 1.002 * minimum(before)
    assert after.errors[0] == pytest.approx(minimum(after), rel=5e-3)


@given(tuned_programs(most=8), st.sampled_from([0, 1, 6]), st.integers(1, 8))
def test_tuning_never_makes_a_program_worse(program: Program, terms: int, iterations: int) -> None:
    before, after = (fit([program], terms, count).errors[0] for count in (0, iterations))
    assert after <= before or np.isnan(before)


@given(tuned_programs(most=8), st.sampled_from([0, 1, 6]), st.integers(0, 6))
def test_what_a_program_becomes_does_not_depend_on_those_fitted_with_it(
    program: Program, terms: int, iterations: int
) -> None:
    many = [WAVE, program, SUM, DECAY, program]
    together, alone = fit(many, terms, iterations), fit([program], terms, iterations)
    for k in (1, 4):
        assert words_of(together, many, k) == words_of(alone, [program])
        assert same_bits(together.weights[k], alone.weights[0])
        assert same_bits(together.errors[k : k + 1], alone.errors)
        assert together.passes[k] == alone.passes[0]


def test_no_iterations_leave_constants_as_they_are() -> None:
    found = fit([WAVE, DECAY], 1, 0)
    assert found.words.tolist() == [*WAVE, *DECAY]
    assert found.passes.tolist() == [1, 1]


def test_the_first_pass_and_each_trial_are_counted() -> None:
    nodes = len(tree_of(WAVE)[1])
    for iterations in (1, 2, 3):
        found = fit([WAVE, SUM], 1, iterations)
        assert found.passes.tolist() == [1 + iterations, 1]  # nothing of SUM is tuned
        assert found.work.node_rows == (2 * nodes * (1 + iterations) + len(tree_of(SUM)[1])) * 60
    long = fit([WAVE], 1, 500)
    assert long.passes[0] < 100  # it ends where steps gain too little


def test_more_iterations_begin_as_fewer_do() -> None:
    errors = [fit([WAVE, DECAY], 2, iterations).errors for iterations in range(12)]
    assert (np.diff(errors, axis=0) <= 0).all()


def test_constants_that_generated_the_data_are_found_again() -> None:
    target = np.exp(-0.7 * COLUMNS[0]) / (2.0 + COLUMNS[1])
    found = fit([DECAY], 1, 60, target=target)
    assert constants_in(words_of(found, [DECAY])) == pytest.approx([-0.7, 2.0], rel=1e-6)
    assert found.weights[0] == pytest.approx([0.0, 1.0], abs=1e-6)
    assert np.abs(residuals(found, [DECAY], target=target)).max() < 1e-7


def test_constants_stay_within_their_bounds() -> None:
    bounded = [X, *tuned(0.5, kind=1), codes.MULTIPLY]
    found = fit([bounded, [X, *tuned(0.5), codes.MULTIPLY]], 0, 30, target=4 * COLUMNS[0])
    assert constants_in(words_of(found, [bounded, bounded])) == [1.0]
    assert constants_in(words_of(found, [bounded, bounded], 1)) == pytest.approx([4.0])
    below = fit([bounded], 0, 30, target=-4 * COLUMNS[0])
    assert constants_in(words_of(below, [bounded])) == [-1.0]


def test_constants_without_bounds_do_not_run_away_but_may_be_as_large_as_the_target_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fitting, "FARTHEST", 1e15)
    program = [X, *tuned(0.5), codes.MULTIPLY]
    for sign in (1.0, -1.0):
        tiny = fit([program], 0, 30, target=sign * 4 * COLUMNS[0], columns=1e-25 * COLUMNS)
        reach = fitting.FARTHEST * 4 * COLUMNS[0].max()
        assert constants_in(words_of(tiny, [program])) == [sign * reach]
        large = fit([program], 0, 30, target=sign * 4e30 * COLUMNS[0])
        assert constants_in(words_of(large, [program])) == pytest.approx([sign * 4e30])


@pytest.mark.parametrize("step", [np.nan, np.inf, -np.inf])
def test_a_constant_that_would_not_be_finite_keeps_its_last_value(step: float) -> None:
    program = [*tuned(0.5), *tuned(0.25, kind=1), codes.ADD, *tuned(2.0), codes.ADD]
    words, offsets = code([program])
    moved = np.zeros_like(words)
    steps, first = np.array([step, step, 1.0]), np.array([0, 3])
    postfix.move_values(words, offsets, np.array([0]), steps, first, FREE, moved)
    assert constants_in(moved.tolist()) == [0.5, 0.25, 3.0]


@given(tuned_programs(most=8), st.sampled_from([0, 1, 6]))
def test_constants_are_always_finite(program: Program, terms: int) -> None:
    found = fit([program], terms, 8)
    assert np.isfinite(constants_in(words_of(found, [program]))).all()


def test_a_constant_whose_derivative_is_not_finite_stays_and_the_others_move() -> None:
    columns = COLUMNS.copy()
    columns[0, 3] = 0.0
    root = [X, *tuned(0.5), codes.POWER]  # its derivative by x is not asked for
    bad = [*tuned(0.0), Y, *number(0.0), codes.MULTIPLY, codes.ADD, *number(0.5), codes.POWER]
    program = [*root, *bad, codes.ADD]
    found = fit([program], 0, 5, columns=columns)
    assert constants_in(words_of(found, [program]))[1] == 0.0
    assert constants_in(words_of(found, [program]))[0] != 0.5
    assert np.isfinite(found.errors[0])


def test_more_constants_than_rows_allow_stay_as_they_are() -> None:
    rows = 6
    many = [X, *(word for _ in range(5) for word in (*tuned(0.5), codes.MULTIPLY, codes.SIN))]
    few = [X, *(word for _ in range(4) for word in (*tuned(0.5), codes.MULTIPLY, codes.SIN))]
    found = fit([many, few], 1, 3, target=TARGET[:rows], columns=np.ascontiguousarray(COLUMNS[:, :rows]))
    assert words_of(found, [many, few]) == many
    assert words_of(found, [many, few], 1) != few
    assert found.passes[0] == 1
    assert np.isfinite(found.errors).all()


def test_more_constants_than_the_most_stay_as_they_are() -> None:
    long = [X, *(word for _ in range(fitting.MOST_TUNED + 1) for word in (*tuned(0.01), codes.ADD))]
    assert words_of(fit([long], 0, 3), [long]) == long
    shorter = long[:-4]
    assert words_of(fit([shorter], 0, 3), [shorter]) != shorter


def test_a_part_of_programs_is_fitted_where_it_stands() -> None:
    words, offsets = code([SUM, WAVE, DECAY])
    data = Dataset(COLUMNS, TARGET)
    part = Programs(words, offsets, np.zeros(3, np.int8)).part(1, 3)
    found, alone = LANGUAGE.fit(part, data, 1, 4, 1e-4), fit([WAVE, DECAY], 1, 4)
    assert found.words.tolist() == alone.words.tolist()
    assert same_bits(found.errors, alone.errors)
    assert words.tolist() == [*SUM, *WAVE, *DECAY]  # what was given stays as it was


# Digits


@pytest.mark.parametrize("apart", [1.0, 1e-2, 1e-4, 1e-6])
def test_errors_have_digits_down_to_their_blur(apart: float) -> None:
    near = [X, *number(apart), Y, codes.SIN, codes.MULTIPLY, codes.ADD]  # x + apart * sin(y), beside x
    program = [X, *number(1.0), codes.MULTIPLY, *near, *number(1.0), codes.MULTIPLY, codes.ADD]
    target = COLUMNS[0] + np.sin(COLUMNS[1]) + 1e-3 * NOISE
    found = fit([program], 2, target=target)
    direct = (residuals(found, [program], target=target) ** 2).sum()
    assert abs(found.errors[0] - direct) < 1e-2 * found.blur[0] + 1e-12 * direct
    assert found.blur[0] > 1e-12 * ((target - target.mean()) ** 2).sum()


def test_a_number_that_was_computed_in_several_ways_is_no_term() -> None:
    one = [X, X, codes.INVERSE, codes.MULTIPLY]  # 1, but for its last digit
    assert np.ptp(run([one], COLUMNS)) > 0
    found = fit([[*one, Y, codes.ADD]], 2)
    assert found.weights[0, 1] == 0.0
    assert found.errors[0] == pytest.approx(least_squares([Y], 1, None)[1])
