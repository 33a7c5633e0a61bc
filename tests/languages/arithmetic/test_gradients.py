from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.kernels import summing
from gramarye.kernels.compiler import COMPILED
from gramarye.languages.arithmetic.kernels import codes, gradients, machine, terms
from tests import twins
from tests.languages.arithmetic.test_machine import TABLES, Program, X, Y, code, number, run, same_bits
from tests.languages.arithmetic.test_terms import Node, terms_of, tree_of, tuned, tuned_programs

Floats = NDArray[np.float64]
Functions = dict[int, Callable[..., Any]]
OPERATIONS = sorted({*twins.EXACT, *twins.NEAR})


class Grams(NamedTuple):
    """What the kernel finds out about some programs."""

    matrices: list[Floats]  # [C, C] each, the upper triangles
    pivots: Floats  # [P, terms]
    work: int


def multiplied(
    programs: Sequence[Program],
    columns: Floats,
    target: Floats | None = None,
    weights: Floats | None = None,
    most: int = 1,
    derivatives: bool = True,
    which: Sequence[int] | None = None,
) -> Grams:
    words, bounds = code(programs)
    counts, parameters, _, _ = terms.lay_out(words, bounds, most)
    parameters = parameters * derivatives
    size = counts + parameters + 2
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(size * size)])
    grams, pivots = np.full(starts[-1], np.nan), np.full((len(programs), most), np.nan)
    target = np.zeros(columns.shape[1]) if target is None else target
    roots = np.zeros(0) if weights is None else np.sqrt(weights)
    chosen = np.arange(len(programs)) if which is None else np.array(which, np.int64)
    table = columns, target, roots
    work = gradients.gram_matrices(words, bounds, chosen, *table, most, parameters, starts, grams, pivots)
    matrices = [grams[a : a + n * n].reshape(n, n) for a, n in zip(starts, size, strict=False)]
    return Grams(matrices, pivots, work)


def derivatives_of(program: Program, row: Sequence[float], most: int = 1) -> tuple[list[float], list[float]]:
    """The terms of a program in one row, and the derivatives of each term by its constants: sums over one row."""
    found = multiplied([program], np.array(row, np.float64)[:, None], most=most)
    count = len(terms_of(program, most))
    return found.pivots[0, :count].tolist(), found.matrices[0][0, 1 + count : -1].tolist()


# What the machine gives


@given(tuned_programs(), TABLES, st.integers(1, 4))
def test_terms_are_what_the_machine_gives_for_them(program: Program, columns: Floats, most: int) -> None:
    alone = [term.program for term in terms_of(program, most)]
    outputs = run(alone, columns)
    for row in range(columns.shape[1]):
        values, _ = derivatives_of(program, columns[:, row].tolist(), most)
        assert same_bits(np.array(values), outputs[:, row])


# Derivatives


def values_in(program: Program, constants: Sequence[Any], row: Sequence[Any], functions: Functions) -> Any:
    """A program over numbers of any kind, with other constants that are tuned."""
    left = iter(constants)

    def value(node: Node) -> Any:
        word = node.words[0]
        operands = [value(operand) for operand in node.operands]
        if word < codes.CONSTANT:
            return next(left)
        if word == codes.CONSTANT:
            return mpmath.mpf(twins.evaluate(node.words, [], {})[0])
        return row[word - codes.VARIABLE] if word >= codes.VARIABLE else functions[word](*operands)

    return value(tree_of(program)[0])


EXACT_FUNCTIONS: Functions = {
    codes.ADD: lambda a, b: a + b,
    codes.SUBTRACT: lambda a, b: a - b,
    codes.MULTIPLY: lambda a, b: a * b,
    codes.DIVIDE: lambda a, b: a / b,
    codes.POWER: mpmath.power,
    codes.MINIMUM: min,
    codes.MAXIMUM: max,
    codes.NEGATE: lambda a: -a,
    codes.SIN: mpmath.sin,
    codes.COS: mpmath.cos,
    codes.TAN: mpmath.tan,
    codes.EXP: mpmath.exp,
    codes.LOG: mpmath.log,
    codes.SQRT: mpmath.sqrt,
    codes.ROOT_ABS: lambda a: mpmath.sqrt(abs(a)),
    codes.ABS: abs,
    codes.INVERSE: lambda a: 1 / a,
    codes.SQUARE: lambda a: a * a,
    codes.CUBE: lambda a: a * a * a,
    codes.TANH: mpmath.tanh,
    codes.PROTECTED_EXP: mpmath.exp,
}
POSITIVE_ONLY = (codes.LOG, codes.SQRT, codes.POWER)


