from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.kernels import products
from gramarye.kernels.summing import LANES
from tests import twins

NUMBERS = st.floats(-1e3, 1e3) | st.sampled_from([0.0, -0.0, 1e200, -1e200, 5e-324])


def gram_of(table: NDArray[np.float64], rows: list[int]) -> NDArray[np.float64]:
    """The products of some rows of a table, added to ones."""
    memory = products.rows_in_line(*table.shape)
    memory[:] = 7.0  # what lies behind the numbers of a row does not count
    memory[:, : table.shape[1]] = table
    gram = np.ones((len(rows), len(rows)))
    products.add_products(memory, np.array([*rows, 99]), len(rows), table.shape[1], gram)
    return gram


@given(st.data(), st.integers(1, 9), st.integers(1, 70))
def test_products_of_rows_are_added_up_in_sixteen_lanes(data: st.DataObject, count: int, n: int) -> None:
    values = data.draw(st.lists(NUMBERS, min_size=40, max_size=40))
    table = np.resize(np.array(values), (count, n))
    rows = data.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=7, unique=True))
    found = gram_of(table, rows)
    for p in range(len(rows)):
        for q in range(len(rows)):
            terms = [a * b for a, b in zip(table[rows[p]].tolist(), table[rows[q]].tolist(), strict=True)]
            wanted = 1.0 + twins.add_in_lanes(terms) if p <= q else 1.0
            assert found[p, q] == wanted or math.isnan(found[p, q]) == math.isnan(wanted) is True


@pytest.mark.parametrize("count", [1, 2, 5, 16])
def test_products_of_rows_are_those_of_numpy(count: int) -> None:
    table = np.random.default_rng(count).normal(size=(count, 1000))
    found = gram_of(table, list(range(count))) - 1.0
    assert np.triu(found) == pytest.approx(np.triu(table @ table.T), abs=1e-10)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_number_that_is_not_finite_shows_in_the_products_of_its_row_alone(bad: float) -> None:
    table = np.ones((4, 33))
    table[2, 32] = bad
    found = gram_of(table, [0, 1, 2, 3])
    assert (np.isfinite(found) == np.array([[(p != 2 and q != 2) or p > q for q in range(4)] for p in range(4)])).all()


@pytest.mark.parametrize("n", [1, 16, 17, 200])
def test_rows_begin_at_a_line_of_the_cache(n: int) -> None:
    memory = products.rows_in_line(3, n)
    assert memory.shape == (3, -(-n // LANES) * LANES)
    assert [memory[k:].ctypes.data % 64 for k in range(3)] == [0, 0, 0]
