from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.kernels import summing
from tests import twins

TERMS = st.lists(st.floats(-1e6, 1e6), max_size=40)


@given(TERMS)
def test_a_sum_is_a_sum_of_sums(terms: list[float]) -> None:
    totals = np.zeros(summing.LANES)
    summing.add_lanes(totals, np.array(terms))
    assert summing.total_of(totals) == twins.add_in_lanes(terms)


@pytest.mark.compiled
@given(TERMS, st.lists(st.floats(-1e6, 1e6), max_size=3))
def test_lanes_are_added_up_alike_by_machine_code_and_by_its_source(first: list[float], second: list[float]) -> None:
    block = [*first, *[0.0] * (-len(first) % summing.LANES)]
    totals = np.zeros((2, summing.LANES))
    compiled: Any = summing.add_lanes
    for row, add_lanes in zip(totals, (compiled, compiled.py_func), strict=True):
        add_lanes(row, np.array(block))
        add_lanes(row, np.array(second))
    assert totals[0].tobytes() == totals[1].tobytes()
    assert math.fsum(totals[0]) == pytest.approx(math.fsum(first + second), abs=1e-6)
