from __future__ import annotations

import threading
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.errors import SettingsError
from gramarye.execution import Threads


@given(st.integers(1, 5), st.integers(0, 2000))
def test_slices_cover_everything_in_order(count: int, n: int) -> None:
    workers = Threads(count)
    slices = workers.map(lambda first, last: (first, last), n)
    workers.close()
    assert slices[0][0] == 0
    assert slices[-1][1] == n
    assert all(a[1] == b[0] for a, b in pairwise(slices))
    assert len(slices) <= count
    assert all(last - first >= 64 for first, last in slices) or len(slices) == 1


def test_several_workers_take_slices_at_the_same_time() -> None:
    workers = Threads(3)
    barrier = threading.Barrier(3, timeout=30)  # broken, if a slice waited for another one
    assert len(set(workers.map(lambda *_: (barrier.wait(), threading.get_ident())[1], 300))) == 3
    workers.close()


def test_one_worker_is_this_thread() -> None:
    assert Threads().map(lambda *_: threading.get_ident(), 1000) == [threading.get_ident()]
    Threads().close()


def test_an_error_in_a_slice_comes_out() -> None:
    workers = Threads(2)
    with pytest.raises(ZeroDivisionError):
        workers.map(lambda *_: 1 // 0, 500)
    workers.close()


@pytest.mark.parametrize("count", [0, -1, 1.5, "2", None])
def test_a_number_of_workers_that_is_none_is_refused(count: Any) -> None:
    with pytest.raises(SettingsError, match=r"threads is .*: it must be an integer ≥ 1"):
        Threads(count)
