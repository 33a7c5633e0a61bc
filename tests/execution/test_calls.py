from __future__ import annotations

import operator
import pickle
import sys
import threading
import types
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.errors import WorkerError
from gramarye.execution.calls import answer, pack, unpack
from tests.execution import tasks


def call(function: Any, *args: Any, **kwargs: Any) -> Any:
    return unpack(answer(pack(function, args, kwargs)))


@given(st.lists(st.integers() | st.floats(allow_nan=False) | st.text()), st.booleans())
def test_a_call_by_bytes_is_the_call(values: list[Any], backwards: bool) -> None:
    assert call(sorted, values, key=str, reverse=backwards) == sorted(values, key=str, reverse=backwards)


def test_an_error_comes_back_as_itself_with_its_traceback_as_a_note() -> None:
    with pytest.raises(ZeroDivisionError, match=r"^division by zero") as caught:
        call(operator.truediv, 1, 0)
    assert str(caught.value) == "division by zero"
    (note,) = caught.value.__notes__
    assert note.startswith("In the worker:\nTraceback")
    assert note.endswith("ZeroDivisionError: division by zero")


def test_so_does_a_wish_to_end_the_program() -> None:
    with pytest.raises(SystemExit) as caught:
        call(sys.exit, 3)
    assert caught.value.args == (3,)


@pytest.mark.parametrize(
    ("task", "text"),
    [
        (tasks.raise_what_cannot_be_pickled, "ValueError: it broke"),
        (tasks.raise_what_cannot_be_made_again, "MissingExtraError: Cheese is not installed"),
    ],
)
def test_an_error_that_cannot_travel_comes_back_as_text(task: Any, text: str) -> None:
    with pytest.raises(WorkerError, match=text) as caught:
        call(task)
    assert task.__name__ in caught.value.__notes__[0]


def test_functions_without_a_module_can_be_calls() -> None:
    offset = 3
    assert call(lambda k: k + offset, 4) == 7


@pytest.mark.parametrize(
    ("function", "args", "text"),
    [
        (
            len,
            (threading.Lock(),),
            r"len: the call can't be sent to a worker \(.*pickle.*\); leave out what belongs to",
        ),
        (types.SimpleNamespace(), (threading.Lock(),), r"namespace\(\): the call can't be sent"),
    ],
)
def test_a_call_that_cannot_be_sent_is_told(function: Any, args: tuple[Any, ...], text: str) -> None:
    with pytest.raises(WorkerError, match=text):
        pack(function, args, {})


def test_a_call_that_cannot_be_loaded_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("a_notebook")
    exec("def function(): pass", module.__dict__)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "a_notebook", module)
        packed = pack(module.function, (), {})
    with pytest.raises(WorkerError, match=r"a worker can't load the call \(ModuleNotFoundError: .*'a_notebook'\)"):
        unpack(answer(packed))


def test_a_result_that_cannot_be_sent_back_is_told() -> None:
    with pytest.raises(WorkerError, match=r"lock: its result can't be sent back from a worker \(.*pickle.*\)"):
        call(threading.Lock)


def test_a_result_that_cannot_be_loaded_is_told() -> None:
    with pytest.raises(WorkerError, match=r"the result can't be loaded here \(ValueError: .*'no number'\)"):
        call(tasks.Unloadable)


def test_whatever_arrives_there_is_an_answer() -> None:
    assert pickle.loads(answer(b"no call"))[2].startswith("gramarye.errors.WorkerError: a worker can't load the call")