def exact_derivatives(program: Program, constants: list[float], row: list[float]) -> list[float]:
    """With fifty digits."""
    with mpmath.workdps(50):
        numbers = [mpmath.mpf(c) for c in constants]

        def along(k: int) -> Callable[[Any], Any]:
            return lambda c: values_in(program, [*numbers[:k], c, *numbers[k + 1 :]], row, EXACT_FUNCTIONS)

        return [float(mpmath.diff(along(k), numbers[k])) for k in range(len(numbers))]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_derivatives_of_each_operation_are_exact(operation: int) -> None:
    points = [0.3, 0.7, 1.3, 2.9] if operation in POSITIVE_ONLY else [-2.5, -1.1, -0.3, 0.7, 1.3, 2.9]
    for a in points:
        for b in points if operation < codes.UNARY else [0.0]:
            constants = [a, b] if operation < codes.UNARY else [a]
            program = [*(word for each in constants for word in tuned(each)), operation]
            if a == b and operation in (codes.MINIMUM, codes.MAXIMUM):
                continue
            _, found = derivatives_of(program, [0.0])
            assert found == pytest.approx(exact_derivatives(program, constants, []), rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_derivatives_of_each_operation_are_quotients_of_differences(operation: int) -> None:
    x, c, step = 0.81, 1.37, 1e-5
    shapes = (
        [[*tuned(c), operation]] if operation >= codes.UNARY else [[X, *tuned(c), operation], [*tuned(c), X, operation]]
    )
    for shape in shapes:
        moved = []
        for value in (c - step, c + step):
            words = [*shape]
            at = words.index(~0)
            words[at : at + 3] = number(value)
            moved.append(float(run([words], np.array([[x]]))[0, 0]))
        assert derivatives_of(shape, [x])[1] == pytest.approx([(moved[1] - moved[0]) / (2 * step)], rel=1e-8, abs=1e-9)


@given(
    tuned_programs(
        [codes.MULTIPLY], [codes.SIN, codes.COS, codes.TANH, codes.NEGATE, codes.SQUARE], st.floats(-1.5, 1.5), most=8
    ),
    st.floats(-1.5, 1.5),
    st.floats(-1.5, 1.5),
)
def test_derivatives_of_smooth_programs_are_exact(program: Program, x: float, y: float) -> None:
    constants = [twins.evaluate([0, *node.words[1:]], [], {})[0] for node in tree_of(program)[1] if node.words[0] < 0]
    found = derivatives_of(program, [x, y])[1]
    wanted = exact_derivatives(program, constants, [x, y])
    scale = max([1.0, *map(abs, wanted)])
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12 * scale)


@pytest.mark.parametrize(
    ("operation", "operands", "expected"),
    [
        (codes.DIVIDE, (3.0, 0.0), (0.0, 0.0)),
        (codes.DIVIDE, (0.0, -0.0), (0.0, 0.0)),
        (codes.LOG, (0.0,), (0.0,)),
        (codes.LOG, (-2.0,), (0.0,)),
        (codes.SQRT, (0.0,), (0.0,)),
        (codes.SQRT, (4.0,), (0.25,)),
        (codes.ROOT_ABS, (0.0,), (0.0,)),
        (codes.ROOT_ABS, (-4.0,), (-0.25,)),
        (codes.PROTECTED_EXP, (0.0,), (1.0,)),
        (codes.PROTECTED_EXP, (1000.0,), (0.0,)),
        (codes.INVERSE, (0.0,), (0.0,)),
        (codes.INVERSE, (-0.0,), (0.0,)),
        (codes.ABS, (0.0,), (1.0,)),
        (codes.ABS, (-2.0,), (-1.0,)),
        (codes.MINIMUM, (1.0, 1.0), (1.0, 0.0)),
        (codes.MAXIMUM, (1.0, 1.0), (1.0, 0.0)),
        (codes.MINIMUM, (2.0, 1.0), (0.0, 1.0)),
        (codes.MAXIMUM, (2.0, 1.0), (1.0, 0.0)),
        (codes.POWER, (0.0, 0.0), (0.0, 0.0)),
        (codes.POWER, (0.0, 2.0), (0.0, 0.0)),
        (codes.POWER, (-2.0, 3.0), (12.0, 0.0)),
        (codes.POWER, (0.0, 0.5), (math.inf, 0.0)),
    ],
)
def test_derivatives_are_defined_where_operations_are_protected_or_have_a_corner(
    operation: int, operands: tuple[float, ...], expected: tuple[float, ...]
) -> None:
    program = [*(word for operand in operands for word in tuned(operand)), operation]
    assert derivatives_of(program, [1.0])[1] == list(expected)


