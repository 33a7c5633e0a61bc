from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.kernels import summing
from gramarye.languages.arithmetic.kernels import codes, errors, machine
from tests import twins

X, Y = codes.VARIABLE, codes.VARIABLE + 1
Program = list[int]

BINARY = [operation for operation in twins.EXACT if operation < codes.UNARY] + [codes.POWER]
UNARY = [operation for operation in (*twins.EXACT, *twins.NEAR) if operation >= codes.UNARY]
NUMBERS = st.floats(-1e3, 1e3) | st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e300, -1e300, 5e-324, 709.0, 1e6])


def number(value: float) -> Program:
    return [codes.CONSTANT, *struct.unpack("<ii", struct.pack("<d", value))]


def code(programs: Sequence[Program]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Programs as the machine takes them: words and bounds."""
    bounds = np.cumsum([0, *(len(program) for program in programs)], dtype=np.int64)
    return np.array([word for program in programs for word in program], np.int32), bounds


def run(programs: Sequence[Program], columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Outputs [P, rows]."""
    outputs = np.empty((len(programs), columns.shape[1]))
    machine.run(*code(programs), columns, outputs)
    return outputs


def sum_up(
    programs: Sequence[Program],
    columns: NDArray[np.float64],
    target: NDArray[np.float64] | None = None,
    weights: NDArray[np.float64] | None = None,
    absolute: bool = False,
) -> tuple[NDArray[np.float64], int]:
    """Sums [P] and node·rows."""
    sums = np.empty(len(programs))
    target = np.zeros(columns.shape[1]) if target is None else target
    weights = np.zeros(0) if weights is None else weights
    work = errors.sum_errors(*code(programs), columns, target, weights, absolute, sums)
    return sums, work


def same_bits(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    """Equal to the last bit and the sign of zeros; only the bits of a NaN are left open."""
    nan = np.isnan(a)
    return bool((nan == np.isnan(b)).all() and (a.view(np.int64) == b.view(np.int64))[~nan].all())


def alone(operation: int, *operands: float) -> float:
    """What the machine gives for one operation on one row."""
    return _alone(operation, *(operand.hex() for operand in operands))


@cache
def _alone(operation: int, *operands: str) -> float:  # texts, for 0.0 == -0.0
    program = [*(X + k for k in range(len(operands))), operation]
    return float(run([program], np.array([[float.fromhex(operand)] for operand in operands]))[0, 0])


# sin and its like are accurate by tests of their own: here it matters that programs are built from them
FUNCTIONS: twins.Functions = {**{operation: partial(alone, operation) for operation in twins.NEAR}, **twins.EXACT}


@st.composite
def programs(draw: st.DrawFn, columns: int = 2, most: int = 12) -> Program:
    """Postfix code of expressions of all shapes."""
    leaf = st.integers(0, columns - 1).map(lambda k: [X + k]) | NUMBERS.map(number)
    grow = lambda inner: st.one_of(  # noqa: E731
        st.tuples(inner, inner, st.sampled_from(BINARY)).map(lambda t: [*t[0], *t[1], t[2]]),
        st.tuples(inner, st.sampled_from(UNARY)).map(lambda t: [*t[0], t[1]]),
    )
    return draw(st.recursive(leaf, grow, max_leaves=most))


TABLES = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=20).map(lambda rows: np.array(rows).T.copy())


@given(st.lists(programs() | st.just([]), max_size=4), TABLES)
def test_outputs_equal_those_of_the_twin(given_programs: list[Program], columns: NDArray[np.float64]) -> None:
    outputs = run(given_programs, columns)
    for program, found in zip(given_programs, outputs, strict=True):
        rows = columns.T.tolist()
        values = [twins.evaluate(program, row, FUNCTIONS)[0] if program else math.nan for row in rows]
        assert same_bits(found, np.array(values))


@given(st.lists(programs() | st.just([]), max_size=4))
def test_the_size_of_a_program_is_the_number_of_its_nodes(given_programs: list[Program]) -> None:
    nodes = [twins.evaluate(p, [1.0, 1.0], FUNCTIONS)[1] if p else 0 for p in given_programs]
    assert machine.sizes(*code(given_programs)).tolist() == nodes


@given(programs(), TABLES, st.booleans(), st.booleans(), st.data())
def test_errors_are_added_up_in_sixteen_lanes(
    program: Program, columns: NDArray[np.float64], absolute: bool, weighted: bool, data: st.DataObject
) -> None:
    rows = columns.shape[1]
    target = data.draw(st.lists(st.floats(-100, 100), min_size=rows, max_size=rows))
    weights = data.draw(st.lists(st.floats(0, 10), min_size=rows, max_size=rows))
    sums, _ = sum_up([program], columns, np.array(target), np.array(weights) if weighted else None, absolute)
    apart = [f - y for f, y in zip(run([program], columns)[0].tolist(), target, strict=True)]
    terms = [abs(e) if absolute else e * e for e in apart]
    terms = [term * weight for term, weight in zip(terms, weights, strict=True)] if weighted else terms
    assert same_bits(sums, np.array([twins.add_in_lanes(terms)]))


def test_what_is_no_program_has_no_sum() -> None:
    sums, work = sum_up([[], [X], []], np.ones((1, 3)))
    assert np.isnan(sums).tolist() == [True, False, True]
    assert work == 3


# Blocks of rows, batches of programs

EVERYTHING = [  # sin(x) * 3 - 1 / (y + 2) ** 0.5 + min(x, y): slots are taken, left and taken again
    *[X, codes.SIN, *number(3.0), codes.MULTIPLY],
    *[Y, *number(2.0), codes.ADD, *number(0.5), codes.POWER, codes.INVERSE, codes.SUBTRACT],
    *[X, Y, codes.MINIMUM, codes.ADD],
]


@pytest.mark.compiled
@pytest.mark.parametrize("rows", [1, 15, 16, 17, 687, 688, 689, 1500])
def test_blocks_of_rows_give_the_same_as_row_by_row(rows: int) -> None:
    columns = np.stack([np.linspace(-3, 8, rows), np.linspace(0, 5, rows) ** 2])
    target = np.sin(np.arange(rows))
    weights = np.cos(np.arange(rows)) ** 2
    outputs = run([EVERYTHING], columns)
    row_by_row = [run([EVERYTHING], columns[:, [row]])[0, 0] for row in range(rows)]
    assert same_bits(outputs[0], np.array(row_by_row))
    terms = ((outputs[0] - target) * (outputs[0] - target) * weights).tolist()
    sums, work = sum_up([EVERYTHING], columns, target, weights)
    assert sums[0] == twins.add_in_lanes(terms)
    assert work == 15 * rows


def test_a_block_is_a_whole_number_of_lanes() -> None:
    assert machine.BLOCK % summing.LANES == 0


@pytest.mark.parametrize("rows", [3, 700])
def test_many_programs_together_give_the_same_as_one_by_one(rows: int) -> None:
    columns, target = np.stack([np.linspace(-3, 8, rows), np.linspace(0, 5, rows)]), np.ones(rows)
    many: list[Program] = []
    for k in range(35):
        many += [[X, *number(float(k)), codes.MULTIPLY], number(float(k)), EVERYTHING, [Y]]
    assert same_bits(run(many, columns), np.concatenate([run([program], columns) for program in many]))
    sums, work = sum_up(many, columns, target)
    one_by_one = [sum_up([program], columns, target) for program in many]
    assert same_bits(sums, np.concatenate([one[0] for one in one_by_one]))
    assert work == sum(one[1] for one in one_by_one)


def test_no_programs_take_no_work() -> None:
    assert sum_up([], np.ones((1, 4)))[1] == 0
    assert run([], np.ones((1, 4))).shape == (0, 4)


def test_a_program_may_make_many_operands_wait() -> None:
    deep = [X] * 100 + [Y] + [codes.ADD] * 100
    with_slots = [*[X, codes.NEGATE] * 100, Y] + [codes.SUBTRACT] * 100
    columns = np.array([[1.0, 2.0], [5.0, 7.0]])
    predictions = run([deep, with_slots], columns)
    assert predictions[0].tolist() == [105.0, 207.0]
    for row in range(2):
        assert predictions[1, row] == twins.evaluate(with_slots, columns[:, row].tolist(), FUNCTIONS)[0]


def test_slots_are_used_again_and_again() -> None:
    chain = [X, codes.NEGATE] + [X, codes.NEGATE, codes.ADD] * 60 + [codes.ABS] * 60
    predictions = run([chain, [*chain, *chain, codes.SUBTRACT]], np.array([[1.0, 2.0, 0.5]]))
    assert predictions.tolist() == [[61.0, 122.0, 30.5], [0.0, 0.0, 0.0]]


def test_an_operation_may_read_one_variable_twice() -> None:
    columns = np.array([[1.5, -2.0]])
    predictions = run([[X, X, codes.MULTIPLY], [X, codes.ABS, X, codes.ABS, codes.SUBTRACT]], columns)
    assert predictions.tolist() == [[2.25, 4.0], [0.0, 0.0]]


# Single operations


@pytest.mark.parametrize(
    ("operation", "operands", "expected"),
    [
        (codes.DIVIDE, (3.0, 0.0), 1.0),
        (codes.DIVIDE, (0.0, 0.0), 1.0),
        (codes.DIVIDE, (3.0, -0.0), 1.0),
        (codes.DIVIDE, (-3.0, 5e-324), -math.inf),
        (codes.DIVIDE, (3.0, math.inf), 0.0),
        (codes.DIVIDE, (math.inf, math.inf), math.nan),
        (codes.LOG, (0.0,), 0.0),
        (codes.LOG, (-0.0,), 0.0),
        (codes.LOG, (-3.0,), 0.0),
        (codes.LOG, (-math.inf,), 0.0),
        (codes.LOG, (1.0,), 0.0),
        (codes.LOG, (math.inf,), math.inf),
        (codes.LOG, (math.nan,), math.nan),
        (codes.INVERSE, (0.0,), 1.0),
        (codes.INVERSE, (-0.0,), 1.0),
        (codes.INVERSE, (-4.0,), -0.25),
        (codes.INVERSE, (math.inf,), 0.0),
        (codes.SQRT, (9.0,), 3.0),
        (codes.SQRT, (-9.0,), math.nan),
        (codes.ROOT_ABS, (-9.0,), 3.0),
        (codes.EXP, (1000.0,), math.inf),
        (codes.EXP, (-1000.0,), 0.0),
        (codes.PROTECTED_EXP, (1000.0,), 1.0),
        (codes.PROTECTED_EXP, (math.inf,), 1.0),
        (codes.PROTECTED_EXP, (-1000.0,), 0.0),
        (codes.PROTECTED_EXP, (math.nan,), math.nan),
        (codes.MINIMUM, (1.0, 2.0), 1.0),
        (codes.MINIMUM, (2.0, 1.0), 1.0),
        (codes.MINIMUM, (math.nan, 1.0), math.nan),
        (codes.MINIMUM, (1.0, math.nan), math.nan),
        (codes.MAXIMUM, (1.0, 2.0), 2.0),
        (codes.MAXIMUM, (2.0, 1.0), 2.0),
        (codes.MAXIMUM, (math.nan, 1.0), math.nan),
        (codes.MAXIMUM, (1.0, math.nan), math.nan),
        (codes.POWER, (-2.0, 3.0), -8.0),
        (codes.POWER, (-2.0, 0.5), math.nan),
        (codes.POWER, (0.0, 0.0), 1.0),
        (codes.CUBE, (-2.0,), -8.0),
        (codes.SQUARE, (-2.0,), 4.0),
        (codes.ABS, (-2.0,), 2.0),
        (codes.NEGATE, (0.0,), -0.0),
        (codes.MULTIPLY, (1e200, 1e200), math.inf),
        (codes.SUBTRACT, (math.inf, math.inf), math.nan),
        (codes.ADD, (0.1, 0.2), 0.30000000000000004),
    ],
)
def test_protection_and_infinities(operation: int, operands: tuple[float, ...], expected: float) -> None:
    assert same_bits(np.array([alone(operation, *operands)]), np.array([expected]))
    constants = [word for operand in operands for word in number(operand)]
    found = run([[*constants, operation]], np.zeros((1, 3)))  # numbers give the same as variables
    assert same_bits(found[0], np.array([expected] * 3))


@pytest.mark.parametrize("operation", sorted({*twins.EXACT, *twins.NEAR}))
def test_each_operation_is_the_one_of_its_name(operation: int) -> None:
    function: Callable[..., float] = {**twins.EXACT, **twins.NEAR}[operation]
    points = [-2.5, -1.0, -0.3, 0.0, 0.7, 1.0, 3.2]
    for a in points:
        if operation >= codes.UNARY:
            assert alone(operation, a) == pytest.approx(function(a), rel=1e-14, nan_ok=True)
        elif operation != codes.POWER or a > 0:
            for b in points:
                assert alone(operation, a, b) == pytest.approx(function(a, b), rel=1e-13)


# What counts as finite


def finite(program: Program, absolute: bool, x: float) -> bool:
    sums, _ = sum_up([program], np.array([[1.0, x, 1.0]]), absolute=absolute)
    return bool(np.isfinite(sums[0]))


@pytest.mark.parametrize("absolute", [True, False])
def test_intermediate_infinities_do_no_harm(absolute: bool) -> None:
    assert finite([X, codes.EXP, codes.INVERSE], absolute, 1000.0)


@pytest.mark.parametrize("absolute", [True, False])
@pytest.mark.parametrize(
    "program",
    [
        [X, codes.EXP],
        [X, codes.EXP, codes.NEGATE],
        [X, codes.EXP, X, codes.EXP, codes.SUBTRACT],  # inf - inf
    ],
)
def test_an_output_that_is_not_finite_shows(program: Program, absolute: bool) -> None:
    assert finite(program, absolute, 2.0)
    assert not finite(program, absolute, 1000.0)


def test_an_error_that_is_not_finite_shows() -> None:
    assert not finite([X], False, 1e200)
    assert finite([X], True, 1e200)


# Rows that are tried first


@given(st.integers(1, 40), st.integers(2, 700), st.integers(0, 2**32 - 1))
def test_the_rows_to_try_are_the_extremes_of_columns_and_some_between(columns: int, rows: int, seed: int) -> None:
    table = np.random.default_rng(seed).integers(-20, 20, (columns, rows)).astype(float)
    assert errors.rows_to_try(table).tolist() == twins.rows_to_try(table.tolist())


WIDE = np.stack([np.linspace(-6, 9, 300), np.cos(np.arange(300.0)) * 800])
LONG = [X, codes.NEGATE] + [X, codes.ABS, codes.ADD] * 10  # 32 nodes, finite


@given(st.lists(programs(most=40), min_size=1, max_size=5), st.booleans())
def test_rows_that_are_tried_first_change_no_result(given_programs: list[Program], absolute: bool) -> None:
    sums, _ = sum_up(given_programs, WIDE, absolute=absolute)
    outputs = run(given_programs, WIDE)
    with np.errstate(all="ignore"):
        terms = np.abs(outputs) if absolute else outputs * outputs
        expected = np.array([twins.add_in_lanes(row) for row in terms.tolist()])
    finite = np.isfinite(expected)
    assert (np.isfinite(sums) == finite).all()
    assert same_bits(sums[finite], expected[finite])


def test_a_program_that_fails_in_a_row_to_try_runs_over_no_more() -> None:
    bad, tried = [*LONG, Y, codes.EXP, codes.ADD], len(twins.rows_to_try(WIDE.tolist()))
    sums, work = sum_up([bad, LONG], WIDE)
    assert tried == 16
    assert work == (35 + 32) * tried + 32 * 300
    assert np.isnan(sums[0])
    assert np.isfinite(sums[1])


def test_a_program_that_fails_in_other_rows_only_fails_all_the_same() -> None:
    columns = np.linspace(1.0, 2.0, 300)[None]
    columns[0, 7] = 1.5 + 2.0**-20  # no extreme, and not at an even distance
    nowhere = [X, *number(columns[0, 7]), codes.SUBTRACT, codes.ABS, *number(1e-300), codes.ADD]
    bad = [*nowhere, codes.INVERSE, codes.SQUARE] + [*number(0.0), codes.ADD] * 6
    assert 7 not in twins.rows_to_try(columns.tolist())
    assert not np.isfinite(sum_up([bad], columns)[0][0])
    assert np.isfinite(run([bad], np.delete(columns, 7, axis=1))[0]).all()


def test_small_programs_run_over_all_rows_at_once() -> None:
    assert sum_up([[Y, codes.EXP]], WIDE)[1] == 2 * 300


# Functions of variables


def test_functions_of_variables_are_those_of_the_rows_at_hand() -> None:
    rows = 2 * machine.BLOCK + 5
    columns = np.stack([np.linspace(-3, 8, rows), np.linspace(0, 5, rows)])
    many = [[X, codes.SIN], [Y, codes.SIN], [X, codes.SIN, Y, codes.SIN, codes.ADD], [X, codes.COS, codes.SIN]]
    predictions = run(many * 40, columns)
    for program, found in zip(many * 40, predictions, strict=True):
        assert same_bits(found, np.concatenate([run([program], part)[0] for part in np.split(columns, [700], 1)]))


def test_functions_of_many_variables_need_not_be_kept() -> None:
    columns = np.linspace(-3, 3, 3 * (machine.KEPT + 8)).reshape(machine.KEPT + 8, 3)
    every = [[X + v, codes.SIN, X + v, codes.EXP, codes.MULTIPLY] for v in range(len(columns))]
    predictions = run(every, columns)
    for v in range(len(columns)):
        assert same_bits(predictions[v], run([every[0]], columns[[v]])[0])


@pytest.mark.parametrize("operation", [*range(codes.ADD, codes.MAXIMUM + 1), *range(codes.NEGATE, codes.KEEP)])
def test_the_basic_operations_are_those_of_the_papers_grammar(operation: int) -> None:
    operands = [codes.VARIABLE] if operation >= codes.UNARY else [codes.CONSTANT, operation, operation, codes.VARIABLE]
    words = np.array([*operands, operation], np.int32)
    signs = [codes.ADD, codes.SUBTRACT, codes.MULTIPLY, codes.DIVIDE]
    paper = [*signs, codes.SIN, codes.COS, codes.EXP, codes.LOG, codes.INVERSE]
    assert machine.is_basic(words, np.array([0, len(words)])) == (operation in paper)


def test_a_machine_of_basic_operations_gives_the_same_as_the_whole_one() -> None:
    signs = [codes.ADD, codes.SUBTRACT, codes.MULTIPLY, codes.DIVIDE]
    rows = [[64, 65, sign] for sign in signs] + [
        [64, f] for f in (codes.SIN, codes.COS, codes.EXP, codes.LOG, codes.INVERSE)
    ]
    columns, target = np.linspace(-5, 5, 40).reshape(2, 20), np.ones(20)
    found = []
    for extended in (None, True):
        sums, outputs = np.zeros(len(rows)), np.empty((len(rows), 20))
        errors.sum_errors(*code(rows), columns, target, np.zeros(0), False, sums, extended)
        machine.run(*code(rows), columns, outputs, extended)
        found.append((sums.tobytes(), outputs.tobytes()))
    assert found[0] == found[1]
