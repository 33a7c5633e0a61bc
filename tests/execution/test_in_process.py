from __future__ import annotations

import operator
import threading

import pytest

from gramarye.execution import InProcess


def test_a_call_runs_at_once_in_this_thread() -> None:
    with InProcess() as executor:
        future = executor.submit(threading.get_ident)
        assert future.done()
        assert future.result() == threading.get_ident()
        assert list(executor.map(operator.add, [1, 2], [3, 4])) == [4, 6]


def test_an_error_belongs_to_the_future() -> None:
    future = InProcess().submit(operator.truediv, 1, 0)
    with pytest.raises(ZeroDivisionError):
        future.result()


def test_ctrl_c_belongs_to_the_driver() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        InProcess().submit(interrupted)


def test_after_its_end_it_takes_no_calls() -> None:
    executor = InProcess()
    executor.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(int)