def test_a_constant_of_one_term_is_not_in_the_others() -> None:
    # 2 x + sin(3 y): the derivative by 2 is that of the first term, the one by 3 that of the second
    program = [*tuned(2.0), X, codes.MULTIPLY, *tuned(3.0), Y, codes.MULTIPLY, codes.SIN, codes.ADD]
    values, found = derivatives_of(program, [5.0, 0.5], 2)
    assert values == pytest.approx([10.0, math.sin(1.5)])
    assert found == pytest.approx([5.0, 0.5 * math.cos(1.5)])
    subtracted = [*program[:-1], codes.SUBTRACT]  # a sign belongs to the weight of a term, as long as it is one
    assert derivatives_of(subtracted, [5.0, 0.5], 2)[1] == found
    assert derivatives_of(subtracted, [5.0, 0.5], 1)[1] == pytest.approx([5.0, -0.5 * math.cos(1.5)])


# Gram matrices


def twin_matrix(
    program: Program, columns: Floats, target: Floats, weights: Floats | None, most: int, derivatives: bool
) -> Floats:
    """The sums of products in lanes, block after block, of what single rows give."""
    rows = [derivatives_of(program, row, most) for row in columns.T.tolist()]
    first = rows[0][0]
    table = [
        [1.0, *(v - p for v, p in zip(values, first, strict=True)), *(slopes if derivatives else []), y]
        for (values, slopes), y in zip(rows, target.tolist(), strict=True)
    ]
    if weights is not None:
        roots = np.sqrt(weights).tolist()
        table = [[value * root for value in row] for row, root in zip(table, roots, strict=True)]
    size = len(table[0])
    gram = np.zeros((size, size))
    for block in range(0, len(table), gradients.BLOCK):
        part = table[block : block + gradients.BLOCK]
        for p in range(size):
            for q in range(p, size):
                gram[p, q] += twins.add_in_lanes([row[p] * row[q] for row in part])
    return gram


@given(tuned_programs(most=6), TABLES, st.booleans(), st.booleans(), st.integers(1, 3))
def test_gram_matrices_are_sums_of_products_in_lanes(
    program: Program, columns: Floats, weighted: bool, derivatives: bool, most: int
) -> None:
    rows = columns.shape[1]
    target = np.sin(np.arange(rows))
    weights = 1.0 + np.arange(float(rows)) % 3 if weighted else None
    found = multiplied([program], columns, target, weights, most, derivatives).matrices[0]
    with np.errstate(all="ignore"):
        wanted = twin_matrix(program, columns, target, weights, most, derivatives)
    assert same_bits(np.triu(found), wanted)


EVERYTHING = [  # sin(1.5 x) * 0.5 - (y + 2) ** 0.7 / 1.1 + min(x, 0.3 y)
    *[X, *tuned(1.5), codes.MULTIPLY, codes.SIN, *tuned(0.5), codes.MULTIPLY],
    *[Y, *tuned(2.0), codes.ADD, *tuned(0.7), codes.POWER, *tuned(1.1), codes.DIVIDE, codes.SUBTRACT],
    *[X, Y, *tuned(0.3), codes.MULTIPLY, codes.MINIMUM, codes.ADD],
]


