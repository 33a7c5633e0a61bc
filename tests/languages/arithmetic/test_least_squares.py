from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.languages.arithmetic.kernels import least_squares

Floats = NDArray[np.float64]


def solved(matrix: Floats, least: Floats | None = None) -> tuple[list[float], float]:
    """The solution of symmetric equations whose right-hand side is the last column, and what is left at the end."""
    work = np.triu(matrix)
    n = len(matrix) - 1
    least_squares.eliminate(work, 0, n, np.zeros(n + 1) if least is None else least)
    solution = np.full(n, 7.0)
    least_squares.substitute(work, 0, n, solution)
    return solution.tolist(), float(work[n, n])


def twin(matrix: list[list[float]], least: list[float]) -> list[float]:
    """Gauss, row by row; a column of which too little is left is left out."""
    n = len(matrix) - 1
    rows = [[matrix[min(i, j)][max(i, j)] for j in range(n + 1)] for i in range(n)]
    kept = []
    for k in range(n):
        if not rows[k][k] > least[k]:
            continue
        kept.append(k)
        for i in range(k + 1, n):
            factor = rows[k][i] / rows[k][k]
            for j in range(i, n + 1):
                rows[i][j] -= factor * rows[k][j]
    found = [0.0] * n
    for k in reversed(kept):
        value = rows[k][n]
        for j in kept:
            if j > k:
                value -= rows[k][j] * found[j]
        found[k] = value / rows[k][k]
    return found


@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e-10, 1.0]))
def test_elimination_equals_the_twin(n: int, seed: int, threshold: float) -> None:
    table = np.random.default_rng(seed).normal(size=(n + 1, n + 3))
    if n > 2:
        table[2] = table[0] - table[1]
    gram = table @ table.T
    least = threshold * np.diag(gram)
    assert solved(gram, least)[0] == twin(gram.tolist(), least.tolist())


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_normal_equations_give_the_least_squares_of_numpy(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table, target = rng.normal(size=(40, n)), rng.normal(size=40)
    both = np.column_stack([table, target])
    found, left = solved(both.T @ both)
    wanted, residual, *_ = np.linalg.lstsq(table, target, rcond=None)
    assert found == pytest.approx(wanted.tolist(), rel=1e-9, abs=1e-9)
    assert left == pytest.approx(residual[0], rel=1e-9)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_column_that_is_not_finite_does_not_touch_the_others(bad: float) -> None:
    table = np.random.default_rng(1).normal(size=(5, 20))
    gram = table @ table.T
    spoilt = gram.copy()
    spoilt[1, :] = spoilt[:, 1] = bad
    found, left = solved(spoilt, 1e-10 * np.diag(spoilt))
    others = [0, 2, 3, 4]
    wanted, wanted_left = solved(gram[np.ix_(others, others)])
    assert found == [wanted[0], 0.0, *wanted[1:]]
    assert left == wanted_left


def test_a_column_that_depends_on_others_has_the_solution_0() -> None:
    table = np.random.default_rng(2).normal(size=(4, 30))
    table[1] = 3 * table[0]
    gram = table @ table.T
    found, left = solved(gram, least_squares.DEPENDENT * np.diag(gram))
    assert found[1] == 0.0
    assert left == pytest.approx(np.linalg.lstsq(table[:3].T, table[3], rcond=None)[1].sum() or left, rel=1e-9)


def test_only_the_upper_triangle_counts() -> None:
    gram = np.array([[2.0, 1.0, 4.0], [np.nan, 3.0, 5.0], [np.nan, np.nan, 9.0]])
    full = np.array([[2.0, 1.0], [1.0, 3.0]])
    work = gram.copy()
    least_squares.eliminate(work, 0, 2, np.zeros(3))
    solution = np.empty(2)
    least_squares.substitute(work, 0, 2, solution)
    assert solution == pytest.approx(np.linalg.solve(full, [4.0, 5.0]))


def test_what_belongs_to_some_programs_is_taken_over() -> None:
    target = np.zeros(6)
    least_squares.take_over(np.array([2, 0]), np.array([0, 1, 3, 6]), np.arange(1.0, 7.0), target)
    assert target.tolist() == [1.0, 0.0, 0.0, 4.0, 5.0, 6.0]