@pytest.mark.compiled
@pytest.mark.parametrize("rows", [1, 16, 1023, 1024, 1025, 2100])
@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_of_rows_are_added_up(rows: int, weighted: bool) -> None:
    columns = np.stack([np.linspace(-3, 8, rows), np.linspace(0, 5, rows) ** 2])
    target, weights = np.sin(np.arange(rows)), np.cos(np.arange(rows)) ** 2 if weighted else None
    found = multiplied([EVERYTHING], columns, target, weights, 3)
    assert same_bits(np.triu(found.matrices[0]), twin_matrix(EVERYTHING, columns, target, weights, 3, True))
    assert found.work == 2 * len(tree_of(EVERYTHING)[1]) * rows


def test_gram_matrices_are_those_of_numpy() -> None:
    rows = 500
    columns = np.random.default_rng(1).uniform(0.5, 3, (2, rows))
    target = np.cos(columns[0])
    found = multiplied([EVERYTHING], columns, target, most=1)
    outputs = run([EVERYTHING], columns)[0]
    slopes = np.array([derivatives_of(EVERYTHING, row)[1] for row in columns.T.tolist()]).T
    table = np.stack([np.ones(rows), outputs - outputs[0], *slopes, target])
    assert np.triu(found.matrices[0]) == pytest.approx(np.triu(table @ table.T), rel=1e-10, abs=1e-10)
    assert found.pivots[0, 0] == outputs[0]


def test_many_programs_together_give_the_same_as_one_by_one() -> None:
    rows = 40
    columns, target = np.stack([np.linspace(-3, 8, rows), np.linspace(0, 5, rows)]), np.ones(rows)
    many: list[Program] = []
    for k in range(25):
        many += [[X, *tuned(float(k)), codes.MULTIPLY], tuned(float(k)), EVERYTHING, [Y]]
    together = multiplied(many, columns, target, most=2)
    for k, program in enumerate(many):
        alone = multiplied([program], columns, target, most=2)
        assert same_bits(np.triu(together.matrices[k]), np.triu(alone.matrices[0]))
        assert same_bits(together.pivots[k], alone.pivots[0])
    some = multiplied(many, columns, target, most=2, which=[7, 2])
    assert same_bits(np.triu(some.matrices[2]), np.triu(together.matrices[2]))
    assert np.isnan(some.matrices[0]).all()  # nobody asked for it


def test_no_program_takes_no_work() -> None:
    assert multiplied([[X]], np.ones((1, 4)), which=[]).work == 0
    assert multiplied([[X, *tuned(1.0), codes.ADD]], np.ones((1, 4)), derivatives=False).work == 3 * 4


def test_a_block_is_a_whole_number_of_lanes() -> None:
    assert gradients.BLOCK % summing.LANES == 0
    assert machine.BLOCK % summing.LANES == 0


OTHER_MODE = """
import sys
import numpy as np
from gramarye.kernels.compiler import COMPILED
from tests.languages.arithmetic.test_gradients import all_of_them
np.save(sys.argv[1], all_of_them())
sys.exit(10 + COMPILED)
"""


def all_of_them() -> Floats:
    """The Gram matrices of a program for every operation, over rows of all kinds, with weights and without."""
    columns = np.random.default_rng(3).normal(size=(2, 150))
    columns[:, :4] = [[0.0, -0.0, 1.0, 0.0], [0.0, 1.0, 1.0, -3.0]]
    many = [EVERYTHING]
    for operation in OPERATIONS:
        first = [X, *tuned(0.7), codes.MULTIPLY]
        many.append([*first, operation] if operation >= codes.UNARY else [*first, Y, *tuned(0.3), codes.ADD, operation])
    target = np.cos(np.arange(150.0))
    weights = np.sin(np.arange(150.0)) ** 2
    found = [multiplied(many, columns, target, w, 2).matrices for w in (None, weights)]
    return np.concatenate([np.triu(matrix).ravel() for matrices in found for matrix in matrices])


@pytest.mark.slow
def test_compiled_and_plain_code_give_the_same_bits(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1" if COMPILED else "0"}
    command = [sys.executable, "-c", OTHER_MODE, str(tmp_path / "grams.npy")]
    assert subprocess.run(command, env=environment, check=False).returncode == 10 + (not COMPILED)
    assert same_bits(all_of_them(), np.load(tmp_path / "grams.npy"))
